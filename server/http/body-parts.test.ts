// Senders that fall silent in the middle of a body.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { partsOf, Stalled, watchForSilence } from './body-parts.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

const read = (body: PassThrough) => partsOf(body, new AbortController().signal);

test('a body whose sender falls silent ends, behind what has arrived', async () => {
  const body = new PassThrough();
  const parts = read(body);
  body.write('one');
  assert.equal(String((await parts.next()).value), 'one');
  const rest = parts.next();
  await nextTurn();
  mock.timers.tick(59_999);
  body.write('two');
  assert.equal(String((await rest).value), 'two');
  const none = assert.rejects(parts.next(), Stalled);
  await nextTurn();
  mock.timers.tick(60_000);
  await none;
});

test('a sender who must wait for the disk is not silent', async () => {
  const body = new PassThrough();
  const parts = read(body);
  body.write('one');
  await parts.next();
  mock.timers.tick(600_000);
  body.end('two');
  assert.equal(String((await parts.next()).value), 'two');
  assert.equal((await parts.next()).done, true);
});

test('the watch of a form begins anew with each part', async () => {
  const body = new PassThrough();
  let stalled = 0;
  const end = watchForSilence(body, () => (stalled += 1));
  mock.timers.tick(59_999);
  body.write('one');
  await nextTurn();
  mock.timers.tick(59_999);
  assert.equal(stalled, 0);
  mock.timers.tick(1);
  assert.equal(stalled, 1);
  end();
});
