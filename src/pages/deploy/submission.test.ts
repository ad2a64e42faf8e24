import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { hasStatus } from '#/api/api-error.ts';
import { noteIdempotency } from '#/api/idempotency.ts';
import { AnswerLost, resendDeploy, sendDeploy, unconfirmedDeploy, type Deploy } from './submission.ts';

const original = globalThis.fetch;
const requests: { body: unknown; key: string | null }[] = [];
beforeEach(() => {
  requests.length = 0;
  unconfirmedDeploy.set(undefined);
  noteIdempotency(true);
});
afterEach(() => {
  globalThis.fetch = original;
  noteIdempotency(false);
});

const deploy: Deploy = { body: { Name: 'n', DeviceId: 'd', ArtifactId: 'a' } };

function answerWith(answer: () => Response): void {
  globalThis.fetch = (_, init) => {
    requests.push({
      body: JSON.parse(init?.body as string) as unknown,
      key: new Headers(init?.headers).get('idempotency-key'),
    });
    return Promise.resolve(answer());
  };
}
const failureOf = (sending: Promise<unknown>) =>
  sending.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  );

test('an answered deploy is not stored', async () => {
  answerWith(() => Response.json({ JobId: 'j' }));
  assert.equal(await sendDeploy(deploy), 'j');
  assert.equal(unconfirmedDeploy.get(), undefined);
});

test('a deploy without an answer is stored, and resent as the same request with the same key', async () => {
  for (const status of [500, 504]) {
    answerWith(() => new Response(null, { status }));
    const lost = await failureOf(sendDeploy(deploy));
    assert.ok(lost instanceof AnswerLost);
    assert.deepEqual(unconfirmedDeploy.get(), lost.sent);
    answerWith(() => Response.json({ JobId: 'j' }));
    assert.equal(await resendDeploy(lost.sent), 'j');
    assert.equal(unconfirmedDeploy.get(), undefined);
    const [first, again] = requests.splice(0);
    assert.ok(first?.key);
    assert.deepEqual(again, first);
  }
});

test('each deploy has its own key', async () => {
  answerWith(() => Response.json({ JobId: 'j' }));
  await sendDeploy(deploy);
  await sendDeploy(deploy);
  assert.equal(new Set(requests.map(({ key }) => key)).size, 2);
});

test('a refusal is thrown unchanged, and nothing is stored', async () => {
  answerWith(() => new Response(null, { status: 409 }));
  assert.ok(hasStatus(await failureOf(sendDeploy(deploy)), 409));
  assert.equal(unconfirmedDeploy.get(), undefined);
  assert.equal(requests.length, 1);
});
