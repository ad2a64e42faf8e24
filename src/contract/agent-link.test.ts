// Messages that were once accepted although the other side could not use them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAgentMessage, readOtherVersion, readServiceMessage, UnreadableFrame } from './agent-link.ts';

const fromAgent = (message: object) => readAgentMessage(JSON.stringify(message));
const offers = (more: object) => ({
  type: 'offers',
  run: 'run',
  offers: [{ id: 0, protocol: 'TCP', dest: 'tcp://127.0.0.1:22', ...more }],
});

test('a time of thousands of years counts as 68 years', () => {
  const far = { idleSeconds: 2 ** 53 - 1, endsInSeconds: 2 ** 31 };
  assert.deepEqual(fromAgent(offers(far)), offers({ idleSeconds: 2 ** 31 - 1, endsInSeconds: 2 ** 31 - 1 }));
});

test('characters that no store accepts are replaced', () => {
  assert.deepEqual(fromAgent(offers({ dest: 'a\u0000b\ud800' })), offers({ dest: 'a\ufffdb\ufffd' }));
});

test('of too many facts and problems the first ones count', () => {
  const facts = Array.from({ length: 1_001 }, (_, n) => ({ name: `f${n}`, value: '' }));
  const problems = facts.map(({ name }) => name);
  const expected = { type: 'facts', facts: facts.slice(0, 1_000), problems: problems.slice(0, 1_000) };
  assert.deepEqual(fromAgent({ type: 'facts', facts, problems }), expected);
});

test('an exit code has 32 bits', () => {
  const ended = { type: 'ended', job: 'job', outcome: 'exited', endedAgo: 0 };
  assert.deepEqual(fromAgent({ ...ended, exitCode: -1 }), { ...ended, exitCode: -1 });
  assert.throws(() => fromAgent({ ...ended, exitCode: 2 ** 31 }), UnreadableFrame);
});

test('a ticket fits into a header', () => {
  const carry = (ticket: string) => readServiceMessage(JSON.stringify({ type: 'carry', ticket }));
  assert.deepEqual(carry('aB3_-'), { type: 'carry', ticket: 'aB3_-' });
  for (const ticket of ['', 'a\r\nb', 'é', 'x'.repeat(256)]) assert.throws(() => carry(ticket), UnreadableFrame);
});

test('invalid JSON and an invalid message are the same error', () => {
  for (const frame of ['', '{', '{"type":"hello"}', '[]', 'null', '{"type":1}']) {
    assert.throws(() => readAgentMessage(frame), UnreadableFrame);
    assert.throws(() => readServiceMessage(frame === '{"type":"hello"}' ? '{"type":"run"}' : frame), UnreadableFrame);
  }
  assert.throws(() => readOtherVersion('{'), UnreadableFrame);
});
