import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { RequestQueue, checkWrite } from './request-queue.ts';
import { RequestError } from './retry.ts';

const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const status = (code: number, retryAfter?: number) =>
  new RequestError('refused', `Status ${code}`, { status: code, retryAfter });
const lost = () => new RequestError('network', 'No answer');

const queueOf = (wait = () => Promise.resolve()) => {
  const stop = new AbortController();
  return { stop, queue: new RequestQueue({ atOnce: 4, signal: stop.signal, wait }) };
};

test('does everything, four at a time, first come first served', async () => {
  const { queue } = queueOf();
  const sent: number[] = [];
  let [now, most] = [0, 0];
  const one = async (item: number) => {
    sent.push(item);
    most = Math.max(most, ++now);
    await turn();
    now--;
  };
  await Promise.all(numbers(50).map((item) => queue.add(() => queue.write(() => one(item)))));
  assert.deepEqual(sent, numbers(50));
  assert.equal(most, 4);
});

test('"later" is sent again after the pause that was asked for, and all wait for it', async () => {
  const random = mock.method(Math, 'random', () => 0);
  const waits: number[] = [];
  const pauses: number[] = [];
  const queue = new RequestQueue({
    atOnce: 4,
    signal: new AbortController().signal,
    onPause: (length) => pauses.push(length),
    wait: async (length) => {
      waits.push(length);
      await turn();
    },
  });
  let refusals = 0;
  const send = async (item: number) => {
    if (item === 0 && refusals++ < 2) throw refusals === 1 ? status(429, 7) : status(503, 60);
  };
  await Promise.all(numbers(4).map((item) => queue.add(() => queue.write(() => send(item)))));
  random.mock.restore();
  assert.deepEqual(waits, [7_000, 60_000]);
  assert.deepEqual(pauses, [7_000, 0, 60_000, 0]);
});

test('"later" without end fails, with or without a time, and a lost answer is not sent again', async () => {
  const times = async (error: Error) => {
    let sent = 0;
    const { queue } = queueOf();
    const request = () => {
      sent++;
      return Promise.reject(error);
    };
    await assert.rejects(
      queue.add(() => queue.write(request)),
      error,
    );
    return sent;
  };
  assert.equal(await times(status(429, 1)), 6);
  assert.equal(await times(status(503)), 6);
  for (const error of [lost(), status(500), status(409)]) assert.equal(await times(error), 1);
});

test('a lost answer is looked for several times, since it may still be carried out; a 500 once', async () => {
  const looks = async (failure: Error) => {
    let count = 0;
    const check = async () => ++count === 3;
    const { done } = await checkWrite(failure, check, () => Promise.resolve());
    return [done, count];
  };
  assert.deepEqual(await looks(lost()), [true, 3]);
  assert.deepEqual(await looks(status(500)), [false, 1]);
});

test('a task that has begun goes on when the queue ends, but not after the end of the session', async () => {
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

test('a read is sent again when it may help, three times at most', async () => {
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

test('an end also ends the wait before the next try', async () => {
  const stop = new AbortController();
  const queue = new RequestQueue({ atOnce: 1, signal: stop.signal, mayGoOn: () => Promise.resolve() });
  const one = queue.add(() => queue.read(() => Promise.reject(lost())));
  const two = queue.add(() => Promise.resolve('never'));
  await turn();
  stop.abort();
  await assert.rejects(one, { name: 'NotSentError' });
  await assert.rejects(two, { name: 'NotSentError' });
});
