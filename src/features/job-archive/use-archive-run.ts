// A run that archives and deletes, as a dialog shows it: its results so far, what it is at, and the way to stop it.
import { useEffect, useRef, useState } from 'react';
import { deleteAll, runArchive } from './run-archive.ts';
import type { ArchivePlan, ArchivedCount, ArchiveResult, ArchiveRun } from './run-archive.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';

/** How often a run is drawn again, in milliseconds. */
const TICK = 120;

export interface RunningArchive {
  start: (plan: ArchivePlan) => void;
  /** Deletes what was archived, once its file is safe. */
  remove: () => void;
  cancel: () => void;
  phase: 'planned' | 'archiving' | 'archived' | 'deleting' | 'ended';
  busy: boolean;
  cancelling: boolean;
  total: number;
  /** By job, of both steps. */
  results: ReadonlyMap<string, ArchiveResult>;
  /** How many of this step have their result. */
  ended: number;
  at: ArchivedCount | undefined;
  run: ArchiveRun | undefined;
  /** Why it ended early. */
  error: Error | null;
}

export function useArchiveRun(account: string): RunningArchive {
  const [phase, setPhase] = useState<RunningArchive['phase']>('planned');
  const [total, setTotal] = useState(0);
  const [{ results, ended, at }, setShown] = useState<Pick<RunningArchive, 'results' | 'ended' | 'at'>>({
    results: new Map(),
    ended: 0,
    at: undefined,
  });
  const [cancelling, setCancelling] = useState(false);
  const stop = useRef(new AbortController());
  // Whatever takes the dialog away: nothing is deleted behind the reader's back.
  useEffect(() => () => stop.current.abort(), []);

  const work = useWrite({
    mutationFn: async (step: (watch: Parameters<typeof runArchive>[1]) => Promise<ArchiveRun | undefined>) => {
      const found = new Map(results);
      let count = 0;
      let now: ArchivedCount | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const draw = () => {
        timer = undefined;
        setShown({ results: new Map(found), ended: count, at: now });
      };
      try {
        return await step({
          account,
          signal: stop.current.signal,
          onResult: (result) => {
            found.set(result.id, result);
            count++;
            timer ??= setTimeout(draw, TICK);
          },
          onProgress: (progress) => {
            now = progress;
            timer ??= setTimeout(draw, TICK);
          },
        });
      } finally {
        clearTimeout(timer);
        now = undefined;
        draw();
      }
    },
    meta: { invalidates: [['jobs'], ['devices', 'jobs'], ['archive']] },
  });
  const [run, setRun] = useState<ArchiveRun>();

  const begin = (count: number) => {
    stop.current = new AbortController();
    setCancelling(false);
    setTotal(count);
    setShown((shown) => ({ ...shown, ended: 0, at: undefined }));
  };
  return {
    start: (plan) => {
      if (work.isUnderWay()) return;
      begin(plan.ids.length);
      setPhase('archiving');
      const waits = plan.zip && !plan.browser && plan.remove;
      work.mutate((watch) => runArchive(plan, watch), {
        onSuccess: setRun,
        onSettled: (made) => setPhase(waits && made && made.archived.length > 0 ? 'archived' : 'ended'),
      });
    },
    remove: () => {
      const archived = run?.archived;
      if (work.isUnderWay() || !archived) return;
      begin(archived.length);
      setPhase('deleting');
      work.mutate((watch) => deleteAll(archived, watch).then(() => run), { onSettled: () => setPhase('ended') });
    },
    cancel: () => {
      setCancelling(true);
      stop.current.abort();
    },
    phase,
    busy: work.isPending,
    cancelling,
    total,
    results,
    ended,
    at,
    run,
    error: work.error,
  };
}
