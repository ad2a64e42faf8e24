import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { ApiError } from '#/api/api-error.ts';
import { limitRequests } from './request-limiter.ts';

const busy = () => new ApiError('refused', 'The service is busy (503)', { status: 503 });
const always = () => Promise.resolve();
/** Lets everything that does not wait for a timer happen. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('no more than so many at a time, in the order in which they were asked', async () => {
  const ask = limitRequests({ signal: new AbortController().signal, atOnce: 2, mayGoOn: always });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [1, 2, 3, 4].map((n) =>
    ask(async () => {
      begun.push(n);
      await new Promise<void>((end) => ends.push(end));
      return n;
    }),
  );
  await settle();
  assert.deepEqual(begun, [1, 2]);
  ends[1]?.();
  await settle();
  assert.deepEqual(begun, [1, 2, 3]);
  for (let i = 0; i < 4; i++) {
    for (const end of ends) end();
    await settle();
  }
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4]);
});

test('asks again for what was refused for now, at most three times, and never for what was refused', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const ask = limitRequests({ signal: new AbortController().signal, atOnce: 2, mayGoOn: always });
    const run = async (error: Error, times: number) => {
      let asked = 0;
      const answer = ask(() => (asked++ < times ? Promise.reject(error) : Promise.resolve('here'))).catch(String);
      for (let i = 0; i < 6; i++) {
        await settle();
        mock.timers.tick(10_000);
      }
      return [await answer, asked];
    };
    assert.deepEqual(await run(busy(), 3), ['here', 4]);
    assert.deepEqual(await run(busy(), 4), ['ApiError: The service is busy (503)', 4]);
    assert.deepEqual(await run(new ApiError('refused', 'Failed (500)', { status: 500 }), 1), [
      'ApiError: Failed (500)',
      1,
    ]);
  } finally {
    mock.timers.reset();
  }
});

test('an end also ends the waiting before the next try', async () => {
  const stop = new AbortController();
  const ask = limitRequests({ signal: stop.signal, atOnce: 1, mayGoOn: always });
  const one = ask(() => Promise.reject(busy()));
  const two = ask(() => Promise.resolve('never'));
  await settle();
  stop.abort();
  await assert.rejects(one, { name: 'AbortError' });
  await assert.rejects(two, { name: 'AbortError' });
});
