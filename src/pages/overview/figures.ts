// The figures and short lists of the overview, from the fleet and the list of jobs.
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { isMoving } from '#/contract/job-state.ts';
import { badOf, isWithin } from '#/features/jobs/lately.ts';
import { awaitedText } from '#/features/jobs/job-words.ts';
import { awaitedOffline, jobWords, movingIn, outcomeOf, stateOf, totalOf } from '#/features/jobs/outcome.ts';
import type { Verdict } from '#/features/jobs/verdict.ts';
import { devicesText, formatCount } from '#/lib/format.ts';

/** "Lately", in hours. */
export const LATELY = 24;

export function fleetFigures(fleet: FleetIndex) {
  const { status, problem } = fleet.facets({}, ['status', 'problem']);
  const count = (state: string) => status.find(({ value }) => value === state)?.count ?? 0;
  return {
    online: count('Online'),
    offline: count('Offline'),
    /** Not connected yet, if the service reports it. They count in no share of the fleet. */
    isNew: count('NotConnected'),
    /** Other states, by the service's names. */
    others: status.flatMap(({ value, count: some }) =>
      ['Online', 'Offline', 'NotConnected'].includes(value) || some === 0 ? [] : [{ state: value, count: some }],
    ),
    /** Devices whose agent has a problem, by the kind of problem. */
    problems: problem.flatMap(({ value, count: some }) => (value === '' ? [] : [{ problem: value, count: some }])),
  };
}

/** A job in a short list. The detail of a parent counts its children. */
export interface JobLine {
  job: Job;
  state: Verdict;
  detail: string;
  /** Devices on which it has failed while it still runs on others. */
  failed?: number;
  at: Date | undefined;
}

const newestFirst = (a: JobLine, b: JobLine) => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0);

export function runningNow(jobs: Job[]): JobLine[] {
  return jobs
    .filter(isMoving)
    .map((job) => {
      const counts = outcomeOf(job);
      const state = stateOf(job);
      const at = parseTimestamp(job.StartTime || job.CreatedTime || '');
      const away = awaitedOffline(job);
      const rest = away > 0 ? [awaitedText(away)] : [];
      const { failed = 0 } = jobWords(job, counts);
      if (!counts) return { job, state, failed, detail: rest[0] ?? state, at };
      const total = totalOf(counts);
      const done = `${formatCount(total - movingIn(counts))} of ${formatCount(total)} done`;
      const failures = failed > 0 ? [`${formatCount(failed)} failed`] : [];
      return { job, state, failed, detail: [done, ...failures, ...rest].join(' · '), at };
    })
    .toSorted(newestFirst);
}

/** Jobs that failed lately, or in which a child has failed, newest first. */
export function failedLately(jobs: Job[], now: Date): JobLine[] {
  return jobs
    .flatMap((job): JobLine[] => {
      const bad = badOf(job);
      const [state] = bad;
      if (!state || !isWithin(job, LATELY, now)) return [];
      const counts = outcomeOf(job);
      const at = parseTimestamp(job.EndTime || job.StartTime || job.CreatedTime || '');
      if (!counts) return [{ job, state, detail: job.ExitCode ? `${state}, exit code ${job.ExitCode}` : state, at }];
      const failed = bad.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
      const word = state === 'Rolled back' && bad.length === 1 ? 'rolled back' : 'failed';
      return [{ job, state, detail: `${formatCount(failed)} of ${devicesText(totalOf(counts))} ${word}`, at }];
    })
    .toSorted(newestFirst);
}

/** The number of jobs that ended lately without reporting a result. Any of them may have failed. */
export const endedWithoutResult = (jobs: Job[], now: Date): number =>
  jobs.filter((job) => !outcomeOf(job) && stateOf(job) === 'Finished' && isWithin(job, LATELY, now)).length;

/** Groups jobs of the same name to single devices, which a deployment to a selection creates. Any other job is alone. */
export function byName(lines: readonly JobLine[]): JobLine[][] {
  const groups = Map.groupBy(lines, ({ job: { JobId, JobName, Counts } }) =>
    JobName && !Counts ? `name ${JobName}` : `id ${JobId}`,
  );
  return [...groups.values()];
}
