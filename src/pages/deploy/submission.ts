// One submission from the click to its answer: its targets are read once more, it is sent once, and when no answer comes it
// is looked for among the jobs.
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { readJobs, submitJob } from '#/api/jobs.ts';
import { readMembers, type JobTarget } from '#/fleet/members.ts';
import { forgetAttempt, isMadeBy, storeAttempt, type Attempt } from './attempt.ts';
import { waitFor } from '#/lib/pace.ts';
import { checkWrite } from '#/lib/request-queue.ts';
import { isUnanswered, meaningOf } from '#/lib/retry.ts';

/** Who joined and who left between the review of a deploy and its submit. */
export interface MembershipChange {
  /** All members as they are now. */
  now: Device[];
  joined: Device[];
  left: Device[];
}

/** Undefined where they are the same devices, whatever else of them has changed. */
export function changeBetween(reviewed: readonly Device[], now: Device[]): MembershipChange | undefined {
  const before = new Set(reviewed.map(({ DeviceId }) => DeviceId));
  const after = new Set(now.map(({ DeviceId }) => DeviceId));
  const joined = now.filter(({ DeviceId }) => !before.has(DeviceId));
  const left = reviewed.filter(({ DeviceId }) => !after.has(DeviceId));
  return joined.length + left.length > 0 ? { now, joined, left } : undefined;
}

/** "camera-1, camera-2 and 7 more" */
export function namesText(devices: readonly Device[], most = 5): string {
  const names = devices.slice(0, most).map(({ DeviceName, DeviceId }) => DeviceName || DeviceId);
  const more = devices.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** Raised when others are members than were reviewed; nothing was sent. */
export class MembersChanged extends Error {
  readonly change: MembershipChange;
  constructor(change: MembershipChange) {
    super('The devices have changed since the review');
    this.change = change;
  }
}

/** Raised when no answer came, and no job that would be it is there so far. */
export class AnswerLost extends Error {
  readonly attempt: Attempt;
  constructor(attempt: Attempt) {
    super('No answer came');
    this.attempt = attempt;
  }
}

/** Milliseconds before each look for the job of a lost answer: the service may still be making it. */
const LOOKS = [300, 1_500, 3_000];

const jobsOf = async (attempt: Attempt, signal?: AbortSignal) =>
  (await readJobs(signal)).filter((job) => isMadeBy(attempt, job));

/** The jobs that an attempt has made, as soon as there is one; none where none came in some seconds. */
export async function lookFor(attempt: Attempt, signal?: AbortSignal): Promise<Job[]> {
  for (const length of LOOKS) {
    await waitFor(length);
    signal?.throwIfAborted();
    const made = await jobsOf(attempt, signal);
    if (made.length > 0) return made;
  }
  return [];
}

export interface Submission {
  jobTarget: JobTarget;
  /** Who was reviewed. */
  devices: readonly Device[];
  attempt: Omit<Attempt, 'key' | 'before'>;
}

/** Reads the targets and the present jobs once more; returns the attempt, which is stored from then on. Nothing is sent. */
export async function beginAttempt({ jobTarget, devices, attempt }: Submission): Promise<Attempt> {
  const { signal } = new AbortController();
  const [jobs, now] = await Promise.all([readJobs(), 'ids' in jobTarget ? undefined : readMembers(jobTarget, signal)]);
  const change = now && changeBetween(devices, now);
  if (change) throw new MembersChanged(change);
  const before = jobs.filter(({ JobName }) => JobName === attempt.what.Name).map(({ JobId }) => JobId);
  const begun = { ...attempt, key: newIdempotencyKey(), before };
  storeAttempt(begun);
  return begun;
}

/** Sends it, or sends it again; gives the id of its job. */
export async function sendAttempt(attempt: Attempt): Promise<string> {
  const { key, what, target } = attempt;
  try {
    const { JobId } = await submitJob({ ...what, ...('ids' in target ? {} : target) }, key);
    forgetAttempt();
    return JobId;
  } catch (error) {
    let found: Job | undefined;
    const look = async () => {
      [found] = await jobsOf(attempt);
      return found !== undefined;
    };
    const isDone = meaningOf(error) === 'unknown' ? (await checkWrite(error, look)).done : false;
    if (isDone === undefined || (!isDone && isUnanswered(error))) throw new AnswerLost(attempt);
    forgetAttempt();
    if (!found) throw error;
    return found.JobId;
  }
}
