import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { waitFor } from './pace.ts';
import { RequestQueue, checkWrite, type WriteResult } from './request-queue.ts';
import { RequestError } from './retry.ts';

const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const status = (code: number, retryAfter?: number) =>
  new RequestError('refused', `Status ${code}`, { status: code, retryAfter });
const lost = (kind: 'network' | 'timeout' | 'unexpected' = 'network') => new RequestError(kind, 'No answer');

interface Given {
  items?: number[];
  send?: (item: number) => unknown;
  check?: (item: number) => Promise<boolean | undefined>;
  wait?: typeof waitFor;
  onPause?: (length: number) => void;
}

/** Writes whose waits take no time and are noted. */
function rig({ items = numbers(10), send, check, wait, onPause }: Given) {
  const results = new Map<number, WriteResult>();
  const waits: number[] = [];
  const sent: number[] = [];
  const cancel = new AbortController();
  const queue = new RequestQueue({
    atOnce: 4,
    signal: cancel.signal,
    onPause: (length) => onPause?.(length),
    wait:
      wait ??
      (async (length) => {
        waits.push(length);
        await turn();
      }),
  });
  const write = {
    send: async (item: number) => {
      sent.push(item);
      await send?.(item);
    },
    check: check ?? (() => Promise.reject(new Error('nothing was lost'))),
  };
  const run = () =>
    queue.writeEach(items, write, (item, result) => {
      assert.equal(results.has(item), false, 'one result for each');
      results.set(item, result);
    });
  const outcomes = () => items.map((item) => results.get(item)?.outcome);
  return { run, results, outcomes, waits, sent, cancel };
}

test('runs every task, four at a time, first come, first served', async () => {
  let now = 0;
  let most = 0;
  const { run, outcomes, sent } = rig({
    items: numbers(50),
    send: async () => {
      most = Math.max(most, ++now);
      await turn();
      now--;
    },
  });
  await run();
  assert.deepEqual(new Set(outcomes()), new Set(['done']));
  assert.deepEqual(sent, numbers(50));
  assert.equal(most, 4);
});

test('a refused request fails, and is neither repeated nor checked', async () => {
  const refusal = status(409);
  const { run, results, outcomes, sent } = rig({
    items: numbers(3),
    send: (item) => item === 1 && Promise.reject(refusal),
  });
  await run();
  assert.deepEqual(outcomes(), ['done', 'failed', 'done']);
  assert.deepEqual(results.get(1), { outcome: 'failed', error: refusal });
  assert.deepEqual(sent, [0, 1, 2]);
});

test('a request that is told to wait is repeated after the pause, and all others wait too', async () => {
  const random = mock.method(Math, 'random', () => 0);
  let refusals = 0;
  const pauses: number[] = [];
  const { run, outcomes, waits } = rig({
    items: numbers(4),
    send: (item) => {
      if (item === 0 && refusals++ < 2) throw refusals === 1 ? status(429, 7) : status(503, 60);
    },
    onPause: (length) => pauses.push(length),
  });
  await run();
  random.mock.restore();
  assert.deepEqual(outcomes(), ['done', 'done', 'done', 'done']);
  assert.deepEqual(waits, [7_000, 60_000]);
  assert.deepEqual(pauses, [7_000, 0, 60_000, 0]);
});

test('a request that is told to wait again and again fails in the end', async () => {
  for (const refusal of [status(429, 1), status(503)]) {
    const { run, outcomes, sent } = rig({ items: [0], send: () => Promise.reject(refusal) });
    await run();
    assert.deepEqual(outcomes(), ['failed']);
    assert.equal(sent.length, 6);
  }
});

test('a write that may have been carried out is checked, never repeated', async () => {
  const failures = [lost(), lost('timeout'), status(504), lost('unexpected'), status(500), status(500)];
  const { run, outcomes, results, sent } = rig({
    items: numbers(6),
    send: (item) => Promise.reject(failures[item] ?? new Error()),
    check: async (item) => [true, false, undefined, true, false, true][item],
  });
  await run();
  assert.deepEqual(outcomes(), ['done', 'failed', 'unknown', 'done', 'failed', 'done']);
  assert.deepEqual(results.get(1), { outcome: 'failed', error: failures[1], checked: true });
  assert.equal(sent.length, 6);
});

test('a write with a lost answer is checked several times, because it may still be in progress; one with a 500 once', async () => {
  const looks = async (failure: Error) => {
    let count = 0;
    const check = async () => ++count === 3;
    const { done } = await checkWrite(failure, check, () => Promise.resolve());
    return [done, count];
  };
  assert.deepEqual(await looks(lost()), [true, 3]);
  assert.deepEqual(await looks(status(500)), [false, 1]);
});

