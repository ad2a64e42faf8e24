// The archive of this browser, as queries and mutations like those of the service.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { pieceOf, unpackRows, type ArchivedJob } from './archived-job.ts';
import { archiveStore } from './archive-store.ts';
import { jobsIn } from './archive-zip.ts';

const STORED = { retry: false, staleTime: 0 } as const;

export const archiveQueries = {
  list: (account: string) =>
    queryOptions({
      queryKey: ['archive', 'list', account],
      queryFn: () => archiveStore.list(account),
      ...STORED,
    }),
  /** `null`: it is not in the archive. */
  one: (account: string, id: string) =>
    queryOptions({
      queryKey: ['archive', 'one', account, id],
      queryFn: async () => (await archiveStore.get(account, id)) ?? null,
      ...STORED,
    }),
  rows: (account: string, id: string) =>
    queryOptions({
      queryKey: ['archive', 'rows', account, id],
      queryFn: async () => unpackRows(await archiveStore.piece(account, id, 0)),
      structuralSharing: false,
      gcTime: 60_000,
      ...STORED,
    }),
  /** One row with its output. */
  output: (account: string, head: ArchivedJob, row: number) =>
    queryOptions({
      queryKey: ['archive', 'output', account, head.id, row],
      queryFn: async () => {
        const piece = pieceOf(head, row);
        const rows = await unpackRows(await archiveStore.piece(account, head.id, piece + 1));
        return rows[row - (head.pieces[piece] ?? 0)] ?? null;
      },
      structuralSharing: false,
      gcTime: 0,
      ...STORED,
    }),
};

const changed = { invalidates: [['archive']] };

interface ArchiveImport {
  files: readonly File[];
  onJob: (done: number, total: number) => void;
}

export const archiveMutations = {
  remove: (account: string, ids: readonly string[]) =>
    mutationOptions({
      mutationFn: () => archiveStore.remove(account, ids),
      meta: changed,
    }),
  /** How many jobs were taken in. */
  take: (account: string) =>
    mutationOptions({
      mutationFn: async ({ files, onJob }: ArchiveImport) => {
        let count = 0;
        for await (const { sealed, done, total } of jobsIn(files)) {
          await archiveStore.put(account, sealed);
          count = done;
          onJob(done, total);
        }
        return count;
      },
      meta: changed,
    }),
};
