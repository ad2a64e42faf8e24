// What a job is called that does another one again, so that each is found from the other: "Update retry",
// "Update retry 2". The list of jobs has no other field that could hold it.

const RETRY = / retry(?: (\d{1,6}))?$/;
const LONGEST = 255;
/** Room for the longest ending. */
const LONGEST_BASE = LONGEST - ' retry 999999'.length;

/** The name of what was done first. */
export const baseOf = (name: string): string => name.replace(RETRY, '').slice(0, LONGEST_BASE);

export const isRetry = (name: string): boolean => RETRY.test(name);

/** What the names of all retries of a job begin with. */
export const retriesOf = (name: string): string => `${baseOf(name)} retry`;

/** Whether two jobs are the same order, the first one or a retry of it. */
export const isSameOrder = (one: string, two: string): boolean => baseOf(one) === baseOf(two);

/** A name that no job has yet. */
export function retryName(name: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  const first = retriesOf(name);
  if (!names.has(first)) return first;
  for (let number = 2; ; number++) if (!names.has(`${first} ${number}`)) return `${first} ${number}`;
}
