// The archive, an addition: its list, its search, and its jobs as a ZIP file. bulk-items.ts archives and restores jobs.
import type { ArchiveItem, archiveEndpoints } from '#/contract/archive.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { notFound } from '../store/errors.ts';
import { zipStream } from '../http/zip-stream.ts';
import { ARCHIVE_START, archivedJobs, countArchived, storedOutput } from '../store/archive.ts';
import type { ArchivePosition } from '../store/archive.ts';
import { exported } from '../store/database.ts';
import type { Reader } from '../store/database.ts';
import { findJob } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { searchArchive } from './archive-search.ts';
import { archivedFiles } from './archive-zip.ts';
import { summary } from './job-view.ts';

const DEFAULT_LIMIT = 100;
/** Jobs per read for a ZIP of the whole archive. */
const BATCH = 100;

export function archiveRoutes({ db, now, audit }: Context): Handlers<typeof archiveEndpoints> {
  const shown = async (row: JobRow): Promise<ArchiveItem> => ({
    Job: await summary({ db }, row),
    OutputBytes: await storedOutput(db, row),
  });

  return {
    list: async ({ account, query: { limit, before = '', search = '' } }) => {
      const most = Number(limit ?? DEFAULT_LIMIT);
      const Total = await countArchived(db, account.id);
      const Items: ArchiveItem[] = [];
      if (search !== '') {
        const { jobs, next, searched } = await searchArchive(db, account.id, { search, before, limit: most });
        for (const { row, hits, hasMore } of jobs)
          Items.push({ ...(await shown(row)), Hits: hits, ...(hasMore && { MoreHits: true }) });
        return { Items, Next: next ?? '', Total, Searched: searched };
      }
      const rows = await archivedJobs(db, account.id, positionOf(before), most);
      for (const row of rows) Items.push(await shown(row));
      const last = rows.at(-1);
      return { Items, Next: last && rows.length === most ? `${last.archived}.${last.seq}` : '', Total };
    },

    export: async (request) => {
      const { account, query, http } = request;
      const jobs = query.jobs?.split(',');
      const rows = jobs && (await jobsOf(db, account.id, jobs));
      // Outputs may contain secrets, so every export is recorded.
      await db.write(async (tx) => {
        for (const id of new Set(jobs ?? ['all'])) await audit.record(tx, request, 'job.download', id);
      });
      const name = `muster-archive-${new Date(now()).toISOString().slice(0, 10)}.zip`;
      const files = exported(db, (reader) => archivedFiles(reader, ofEach(rows ?? allJobs(reader, account.id))));
      const bytes = zipStream(files, new Date(now()));
      return http.body(ReadableStream.from(bytes) as ReadableStream<Uint8Array>, 200, {
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename="${name}"`,
        'Cache-Control': 'no-store',
      });
    },
  };
}

function positionOf(before: string): ArchivePosition {
  const [archived, seq] = before === '' ? [] : before.split('.').map(Number);
  return archived === undefined || seq === undefined ? ARCHIVE_START : { archived, seq };
}

/** The jobs with these ids; throws unless all are archived. */
async function jobsOf(db: Reader, accountId: number, ids: readonly string[]): Promise<JobRow[]> {
  const rows: JobRow[] = [];
  for (const id of new Set(ids)) {
    const row = await findJob(db, accountId, id);
    if (!row || row.archived === null || row.parent_seq !== null) throw notFound('archived job', id);
    rows.push(row);
  }
  return rows;
}

async function* allJobs(db: Reader, accountId: number): AsyncGenerator<JobRow> {
  for (let after = ARCHIVE_START; ;) {
    const rows = await archivedJobs(db, accountId, after, BATCH);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = { archived: last.archived ?? 0, seq: last.seq };
  }
}

async function* ofEach<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
