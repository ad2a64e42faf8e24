import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL, chosen, inOrder, printChoice, readColumnChoice, withMoved, withShown } from './column-choice.ts';

const COLUMNS = [
  { id: 'name', width: 200 },
  { id: 'status', width: 90 },
  { id: 'group', width: 100 },
  { id: 'SysOS', width: 130, isExtra: true },
];
const ids = (columns: { id: string }[]) => columns.map(({ id }) => id);

test('what was stored reads back as the same', () => {
  const choice = { ...USUAL, order: ['group', 'name'], hidden: ['status'], widths: { group: 210 } };
  assert.deepEqual(readColumnChoice(printChoice(choice)), choice);
});

test('garbage, another version and hostile values count as not chosen', () => {
  for (const text of ['', '{', 'null', '7', '[]', '{"version":2,"hidden":["status"]}'])
    assert.deepEqual(readColumnChoice(text), USUAL, text);
  const odd = '{"version":1,"order":[1,"a","a",null],"hidden":["name"],"added":"x","widths":{"a":1e9,"b":"9","c":-3}}';
  assert.deepEqual(readColumnChoice(odd), { ...USUAL, order: ['a'], widths: { a: 800, c: 60 } });
});

test('columns are shown, hidden and moved; the rest stay where they are', () => {
  assert.deepEqual(ids(chosen(COLUMNS, USUAL)), ['name', 'status', 'group']);
  const [, status, , system] = COLUMNS as [object, (typeof COLUMNS)[0], object, (typeof COLUMNS)[0]];
  const changed = withShown(withShown(USUAL, status, false), system, true);
  assert.deepEqual(ids(chosen(COLUMNS, changed)), ['name', 'group', 'SysOS']);
  assert.deepEqual(withShown(withShown(changed, status, true), system, false), USUAL);
  const moved = withMoved(USUAL, ids(COLUMNS), 'group', -1);
  assert.deepEqual(ids(inOrder(COLUMNS, moved)), ['name', 'group', 'status', 'SysOS']);
  assert.equal(withMoved(USUAL, ids(COLUMNS), 'name', -1), USUAL);
});

test('a column that the choice does not know stays behind the one that it followed', () => {
  const moved = { ...USUAL, order: ['status', 'name'] };
  assert.deepEqual(ids(inOrder(COLUMNS, moved)), ['status', 'group', 'SysOS', 'name']);
});
