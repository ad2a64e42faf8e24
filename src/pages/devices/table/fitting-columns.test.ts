import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitting, leastWidth } from './fitting-columns.ts';

const COLUMNS = [
  { id: 'name', width: 240 },
  { id: 'status', width: 106 },
  { id: 'address', width: 124 },
  { id: 'customer', width: 120 },
  { id: 'version', width: 112 },
  { id: 'lastJob', width: 106 },
  { id: 'id', width: 108 },
];
const ids = (room: number) => fitting(COLUMNS, room).map(({ id }) => id);
const needed = leastWidth(COLUMNS);

test('all columns are there where they fit', () => {
  assert.deepEqual(fitting(COLUMNS, needed), COLUMNS);
});

test('ID, address and customer give way in this order, so that version and last job are there', () => {
  assert.deepEqual(ids(needed - 1), ['name', 'status', 'address', 'customer', 'version', 'lastJob']);
  assert.deepEqual(ids(needed - 109), ['name', 'status', 'customer', 'version', 'lastJob']);
  assert.deepEqual(ids(needed - 109 - 124), ['name', 'status', 'version', 'lastJob']);
});

test('a table that is too narrow for the rest has what it had without the two', () => {
  assert.deepEqual(ids(100), ['name', 'status', 'address', 'customer', 'id']);
});

test('a service without versions has what it had, however narrow the table is', () => {
  const plain = COLUMNS.filter(({ id }) => id !== 'version' && id !== 'lastJob');
  assert.equal(fitting(plain, 100), plain);
});
