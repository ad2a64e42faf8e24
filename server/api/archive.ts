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
import { scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { searchArchive } from './archive-search.ts';
import { archivedFiles } from './archive-zip.ts';
import { summary } from './job-view.ts';

const DEFAULT_LIMIT = 100;
/** Jobs per read for a ZIP of the whole archive. */
const BATCH = 100;

export function archiveRoutes({ db, now, audit }: Context): Handlers<typeof archiveEndpoints> {
  const shown = async (scope: Scope, row: JobRow): Promise<ArchiveItem> => ({
    Job: await summary({ db }, row),
    OutputBytes: await storedOutput(db, scope, row),
  });

  return {
    list: async (request) => {
      const { limit, before = '', search = '' } = request.query;
      const scope = scopeOf(request);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const Total = await countArchived(db, scope);
      const Items: ArchiveItem[] = [];
      if (search !== '') {
        const { jobs, next, searched } = await searchArchive(db, scope, { search, before, limit: most });
        for (const { row, hits, hasMore } of jobs)
          Items.push({ ...(await shown(scope, row)), Hits: hits, ...(hasMore && { MoreHits: true }) });
        return { Items, Next: next ?? '', Total, Searched: searched };
      }
      const rows = await archivedJobs(db, scope, positionOf(before), most);
      for (const row of rows) Items.push(await shown(scope, row));
      const last = rows.at(-1);
      return { Items, Next: last && rows.length === most ? `${last.archived}.${last.seq}` : '', Total };
    },

    export: async (request) => {
      const { query, http } = request;
      const scope = scopeOf(request);
      const jobs = query.jobs?.split(',');
      const rows = jobs && (await jobsOf(db, scope, jobs));
      // Outputs may contain secrets, so every export is recorded.
      await db.write(async (tx) => {
        for (const id of new Set(jobs ?? ['all'])) await audit.record(tx, request, 'job.download', id);
      });
      const name = `muster-archive-${new Date(now()).toISOString().slice(0, 10)}.zip`;
      const files = exported(db, (reader) => archivedFiles(reader, scope, ofEach(rows ?? allJobs(reader, scope))));
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
async function jobsOf(db: Reader, scope: Scope, ids: readonly string[]): Promise<JobRow[]> {
  const rows: JobRow[] = [];
  for (const id of new Set(ids)) {
    const row = await findJob(db, scope, id);
    if (!row || row.archived === null || row.parent_seq !== null) throw notFound('archived job', id);
    rows.push(row);
  }
  return rows;
}

async function* allJobs(db: Reader, scope: Scope): AsyncGenerator<JobRow> {
  for (let after = ARCHIVE_START; ;) {
    const rows = await archivedJobs(db, scope, after, BATCH);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = { archived: last.archived ?? 0, seq: last.seq };
  }
}

async function* ofEach<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
