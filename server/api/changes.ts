// Changes, an addition: the devices that changed since a version, and the stream of events.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { changeEndpoints } from '#/contract/changes.ts';
import type { Context } from '../context.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { Handlers } from '../http/implement.ts';
import { changesBetween, parsePosition, currentPosition, printPosition } from '../store/changes.ts';
import type { Position } from '../store/changes.ts';
import { listLocated } from '../store/device-list.ts';

/** Beyond, all pages are read in less time than that many rows. */
const MOST_DEVICES = 20_000;
/** Rows built at a time; other requests run between two portions. */
const PORTION = 1_000;
/** Answers that are stored: many dashboards ask for the same changes. */
const MOST_ANSWERS = 32;

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
    const head = { Version: printPosition(to), Reset: !changes || changed.size > MOST_DEVICES };
    if (head.Reset) return JSON.stringify({ ...head, Devices: [], Removed: [] });
    const seqs = [...changed].toSorted((one, other) => one - other);
    const rows: string[] = [];
    for (let start = 0; start < seqs.length; start += PORTION) {
      if (start > 0) await nextTurn();
      const json = await listLocated(db, accountId, seqs.slice(start, start + PORTION));
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
        // What failed is read again.
        made.catch(() => answers.get(key) === made && answers.delete(key));
        const [oldest] = answers.keys();
        if (answers.size >= MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
        answers.set(key, made);
        answer = made;
      }
      // Rows as they are now may be newer than this version; their changes are then listed once more.
      return new JsonResponse(await answer, printPosition(to), { compressible: true });
    },

    events: (request) => {
      const since = request.http.req.header('Last-Event-ID') ?? request.query.since;
      return events.open(request, request.http.env.outgoing, since || undefined);
    },
  };
}
