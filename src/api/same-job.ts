// Whether a job is unchanged since the last read.
import type { Job } from '#/contract/jobs.ts';

export function isSameJob(one: Job, two: Job): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(two).length) return false;
  return names.every(
    (name) =>
      one[name] === two[name] ||
      (typeof one[name] === 'object' && JSON.stringify(one[name]) === JSON.stringify(two[name])),
  );
}
