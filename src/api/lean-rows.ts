// Rows of children without the output that their jobs have: ten thousand outputs are megabytes, and few are looked at.
import type { Job } from '#/contract/jobs.ts';

const lean = new WeakSet<Job>();

export const markLean = (job: Job): void => void lean.add(job);

/** Whether the output of a job is not in its row. */
export const isLean = (job: Job): boolean => lean.has(job);
