// Rows of children that were read without their output: ten thousand outputs are megabytes, and few are looked at.
import type { Job } from '#/contract/jobs.ts';

const lean = new WeakSet<Job>();

export const markLean = (job: Job): void => void lean.add(job);

/** Whether this row was read without the job's output. */
export const isLean = (job: Job): boolean => lean.has(job);
