import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { deviceColumns } from '#/features/device-filters/device-columns.ts';
import { csvText, readCsv } from '#/contract/csv.ts';
import { planOf, planText } from './plan.ts';
import { changedColumns, type KnownFleet } from './row-changes.ts';
import { edited, parseRows } from './rows.ts';

const DEVICES = [
  device.parse({
    DeviceId: 'd1',
    DeviceName: '=pump "1"',
    DeviceGroup: 'north',
    CustomerName: 'ACME; Inc.',
    CustomerSite: 'Hall\n1',
    Tags: [
      { TagId: 't1', TagName: 'edge' },
      { TagId: 't2', TagName: 'old; odd' },
    ],
    SysOS: 'linux',
  }),
  device.parse({ DeviceId: 'd2', DeviceName: 'fan', DeviceGroup: 'north' }),
  device.parse({ DeviceId: 'd3', DeviceName: 'fan' }),
];
const LOCATIONS = [
  { DeviceId: 'd1', Lat: 52.5, Lng: -13.4 },
  { DeviceId: 'd2', Lat: 0, Lng: 0 },
];

const fleet: KnownFleet = {
  names: new Set(DEVICES.map(({ DeviceName }) => DeviceName.toLowerCase())),
  shared: { group: ['north'], customer: [], site: [], tags: ['edge', 'old; odd'] },
  ids: new Set(DEVICES.map(({ DeviceId }) => DeviceId)),
  deviceOf: (id) => DEVICES.find(({ DeviceId }) => DeviceId === id),
  locationOf: (id) => LOCATIONS.find(({ DeviceId, Lat }) => DeviceId === id && Lat !== 0),
};

/** A spreadsheet saves unedited cells unchanged. */
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** The export of the fleet, with each cell edited by `change`. */
function exported(change: (cells: Record<string, string>) => void = () => undefined): string {
  const { head, row } = deviceColumns(DEVICES, LOCATIONS);
  const [names = [], ...rows] = readCsv(csvText([head, ...DEVICES.map(row)])).map(({ cells }) => cells);
  const changed = rows.map((cells) => {
    const byName = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
    change(byName);
    return names.map((name) => byName[name] ?? '');
  });
  return [names, ...changed].map((cells) => cells.map(quoted).join(',')).join('\r\n');
}

test('an unedited export changes and creates nothing', () => {
  const plan = planOf(parseRows(exported()).rows, fleet, 7);
  assert.equal(planText(plan), 'No device will be changed, 3 are the same');
  assert.deepEqual([plan.ready, plan.changes, plan.warned], [[], [], 0]);
});

test('edited values are changed, with the values that they replace', () => {
  const text = exported((cells) => {
    if (cells['id'] === 'd1') Object.assign(cells, { name: 'pump 1', site: '', tags: 'edge;new', lat: '52.6' });
    if (cells['id'] === 'd2') Object.assign(cells, { lat: '1', lng: '2,5' });
  });
  const { changes } = planOf(parseRows(text).rows, fleet, 7);
  assert.deepEqual(
    changes.map(({ device: { DeviceId }, fields, position, tag, untag, was }) => [
      DeviceId,
      fields,
      position,
      tag,
      untag.map(({ TagId }) => TagId),
      was,
    ]),
    [
      [
        'd1',
        { DeviceName: 'pump 1', CustomerSite: '' },
        { Lat: 52.6, Lng: -13.4 },
        ['new'],
        ['t2'],
        { name: '=pump "1"', site: 'Hall 1', lat: '52.5', lng: '-13.4', tags: 'edge; old\\; odd' },
      ],
      ['d2', {}, { Lat: 1, Lng: 2.5 }, [], [], { lat: '', lng: '' }],
    ],
  );
});

test('changed, new, same, unknown and repeated rows are distinguished; only rows without an id create devices', () => {
  const { rows } = parseRows('id,group\nd1,south\nd2,north\nd3,\nd9,x\n d1 ,west\n');
  const [fresh] = parseRows('id,name\n,valve\n').rows;
  const plan = planOf([...rows, fresh!], fleet, 7);
  assert.equal(
    planText(plan),
    '1 device will be changed, 1 device will be created, 2 are the same, 1 id is unknown and left out, 1 row repeats an id and is left out; licence: 7 free',
  );
  assert.deepEqual(plan.ready, [fresh]);
  assert.equal(plan.faulty, 0);
  assert.deepEqual(changedColumns(plan.changes[0]!), ['group']);
});

test('values that the list lacks are unchanged until somebody types one', () => {
  const [row] = parseRows('Device ID;Group\nd1;north').rows;
  assert.equal(planText(planOf([row!], fleet, 7)), 'No device will be changed, 1 is the same');
  const { changes } = planOf([edited(row!, 'customer', 'Other')], fleet, 7);
  assert.deepEqual(changes[0]?.fields, { CustomerName: 'Other' });
});

test('without the device list no row with an id is processed', () => {
  const plan = planOf(parseRows(exported()).rows, undefined, 7);
  assert.equal(planText(plan), 'No device will be changed, 3 rows with an id wait for the device list');
  assert.deepEqual([plan.ready, plan.changes], [[], []]);
});
