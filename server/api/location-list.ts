// All locations of an account as one JSON list, built a portion at a time and only as fast as the client reads. The
// last one is cached until a device moves.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { JsonResponse } from '../http/json-response.ts';
import { locationsAfter } from '../store/device-list.ts';

/** Rows built at a time; other requests run between two portions. */
const PORTION = 2_000;
/** Largest cached list: about 250,000 devices. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

type Portion = Uint8Array<ArrayBuffer>;

export function openLocationList({
  db,
  order,
}: Pick<Context, 'db' | 'order'>): (accountId: number) => Promise<JsonResponse> {
  let cached: { version: string; portions: Portion[] } | undefined;

  async function* made(accountId: number): AsyncGenerator<Portion, void> {
    for (let after = 0; ;) {
      const { json, last } = await locationsAfter(db, accountId, after, PORTION);
      if (last === null) {
        yield Buffer.from(after === 0 ? '[]' : ']');
        return;
      }
      yield Buffer.from(`${after === 0 ? '[' : ','}${json.slice(1, -1)}`);
      after = last;
    }
  }

  /** Builds the list, and caches it if nothing changed in the meantime. */
  async function* buildAndCache(accountId: number, version: string): AsyncGenerator<Portion, void> {
    const portions: Portion[] = [];
    let size = 0;
    for await (const portion of made(accountId)) {
      size += portion.length;
      if (size <= MAX_CACHED_BYTES) portions.push(portion);
      else portions.length = 0;
      yield portion;
    }
    if (size <= MAX_CACHED_BYTES && (await order.version(accountId)) === version) cached = { version, portions };
  }

  return async (accountId) => {
    const version = await order.version(accountId);
    return new JsonResponse(
      () => runChunked(cached?.version === version ? cached.portions.values() : buildAndCache(accountId, version)),
      version,
    );
  };
}

function runChunked(portions: Iterator<Portion, void> | AsyncIterator<Portion, void>): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream({
    async pull(controller) {
      if (begun) await nextTurn();
      begun = true;
      const portion = await portions.next();
      if (portion.done) controller.close();
      else controller.enqueue(portion.value);
    },
  });
}
