import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singleFlight } from './single-flight.ts';

test('who asks while it runs waits for that run; after it, another one begins', async () => {
  const ends: (() => void)[] = [];
  const flight = singleFlight('could not wait', () => new Promise<void>((resolve) => ends.push(resolve)));
  const both = Promise.all([flight.run(), flight.run()]);
  await Promise.resolve();
  assert.equal(ends.length, 1);
  ends[0]?.();
  await both;
  await flight.settled();
  void flight.run();
  await Promise.resolve();
  assert.equal(ends.length, 2);
  ends[1]?.();
  await flight.settled();
});

test('a failure is logged, even one before the first await, and does not keep it from running again', async (t) => {
  const print = t.mock.method(console, 'error', () => {});
  let runs = 0;
  const flight = singleFlight('could not run', () => {
    runs += 1;
    throw new Error('no');
  });
  await flight.run();
  await flight.run();
  assert.equal(runs, 2);
  assert.match(String(print.mock.calls[0]?.arguments[0]), /^could not run:\n +Error: no/);
});
