import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeFleetView, clearFilters, deviceFilterOf, isFiltered, readFleetView } from './fleet-view.ts';

const at = (search: string) => new URLSearchParams(search);

test('an empty URL is the first page of everything', () => {
  assert.deepEqual(readFleetView(at('')), { page: 1, rows: 25, filter: {} });
});

test('filters, page and rows are read; the status in any letter case', () => {
  assert.deepEqual(readFleetView(at('name=pump&group=north&status=Online&tag=t1&id=ab&page=3&rows=250')), {
    page: 3,
    rows: 250,
    filter: { name: 'pump', group: 'north', status: 'online', tag: 't1', id: 'ab' },
  });
});

test('what cannot be a page, a page size or a filter counts as left out', () => {
  for (const search of [
    'page=0',
    'page=-2',
    'page=1.5',
    'page=x',
    'page=9999999999',
    'rows=7',
    'rows=many',
    'name=%20',
  ])
    assert.deepEqual(readFleetView(at(search)), { page: 1, rows: 25, filter: {} }, search);
});

test('a filter change goes back to the first page and keeps the rest', () => {
  const next = changeFleetView(at('group=north&page=4&rows=50&dialog=add'), { filter: { name: ' pump ' } });
  assert.deepEqual(Object.fromEntries(next), { group: 'north', rows: '50', dialog: 'add', name: 'pump' });
});

test('an emptied filter leaves the URL', () => {
  assert.equal(changeFleetView(at('name=pump&group=north'), { filter: { name: '' } }).toString(), 'group=north');
});

test('another page size keeps the first row in sight', () => {
  assert.equal(changeFleetView(at('page=5'), { rows: 50 }).get('page'), '3'); // row 101
  assert.equal(changeFleetView(at('page=3&rows=50'), { rows: 25 }).toString(), 'page=5');
  assert.equal(changeFleetView(at('page=2'), { rows: 1000 }).toString(), 'rows=1000');
});

test('a page is set and the first one is left out', () => {
  assert.equal(changeFleetView(at('name=a'), { page: 2 }).toString(), 'name=a&page=2');
  assert.equal(changeFleetView(at('name=a&page=2'), { page: 1 }).toString(), 'name=a');
});

test('clearing takes every filter and the page, and nothing else', () => {
  assert.equal(clearFilters(at('name=a&group=b&status=online&tag=c&id=d&page=2&rows=100')).toString(), 'rows=100');
});

test('what was printed reads back as the same', () => {
  const view = { page: 7, rows: 100, filter: { name: 'a&b=c', group: 'ü %', status: 'offline' } };
  const printed = changeFleetView(changeFleetView(at(''), { filter: view.filter, rows: view.rows }), {
    page: view.page,
  });
  assert.deepEqual(readFleetView(at(printed.toString())), view);
});

test('the API gets the conditions under its own names', () => {
  assert.deepEqual(deviceFilterOf({ name: 'a', tag: 't' }), {
    device_name: 'a',
    device_group: undefined,
    device_status: undefined,
    device_tag: 't',
    device_id: undefined,
  });
  assert.equal(isFiltered({}), false);
  assert.equal(isFiltered({ id: 'x' }), true);
});
