// Taking a waiting job back without stopping one that has begun, whatever the service knows of conditions.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LeftAlone } from '#/api/left-alone.ts';
import { bulkCancel } from './bulk-cancel.ts';

const original = globalThis.fetch;
let sent: { method: string; asRead: string | null }[] = [];
afterEach(() => {
  globalThis.fetch = original;
  sent = [];
});

/** A service that answers these, one after the other. */
const answers = (...given: Response[]) => {
  globalThis.fetch = (_, init) => {
    sent.push({ method: init?.method ?? '', asRead: new Headers(init?.headers).get('if-match') });
    return Promise.resolve(given.shift() ?? new Response(null, { status: 500 }));
  };
};
const job = (Status: string, etag?: string) =>
  Response.json({ JobId: 'j', Status }, { headers: etag === undefined ? {} : { etag } });
const cancel = () => bulkCancel().send({ DeviceId: 'j' });
const methods = () => sent.map(({ method }) => method);

test('it is deleted as it was read', async () => {
  answers(job('Waiting', '"one"'), new Response());
  assert.equal(await cancel(), undefined);
  assert.deepEqual(sent, [
    { method: 'GET', asRead: null },
    { method: 'DELETE', asRead: '"one"' },
  ]);
});

test('one that has begun is left alone, seen by the last look or by the service', async () => {
  answers(job('Running', '"two"'));
  assert.ok((await cancel()) instanceof LeftAlone);
  assert.deepEqual(methods(), ['GET']);
  for (const [now, reason] of [
    ['Running', 'It has begun meanwhile'],
    ['Succeeded', 'It has ended meanwhile'],
    ['Waiting', 'It is just being given to its device'],
  ] as const) {
    answers(job('Waiting', '"one"'), new Response(null, { status: 412 }), job(now));
    const left = await cancel();
    assert.deepEqual(left instanceof LeftAlone && left.reason, reason);
  }
});

test('a service that names no versions, or only weak ones, is asked without a condition', async () => {
  for (const etag of [undefined, 'W/"one"']) {
    answers(job('Waiting', etag), new Response());
    await cancel();
    assert.equal(sent.at(-1)?.asRead, null);
  }
});

test('one that is gone is what was asked for; a part that stays although it is said to be gone is an error', async () => {
  answers(job('Waiting', '"one"'), new Response(null, { status: 404 }), new Response(null, { status: 404 }));
  assert.equal(await cancel(), undefined);
  answers(job('Waiting'), new Response(null, { status: 404 }), job('Waiting'));
  await assert.rejects(cancel(), /does not remove one device’s part/);
});
