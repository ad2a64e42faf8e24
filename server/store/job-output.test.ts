// Output in parts: together they are the whole, and none is cut within a character.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from './database.ts';
import { endOfWhole, readPart } from './job-output.ts';

/** A store that holds one stream, in pieces of `step` bytes. */
function storeOf(whole: Buffer, step: number): Reader {
  const pieces: { offset: number; bytes: Uint8Array }[] = [];
  for (let offset = 0; offset < whole.length; offset += step)
    pieces.push({ offset, bytes: whole.subarray(offset, offset + step) });
  return {
    get: <T>() => (whole.length === 0 ? undefined : { size: whole.length }) as T | undefined,
    all: <T>(_sql: string, ...args: unknown[]) => {
      const [, , to = 0, from = 0] = args as number[];
      return pieces.filter(({ offset, bytes }) => offset < to && offset + bytes.length > from) as T[];
    },
  };
}

function collected(whole: Buffer, step: number, most: number, over: boolean): { texts: string[]; at: number } {
  const store = storeOf(whole, step);
  const texts: string[] = [];
  for (let at = 0; ;) {
    const { bytes, from, next, more } = readPart(store, 1, 'stdout', { asked: at, most, over });
    assert.equal(from, at);
    texts.push(bytes.toString());
    at = next;
    if (!more) return { texts, at };
  }
}

test('parts of any size join to the whole text', () => {
  const whole = Buffer.from('aä漢😀\n'.repeat(40));
  for (const step of [1, 7, 64, 5000])
    for (const most of [4, 5, 6, 7, 64]) {
      const { texts, at } = collected(whole, step, most, true);
      assert.equal(texts.join(''), whole.toString(), `${step}, ${most}`);
      assert.ok(texts.every((text) => !text.includes('\ufffd')));
      assert.equal(at, whole.length);
    }
});

test('bytes that are no text read in parts as they do in one', () => {
  const whole = Buffer.from([
    0x61, 0xff, 0xc3, 0x28, 0x80, 0x80, 0x80, 0x80, 0x80, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0x41, 0xc0,
  ]);
  for (const most of [4, 5, 6, 7]) assert.equal(collected(whole, 3, most, true).texts.join(''), whole.toString());
});

test('half a character at the end waits for its rest, unless there will be none', () => {
  const half = Buffer.from('ok😀').subarray(0, 4);
  assert.deepEqual(collected(half, 100, 100, false), { texts: ['ok'], at: 2 });
  assert.deepEqual(collected(half, 100, 100, true), { texts: ['ok\ufffd'], at: 4 });
});

test('asked in the middle of a character or past the end, it says where it begins', () => {
  const store = storeOf(Buffer.from('a😀b'), 100);
  const from = (asked: number) => {
    const part = readPart(store, 1, 'stdout', { asked, most: 100, over: true });
    return [part.from, part.bytes.toString(), part.next, part.size];
  };
  assert.deepEqual(from(3), [1, '😀b', 6, 6]);
  assert.deepEqual(from(5), [5, 'b', 6, 6]);
  assert.deepEqual(from(6), [6, '', 6, 6]);
  assert.deepEqual(from(99), [6, '', 6, 6]);
  assert.equal(endOfWhole(Buffer.from('')), 0);
});
