// All locations of a scope as one JSON list, built a chunk at a time and only as fast as the client reads. Lists are cached
// until a device moves.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { JsonResponse } from '../http/json-response.ts';
import { locationsAfter, locationsAmong } from '../store/device-list.ts';
import { scopeKey } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';

/** Rows built at a time; other requests run in between. */
const CHUNK_ROWS = 2_000;
/** The largest list that is cached: about 250,000 devices. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** The most bytes of all cached lists. */
const MAX_CACHED_TOTAL = 2 * MAX_CACHED_BYTES;

type Chunk = Uint8Array<ArrayBuffer>;

interface Cached {
  version: string;
  chunks: Chunk[];
  size: number;
}

export function openLocationList({
  db,
  order,
}: Pick<Context, 'db' | 'order'>): (scope: Scope) => Promise<JsonResponse> {
  const cached = new Map<string, Cached>();
  const cache = (key: string, list: Cached) => {
    cached.delete(key);
    cached.set(key, list);
    let total = 0;
    // The newest first.
    for (const [each, { size }] of [...cached].toReversed())
      if ((total += size) > MAX_CACHED_TOTAL) cached.delete(each);
  };

  /** The locations of a limited role are read by seq, so that a few devices among many are found at once. */
  async function* buildOwn(scope: Scope): AsyncGenerator<Chunk, void> {
    const seqs = [...(await order.seqs(scope))];
    let separator = '[';
    for (let start = 0; start < seqs.length; start += CHUNK_ROWS) {
      const json = await locationsAmong(db, scope, seqs.slice(start, start + CHUNK_ROWS));
      if (json === '[]') continue;
      yield Buffer.from(`${separator}${json.slice(1, -1)}`);
      separator = ',';
    }
    yield Buffer.from(separator === '[' ? '[]' : ']');
  }

  async function* build(scope: Scope): AsyncGenerator<Chunk, void> {
    if (scope.groups) return yield* buildOwn(scope);
    for (let after = 0; ;) {
      const { json, last } = await locationsAfter(db, scope.accountId, after, CHUNK_ROWS);
      if (last === null) {
        yield Buffer.from(after === 0 ? '[]' : ']');
        return;
      }
      yield Buffer.from(`${after === 0 ? '[' : ','}${json.slice(1, -1)}`);
      after = last;
    }
  }

  /** Builds the list, and caches it if nothing changed in the meantime. */
  async function* buildAndCache(scope: Scope, version: string): AsyncGenerator<Chunk, void> {
    const chunks: Chunk[] = [];
    let size = 0;
    for await (const chunk of build(scope)) {
      size += chunk.length;
      if (size <= MAX_CACHED_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      yield chunk;
    }
    if (size <= MAX_CACHED_BYTES && (await order.version(scope)) === version)
      cache(scopeKey(scope), { version, chunks, size });
  }

  return async (scope) => {
    const version = await order.version(scope);
    const key = scopeKey(scope);
    return new JsonResponse(() => {
      const known = cached.get(key);
      return runChunked(known?.version === version ? known.chunks.values() : buildAndCache(scope, version));
    }, `${version}-${key}`);
  };
}

export function runChunked(chunks: Iterator<Chunk, void> | AsyncIterator<Chunk, void>): ReadableStream<Uint8Array> {
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
