// Counts the rows that were left out of lists because they could not be parsed, so that paging includes them and the page can
// say so. Separate from the schemas, which the sign-in page does not load.
const counts = new WeakMap<object, number>();
let total = 0;
let listener = () => {};

export function noteUnreadable(rows: object, count: number): void {
  counts.set(rows, count);
  total += count;
  listener();
}

/** The count for one list. */
export const unreadableRows = (rows: object): number => counts.get(rows) ?? 0;

/** The count for all lists so far, including repeated requests. */
export const unreadableTotal = (): number => total;

/** For the one place that shows the total. */
export function onUnreadable(call: () => void): () => void {
  listener = call;
  return () => (listener = () => {});
}
