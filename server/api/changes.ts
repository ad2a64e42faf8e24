// Changes, an addition: devices that changed since a version, and the event stream.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { changeEndpoints } from '#/contract/changes.ts';
import type { Context } from '../context.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { Handlers } from '../http/implement.ts';
import { changesBetween, parsePosition, currentPosition, printPosition } from '../store/changes.ts';
import type { Position } from '../store/changes.ts';
import { listLocated } from '../store/device-list.ts';

/** Beyond this number of devices, reading all pages is faster. */
const MAX_DEVICES = 20_000;
/** Rows built at a time; other requests run in between. */
const BATCH = 1_000;
/** Cached responses: many dashboards ask for the same changes. */
const MAX_ANSWERS = 32;

export function changeRoutes({ db, events }: Context): Handlers<typeof changeEndpoints> {
  const answers = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const make = async (accountId: number, since: string, to: Position): Promise<string> => {
    const from = parsePosition(since);
    const changes = from && (await changesBetween(db, accountId, from, to));
    const removed = new Set<string>();
    const changed = new Set<number>();
    for (const { kind, what, object, id } of changes ?? [])
      if (kind === 'device') {
        if (what === 'removed') removed.add(id);
        else changed.add(object);
      }
    const head = { Version: printPosition(to), Reset: !changes || changed.size > MAX_DEVICES };
    if (head.Reset) return JSON.stringify({ ...head, Devices: [], Removed: [] });
    const seqs = [...changed].toSorted((one, other) => one - other);
    const rows: string[] = [];
    for (let start = 0; start < seqs.length; start += BATCH) {
      if (start > 0) await nextTurn();
      const json = await listLocated(db, accountId, seqs.slice(start, start + BATCH));
      if (json !== '[]') rows.push(json.slice(1, -1));
    }
    return `${JSON.stringify({ ...head, Removed: [...removed] }).slice(0, -1)},"Devices":[${rows.join(',')}]}`;
  };

  return {
    changes: async ({ account, query: { since = '' } }) => {
      const to = await currentPosition(db);
      if (since === '') return { Version: printPosition(to), Reset: false, Devices: [], Removed: [] };
      const key = JSON.stringify([account.id, since, printPosition(to)]);
      let answer = answers.get(key);
      if (!answer) {
        const made = make(account.id, since, to).then((text) => Buffer.from(text));
        // A failed read is repeated by the next request.
        made.catch(() => answers.get(key) === made && answers.delete(key));
        const [oldest] = answers.keys();
        if (answers.size >= MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
        answers.set(key, made);
        answer = made;
      }
      // The rows may be newer than this version; their changes are then listed once more.
      return new JsonResponse(await answer, printPosition(to), { compressible: true });
    },

    events: (request) => {
      const since = request.http.req.header('Last-Event-ID') ?? request.query.since;
      return events.open(request, request.http.env.outgoing, since || undefined);
    },
  };
}
