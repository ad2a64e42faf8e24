// The page's end of the search, with a worker that answers what a test wants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakePort } from '#/lib/fake-port.ts';
import { WorkerClient } from '#/lib/worker-client.ts';
import { LogSearcher } from './log-searcher.ts';
import type { SearchRequest, SearchText } from './search-worker.ts';

type Port = FakePort<SearchText | SearchRequest>;

function opened(limit?: number) {
  const ports: Port[] = [];
  const start = () => {
    const port: Port = new FakePort();
    ports.push(port);
    return port;
  };
  return { ports, searcher: new LogSearcher(new WorkerClient(start, limit)) };
}
const textsOf = (port: Port | undefined) =>
  (port?.sent ?? []).flatMap(({ request }) => ('pieces' in request && request.pieces.length > 0 ? [request] : []));

const QUERY = { text: 'x', exact: false, pattern: true };
const stream = (...pieces: string[]) => [{ name: 'stdout', pieces }];

test('a piece is sent once; one that grew is sent again', async () => {
  const { ports, searcher } = opened();
  const first = searcher.find(stream('a', 'b'), QUERY, false);
  ports[0]?.say({ id: 1, answer: [] });
  assert.deepEqual(await first, []);
  void searcher.find(stream('a', 'bc', 'd'), QUERY, false);
  assert.deepEqual(
    textsOf(ports[0]).map(({ keep, pieces }) => [keep, ...pieces]),
    [
      [0, 'a'],
      [1, 'b'],
      [1, 'bc'],
      [2, 'd'],
    ],
  );
});

test('a newer search replaces the one before, whose answer is ignored', async () => {
  const { ports, searcher } = opened();
  const first = searcher.find(stream('a'), QUERY, false);
  const second = searcher.find(stream('a'), { ...QUERY, text: 'y' }, false);
  assert.equal(await first, 'replaced');
  ports[0]?.say({ id: 1, answer: ['old'] });
  ports[0]?.say({ id: 2, answer: [] });
  assert.deepEqual(await second, []);
});

test('a slice that takes too long terminates the worker, and the next search starts another', async () => {
  const { ports, searcher } = opened(10);
  const slow = searcher.find(stream('aaaa'), QUERY, false);
  ports[0]?.say({ id: 1, progress: 'searching' });
  assert.equal(await slow, 'slow');
  assert.ok(ports[0]?.isEnded);
  void searcher.find(stream('aaaa'), QUERY, false);
  assert.equal(textsOf(ports[1]).length, 1);
});

test('a stuck pattern does not block the next search, which gets another worker', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { ports, searcher } = opened();
  const held = searcher.find(stream('aaaa'), QUERY, false);
  ports[0]?.say({ id: 1, progress: 'searching' });
  const next = searcher.find(stream('aaaa'), { ...QUERY, text: 'y' }, false);
  t.mock.timers.tick(5_000);
  assert.equal(await held, 'replaced');
  await setImmediate();
  assert.ok(ports[0]?.isEnded);
  assert.equal(textsOf(ports[1]).length, 1);
  ports[1]?.say({ id: 3, answer: [] });
  assert.deepEqual(await next, []);
});

test('a worker that leaves an earlier search in time is kept', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { ports, searcher } = opened();
  void searcher.find(stream('a'), QUERY, false);
  const next = searcher.find(stream('a'), { ...QUERY, text: 'y' }, false);
  ports[0]?.say({ id: 2, progress: 'searching' });
  t.mock.timers.tick(5_000);
  ports[0]?.say({ id: 2, answer: [] });
  assert.deepEqual(await next, []);
  assert.equal(ports.length, 1);
});
