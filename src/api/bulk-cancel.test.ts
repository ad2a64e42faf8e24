// Taking a waiting job back without stopping one that has begun, whatever the service knows of conditions, of stopping,
// and of the parts of a job to many. Nothing counts as done without the write that does it.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Skipped } from './skipped.ts';
import { bulkCancel, bulkStop } from './bulk-cancel.ts';

const original = globalThis.fetch;
let sent: { method: string; path: string; asRead: string | null }[] = [];
afterEach(() => {
  globalThis.fetch = original;
  sent = [];
});

/** A service that answers these, one after the other. */
const answers = (...given: Response[]) => {
  globalThis.fetch = (input, init) => {
    const path = input instanceof Request ? input.url : String(input);
    sent.push({ method: init?.method ?? '', path, asRead: new Headers(init?.headers).get('if-match') });
    return Promise.resolve(given.shift() ?? new Response(null, { status: 500 }));
  };
};
const job = (Status: string, etag?: string, more: object = {}) =>
  Response.json({ JobId: 'j', Status, ...more }, { headers: etag === undefined ? {} : { etag } });
const missing = () => new Response(null, { status: 404 });
const cancel = (part: { ParentJobId?: string; canStop?: boolean } = {}) =>
  bulkCancel().send({ JobId: 'j', ParentJobId: undefined, canStop: false, ...part });
const leftBecause = (answer: unknown) => (answer instanceof Skipped ? answer.reason : undefined);
const methods = () => sent.map(({ method }) => method);

test('it is deleted as it was read, and stopped where the service can do that', async () => {
  answers(job('Waiting', '"one"'), new Response());
  assert.equal(await cancel(), undefined);
  assert.deepEqual(sent, [
    { method: 'GET', path: '/v1/job/j', asRead: null },
    { method: 'DELETE', path: '/v1/job/j', asRead: '"one"' },
  ]);
  answers(job('Waiting', '"one"', { StopTime: '' }), Response.json({ Cancelled: 1, Stopping: 0 }));
  assert.equal(await cancel({ canStop: true }), undefined);
  assert.deepEqual(sent.at(-1), { method: 'POST', path: '/v1/job/j/stop', asRead: '"one"' });
  answers(job('Waiting', '"one"', { StopTime: '' }), Response.json({ Cancelled: 0, Stopping: 0 }));
  assert.equal(leftBecause(await cancel({ canStop: true })), 'It has already ended');
});

test('one that has begun is left alone, seen by the last look or by the service', async () => {
  answers(job('Running', '"two"'));
  assert.ok((await cancel()) instanceof Skipped);
  assert.deepEqual(methods(), ['GET']);
  for (const [now, reason] of [
    ['Running', 'It has already started'],
    ['Succeeded', 'It has already ended'],
    ['Waiting', 'It is being sent to its device'],
  ] as const) {
    answers(job('Waiting', '"one"'), new Response(null, { status: 412 }), job(now));
    const left = await cancel();
    assert.deepEqual(left instanceof Skipped && left.reason, reason);
  }
});

test('a service that names no versions, or only weak ones, is asked without a condition', async () => {
  for (const etag of [undefined, 'W/"one"']) {
    answers(job('Waiting', etag), new Response());
    await cancel();
    assert.equal(sent.at(-1)?.asRead, null);
  }
});

test('one that cannot be found is not said to be cancelled: nothing was sent', async () => {
  answers(missing());
  assert.match(leftBecause(await cancel()) ?? '', /no longer exists/);
  assert.deepEqual(methods(), ['GET']);
});

test('a part that the service knows only in the list of its job is read there, and then sent', async () => {
  const parts = () => Response.json({ ChildJobs: [{ JobId: 'j', Status: 'Waiting' }] });
  answers(missing(), parts(), new Response());
  assert.equal(await cancel({ ParentJobId: 'p' }), undefined);
  assert.deepEqual(methods(), ['GET', 'GET', 'DELETE']);
  answers(missing(), parts(), missing(), missing(), parts());
  await assert.rejects(cancel({ ParentJobId: 'p' }), /cannot remove one device/);
});

test('one that somebody else has removed is left alone; a part that stays although it is said to be gone is an error', async () => {
  answers(job('Waiting', '"one"'), missing(), missing());
  assert.equal(leftBecause(await cancel()), 'It no longer existed');
  answers(job('Waiting'), missing(), job('Waiting'));
  await assert.rejects(cancel(), /cannot remove one device/);
});

test('a job that ended before it was stopped is skipped', async () => {
  const stop = () => bulkStop().send({ JobId: 'j' });
  answers(Response.json({ Cancelled: 0, Stopping: 1 }));
  assert.equal(await stop(), undefined);
  answers(Response.json({ Cancelled: 0, Stopping: 0 }));
  assert.equal(leftBecause(await stop()), 'It has already ended');
  answers(missing());
  await assert.rejects(stop(), { status: 404 });
});
