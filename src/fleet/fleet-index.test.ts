import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { aDevice } from './fake-service.ts';
import { printRange } from './seen-range.ts';
import { FleetIndex, tableOf, type RowQuery } from './fleet-index.ts';
import { indexOf } from './index-of.ts';
import { atOnce } from '#/lib/pace.ts';
import { placeSteps } from './places.ts';
import { Draft } from './table.ts';

const parsed = (fields: object) => device.parse(fields);
const named = (...names: string[]) =>
  indexOf(names.map((DeviceName, n) => parsed({ DeviceId: `d${n}`, DeviceName, DeviceStatus: 'Online' })));
const names = (index: FleetIndex, query: RowQuery) =>
  Array.from(index.query(query), (row) => index.device(row).DeviceName);

test('a device comes out as it went in', () => {
  const full = parsed({
    DeviceId: 'a',
    DeviceName: 'Pumpe Süd',
    DeviceGroup: 'north',
    LocalAddr: '10.0.0.1',
    LocalPort: '22',
    DeviceStatus: 'online',
    DeviceKey: 'secret',
    CustomerName: 'ACME',
    CustomerSite: '',
    CreatedTime: '2026-11-02T10:00:00.123Z',
    LastSeenTime: 'Nov 2, 2026, 14:03:09 UTC',
    AgentVersion: '1.2.3',
    SysOS: 'linux',
    SysHostname: 'pump',
    SysMacAddress: 'aa:bb',
    Tags: [{ TagId: 't1', TagName: 'beta' }],
    Firmware: 7,
  });
  const bare = parsed({ DeviceId: 'b', LastSeenTime: 'a while ago', CreatedTime: '' });
  const index = indexOf([full, bare]);
  const [one, two] = Array.from(index.query(), (row) => index.device(row));
  assert.deepEqual(one, { ...full, LastSeenTime: '2026-11-02T14:03:09.000Z', Firmware: '7' });
  assert.deepEqual(two, { ...bare, SysHostname: '', SysMacAddress: '', LastSeenTime: 'a while ago' });
  assert.equal(JSON.stringify([one, index.fields()]).includes('DeviceKey'), false);
  assert.deepEqual(index.fields().sort(), [
    'AgentVersion',
    'CreatedTime',
    'CustomerName',
    'DeviceGroup',
    'DeviceName',
    'DeviceStatus',
    'Firmware',
    'LastSeenTime',
    'LocalAddr',
    'LocalPort',
    'SysHostname',
    'SysMacAddress',
    'SysOS',
    'Tags',
  ]);
});

test('names sort as people count, up and down, those without a name last', () => {
  const index = named('camera-10', '', 'Camera-2', 'éclair', 'camera-1', 'Bob');
  const up = ['Bob', 'camera-1', 'Camera-2', 'camera-10', 'éclair'];
  assert.deepEqual(names(index, { sort: { by: 'DeviceName' } }), [...up, '']);
  assert.deepEqual(names(index, { sort: { by: 'DeviceName', down: true } }), [...up.toReversed(), '']);
  assert.deepEqual(names(index, {}), ['camera-10', '', 'Camera-2', 'éclair', 'camera-1', 'Bob']);
  assert.deepEqual(names(index, { sort: { by: 'NoSuchField' } }), names(index, {}));
});

test('every kind of column sorts, equal ones in the order of the service, unknown ones last', () => {
  const index = indexOf(
    [
      { DeviceId: 'a', DeviceGroup: 'g10', LocalAddr: '10.0.0.10', LastSeenTime: '2026-11-02T10:00:00Z' },
      { DeviceId: 'b', DeviceGroup: 'g2', LocalAddr: '10.0.0.9', LastSeenTime: 'some day', Tags: [] },
      { DeviceId: 'c', DeviceGroup: '', LocalAddr: '', LastSeenTime: '2026-11-01T10:00:00Z' },
      { DeviceId: 'd', DeviceGroup: 'g2', LocalAddr: '9.0.0.1', Tags: [{ TagId: '1', TagName: 'x' }] },
    ].map(parsed),
    [
      { DeviceId: 'a', Lat: 5, Lng: 1 },
      { DeviceId: 'b', Lat: -5, Lng: 2 },
      { DeviceId: 'c', Lat: 99, Lng: 0 },
    ],
  );
  const ids = (by: string, down = false) => index.ids(index.query({ sort: { by, down } })).join('');
  assert.deepEqual(
    ['DeviceGroup', 'LocalAddr', 'LastSeenTime', 'Tags', 'Lat', 'DeviceId'].map((by) => [by, ids(by), ids(by, true)]),
    [
      ['DeviceGroup', 'bdac', 'abdc'],
      ['LocalAddr', 'dbac', 'abdc'],
      ['LastSeenTime', 'cabd', 'acbd'],
      ['Tags', 'dabc', 'dabc'],
      ['Lat', 'bacd', 'abcd'],
      ['DeviceId', 'abcd', 'dcba'],
    ],
  );
});

