// The memory of bodies that arrive is shared fairly, and comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBodyMemory } from './body-memory.ts';

function memoryOf(most: number) {
  const memory = openBodyMemory(most);
  const refused: string[] = [];
  const open = (sender: number, name: string, bytes: number) => {
    const share = memory.open(sender, () => refused.push(name));
    share.grow(bytes);
    return share;
  };
  return { open, refused };
}

test('who holds the most gives way, with the largest body, or the newest of equal ones', () => {
  const { open, refused } = memoryOf(100);
  open(1, 'first', 30);
  open(1, 'large', 40);
  const other = open(2, 'other', 30);
  assert.deepEqual(refused, []);
  other.grow(1);
  assert.deepEqual(refused, ['large']);
  open(1, 'second', 30);
  open(1, 'third', 30);
  assert.deepEqual(refused, ['large', 'third']);
});

test('what ends makes room, once', () => {
  const { open, refused } = memoryOf(100);
  const one = open(1, 'one', 100);
  one.end();
  one.end();
  one.grow(50);
  open(1, 'two', 100);
  assert.deepEqual(refused, []);
  open(2, 'three', 60);
  open(3, 'four', 50);
  assert.deepEqual(refused, ['two', 'three']);
});

test('one that is larger than all there is, is refused itself', () => {
  const { open, refused } = memoryOf(100);
  open(1, 'small', 50);
  open(2, 'too large', 101);
  assert.deepEqual(refused, ['too large']);
});
