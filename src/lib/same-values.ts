// Compares arrays, typed or not.

/** Whether both have the same values in the same places. */
export function sameValues(one: ArrayLike<unknown>, two: ArrayLike<unknown>): boolean {
  if (one.length !== two.length) return false;
  for (let i = 0; i < one.length; i++) if (!Object.is(one[i], two[i])) return false;
  return true;
}