test('a long column sorts the same in turns as at once, and from a nearly right order', async () => {
  const numbers = Array.from({ length: 20_000 }, (_, n) => (n * 7919) % 20_011);
  const index = indexOf(numbers.map((number, n) => aDevice(n, { DeviceName: `camera-${number}` })));
  const expected = numbers.toSorted((one, two) => one - two).map((number) => `camera-${number}`);
  assert.equal(index.isPrepared('DeviceName'), false);
  await index.prepare('DeviceName');
  assert.equal(index.isPrepared('DeviceName'), true);
  assert.deepEqual(names(index, { sort: { by: 'DeviceName' } }), expected);

  const draft = new Draft(tableOf(index));
  draft.change(5, { DeviceName: 'aaa' });
  const row = draft.put(aDevice(50_000, { DeviceName: 'zzz' }));
  const next = new FleetIndex(draft.finish(Uint32Array.from([...index.rows, row])));
  await next.prepare('DeviceName', index);
  const changed = ['aaa', ...expected.filter((name) => name !== `camera-${numbers[5]}`), 'zzz'];
  assert.deepEqual(names(next, { sort: { by: 'DeviceName' } }), changed);
  assert.deepEqual(names(index, { sort: { by: 'DeviceName' } }), expected);
});

test('the search wants every word in the name or the id, in any case and without accents', () => {
  const index = indexOf(
    [
      ['ID-77', 'Pumpe Süd 1'],
      ['id-78', 'pump north'],
      ['north-1', 'valve'],
    ].map(([DeviceId, DeviceName]) => parsed({ DeviceId, DeviceName })),
  );
  const found = (filter: RowQuery['filter'] & object) => index.ids(index.query({ filter }));
  assert.deepEqual(found({ search: 'PUMP' }), ['ID-77', 'id-78']);
  assert.deepEqual(found({ search: 'pump sud' }), ['ID-77']);
  assert.deepEqual(found({ search: 'north' }), ['id-78', 'north-1']);
  assert.deepEqual(found({ search: 'north id-78' }), ['id-78']);
  // Few letters are in any id by chance: they count in names and the like, or as the whole id.
  assert.deepEqual(found({ search: 'pump 7' }), []);
  assert.deepEqual(found({ search: 'pump 1' }), ['ID-77']);
  assert.deepEqual(found({ search: ' ' }), ['ID-77', 'id-78', 'north-1']);
  assert.deepEqual(found({ name: 'north' }), ['id-78']);
  assert.deepEqual(found({ id: 'north' }), ['north-1']);
  assert.deepEqual(found({ name: 'pump', id: '77' }), ['ID-77']);
  // Typed on, then back: what is remembered of the last search must not hide anything.
  for (const [text, count] of [
    ['n', 1],
    ['nor', 1],
    ['nort', 2],
    ['north', 2],
    ['n', 1],
    ['', 3],
  ] as const)
    assert.equal(found({ search: text }).length, count, text);
});

test('the search looks at group, customer, site and tags too, as they are now', () => {
  const filed = { DeviceGroup: 'Halle 7', CustomerName: 'Acme', CustomerSite: 'Dock 4' };
  const index = indexOf([
    aDevice(1, { DeviceName: 'pump', ...filed, Tags: [{ TagId: 't1', TagName: 'outdoors' }] }),
    aDevice(2, { DeviceName: 'valve', CustomerName: 'Other' }),
  ]);
  const one = index.ids(index.query({ filter: { id: index.ids(index.rows)[0] ?? '' } }));
  const found = (search: string, at = index) => at.ids(at.query({ filter: { search } }));
  for (const search of ['halle', 'acme', 'DOCK 4', 'outdoors', 'pump acme', 'l 4 dock', '7'])
    assert.deepEqual(found(search), one, search);
  for (const search of ['acme valve', 'indoors']) assert.deepEqual(found(search), [], search);
  // A filter by name or id looks at nothing else.
  const only = (filter: RowQuery['filter'] & object) => index.ids(index.query({ filter }));
  assert.deepEqual([only({ name: 'acme' }), only({ id: 'acme' })], [[], []]);

  const draft = new Draft(tableOf(index));
  draft.change(0, { CustomerName: 'Globex' });
  const next = new FleetIndex(draft.finish(Uint32Array.from(index.rows)));
  assert.deepEqual([found('acme', next), found('globex', next)], [[], one]);
});

