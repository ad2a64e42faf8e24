// The page's end of the search, with a worker that says what a test wants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogSearcher } from './log-searcher.ts';
import type { SearchWorker } from './log-searcher.ts';
import type { SearchAnswer, SearchRequest, SearchText } from './search-worker.ts';

class FakeWorker implements SearchWorker {
  onmessage: ((event: MessageEvent<SearchAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly texts: SearchText[] = [];
  readonly requests: SearchRequest[] = [];
  ended = false;
  postMessage(message: SearchText | SearchRequest): void {
    if ('query' in message) this.requests.push(message);
    else if (message.pieces.length > 0) this.texts.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  say(answer: object): void {
    this.onmessage?.({ data: answer } as MessageEvent<SearchAnswer>);
  }
}

const QUERY = { text: 'x', exact: false, pattern: true };
const stream = (...pieces: string[]) => [{ name: 'stdout', pieces }];

test('a piece is sent once; one that grew is sent again', async () => {
  const worker = new FakeWorker();
  const searcher = new LogSearcher(() => worker);
  const first = searcher.find(stream('a', 'b'), QUERY, false);
  worker.say({ id: 1, found: [] });
  assert.deepEqual(await first, []);
  void searcher.find(stream('a', 'bc', 'd'), QUERY, false);
  assert.deepEqual(
    worker.texts.map(({ keep, pieces }) => [keep, ...pieces]),
    [
      [0, 'a'],
      [1, 'b'],
      [1, 'bc'],
      [2, 'd'],
    ],
  );
});

test('a newer search takes the place of the one before, whose answer is not heard', async () => {
  const worker = new FakeWorker();
  const searcher = new LogSearcher(() => worker);
  const first = searcher.find(stream('a'), QUERY, false);
  const second = searcher.find(stream('a'), { ...QUERY, text: 'y' }, false);
  assert.equal(await first, 'replaced');
  worker.say({ id: 1, found: ['old'] });
  worker.say({ id: 2, found: [] });
  assert.deepEqual(await second, []);
});

test('a slice that takes too long ends the worker, and the next search has another', async () => {
  const workers: FakeWorker[] = [];
  const searcher = new LogSearcher(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  }, 10);
  const slow = searcher.find(stream('aaaa'), QUERY, false);
  workers[0]?.say({ id: 1, at: 'work' });
  assert.equal(await slow, 'slow');
  assert.ok(workers[0]?.ended);
  void searcher.find(stream('aaaa'), QUERY, false);
  assert.equal(workers[1]?.texts.length, 1);
});
