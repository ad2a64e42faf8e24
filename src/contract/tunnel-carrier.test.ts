// How what HTTP/2 writes is put into messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesOf } from './tunnel-carrier.ts';

const chunk = (length: number, fill: number) => Buffer.alloc(length, fill);
const messages = (...chunks: Buffer[]) => messagesOf(chunks, (some) => Buffer.concat(some));

test('small chunks are joined in order, large ones are not copied', () => {
  const large = chunk(16_384, 3);
  const all = [chunk(9, 1), chunk(100, 2), large, chunk(9, 4), chunk(9, 5)];
  const sent = messages(...all);
  assert.deepEqual(
    sent.map(({ length }) => length),
    [109, 16_384, 18],
  );
  assert.equal(sent[1], large);
  assert.deepEqual(Buffer.concat(sent), Buffer.concat(all));
  const many = Array.from({ length: 100 }, (_, at) => chunk(1_000, at));
  assert.ok(messages(...many).every(({ length }) => length <= 64 * 1024));
  assert.deepEqual(Buffer.concat(messages(...many)), Buffer.concat(many));
  assert.deepEqual(messages(), []);
});
