// Facts of devices, an addition.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { factEndpoints } from '#/contract/facts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { JsonResponse } from '../http/json-response.ts';
import { deviceById } from '../store/devices.ts';
import { addFactValues, countFactValues, factNames, factNamesAmong, factsOf, reportOf } from '../store/facts.ts';
import { scopeKey, scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';

/** Devices read at a time; other requests run in between. */
const BATCH = 1_000;
const DEFAULT_COUNTS = 100;

const time = (at: number) => printIsoTime(new Date(at));

export function factRoutes({ db, order }: Context): Handlers<typeof factEndpoints> {
  async function* batchesOf(scope: Scope): AsyncGenerator<readonly number[]> {
    const seqs = [...(await order.seqs(scope))];
    for (let start = 0; start < seqs.length; start += BATCH) {
      if (start > 0) await nextTurn();
      yield seqs.slice(start, start + BATCH);
    }
  }

  return {
    ofDevice: async (request) => {
      const { seq } = await deviceById(db, scopeOf(request), request.params.device_id);
      const report = await reportOf(db, seq);
      return {
        Items: (await factsOf(db, seq)).map(({ name, value, at }) => ({ Name: name, Value: value, Time: time(at) })),
        ReportedTime: report ? time(report.at) : '',
        Problems: report?.problems ?? [],
      };
    },

    names: async (request) => {
      const scope = scopeOf(request);
      const all = await factNames(db, scope.accountId);
      if (!scope.groups) return { Names: all };
      const own = new Set<string>();
      for await (const seqs of batchesOf(scope)) {
        for (const name of await factNamesAmong(db, seqs)) own.add(name);
        if (own.size === all.length) break;
      }
      return { Names: [...own].toSorted() };
    },

    values: async (request) => {
      const scope = scopeOf(request);
      const { fact_name: name } = request.params;
      const make = async () => {
        const found = new Map<number, { value: string; ids: string[] }>();
        for await (const seqs of batchesOf(scope))
          await addFactValues(db, { accountId: scope.accountId, name, seqs }, found);
        const Items = [...found.values()].map(({ value, ids }) => ({ Value: value, Devices: ids }));
        return Buffer.from(JSON.stringify({ Items }));
      };
      const version = `${await db.version('device_facts')}-${await order.version(scope)}-${scopeKey(scope)}`;
      return new JsonResponse(make, version, { compressible: true });
    },

    counts: async (request) => {
      const limit = Number(request.query.limit ?? DEFAULT_COUNTS);
      const { rows, total } = await countFactValues(db, scopeOf(request), request.params.fact_name, limit);
      return { Items: rows.map(({ value, devices }) => ({ Value: value, Devices: devices })), Values: total };
    },
  };
}
