import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { hasStatus } from '#/api/api-error.ts';
import type { Attempt } from './attempt.ts';
import { AnswerLost, sendAttempt } from './submission.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
  mock.timers.reset();
});

const attempt: Attempt = { key: 'k', what: { Name: 'n' }, target: { DeviceId: 'd' }, label: 'd', before: [] };

/** Sends it to a service that answers so, and lists these jobs. */
async function sent(answer: Response, jobs: object[]) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const methods: string[] = [];
  globalThis.fetch = (_, init) => {
    methods.push(init?.method ?? '');
    return Promise.resolve(init?.method === 'POST' ? answer : Response.json(jobs));
  };
  const state = { result: undefined as unknown };
  void sendAttempt(attempt).then(
    (id) => (state.result = id),
    (error: unknown) => (state.result = error),
  );
  while (state.result === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(5_000);
  }
  const { result } = state;
  return { result, methods };
}
const made = { JobId: 'j', JobName: 'n', DeviceId: 'd' };
const status = (code: number) => new Response(null, { status: code });

test('a submission that may have been carried out is looked for among the jobs, never sent again', async () => {
  for (const code of [500, 504]) {
    const { result, methods } = await sent(status(code), [made]);
    mock.timers.reset();
    assert.equal(result, 'j');
    assert.deepEqual(methods, ['POST', 'GET']);
  }
});

test('one that is not found: after a lost answer nobody knows, after a 500 it failed', async () => {
  const lost = await sent(status(504), []);
  mock.timers.reset();
  assert.ok(lost.result instanceof AnswerLost);
  assert.deepEqual(lost.methods, ['POST', 'GET', 'GET', 'GET']);
  const failed = await sent(status(500), []);
  assert.ok(hasStatus(failed.result, 500));
});

test('a refusal is raised as it is, and nothing is looked for', async () => {
  const { result, methods } = await sent(status(409), [made]);
  assert.ok(hasStatus(result, 409));
  assert.deepEqual(methods, ['POST']);
});
