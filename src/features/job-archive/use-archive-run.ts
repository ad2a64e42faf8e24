// A run that archives and deletes, as a dialog shows it: its results so far, what it is at, and the way to stop it.
import { useState } from 'react';
import { useRun } from '#/features/bulk/use-run.ts';
import {
  deleteAll,
  runArchive,
  type ArchivePlan,
  type ArchivedCount,
  type ArchiveResult,
  type ArchiveRun,
} from './run-archive.ts';

type Phase = 'planned' | 'archiving' | 'archived' | 'deleting' | 'ended';
export type RunningArchive = ReturnType<typeof useArchiveRun>;

export function useArchiveRun(account: string) {
  const run = useRun<ArchiveResult>([['jobs'], ['devices', 'jobs'], ['archive']]);
  const [phase, setPhase] = useState<Phase>('planned');
  const [at, onProgress] = useState<ArchivedCount>();
  const [archive, setArchive] = useState<ArchiveRun>();
  return {
    ...run,
    start: (plan: ArchivePlan) =>
      run.start(plan.ids.length, async (watch) => {
        setPhase('archiving');
        let next: Phase = 'ended';
        try {
          const made = await runArchive(plan, { ...watch, account, onProgress });
          setArchive(made);
          if (plan.zip && !plan.browser && plan.remove && made.archived.length > 0) next = 'archived';
        } finally {
          onProgress(undefined);
          setPhase(next);
        }
      }),
    /** Deletes what was archived, once its file is safe. */
    remove: () => {
      if (!archive) return;
      const { archived } = archive;
      run.start(archived.length, (watch) => {
        setPhase('deleting');
        return deleteAll(archived, watch).finally(() => setPhase('ended'));
      });
    },
    phase,
    at,
    archive,
  };
}
