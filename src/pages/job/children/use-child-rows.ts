// The children of a parent with their output as read so far. Components request further outputs.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { outputsOf, type ChildOutputs } from '#/api/child-outputs.ts';
import { isMoving } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { useDeferredQuery } from '#/ui/use-deferred-query.ts';

const NONE: Job[] = [];

export function useChildRows(parent: string, enabled = true) {
  const query = useDeferredQuery(useQuery({ ...jobQueries.childStates(parent), enabled }));
  const outputs = outputsOf(parent);
  const read = useSyncExternalStore(outputs.subscribe, outputs.getVersion);
  const { rows: states = NONE, version } = query.data ?? {};
  const rows = useMemo(
    // `read` increases when more output has arrived.
    () => (version === undefined || read === 0 ? states : states.map((row) => outputs.of(row))),
    [states, version, read, outputs],
  );
  return { query, outputs, rows };
}

/** Reads the output of these rows, which must be the same array as long as nothing in it changes. */
export function useWantedOutputs(outputs: ChildOutputs, rows: readonly Job[], isWhole = false): void {
  useEffect(() => outputs.want(rows, { isWhole }), [outputs, rows, isWhole]);
}

/** Polling interval in milliseconds of growing output that is in view. */
const GROWING = 3_000;

/** Reads the output of a row that is in view, and polls it while it grows. */
export function useSeenOutput(outputs: ChildOutputs, job: Job): void {
  const isGrowing = isMoving(job) && job.StartTime !== '';
  useEffect(() => {
    outputs.want([job]);
    if (!isGrowing) return;
    const timer = setInterval(() => outputs.want([job], { isGrowing }), GROWING);
    return () => clearInterval(timer);
  }, [outputs, job, isGrowing]);
}
