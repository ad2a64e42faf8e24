// Changes, an addition: devices that changed since a version, and the event stream.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { changeEndpoints } from '#/contract/changes.ts';
import type { Context } from '../context.ts';
import { endWithClient } from '../http/half-open.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { Handlers } from '../http/implement.ts';
import { changesInScope, currentPosition, parsePosition, printPosition } from '../store/changes.ts';
import { ownDevices } from '../store/change-scope.ts';
import type { Position, ScopedChange } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { listLocated } from '../store/device-list.ts';
import { scopeKey, scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';

/** Beyond this number of devices, reading all pages is faster. */
const MAX_DEVICES = 20_000;
/** Rows built at a time; other requests run in between. */
const BATCH = 1_000;
/** Cached responses: many dashboards ask for the same changes. */
const MAX_ANSWERS = 32;

export function changeRoutes({ db, events }: Context): Handlers<typeof changeEndpoints> {
  const answers = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const make = async (scope: Scope, since: string, to: Position): Promise<string> => {
    const from = parsePosition(since, scope);
    const changes = from && (await changesInScope(db, scope, from, to));
    const changed = new Set<number>();
    for (const { kind, what, object } of changes ?? [])
      if (kind === 'device' && what !== 'removed') changed.add(object);
    const head = { Version: printPosition(to, scope), Reset: !changes || changed.size > MAX_DEVICES };
    if (head.Reset) return JSON.stringify({ ...head, Devices: [], Removed: [] });
    const removed = await removedIds(db, scope, changes ?? []);
    const seqs = [...changed].toSorted((one, other) => one - other);
    const rows: string[] = [];
    for (let start = 0; start < seqs.length; start += BATCH) {
      if (start > 0) await nextTurn();
      const json = await listLocated(db, scope, seqs.slice(start, start + BATCH));
      if (json !== '[]') rows.push(json.slice(1, -1));
    }
    return `${JSON.stringify({ ...head, Removed: [...removed] }).slice(0, -1)},"Devices":[${rows.join(',')}]}`;
  };

  return {
    changes: async (request) => {
      const scope = scopeOf(request);
      const { since = '' } = request.query;
      const to = await currentPosition(db);
      if (since === '') return { Version: printPosition(to, scope), Reset: false, Devices: [], Removed: [] };
      const version = printPosition(to, scope);
      const key = JSON.stringify([scopeKey(scope), since, version]);
      let answer = answers.get(key);
      if (!answer) {
        const made = make(scope, since, to).then((text) => Buffer.from(text));
        // A failed read is repeated by the next request.
        made.catch(() => answers.get(key) === made && answers.delete(key));
        const [oldest] = answers.keys();
        if (answers.size >= MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
        answers.set(key, made);
        answer = made;
      }
      // The rows may be newer than this version; their changes are then listed once more.
      return new JsonResponse(await answer, version, { compressible: true });
    },

    events: (request) => {
      const { incoming, outgoing } = request.http.env;
      const since = request.http.req.header('Last-Event-ID') ?? request.query.since;
      endWithClient(incoming, outgoing);
      return events.open(request, outgoing, since || undefined);
    },
  };
}

/** The devices that left the scope: removed ones, and those that were moved to a group outside it. */
async function removedIds(db: Database, scope: Scope, changes: readonly ScopedChange[]): Promise<Set<string>> {
  const devices = changes.filter(({ kind }) => kind === 'device');
  const moved = devices.filter(({ regrouped }) => regrouped === 1);
  const seqs = moved.map(({ object }) => object);
  const here = seqs.length === 0 ? new Set<number>() : await ownDevices(db, scope, seqs);
  const left = moved.filter(({ object }) => !here.has(object));
  return new Set([...devices.filter(({ what }) => what === 'removed'), ...left].map(({ id }) => id));
}
