// The end of an answer, however the network splits it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from './answer-reader.ts';

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
const EMPTY = 'HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n';

for (const [name, answer, status] of [
  ['with a length', LENGTH, 200],
  ['in chunks', CHUNKED, 201],
  ['without a body', EMPTY, 204],
] as const)
  test(`an answer ${name} ends with its last byte, in one piece or byte by byte`, () => {
    const reader = new AnswerReader();
    assert.equal(reader.push(Buffer.from(answer)), status);
    const statuses = answer.split('').map((byte) => reader.push(Buffer.from(byte)));
    const ends = statuses.flatMap((value, place) => (value === undefined ? [] : [place]));
    assert.equal(statuses.at(-1), status);
    assert.deepEqual(ends, [answer.length - 1]);
  });
