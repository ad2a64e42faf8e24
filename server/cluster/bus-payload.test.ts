import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, EVERYTHING, payloadsOf, readPayload } from './bus-payload.ts';

test('ids are split before a payload gets too long for NOTIFY', () => {
  assert.deepEqual(payloadsOf([]), []);
  assert.deepEqual(payloadsOf([7, 12, 7]), ['7,12,7']);
  const lengths = payloadsOf(Array.from({ length: 1_001 }, (_, n) => 1_000_000 + n)).map(({ length }) => length);
  assert.deepEqual(lengths, [7_999, 7]);
});

test('only ids and the star are understood', () => {
  assert.deepEqual(readPayload('7,12,9007199254740991'), [7, 12, Number.MAX_SAFE_INTEGER]);
  assert.equal(readPayload('*'), EVERYTHING);
  for (const text of ['', ',', '1,', '0', '01', '-1', '1.5', '1 ,2', '9007199254740992', '1,*', '[1]', '1\n'])
    assert.equal(readPayload(text), undefined, JSON.stringify(text));
  assert.equal(readPayload('1,'.repeat(4_000) + '1'), undefined, 'longer than any of ours');
});

test('what is delivered: ids, that some were missed, and one log line for what is not understood', (t) => {
  const print = t.mock.method(console, 'error', () => {});
  const heard: unknown[] = [];
  const options = { node: '1', received: (seqs: number[]) => heard.push(seqs), missed: () => heard.push('missed') };
  for (const payload of ['1,2', 'x', '*', '{}', '3']) deliver(payload, options);
  assert.deepEqual(heard, [[1, 2], 'missed', [3]]);
  assert.equal(print.mock.callCount(), 1);
});
