// The lenient reading and the exact writing that all contract schemas are made of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod/mini';
import {
  list,
  nameText,
  number,
  optionalNumber,
  optionalText,
  pathId,
  pathInteger,
  row,
  rowsOf,
  text,
} from '#/contract/endpoint.ts';
import { unreadableRows } from '#/contract/unreadable-rows.ts';

const refused = (schema: z.ZodMiniType, value: unknown) => !schema.safeParse(value).success;

test('lists are read in every format that services use', () => {
  assert.deepEqual(rowsOf([1, 2]), [1, 2]);
  assert.deepEqual(rowsOf({ Artifacts: [1] }), [1]);
  assert.deepEqual(rowsOf({ Total: 3, Rows: [1], Next: null }), [1]);
  for (const nothing of [
    null,
    undefined,
    '',
    { Devices: null, TotalNumDevices: 0 },
    { Artifacts: null },
    { Rows: null, Next: null, Total: '0' },
    { data: null, error: null, ok: true },
  ])
    assert.deepEqual(rowsOf(nothing), [], JSON.stringify(nothing));
});

test('anything else is an error, never an empty list', () => {
  for (const other of [
    '<html>',
    'text',
    7,
    true,
    {},
    { a: [], b: [] },
    { message: 'down' },
    { Total: 0 },
    { error: null },
    { code: 401, data: null },
    { success: false, data: null },
    { Rows: null, message: 'down' },
    { a: null, b: {} },
  ])
    assert.equal(rowsOf(other), undefined, JSON.stringify(other));
  const rows = list(z.number());
  assert.deepEqual(rows.parse({ Any: [1, 2] }), [1, 2]);
  assert.deepEqual(rows.parse(null), []);
  for (const other of ['<html>', {}, { a: [1], b: [2] }, ['x'], [[1]]])
    assert.ok(refused(rows, other), JSON.stringify(other));
});

test('an invalid row is left out and counted, and the rest is read', () => {
  const rows = list(row(z.looseObject({ Id: z.string() }))).parse({ Rows: [{ Id: 'a' }, 7, { Id: 'b' }, {}, null] });
  assert.deepEqual(rows, [{ Id: 'a' }, { Id: 'b' }]);
  assert.equal(unreadableRows(rows), 3);
  assert.equal(unreadableRows(list(z.number()).parse([1])), 0);
});

test('text may be missing, null, or of another plain type', () => {
  const shape = z.object({ Name: text, Note: optionalText });
  assert.deepEqual(shape.parse({}), { Name: '' });
  assert.deepEqual(shape.parse({ Name: null, Note: null }), { Name: '', Note: undefined });
  assert.deepEqual(shape.parse({ Name: 8080, Note: true }), { Name: '8080', Note: 'true' });
  assert.deepEqual(shape.parse({ Name: ' as it came ' }), { Name: ' as it came ' });
});

test('an object in place of text is shown as JSON, and the rest of the answer is read', () => {
  const shape = z.object({ Name: text, Note: optionalText });
  assert.deepEqual(shape.parse({ Name: { a: [1] }, Note: [2] }), { Name: '{"a":[1]}', Note: '[2]' });
});

test('numbers may be numeric strings', () => {
  assert.equal(number.parse('12.5'), 12.5);
  assert.equal(number.parse(-3), -3);
  for (const other of ['', ' ', 'north', null, undefined, true, [], Number.NaN, 'Infinity'])
    assert.ok(refused(number, other), String(other));
  const shape = z.object({ Size: optionalNumber });
  assert.deepEqual(shape.parse({ Size: '7' }), { Size: 7 });
  for (const Size of ['big', null, {}, Number.NaN]) assert.deepEqual(shape.parse({ Size }), { Size: undefined });
  assert.deepEqual(shape.parse({}), {});
});

test('a row normalises spellings, drops secrets and keeps unknown fields', () => {
  const read = row(z.looseObject({ Stdout: text }), {
    spellings: { StdOut: 'Stdout', Output: 'Stdout' },
    drop: ['DeviceKey'],
  });
  assert.deepEqual(read.parse({ StdOut: 'a', Extra: 1, DeviceKey: 'secret' }), { Stdout: 'a', Extra: 1 });
  assert.deepEqual(read.parse({ Stdout: 'kept', Output: 'other' }), { Stdout: 'kept' });
  const source = { Output: 'x', DeviceKey: 'k' };
  read.parse(source);
  assert.deepEqual(source, { Output: 'x', DeviceKey: 'k' }, 'what was handed in is left as it was');
  for (const other of [null, 'text', 3, []]) assert.ok(refused(read, other), JSON.stringify(other));
});

test('ids in a path can never mean the collection', () => {
  for (const id of ['', '.', '..', 'x'.repeat(256), 7]) assert.ok(refused(pathId, id), String(id));
  for (const id of ['a', '...', 'with/slash', 'ü ?#']) assert.equal(pathId.parse(id), id);
});

test('page numbers are whole numbers from 1', () => {
  const page = pathInteger(1000);
  assert.equal(page.parse('1000'), 1000);
  assert.equal(page.parse(3), 3);
  for (const other of ['0', '-1', '1.5', '1e3', ' 1', '', 'x', '1001', '99999999999', 0, 1.5, null])
    assert.ok(refused(page, other), String(other));
});

test('names are 1 to 255 characters and not blank', () => {
  assert.equal(nameText.parse(' pump 7 '), ' pump 7 ');
  for (const other of ['', ' \t', 'x'.repeat(256), 5, null]) assert.ok(refused(nameText, other), String(other));
});
