import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError } from './retry.ts';
import { runEach, type EachResult } from './run-each.ts';

const refused = (status: number, retryAfter?: number) => new RequestError('refused', 'no', { status, retryAfter });
const lost = () => new RequestError('network', 'lost');

type Trouble = Record<string, Error[]>;

/** Runs over items of these names; `trouble`: the errors that requests for an item meet, one after the other. */
async function run(
  names: string,
  trouble: Trouble,
  { repeatable = false, stopAfter = '' }: { repeatable?: boolean; stopAfter?: string } = {},
) {
  const stop = new AbortController();
  const sent: string[] = [];
  const results: string[] = [];
  const waits: number[] = [];
  let underWay = 0;
  const text = (result: EachResult<string>) =>
    result.outcome === 'not-sent' ? `not-sent ${result.why}` : result.outcome;
  const error = await runEach(names.split(''), {
    send: async (name) => {
      assert.equal(++underWay, 1, 'one at a time');
      sent.push(name);
      await new Promise(setImmediate);
      underWay--;
      if (name === stopAfter) stop.abort();
      const failure = trouble[name]?.shift();
      if (failure) throw failure;
      return name;
    },
    onResult: (name, result) => results.push(`${name} ${text(result)}`),
    signal: stop.signal,
    repeatable,
    wait: async (milliseconds) => void waits.push(milliseconds),
  }).catch((cause: unknown) => cause);
  return { sent: sent.join(''), results: results.join(', '), waits, error };
}

test('each item is sent once, in order, and a refusal ends nothing', async () => {
  const { sent, results } = await run('abc', { b: [refused(404)] });
  assert.equal(sent, 'abc');
  assert.equal(results, 'a done, b failed, c done');
});

test('a lost answer ends the run, and so does a failure that may have left something behind', async () => {
  for (const error of [lost(), refused(500), refused(504)]) {
    const { sent, results } = await run('abc', { b: [error] });
    assert.equal(sent, 'ab');
    assert.equal(results, 'a done, b unknown, c not-sent unanswered');
  }
});

test('where sending again does no harm, only a lost answer ends the run', async () => {
  assert.equal((await run('abc', { b: [refused(500)] }, { repeatable: true })).results, 'a done, b failed, c done');
  const { results } = await run('abc', { b: [lost()] }, { repeatable: true });
  assert.equal(results, 'a done, b unknown, c not-sent unanswered');
});

test('a busy service is given the time that it asks for, and then sent the same item', async () => {
  const { sent, results, waits } = await run('ab', { a: [refused(429, 2), refused(503)] });
  assert.equal(sent, 'aaab');
  assert.equal(results, 'a done, b done');
  assert.ok((waits[0] ?? 0) >= 2_000);
});

test('a stopped run sends nothing more, also not what waited to be sent again', async () => {
  assert.equal((await run('abc', {}, { stopAfter: 'b' })).results, 'a done, b done, c not-sent stopped');
  const { sent, results } = await run('abc', { b: [refused(429)] }, { stopAfter: 'b' });
  assert.equal(sent, 'ab');
  assert.equal(results, 'a done, b not-sent stopped, c not-sent stopped');
});

test('the end of the session is raised after the last result', async () => {
  const { results, error } = await run('abc', { b: [refused(401)] });
  assert.equal(results, 'a done, b not-sent signed-out, c not-sent signed-out');
  assert.equal((error as RequestError).status, 401);
});
