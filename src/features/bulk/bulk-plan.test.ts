import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { isCount, skipEqual, skipLocated, skipTagged, skipUntagged, bulkPlanOf, bulkPlanText } from './bulk-plan.ts';

const made = (DeviceId: string, more: object = {}) => device.parse({ DeviceId, DeviceName: DeviceId, ...more });
const changing = (plan: ReturnType<typeof bulkPlanOf>) => plan.change.map(({ DeviceId }) => DeviceId);

test('a device that has the value is skipped; one whose value is not reported is not', () => {
  const devices = [
    made('a', { DeviceGroup: 'north', CustomerName: 'Acme' }),
    made('b', { DeviceGroup: 'south' }),
    made('c', { DeviceGroup: '', CustomerName: '' }),
  ];
  assert.deepEqual(changing(bulkPlanOf(devices, skipEqual('DeviceGroup', 'north'))), ['b', 'c']);
  assert.deepEqual(changing(bulkPlanOf(devices, skipEqual('DeviceGroup', ''))), ['a', 'b']);
  assert.deepEqual(changing(bulkPlanOf(devices, skipEqual('CustomerName', 'Acme'))), ['b', 'c']);
});

test('tags are attached where they are missing and detached where they are present', () => {
  const tag = { TagId: 't1', TagName: 'outdoors' };
  const devices = [made('a', { Tags: [tag] }), made('b', { Tags: [] }), made('c')];
  assert.deepEqual(changing(bulkPlanOf(devices, skipTagged('outdoors'))), ['b', 'c']);
  assert.deepEqual(changing(bulkPlanOf(devices, skipUntagged('t1'))), ['a', 'c']);
});

test('a device that is already there is skipped', () => {
  const whySkipped = skipLocated({ Lat: 1, Lng: 2 }, [
    { DeviceId: 'a', Lat: 1, Lng: 2 },
    { DeviceId: 'b', Lat: 1, Lng: 3 },
  ]);
  assert.deepEqual(changing(bulkPlanOf([made('a'), made('b'), made('c')], whySkipped)), ['b', 'c']);
});

test('the plan adds up in words', () => {
  const devices = [made('a', { DeviceGroup: 'x' }), made('b'), made('c')];
  const plan = bulkPlanOf(devices, skipEqual('DeviceGroup', 'x'));
  assert.deepEqual(bulkPlanText(plan, 2), [
    '2 of 5 devices change.',
    '1 skipped: has it already.',
    '2 skipped: no longer exist.',
  ]);
  assert.deepEqual(
    bulkPlanText(
      bulkPlanOf(devices, () => undefined),
      0,
    ),
    ['All 3 devices change.'],
  );
  assert.deepEqual(
    bulkPlanText(
      bulkPlanOf(devices.slice(0, 1), () => undefined),
      0,
    ),
    ['The device changes.'],
  );
});

test('a count is confirmed with or without thousands separators', () => {
  assert.equal(isCount(' 1,234 ', 1234), true);
  assert.equal(isCount('1234', 1234), true);
  assert.equal(isCount('123', 1234), false);
  assert.equal(isCount('', 0), false);
});