test('a refused check is the last one; a missing object then means failure', async () => {
  const missing = status(404);
  const { run, results, waits } = rig({
    items: [0],
    send: () => Promise.reject(lost()),
    check: () => Promise.reject(missing),
  });
  await run();
  assert.deepEqual(results.get(0), { outcome: 'failed', error: missing });
  assert.equal(waits.length, 1);
});

test('after cancelling, running tasks finish and no new one starts', async () => {
  const { run, outcomes, sent, cancel } = rig({
    items: numbers(20),
    send: async () => {
      if (sent.length === 6) cancel.abort();
      await turn();
    },
  });
  await run();
  assert.equal(sent.length, 6);
  assert.deepEqual(new Set(outcomes().slice(0, 6)), new Set(['done']));
  assert.deepEqual(new Set(outcomes().slice(6)), new Set(['stopped']));
});

test('cancelling ends a pause, and refused requests count as never sent', async () => {
  const { run, results, outcomes, cancel } = rig({
    items: numbers(3),
    send: () => Promise.reject(status(429, 60)),
    wait: waitFor,
    onPause: () => cancel.abort(),
  });
  await run();
  assert.deepEqual(outcomes(), ['stopped', 'stopped', 'stopped']);
  assert.deepEqual(results.get(0), { outcome: 'stopped', reason: 'cancelled' });
});

test('an unreachable service ends the queue', async () => {
  const gone = () => Promise.reject(lost());
  const { run, outcomes, results, sent } = rig({ items: numbers(40), send: gone, check: gone });
  await run();
  assert.equal(sent.length, 4);
  assert.deepEqual(new Set(outcomes().slice(0, 4)), new Set(['unknown']));
  assert.deepEqual(results.get(39), { outcome: 'stopped', reason: 'unreachable' });
});

test('the end of the session ends the queue and is thrown after the last result', async () => {
  const { run, outcomes, results } = rig({
    items: numbers(8),
    send: async (item) => {
      if (item === 0) throw status(401);
      await turn();
    },
  });
  await assert.rejects(run(), { status: 401 });
  assert.deepEqual(outcomes().slice(0, 4), ['failed', 'done', 'done', 'done']);
  assert.deepEqual(results.get(7), { outcome: 'stopped', reason: 'signed-out' });
});

test('a running task continues when the queue ends, but not when the session ends', async () => {
  const cancel = new AbortController();
  const queue = new RequestQueue({ atOnce: 1, signal: cancel.signal });
  const steps: string[] = [];
  const two = queue.add(async () => {
    await queue.write(async () => steps.push('one'));
    cancel.abort();
    await queue.write(async () => steps.push('two'));
    await assert.rejects(
      queue.write(() => Promise.reject(status(401))),
      { status: 401 },
    );
    await queue.write(async () => steps.push('three'));
  });
  await assert.rejects(two, { name: 'NotSentError', reason: 'signed-out' });
  await assert.rejects(
    queue.add(() => Promise.resolve()),
    { name: 'NotSentError' },
  );
  assert.deepEqual(steps, ['one', 'two']);
});

test('a read is repeated when that may help, at most three times', async () => {
  const read = async (error: Error, times: number) => {
    const { signal } = new AbortController();
    const queue = new RequestQueue({ atOnce: 2, signal, wait: () => Promise.resolve() });
    let asked = 0;
    const answer = await queue
      .read(() => (asked++ < times ? Promise.reject(error) : Promise.resolve('here')))
      .catch(String);
    return [answer, asked];
  };
  assert.deepEqual(await read(status(503), 3), ['here', 4]);
  assert.deepEqual(await read(status(503), 4), ['RequestError: Status 503', 4]);
  assert.deepEqual(await read(lost(), 1), ['here', 2]);
  assert.deepEqual(await read(status(500), 1), ['RequestError: Status 500', 1]);
});

test('ending the queue also ends the wait before the next attempt', async () => {
  const stop = new AbortController();
  const queue = new RequestQueue({ atOnce: 1, signal: stop.signal, mayGoOn: () => Promise.resolve() });
  const one = queue.add(() => queue.read(() => Promise.reject(lost())));
  const two = queue.add(() => Promise.resolve('never'));
  await turn();
  stop.abort();
  await assert.rejects(one, { name: 'NotSentError' });
  await assert.rejects(two, { name: 'NotSentError' });
});
