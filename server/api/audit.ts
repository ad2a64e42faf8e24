// The audit log, an addition: pages of entries, and all of them as CSV.
import { setImmediate as otherRequests } from 'node:timers/promises';
import type { AuditEntry, AuditFilters, auditEndpoints } from '#/contract/audit.ts';
import { csvLine } from '#/contract/csv.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { logFault } from '../store/system-fault.ts';
import { AT_ONCE, auditEntries, hashAudit } from '../store/audit-log.ts';
import type { AuditRow, EntryFilters, HashedRow } from '../store/audit-log.ts';
import { originOf } from '../store/audit-origin.ts';
import { exported } from '../store/database.ts';
import type { Reader } from '../store/database.ts';
import { narrowed } from '../store/narrowed.ts';
import { fold } from '#/contract/fold.ts';
import { scopeOf } from '../store/scope.ts';
import { entriesInScope, isOfGroups } from '../store/audit-scope.ts';
import { actorNames, actorsNamed, namesOf, objectKey, openObjectSearch } from './audit-names.ts';

const DEFAULT_LIMIT = 100;
/** Rows read at a time for the CSV. */
const BATCH = 250;
/** Names are last: the columns before them are those of earlier versions. */
const COLUMNS = [
  'Id',
  'Time',
  'Actor',
  'Address',
  'Action',
  'Object',
  'Outcome',
  'Hash',
  'BulkId',
  'ActorName',
  'ObjectName',
] as const satisfies readonly (keyof AuditEntry)[];

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
  const filtersOf = async (request: HandlerRequest, { about, actor, ...filters }: AuditFilters) => {
    const found: EntryFilters = { ...filters };
    const { id } = request.account;
    if (actor !== undefined) found.actors = actor.includes(':') ? [actor] : await actorsNamed(db, id, actor);
    // What a search finds in other groups must not show, not even as too much.
    if (about !== undefined && !request.groups) found.objects = await objectsAbout(id, about);
    return found;
  };
  /** Leaves the entries that the caller's role may see, if it is limited to groups. */
  const keeper = (request: HandlerRequest, about: string | undefined) => {
    if (!request.groups) return undefined;
    return async (rows: HashedRow[]) => {
      const own = await entriesInScope(db, scopeOf(request), request.actor, rows);
      if (about === undefined) return own.rows;
      const names = await visibleNames(request, own.rows);
      const isAbout = (row: HashedRow) =>
        row.target.split(' ').includes(about) || fold(names.get(objectKey(row)) ?? '').includes(fold(about));
      return own.rows.filter(isAbout);
    };
  };
  /** The names of actors and objects; of objects outside the caller's groups none. */
  const visibleNames = async (request: HandlerRequest, rows: HashedRow[], reader: Reader = db) => {
    const names = await namesOf(reader, request.account.id, rows);
    if (!request.groups) return names;
    const { objects } = await entriesInScope(reader, scopeOf(request), request.actor, rows);
    const actors = new Set(rows.map(({ actor }) => actor));
    for (const key of names.keys())
      if (isOfGroups(key.slice(0, key.indexOf(':'))) && !objects.has(key) && !actors.has(key)) names.delete(key);
    return names;
  };
  return {
    list: async (request) => {
      const { limit, before, ...asked } = request.query;
      await hashNewest(context);
      const filters = await filtersOf(request, asked);
      const { rows, next } = await narrowed(
        Number(limit ?? DEFAULT_LIMIT),
        before ? Number(before) : Number.MAX_SAFE_INTEGER,
        (below, most) => auditEntries(db, request.account.id, filters, { before: below, limit: most }),
        keeper(request, asked.about),
      );
      const names = await visibleNames(request, rows);
      return {
        Items: rows.map((row) => entryOf(row, names)),
        Next: next,
      };
    },

    csv: async (request) => {
      const { query: asked, http } = request;
      await hashNewest(context);
      const filters = await filtersOf(request, asked);
      const keep = keeper(request, asked.about);
      const readBatch = (reader: Reader, before?: number) =>
        auditEntries(reader, request.account.id, filters, { before, limit: BATCH });
      // Read before the response starts, so that a fault becomes an error response instead of an empty file.
      const first = await readBatch(db);
      const lines = async function* (reader: Reader) {
        yield Buffer.from(csvLine(COLUMNS));
        for (let rows = first; ; rows = await readBatch(reader, rows.at(-1)?.seq)) {
          const shown = keep ? await keep(rows) : rows;
          const names = await visibleNames(request, shown, reader);
          yield Buffer.from(shown.map((row) => lineOf(entryOf(row, names))).join(''));
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

    origin: async (request) => {
      await hashNewest(context);
      const { account, query, groups } = request;
      const keep = async (rows: AuditRow[]) =>
        groups ? (await entriesInScope(db, scopeOf(request), request.actor, rows)).rows : rows;
      const { created, changed } = await originOf(db, account.id, query.object, keep);
      const actors = [created, changed].flatMap((row) => (row ? [row.actor] : []));
      const names = await actorNames(db, account.id, actors);
      const deedOf = ({ at, actor }: AuditRow) => ({
        Time: printIsoTime(new Date(at)),
        Actor: actor,
        ActorName: names.get(actor) ?? '',
      });
      return {
        ...(created && { Created: deedOf(created) }),
        ...(changed && { Changed: { ...deedOf(changed), Action: changed.action } }),
      };
    },
  };
}

const entryOf = (row: HashedRow, names: ReadonlyMap<string, string>): AuditEntry => ({
  Id: String(row.seq),
  Time: printIsoTime(new Date(row.at)),
  Actor: row.actor,
  ActorName: names.get(row.actor) ?? '',
  Address: row.address,
  Action: row.action,
  Object: row.target,
  ObjectName: names.get(objectKey(row)) ?? '',
  Outcome: row.outcome,
  Hash: row.hash ?? '',
  ...(row.bulk_id !== '' && { BulkId: row.bulk_id }),
});

const lineOf = (entry: AuditEntry) => csvLine(COLUMNS.map((name) => entry[name] ?? ''));
