// The failed jobs of all waves of a rollout with their output, of each device its last attempt.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import type { RolloutWave } from '#/contract/rollouts.ts';
import { ChildOutputs } from '#/api/child-outputs.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { jobQueries } from '#/api/jobs.ts';
import { isLean } from '#/api/lean-rows.ts';
import type { FailedJob } from '#/features/failure-groups/failure-client.ts';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { FAILURES, verdictOf } from '#/features/jobs/verdict.ts';
import { failuresIn } from './rollout-words.ts';

/** A Map: the library copies changed rows of an array, and a copy counts as a row with its output. */
const rowsOf = (results: UseQueryResult<ChildStates>[]): ReadonlyMap<number, Job[]> =>
  new Map(results.map(({ data }, at) => [at, data?.rows ?? []]));

/** One reader of outputs for each of these jobs, closed when they are others. */
function useOutputs(parents: readonly string[]) {
  const key = parents.join(' ');
  const outputs = useMemo(() => (key === '' ? [] : key.split(' ').map((id) => new ChildOutputs(id))), [key]);
  useEffect(() => () => outputs.forEach((each) => each.close()), [outputs]);
  const source = useMemo(
    () => ({
      subscribe: (listener: () => void) => {
        const leave = outputs.map((each) => each.subscribe(listener));
        return () => leave.forEach((end) => end());
      },
      read: () => outputs.reduce((sum, { version }) => sum + version, 0),
    }),
    [outputs],
  );
  return { outputs, version: useSyncExternalStore(source.subscribe, source.read) };
}

export interface FailedInWaves {
  /** Those whose output was read. */
  failed: FailedJob[];
  /** The job and the number of the wave, by the key of a failed one. */
  byKey: ReadonlyMap<string, { job: Job; wave: number }>;
}

export function useRolloutFailures(waves: readonly RolloutWave[]): FailedInWaves {
  const begun = waves.filter(({ JobId, Counts }) => JobId !== '' && failuresIn(Counts) > 0);
  const children = useQueries({ queries: begun.map(({ JobId }) => jobQueries.childStates(JobId)), combine: rowsOf });
  const { outputs, version } = useOutputs(begun.map(({ JobId }) => JobId));
  const rows = useMemo(
    () =>
      [...children.values()].map((each) =>
        byAttempt(each).last.filter((job) => FAILURES.includes(verdictOf(job).verdict)),
      ),
    [children],
  );
  useEffect(() => rows.forEach((each, at) => outputs[at]?.want(each)), [rows, outputs]);
  const numbers = begun.map(({ Number: number }) => number).join(' ');
  return useMemo(() => {
    const byKey: [string, { job: Job; wave: number }][] = [];
    for (const [at, number] of numbers.split(' ').entries())
      for (const row of rows[at] ?? [])
        byKey.push([row.JobId, { job: (version > 0 && outputs[at]?.of(row)) || row, wave: Number(number) }]);
    const failed = byKey.flatMap(([key, { job }]) =>
      isLean(job) ? [] : [{ key, job, ended: verdictOf(job).verdict }],
    );
    return { failed, byKey: new Map(byKey) };
  }, [rows, outputs, version, numbers]);
}
