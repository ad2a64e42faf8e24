// Binary search by index, for long sequences that need not be arrays.

/** The first index below `count` at which `holds` is true, or `count`. Once true, `holds` must stay true. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
