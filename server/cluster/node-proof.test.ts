import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openNodeProofs } from './node-proof.ts';

const SECRET = 'a secret of thirty-two characters';
let now = 1_000_000;
const clock = () => now;

test('a request and its answer are accepted by nodes with the same secret', () => {
  const [one, other] = [openNodeProofs(SECRET, clock), openNodeProofs(SECRET, clock)];
  const { headers, isAnswer } = one.request('b', 'tunnel x');
  const answer = other.accept('b', 'tunnel x', headers);
  assert.ok(answer && isAnswer(answer));
  assert.ok(!isAnswer(headers), 'a request is no answer');
  assert.ok(!isAnswer({}));
});

test('another secret, node or purpose, a repetition and an old request are refused', () => {
  const [one, other] = [openNodeProofs(SECRET, clock), openNodeProofs(SECRET, clock)];
  const headersOf = () => one.request('b', 'tunnel x').headers;
  assert.equal(openNodeProofs(`${SECRET}!`, clock).accept('b', 'tunnel x', headersOf()), undefined);
  assert.equal(other.accept('c', 'tunnel x', headersOf()), undefined);
  assert.equal(other.accept('b', 'tunnel y', headersOf()), undefined);
  assert.equal(other.accept('b', 'tunnel x', {}), undefined);
  const twice = headersOf();
  assert.ok(other.accept('b', 'tunnel x', twice));
  assert.equal(other.accept('b', 'tunnel x', twice), undefined);
  const late = headersOf();
  now += 61_000;
  assert.equal(other.accept('b', 'tunnel x', late), undefined);
  assert.ok(other.accept('b', 'tunnel x', headersOf()));
});
