// The failed jobs of all waves of a rollout with their output: the last attempt of each device.
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

/** A Map, since React Query copies changed rows of an array, and a copied row would pass for one with its output. */
const rowsOf = (results: UseQueryResult<ChildStates>[]): ReadonlyMap<number, Job[]> =>
  new Map(results.map(({ data }, at) => [at, data?.rows ?? []]));

/** An output reader for each of these jobs, closed when the jobs change. */
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
  /** The failed jobs whose output was read. */
  failed: FailedJob[];
  /** Each failed job and the number of its wave, by job id. */
  byKey: ReadonlyMap<string, { job: Job; wave: number }>;
}

export function useRolloutFailures(waves: readonly RolloutWave[]): FailedInWaves {
  const started = waves.filter(({ JobId, Counts }) => JobId !== '' && failuresIn(Counts) > 0);
  const children = useQueries({ queries: started.map(({ JobId }) => jobQueries.childStates(JobId)), combine: rowsOf });
  const { outputs, version } = useOutputs(started.map(({ JobId }) => JobId));
  const rows = useMemo(
    () =>
      [...children.values()].map((each) =>
        byAttempt(each).last.filter((job) => FAILURES.includes(verdictOf(job).verdict)),
      ),
    [children],
  );
  useEffect(() => rows.forEach((each, at) => outputs[at]?.want(each)), [rows, outputs]);
  const numbers = started.map(({ Number: number }) => number).join(' ');
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