test('devices that never connected, and those seen in a range, are found where the service tells it', () => {
  const index = indexOf(
    [
      { DeviceId: 'new', LastSeenTime: '', DeviceStatus: 'Offline' },
      { DeviceId: 'seen', LastSeenTime: '2026-11-02T10:00:00.000Z', DeviceStatus: 'Offline' },
      { DeviceId: 'odd', LastSeenTime: 'yesterday' },
      { DeviceId: 'untold', DeviceStatus: 'Offline' },
    ].map((fields) => parsed(fields)),
  );
  const inState = (...status: string[]) => index.ids(index.query({ filter: { status } }));
  assert.deepEqual(inState('notconnected'), ['new']);
  assert.deepEqual(inState('Offline'), ['seen', 'untold']);
  const within = (from: string, to: string) =>
    index.ids(index.query({ filter: { seen: printRange(Date.parse(from), Date.parse(to)) } }));
  assert.deepEqual(within('2026-11-02T09:59:59.999Z', '2026-11-02T10:00:00Z'), ['seen']);
  assert.deepEqual(within('2026-11-02T09:00:00Z', '2026-11-02T09:59:59Z'), []);
});

const mixed = () =>
  indexOf(
    [
      { DeviceId: 'a', DeviceGroup: 'lab', DeviceStatus: 'online', Tags: [{ TagId: 't1', TagName: 'beta' }] },
      { DeviceId: 'b', DeviceGroup: 'lab', DeviceStatus: 'OFFLINE', CustomerName: 'ACME' },
      { DeviceId: 'c', DeviceGroup: 'Lab', DeviceStatus: 'Sleeping', CustomerName: 'ACME', CustomerSite: 'Kiel' },
      {
        DeviceId: 'd',
        DeviceGroup: '',
        DeviceStatus: 'Online',
        Tags: [
          { TagId: 't1', TagName: 'beta' },
          { TagId: 't2', TagName: '' },
        ],
      },
    ].map(parsed),
    [
      { DeviceId: 'a', Lat: 1, Lng: 1 },
      { DeviceId: 'b', Lat: 0, Lng: 0 },
      { DeviceId: 'c', Lat: 91, Lng: 0 },
    ],
  );

test('every condition must hold; of the values of one, any', () => {
  const index = mixed();
  const found = (filter: RowQuery['filter'] & object) => index.ids(index.query({ filter })).join('');
  assert.equal(found({ group: ['lab'] }), 'ab');
  assert.equal(found({ group: ['lab', 'Lab'] }), 'abc');
  assert.equal(found({ group: [''] }), 'd');
  assert.equal(found({ group: [] }), 'abcd');
  assert.equal(found({ group: ['nowhere'] }), '');
  assert.equal(found({ status: ['ONLINE'] }), 'ad');
  assert.equal(found({ status: ['sleeping', 'offline'] }), 'bc');
  assert.equal(found({ tag: ['beta'] }), 'ad');
  assert.equal(found({ tag: ['t2'] }), 'd');
  assert.equal(found({ tag: [''] }), 'bc');
  assert.equal(found({ customer: ['ACME'], site: ['Kiel'] }), 'c');
  assert.equal(found({ group: ['lab'], status: ['online'] }), 'a');
  assert.equal(found({ place: 'placed' }), 'a');
  assert.equal(found({ place: 'unplaced' }), 'bd');
  assert.equal(found({ place: 'invalid' }), 'c');
});

test('each facet is counted under the filters of all the others', () => {
  const index = mixed();
  const texts = (filter: RowQuery['filter'] & object) => {
    const { group, status, tag, customer } = index.facets(filter);
    return [group, status, tag ?? [], customer].map((values) =>
      values.map(({ value, count }) => `${value}:${count}`).join(' '),
    );
  };
  assert.deepEqual(texts({}), [
    // Equal but for the letter case: in the order in which they came.
    'lab:2 Lab:1 :1',
    'Offline:1 Online:2 Sleeping:1',
    'beta:2 t2:1 :2',
    'ACME:2 :2',
  ]);
  assert.deepEqual(texts({ group: ['lab'] }), ['lab:2 Lab:1 :1', 'Offline:1 Online:1', 'beta:1 :1', 'ACME:1 :1']);
  assert.deepEqual(texts({ group: ['lab'], status: ['online'] }), ['lab:1 :1', 'Offline:1 Online:1', 'beta:1', ':1']);
  // What is chosen is listed, though nothing has it; a tag chosen by its id stands under its name.
  assert.deepEqual(texts({ group: ['nowhere'], tag: ['t1'] }), ['lab:1 nowhere:0 :1', '', 'beta:0', '']);
  assert.deepEqual(texts({ search: 'acme' })[0], 'lab:1 Lab:1');
  const only = index.facets({ status: ['online'] }, ['group']);
  assert.deepEqual(only.group, index.facets({ status: ['online'] }).group);
  assert.deepEqual(only.customer, []);
});

