// Texts about a job that pages share: its target, what its state means, what deleting it loses.
import { JOB_FIELDS, JOB_STATUSES, type Job } from '#/contract/jobs.ts';
import type { Tag } from '#/contract/tags.ts';
import { isParent } from '#/contract/job-state.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { movingIn, totalOf } from './outcome.ts';
import type { VerdictCounts, Verdict } from './verdict.ts';

export type Target =
  | { kind: 'device'; id: string; name: string }
  | { kind: 'group'; name: string }
  | { kind: 'tag'; id: string; name: string }
  /** A parent on a service that does not report its target. */
  | { kind: 'several' };

export function targetOf(job: Job, tags: Tag[] = []): Target {
  if (!isParent(job)) return { kind: 'device', id: job.DeviceId, name: job.DeviceName || job.DeviceId };
  if (job.DeviceGroup) return { kind: 'group', name: job.DeviceGroup };
  const { TagId: id } = job;
  if (id) return { kind: 'tag', id, name: tags.find(({ TagId }) => TagId === id)?.TagName || id };
  // A parent with a DeviceName is a single job that was retried.
  return job.DeviceName ? { kind: 'device', id: '', name: job.DeviceName } : { kind: 'several' };
}

/** "Group lab", "Tag canary", "camera-7". */
export function targetText(target: Target): string {
  switch (target.kind) {
    case 'device':
      return target.name || 'One device';
    case 'group':
      return `Group ${target.name}`;
    case 'tag':
      return `Tag ${target.name}`;
    case 'several':
      return 'Several devices';
  }
}

/** "2 of 3"; undefined for a job that is not of a rollout. */
export const waveText = ({ Wave, WaveCount }: Pick<Job, 'Wave' | 'WaveCount'>): string | undefined =>
  Wave === undefined || WaveCount === undefined ? undefined : `${formatCount(Wave)} of ${formatCount(WaveCount)}`;

/** Its name, without the wave that the service puts at the end of it. */
export function nameWithoutWave(job: Pick<Job, 'JobName' | 'Wave' | 'WaveCount'>): string {
  const end = `, wave ${job.Wave} of ${job.WaveCount}`;
  return waveText(job) !== undefined && job.JobName.endsWith(end) ? job.JobName.slice(0, -end.length) : job.JobName;
}

/** What a user should know about a state beyond its name. */
export const EXPLANATIONS: Partial<Record<Verdict, string>> = {
  Interrupted: 'The device went down during the job. It was not run again, because how far it got is unknown.',
  Cancelled: 'It was cancelled before it ended.',
  Finished: 'It has ended. The service does not say whether it succeeded.',
  'Rolled back': 'The update restored the previous version.',
  'No answer': 'It ended, but no outcome rule matched its output, so its outcome is unknown.',
};

/** Why a single device's job is still waiting; `online` is undefined if unknown. */
export const explainWaiting = (online: boolean | undefined): string =>
  online === false
    ? 'The device is offline. The job runs when it reconnects, after earlier jobs.'
    : 'The job runs after the device’s earlier jobs.';

/** What the rest of a job waits for: "300 waiting for offline devices". */
export const awaitedText = (count: number): string =>
  count === 1 ? '1 waiting for an offline device' : `${formatCount(count)} waiting for offline devices`;

/** A shorter form for narrow places. */
export const awaitedBriefly = (count: number): string =>
  count === 1 ? '1 waits for an offline device' : `${formatCount(count)} wait for offline devices`;

/** What deleting the job loses, one sentence each. */
export function lossOf(state: Verdict, outcome: VerdictCounts | undefined): string[] {
  if (!outcome) {
    if (state === 'Waiting') return ['This cancels the waiting job. It will not run.'];
    if (state === 'Running') return ['This stops the running job.', 'Its output is deleted.'];
    return ['Its result and output are deleted.'];
  }
  const { Waiting: waiting = 0, Running: running = 0 } = outcome;
  return [
    ...(waiting > 0 ? [`It is cancelled for ${devicesText(waiting)} where it still waits.`] : []),
    ...(running > 0 ? [`It is stopped on ${devicesText(running)} where it is running.`] : []),
    `The results and output of all ${devicesText(totalOf(outcome))} are deleted too.`,
  ];
}

/** What stopping does, one sentence each. */
export function stopText(state: Verdict, outcome: VerdictCounts | undefined): string[] {
  const stays = 'Its record and output stay.';
  if (!outcome)
    return state === 'Running'
      ? ['The device stops it; an Offline device stops it when it reconnects.', stays]
      : ['It is cancelled and will not run. Where it begins meanwhile, it is stopped.', stays];
  const { Waiting: waiting = 0, Running: running = 0 } = outcome;
  return [
    ...(running > 0
      ? [`It is stopped on ${devicesText(running)} where it is running; where that is Offline, when it is back.`]
      : []),
    ...(waiting > 0 ? [`It is cancelled for ${devicesText(waiting)} where it still waits.`] : []),
    stays,
  ];
}

/** Why a job that is already stopping cannot be stopped again. */
export const ALREADY_ASKED = 'Already asked to stop';

/** What to type to confirm a delete that stops jobs on several devices. */
export const typedFor = (outcome: VerdictCounts | undefined): string | undefined =>
  outcome && movingIn(outcome) > 1 ? String(totalOf(outcome)) : undefined;

const DOCUMENTED = new Set(JOB_FIELDS);
const KNOWN_VERDICTS: readonly unknown[] = [...JOB_STATUSES, 'RolledBack', 'NoAnswer'];
const isUnknownVerdict = (name: string, value: unknown) => name === 'Verdict' && !KNOWN_VERDICTS.includes(value);

/**
 * The fields that the document does not name, as received, which pages show generically. Includes a verdict that our
 * service does not know.
 */
export function otherFields(job: Job): [string, string][] {
  return Object.entries(job)
    .filter(([name, value]) => !DOCUMENTED.has(name) || isUnknownVerdict(name, value))
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

export const jobsText = (count: number): string => counted(count, 'job');

/** What will happen to stale jobs. `online`: whether any of their devices can take them now. */
export const staleWarning = (count: number, online: boolean): string =>
  `${counted(count, 'stale job')} ${online ? `${count === 1 ? 'is' : 'are'} about to run` : 'will run when it reconnects'}.`;
