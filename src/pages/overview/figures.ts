// What the overview counts and picks, from the fleet and the list of jobs.
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { FleetIndex } from '#/api/fleet/fleet-index.ts';
import { isMoving, jobState } from '#/api/jobs.ts';
import type { JobState } from '#/api/jobs.ts';

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
  state: JobState;
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
      const state: JobState = (counts['Running'] ?? 0) > 0 ? 'Running' : 'Waiting';
      return { job, state, detail: `${done} of ${total(counts)} done`, at };
    })
    .toSorted(newestFirst);
}

const DAY = 86_400_000;

/** Jobs that ended within a day with a failure, or with one among their children, newest first. */
export function failedLately(jobs: Job[], now: Date): JobLine[] {
  return jobs
    .flatMap((job): JobLine[] => {
      const failed = job.Counts ? (job.Counts['Failed'] ?? 0) + (job.Counts['Interrupted'] ?? 0) : 0;
      const state = jobState(job);
      if (job.Counts ? failed === 0 : state !== 'Failed' && state !== 'Interrupted') return [];
      const at = parseTimestamp(job.EndTime || job.StartTime || job.CreatedTime || '');
      if (at && now.getTime() - at.getTime() > DAY) return [];
      if (job.Counts) return [{ job, state: 'Failed', detail: `${failed} of ${total(job.Counts)} failed`, at }];
      return [{ job, state, detail: job.ExitCode === undefined ? state : `${state}, exit code ${job.ExitCode}`, at }];
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
