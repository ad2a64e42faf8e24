// How many rows were left out of lists because they could not be read, so that paging still counts them and the page can
// say so. Apart from the schemas: the sign-in page does without those.
const counts = new WeakMap<object, number>();
let total = 0;
let listener = () => {};

export function noteUnreadable(rows: object, count: number): void {
  counts.set(rows, count);
  total += count;
  listener();
}

/** Of one list. */
export const unreadableRows = (rows: object): number => counts.get(rows) ?? 0;

/** Of all lists so far, repeated readings included. */
export const unreadableTotal = (): number => total;

/** For the one place that shows it. */
export function onUnreadable(call: () => void): () => void {
  listener = call;
  return () => (listener = () => {});
}
