import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, refusalError } from '#/api/api-error.ts';
import { Skipped } from '#/api/skipped.ts';
import { runBulk, waitFor } from './bulk-run.ts';
import type { BulkRun, ItemResult } from './bulk-run.ts';

const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A run whose waits take no time and are noted. */
function rig(given: Partial<BulkRun<number>>) {
  const results = new Map<number, ItemResult>();
  const waits: number[] = [];
  const sent: number[] = [];
  const cancel = new AbortController();
  const run: BulkRun<number> = {
    items: numbers(10),
    check: () => Promise.reject(new Error('nothing was lost')),
    signal: cancel.signal,
    wait: async (length) => {
      waits.push(length);
      await turn();
    },
    ...given,
    send: async (item) => {
      sent.push(item);
      return given.send?.(item);
    },
    onResult: (item, result) => {
      assert.equal(results.has(item), false, 'one result for each');
      results.set(item, result);
    },
  };
  const outcomes = () => numbers(run.items.length).map((item) => results.get(item)?.outcome);
  return { run: () => runBulk(run), results, outcomes, waits, sent, cancel };
}

test('does everything, four at a time', async () => {
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
  assert.equal(sent.length, 50);
  assert.equal(most, 4);
});

test('a refusal fails that one, in the words of the service, and is not sent again', async () => {
  const { run, results, outcomes, sent } = rig({
    items: numbers(3),
    send: async (item) => {
      if (item === 1) throw refusalError(500, '{"title":"Disk full","detail":"Ask the operator"}', null);
    },
  });
  await run();
  assert.deepEqual(outcomes(), ['done', 'failed', 'done']);
  assert.equal(results.get(1)?.reason, 'Disk full (500). Ask the operator.');
  assert.deepEqual(sent, [0, 1, 2]);
});

test('what had nothing to do any more was skipped, and says why', async () => {
  const { run, results } = rig({ items: numbers(1), send: () => Promise.resolve(new Skipped('It has begun')) });
  await run();
  assert.deepEqual(results.get(0), { outcome: 'skipped', reason: 'It has begun' });
});

test('"later" is sent again after the pause that was asked for, at most a minute, and all wait for it', async () => {
  let refusals = 0;
  const { run, outcomes, waits } = rig({
    items: numbers(4),
    send: async (item) => {
      if (item === 0 && refusals++ < 2)
        throw refusalError(refusals === 1 ? 429 : 503, '', refusals === 1 ? '7' : '3600');
    },
  });
  await run();
  assert.deepEqual(outcomes(), ['done', 'done', 'done', 'done']);
  assert.deepEqual(waits, [7_000, 60_000]);
});

test('"later" without end fails, and so does "later" without a time', async () => {
  const always = rig({ items: [0], send: () => Promise.reject(refusalError(429, '', '1')) });
  await always.run();
  assert.deepEqual(always.outcomes(), ['failed']);
  assert.equal(always.sent.length, 6);
  const vague = rig({ items: [0], send: () => Promise.reject(refusalError(503, '', null)) });
  await vague.run();
  assert.deepEqual(vague.outcomes(), ['failed']);
  assert.equal(vague.sent.length, 1);
});

test('a lost answer is looked for, never sent again', async () => {
  const lost = [
    new ApiError('network', 'The service cannot be reached'),
    new ApiError('timeout', 'No answer within 30 seconds'),
    refusalError(504, '', null),
    new ApiError('unexpected', 'Unexpected response (200)', { status: 200 }),
  ];
  const { run, outcomes, results, sent } = rig({
    items: numbers(4),
    send: (item) => Promise.reject(lost[item] ?? new Error()),
    check: async (item) => [true, false, undefined, true][item],
  });
  await run();
  assert.deepEqual(outcomes(), ['done', 'failed', 'unknown', 'done']);
  assert.match(results.get(1)?.reason ?? '', /nothing was changed/);
  assert.equal(sent.length, 4);
});

test('a write that is carried out late is seen by a later look', async () => {
  let looks = 0;
  const { run, outcomes } = rig({
    items: [0],
    send: () => Promise.reject(new ApiError('timeout', 'No answer')),
    check: async () => ++looks === 3,
  });
  await run();
  assert.deepEqual(outcomes(), ['done']);
});

test('a device that is gone is a failure, not a riddle', async () => {
  const { run, results } = rig({
    items: [0],
    send: () => Promise.reject(new ApiError('network', 'No answer')),
    check: () => Promise.reject(new ApiError('refused', 'There is no device d', { status: 404 })),
  });
  await run();
  assert.deepEqual(results.get(0), { outcome: 'failed', reason: 'There is no device d.' });
});

test('cancelled: what is under way is awaited, nothing new begins', async () => {
  const { run, outcomes, sent, cancel } = rig({
    items: numbers(20),
    send: async () => {
      if (sent.length === 6) cancel.abort();
      await turn();
    },
  });
  await run();
  assert.equal(sent.length, 6);
  assert.deepEqual(
    outcomes().slice(0, 6),
    Array.from({ length: 6 }, () => 'done'),
  );
  assert.deepEqual(new Set(outcomes().slice(6)), new Set(['stopped']));
});

test('cancelled in a pause: it ends, and what was refused counts as never sent', async () => {
  const cancel = new AbortController();
  const { run, outcomes } = rig({
    items: numbers(3),
    send: () => Promise.reject(refusalError(429, '', '60')),
    signal: cancel.signal,
    wait: waitFor,
    onPause: () => cancel.abort(),
  });
  await run();
  assert.deepEqual(outcomes(), ['stopped', 'stopped', 'stopped']);
});

test('an unreachable service ends the run', async () => {
  const gone = () => Promise.reject(new ApiError('network', 'The service cannot be reached'));
  const { run, outcomes, results, sent } = rig({ items: numbers(40), send: gone, check: gone });
  await run();
  assert.equal(sent.length, 4);
  assert.deepEqual(new Set(outcomes().slice(0, 4)), new Set(['unknown']));
  assert.deepEqual(new Set(outcomes().slice(4)), new Set(['stopped']));
  assert.match(results.get(39)?.reason ?? '', /could not be reached/);
});

test('the end of the session ends the run and is raised', async () => {
  const { run, outcomes } = rig({
    items: numbers(8),
    send: async (item) => {
      if (item === 0) throw refusalError(401, '', null);
      await turn();
    },
  });
  await assert.rejects(run(), { status: 401 });
  assert.deepEqual(outcomes().slice(0, 4), ['failed', 'done', 'done', 'done']);
  assert.deepEqual(new Set(outcomes().slice(4)), new Set(['stopped']));
});
