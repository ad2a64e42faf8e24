// What the overview counts and picks, from the fleet and the list of jobs.
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { FleetIndex } from '#/api/fleet/fleet-index.ts';
import { isMoving, jobState } from '#/api/jobs.ts';
import { outcomeOf, stateOf } from '#/jobs/outcome.ts';
import type { BookedVerdicts } from '#/jobs/use-booked-verdicts.ts';
import type { Verdict } from '#/jobs/verdict.ts';

/** How many devices are Online, Offline, and neither. */
export function fleetFigures(fleet: FleetIndex): { online: number; offline: number; other: number } {
  const { status } = fleet.facets({}, ['status']);
  const count = (state: string) => status.find(({ value }) => value === state)?.count ?? 0;
  const [online, offline] = [count('Online'), count('Offline')];
  return { online, offline, other: fleet.size - online - offline };
}

/** A job as a line of a short list: its state, in words that count the children of a parent. */
export interface JobLine {
  job: Job;
  state: Verdict;
  detail: string;
  at: Date | undefined;
}

const newestFirst = (a: JobLine, b: JobLine) => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0);
const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Jobs that run or wait, newest first. */
export function runningNow(jobs: Job[]): JobLine[] {
  return jobs
    .filter(isMoving)
    .map((job) => {
      const { Counts: counts } = job;
      const at = parseTimestamp(job.StartTime || job.CreatedTime || '');
      if (!counts) return { job, state: jobState(job), detail: jobState(job), at };
      const done = total(counts) - (counts['Waiting'] ?? 0) - (counts['Running'] ?? 0);
      const state: Verdict = (counts['Running'] ?? 0) > 0 ? 'Running' : 'Waiting';
      return { job, state, detail: `${done} of ${total(counts)} done`, at };
    })
    .toSorted(newestFirst);
}

const DAY = 86_400_000;

/** What a person has to look into. */
const BAD: readonly Verdict[] = ['Failed', 'Rolled back', 'No answer', 'Interrupted'];

/**
 * Jobs that ended within a day with a failure, or with one among their children, newest first. `known`: how they ended by
 * the rules of their artifacts, as far as that is known.
 */
export function failedLately(
  jobs: Job[],
  now: Date,
  known: Pick<BookedVerdicts, 'outcomeOf' | 'stateOf'> = { outcomeOf, stateOf },
): JobLine[] {
  return jobs
    .flatMap((job): JobLine[] => {
      const counts = known.outcomeOf(job);
      const bad = counts
        ? BAD.filter((verdict) => counts[verdict])
        : BAD.filter((verdict) => verdict === known.stateOf(job));
      const [state] = bad;
      if (!state) return [];
      const at = parseTimestamp(job.EndTime || job.StartTime || job.CreatedTime || '');
      if (at && now.getTime() - at.getTime() > DAY) return [];
      if (!counts) return [{ job, state, detail: job.ExitCode ? `${state}, exit code ${job.ExitCode}` : state, at }];
      const failed = bad.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
      const word = state === 'Rolled back' && bad.length === 1 ? 'rolled back' : 'failed';
      return [{ job, state, detail: `${failed} of ${total(counts)} ${word}`, at }];
    })
    .toSorted(newestFirst);
}

/**
 * Devices that were seen once and are Offline now, the latest first and at most so many; empty where the service tells
 * no times.
 */
export function wentOffline(fleet: FleetIndex, most: number): { device: Device; at: Date }[] {
  const offline = fleet.query({ filter: { status: ['Offline'] } });
  return fleet.latest(offline, 'LastSeenTime', most).flatMap((row) => {
    const device = fleet.device(row);
    const at = parseTimestamp(device.LastSeenTime ?? '');
    return at ? [{ device, at }] : [];
  });
}
