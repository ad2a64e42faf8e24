import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutMiddle } from './cut-middle.ts';

const shown = (text: string, room: number) => {
  const { head, middle, tail } = cutMiddle(text, (start, end) => start.length + 1 + end.length <= room);
  assert.equal(head + middle + tail, text);
  return `${head}…${tail}`;
};

test('a name keeps its beginning and its end', () => {
  assert.equal(shown('warehouse-berlin-north-scale-017', 21), 'warehouse-…-scale-017');
  assert.equal(shown('warehouse-berlin-north-scale-018', 20), 'warehouse…-scale-018');
});

test('all of the available width is used', () => {
  for (let room = 3; room < 26; room++) assert.equal(shown('abcdefghijklmnopqrstuvwxyz', room).length, room);
});

test('without any room, the first and the last character remain', () => {
  assert.equal(shown('abcdef', 0), 'a…f');
  assert.equal(shown('ab', 0), 'a…b');
});

test('no character is split', () => {
  const { head, tail } = cutMiddle('👩‍🚒é'.repeat(9), (start, end) => start.length + end.length <= 12);
  assert.deepEqual([head, tail], ['👩‍🚒é', '👩‍🚒é']);
  assert.equal(shown('🚚'.repeat(20), 15), `${'🚚'.repeat(3)}…${'🚚'.repeat(4)}`);
});
