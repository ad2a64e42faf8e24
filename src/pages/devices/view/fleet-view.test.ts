import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  UNFILTERED,
  beyondService,
  changeFleetView,
  deviceFilterOf,
  fleetUrl,
  fleetViewOf,
  type FleetViewChange,
} from './fleet-view.ts';

const read = (search: string) => fleetViewOf(fleetUrl.read(search));
const changed = (search: string, change: FleetViewChange) =>
  fleetUrl.change(search, changeFleetView(fleetUrl.read(search), change));
const START = { page: 1, rows: 25, paged: false, filter: {}, sort: undefined };

test('an empty URL is the first page of everything', () => {
  assert.deepEqual(read(''), START);
});

test('filters, page and rows are read; the status in any letter case', () => {
  assert.deepEqual(read('name=pump&group=north&state=Online&tag=t1&id=ab&page=3&rows=250'), {
    page: 3,
    rows: 250,
    paged: true,
    filter: { name: 'pump', id: 'ab', group: ['north'], status: ['online'], tag: ['t1'] },
    sort: undefined,
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
    'sort=',
    'sort=-',
  ])
    assert.deepEqual(read(search), START, search);
});

test('a filter change goes back to the first page and leaves the rest', () => {
  const next = changed('group=north&page=4&rows=50&dialog=add', { filter: { name: ' pump ' } });
  assert.deepEqual(Object.fromEntries(new URLSearchParams(next)), {
    rows: '50',
    dialog: 'add',
    name: 'pump',
    group: 'north',
  });
});

test('an emptied filter leaves the URL', () => {
  assert.equal(changed('name=pump&group=north', { filter: { name: '' } }), 'group=north');
});

test('with another page size the first row stays in sight', () => {
  assert.equal(changed('page=5', { rows: 50 }), 'page=3&rows=50'); // row 101
  assert.equal(changed('page=3&rows=50', { rows: 25 }), 'page=5&rows=25');
  assert.equal(changed('page=2', { rows: 1000 }), 'rows=1000');
});

test('a page is set and the first one is left out', () => {
  assert.equal(changed('name=a', { page: 2 }), 'name=a&rows=25&page=2');
  assert.equal(changed('name=a&page=2', { page: 1 }), 'name=a&rows=25');
});

test('clearing takes every filter and the page, and nothing else', () => {
  assert.equal(
    fleetUrl.change('q=x&name=a&group=b&no=group&seen=never&state=online&tag=c&id=d&page=2&rows=100', UNFILTERED),
    'rows=100',
  );
});

test('what was printed reads back as the same', () => {
  const view = {
    page: 7,
    rows: 100 as const,
    paged: true,
    sort: undefined,
    filter: { name: 'a&b=c', group: ['ü %', ''], status: ['offline'] },
  };
  const printed = changed(changed('', { filter: view.filter, rows: view.rows }), { page: view.page });
  assert.deepEqual(read(printed), view);
});

test('the API gets the conditions under its own names', () => {
  assert.deepEqual(deviceFilterOf({ name: 'a', tag: ['t'] }), {
    device_name: 'a',
    device_group: undefined,
    device_status: undefined,
    device_tag: 't',
    device_id: undefined,
  });
  // It has no search of its own: names are the most of it.
  assert.equal(deviceFilterOf({ search: 'pump 7' }).device_name, 'pump 7');
});

test('pages are asked for by a page or a size; "all" takes both out', () => {
  assert.equal(read('page=2').paged, true);
  assert.equal(read('rows=25').paged, true);
  assert.equal(read('rows=26').paged, false);
  assert.equal(changed('group=a&rows=100&page=3', { rows: 'all' }), 'group=a');
});

test('a sort is one word with a sign, leads to the first page and leaves the filters', () => {
  assert.deepEqual(read('sort=lastSeen').sort, { by: 'lastSeen', down: false });
  assert.deepEqual(read('sort=-lastSeen').sort, { by: 'lastSeen', down: true });
  // A field may be called anything.
  assert.deepEqual(read('sort=-Version+of+my.app').sort, { by: 'Version of my.app', down: true });
  const sorted = changed('group=a&rows=50&page=3', { sort: { by: 'name', down: true } });
  assert.equal(sorted, 'group=a&rows=50&sort=-name');
  assert.equal(changed(sorted, { sort: undefined }), 'group=a&rows=50');
});

test('what the service cannot filter or sort needs the fleet in memory, and says why', () => {
  const why = (search: string) => beyondService(read(search));
  assert.equal(why('q=x&group=b&state=online&tag=c&id=d'), undefined);
  assert.equal(why('name=x&group=b'), undefined);
  assert.equal(why('sort=name'), 'Sorting');
  assert.equal(why('group=a&group=b&sort=name'), 'More than one group');
  assert.equal(why('no=tag'), 'Devices without a tag');
  assert.equal(why('site=Dock'), 'A filter by site');
  // Its Offline has both.
  assert.equal(why('state=offline&state=notconnected'), undefined);
  assert.equal(deviceFilterOf({ status: ['notconnected', 'offline'] }).device_status, 'offline');
  for (const only of ['state=offline', 'seen=never']) assert.equal(why(only), 'A filter by first connection');
  assert.equal(why('q=a&name=b'), 'A search together with a filter by name');
});
