// The children of a parent with what was read of their output so far; a part of the page that needs more of it says so.
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
    // `read` is counted up when there is more output.
    () => (version === undefined || read === 0 ? states : states.map((row) => outputs.of(row))),
    [states, version, read, outputs],
  );
  return { query, outputs, rows };
}

/** Reads the output of these; `rows` must be the same array as long as nothing in it changes. */
export function useWantedOutputs(outputs: ChildOutputs, rows: readonly Job[], isWhole = false): void {
  useEffect(() => outputs.want(rows, { isWhole }), [outputs, rows, isWhole]);
}

/** Milliseconds between two readings of output that still grows, where somebody sees it. */
const GROWING = 3_000;

/** The same for one that is in view. */
export function useSeenOutput(outputs: ChildOutputs, job: Job): void {
  const isGrowing = isMoving(job) && job.StartTime !== '';
  useEffect(() => {
    outputs.want([job]);
    if (!isGrowing) return;
    const timer = setInterval(() => outputs.want([job], { isGrowing }), GROWING);
    return () => clearInterval(timer);
  }, [outputs, job, isGrowing]);
}
