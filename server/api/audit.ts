// The audit log, an addition: pages of entries, and all of them as CSV.
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { AuditEntry, AuditFilters, auditEndpoints } from '#/contract/audit.ts';
import { csvLine } from '#/contract/csv.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { logFault } from '../store/system-fault.ts';
import { AT_ONCE, auditEntries, hashAudit } from '../store/audit-log.ts';
import type { EntryFilters, HashedRow } from '../store/audit-log.ts';
import { exported } from '../store/database.ts';
import type { Reader } from '../store/database.ts';
import { namesOf, objectKey, openObjectSearch } from './audit-names.ts';

const DEFAULT_LIMIT = 100;
/** Rows read at a time for the CSV. */
const BATCH = 250;
const COLUMNS = ['Id', 'Time', 'Actor', 'Address', 'Action', 'Object', 'Outcome', 'Hash'] as const;

/**
 * Hashes the newest entries, which can be found by object only afterwards. If a full disk or another fault prevents
 * that, the other entries are still shown.
 */
export async function hashNewest({ db, disk }: Context): Promise<void> {
  if (disk.refusal() !== undefined) return;
  await hashAudit(db, AT_ONCE).catch((cause: unknown) => logFault('audit: could not hash new entries', cause));
}

export function auditRoutes(context: Context): Handlers<typeof auditEndpoints> {
  const { db } = context;
  const objectsAbout = openObjectSearch(db);
  const filtersOf = async (accountId: number, { about, ...filters }: AuditFilters): Promise<EntryFilters> =>
    about === undefined ? filters : { ...filters, objects: await objectsAbout(accountId, about) };
  return {
    list: async ({ account, query: { limit, before, ...asked } }) => {
      await hashNewest(context);
      const filters = await filtersOf(account.id, asked);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const page = { before: before ? Number(before) : undefined, limit: most + 1 };
      const rows = await auditEntries(db, account.id, filters, page);
      const shown = rows.slice(0, most);
      const names = await namesOf(db, account.id, shown);
      return {
        Items: shown.map((row) => ({
          ...entryOf(row),
          ActorName: names.get(row.actor) ?? '',
          ObjectName: names.get(objectKey(row)) ?? '',
        })),
        Next: rows.length > most ? String(shown.at(-1)?.seq ?? '') : '',
      };
    },

    csv: async ({ account, query: asked, http }) => {
      await hashNewest(context);
      const filters = await filtersOf(account.id, asked);
      const readBatch = (reader: Reader, before?: number) =>
        auditEntries(reader, account.id, filters, { before, limit: BATCH });
      // Read before the response starts, so that a fault becomes an error response instead of an empty file.
      const first = await readBatch(db);
      const lines = async function* (reader: Reader) {
        yield Buffer.from(csvLine(COLUMNS));
        for (let rows = first; ; rows = await readBatch(reader, rows.at(-1)?.seq)) {
          yield Buffer.from(rows.map((row) => lineOf(entryOf(row))).join(''));
          if (rows.length < BATCH) return;
          // A client that reads fast must not keep all others waiting.
          await otherRequests();
        }
      };
      return http.body(ReadableStream.from(exported(db, lines)) as ReadableStream<Uint8Array>, 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="audit.csv"',
        'Cache-Control': 'no-store',
      });
    },
  };
}

const entryOf = (row: HashedRow): Omit<AuditEntry, 'ActorName' | 'ObjectName'> => ({
  Id: String(row.seq),
  Time: printIsoTime(new Date(row.at)),
  Actor: row.actor,
  Address: row.address,
  Action: row.action,
  Object: row.target,
  Outcome: row.outcome,
  Hash: row.hash ?? '',
});

const lineOf = (entry: Omit<AuditEntry, 'ActorName' | 'ObjectName'>) => csvLine(COLUMNS.map((name) => entry[name]));
