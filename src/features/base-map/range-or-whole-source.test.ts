import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PMTiles } from 'pmtiles';

import { RangeOrWholeSource } from './range-or-whole-source.ts';

const file = Uint8Array.from({ length: 100 }, (_, i) => i);
const ok = (status: number, body: Uint8Array = file, headers: Record<string, string> = {}): Response =>
  new Response(Uint8Array.from(body), { status, headers });

/** A source whose server gives these answers one after the other, and what was asked of it. */
function source(...answers: (Response | Error)[]): {
  source: RangeOrWholeSource;
  asked: string[];
  waits: number[];
  ranges: number[][];
} {
  const asked: string[] = [];
  const waits: number[] = [];
  const ranges: number[][] = [];
  const fetchStub: typeof fetch = (_url, init) => {
    asked.push(new Headers(init?.headers).get('Range') ?? 'whole');
    const answer = answers.shift() ?? new Error('asked too often');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const made = new RangeOrWholeSource('/world.pmtiles', {
    fetch: fetchStub,
    ranges: {
      getBytes: (offset, length) => {
        ranges.push([offset, length]);
        return Promise.resolve({ data: file.slice(offset, offset + length).buffer });
      },
    },
    wait: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
  });
  return { source: made, asked, waits, ranges };
}

const numbers = (data: ArrayBuffer): number[] => [...new Uint8Array(data)];

test('with ranges: the first answer is used, the rest is asked for piece by piece', async () => {
  const s = source(ok(206, file.slice(0, 4), { ETag: '"v1"' }));
  const first = await s.source.getBytes(0, 4);
  assert.deepEqual([numbers(first.data), first.etag], [[0, 1, 2, 3], '"v1"']);
  assert.deepEqual(numbers((await s.source.getBytes(10, 2)).data), [10, 11]);
  assert.deepEqual([s.asked, s.ranges], [['bytes=0-3'], [[10, 2]]]);
});

test('without ranges: the file is fetched once and cut here', async () => {
  const s = source(ok(200));
  const [a, b] = await Promise.all([s.source.getBytes(0, 2), s.source.getBytes(50, 3)]);
  assert.deepEqual(
    [numbers(a.data), numbers(b.data)],
    [
      [0, 1],
      [50, 51, 52],
    ],
  );
  assert.deepEqual(numbers((await s.source.getBytes(98, 10)).data), [98, 99]);
  assert.deepEqual([s.asked.length, s.ranges.length], [1, 0]);
});

test('a weak ETag is not passed on: it does not promise equal bytes', async () => {
  const s = source(ok(206, file.slice(0, 1), { ETag: 'W/"v1"' }));
  assert.equal((await s.source.getBytes(0, 1)).etag, undefined);
});

test('a lost connection or a failing server is tried again, with growing waits', async () => {
  const s = source(new TypeError('Failed to fetch'), ok(503), ok(200));
  assert.deepEqual(numbers((await s.source.getBytes(7, 1)).data), [7]);
  assert.deepEqual(s.waits, [500, 2000]);
});

test('a missing file is an error at once, naming the file and what to check', async () => {
  const s = source(ok(404));
  await assert.rejects(s.source.getBytes(0, 1), /world\.pmtiles.*404.*deployed/);
  assert.deepEqual(s.waits, []);
});

test('a request that was called off is not tried again', async () => {
  const controller = new AbortController();
  controller.abort();
  const s = source(new DOMException('called off', 'AbortError'));
  await assert.rejects(s.source.getBytes(0, 1, controller.signal), { name: 'AbortError' });
  assert.deepEqual([s.asked.length, s.waits.length], [1, 0]);
});

test('after a failure PMTiles asks again instead of keeping the failure for good', async () => {
  const s = source(ok(404), ok(404));
  const archive = new PMTiles(s.source);
  await assert.rejects(archive.getHeader());
  await assert.rejects(archive.getHeader());
  assert.equal(s.asked.length, 2);
});