test('where rows have no tags, no tag is counted, and a filter takes ids of devices', () => {
  const index = indexOf([aDevice(0), aDevice(1), aDevice(2)]);
  assert.equal(index.includesTags, false);
  assert.equal(index.facets().tag, undefined);
  const filter = { tag: ['red'], tagged: new Set(['id-2', 'id-7']) };
  assert.deepEqual(index.ids(index.query({ filter })), ['id-2']);
  assert.deepEqual(index.facets(filter, ['group']).group, [{ value: 'south', count: 1 }]);
  // An empty list is told, too.
  assert.equal(indexOf([aDevice(0), aDevice(1, { Tags: [] })]).includesTags, true);
});

test('a newer reading keeps the row of a device, and the object while nothing changed', () => {
  const before = indexOf([aDevice(1), aDevice(2), aDevice(3)]);
  const devices = Array.from(before.query(), (row) => before.device(row));
  const draft = new Draft(tableOf(before));
  const order = [aDevice(9), aDevice(3, { DeviceStatus: 'Gone' }), aDevice(1)].map((each) => draft.put(each));
  const after = new FleetIndex(draft.finish(Uint32Array.from(order)));
  assert.equal(after.size, 3);
  assert.equal(after.rowOf('id-1'), before.rowOf('id-1'));
  assert.equal(after.device(after.rowOf('id-1')!), devices[0]);
  assert.equal(after.device(after.rowOf('id-3')!).DeviceStatus, 'Gone');
  assert.equal(after.rowOf('id-2'), undefined);
  assert.deepEqual(after.ids(after.query()), ['id-9', 'id-3', 'id-1']);
  assert.deepEqual(after.ids(after.query({ sort: { by: 'DeviceName' } })), ['id-1', 'id-3', 'id-9']);
  // The one before is as it was.
  assert.deepEqual(before.ids(before.query()), ['id-1', 'id-2', 'id-3']);
  assert.equal(before.device(before.rowOf('id-3')!).DeviceStatus, 'Online');
  assert.equal(before.rowOf('id-9'), undefined);
});

test('a reading that brings nothing new gives the same table, and the same places', () => {
  const locations = [{ DeviceId: 'id-1', Lat: 1, Lng: 2 }];
  const table = tableOf(indexOf([aDevice(1), aDevice(2)], locations));
  const draft = new Draft(table);
  const order = Uint32Array.from([1, 2], (n) => draft.put(aDevice(n)));
  assert.equal(draft.finish(order), table);
  assert.equal(atOnce(placeSteps(table, [...locations])), table);
  assert.notEqual(atOnce(placeSteps(table, [{ DeviceId: 'id-1', Lat: 1, Lng: 3 }])), table);
});

test('coded values are the same object until one of them is another', () => {
  const index = indexOf([aDevice(1), aDevice(2)]);
  const after = (fields: Record<string, unknown>) => {
    const draft = new Draft(tableOf(index));
    draft.change(0, fields);
    return index.with(draft.finish(tableOf(index).order));
  };
  assert.equal(after({ DeviceName: 'another' }).coded('DeviceGroup'), index.coded('DeviceGroup'));
  assert.notEqual(after({ DeviceGroup: 'another' }).coded('DeviceGroup'), index.coded('DeviceGroup'));
});

test('the latest few are those of the sorted fleet', () => {
  const times = [5, 3, 9, 9, 1, 7].map((hour) => `2026-11-02T0${hour}:00:00Z`);
  const index = indexOf([...times, '', 'some day'].map((LastSeenTime, n) => aDevice(n, { LastSeenTime })));
  const sorted = index.query({ sort: { by: 'LastSeenTime', down: true } });
  for (const most of [1, 3, 6, 20])
    assert.deepEqual(index.latest(index.query(), 'LastSeenTime', most), [...sorted.subarray(0, Math.min(most, 6))]);
  assert.deepEqual(index.latest(index.query(), 'CreatedTime', 3), []);
});

test('fields from elsewhere are sorted and shown like those of the listing, and keep their sort order', () => {
  const base = indexOf([0, 1, 2].map((n) => aDevice(n)));
  const field = 'Version of myapp';
  const versions = new Map(Object.entries({ 'id-0': '10.0', 'id-2': '9.0', deleted: '1' }));
  const index = base.withFields(new Map([[field, versions]]));
  assert.deepEqual(index.ids(index.query({ sort: { by: field } })), ['id-2', 'id-0', 'id-1']);
  assert.equal(index.device(index.rowOf('id-0')!)[field], '10.0');
  assert.ok(index.fields().includes(field));
  const again = base.withFields(new Map([[field, versions]]));
  assert.equal(tableOf(again).columns.get(field), tableOf(index).columns.get(field));
});
