// All locations of an account as one JSON list, built a chunk at a time and only as fast as the client reads. The last
// list is cached until a device moves.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { JsonResponse } from '../http/json-response.ts';
import { locationsAfter } from '../store/device-list.ts';

/** Rows built at a time; other requests run in between. */
const CHUNK_ROWS = 2_000;
/** The largest list that is cached: about 250,000 devices. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

type Chunk = Uint8Array<ArrayBuffer>;

export function openLocationList({
  db,
  order,
}: Pick<Context, 'db' | 'order'>): (accountId: number) => Promise<JsonResponse> {
  let cached: { version: string; chunks: Chunk[] } | undefined;

  async function* build(accountId: number): AsyncGenerator<Chunk, void> {
    for (let after = 0; ;) {
      const { json, last } = await locationsAfter(db, accountId, after, CHUNK_ROWS);
      if (last === null) {
        yield Buffer.from(after === 0 ? '[]' : ']');
        return;
      }
      yield Buffer.from(`${after === 0 ? '[' : ','}${json.slice(1, -1)}`);
      after = last;
    }
  }

  /** Builds the list, and caches it if nothing changed in the meantime. */
  async function* buildAndCache(accountId: number, version: string): AsyncGenerator<Chunk, void> {
    const chunks: Chunk[] = [];
    let size = 0;
    for await (const chunk of build(accountId)) {
      size += chunk.length;
      if (size <= MAX_CACHED_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      yield chunk;
    }
    if (size <= MAX_CACHED_BYTES && (await order.version(accountId)) === version) cached = { version, chunks };
  }

  return async (accountId) => {
    const version = await order.version(accountId);
    return new JsonResponse(
      () => runChunked(cached?.version === version ? cached.chunks.values() : buildAndCache(accountId, version)),
      version,
    );
  };
}

function runChunked(chunks: Iterator<Chunk, void> | AsyncIterator<Chunk, void>): ReadableStream<Uint8Array> {
  let hasStarted = false;
  return new ReadableStream({
    async pull(controller) {
      if (hasStarted) await nextTurn();
      hasStarted = true;
      const chunk = await chunks.next();
      if (chunk.done) controller.close();
      else controller.enqueue(chunk.value);
    },
  });
}
