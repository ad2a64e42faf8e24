import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { filterDevices, placeDevices, printView, readView } from './placed-devices.ts';

const aDevice = (DeviceId: string, fields: object = {}) =>
  device.parse({ DeviceId, DeviceName: `Name ${DeviceId}`, ...fields });

test('0/0 and a missing location are unplaced, out-of-range coordinates invalid', () => {
  const placed = placeDevices(
    ['here', 'zero', 'none', 'far'].map((id) => aDevice(id)),
    [
      { DeviceId: 'here', Lat: 0, Lng: 9.5 },
      { DeviceId: 'zero', Lat: 0, Lng: 0 },
      { DeviceId: 'far', Lat: 91, Lng: 3 },
      { DeviceId: 'gone', Lat: 1, Lng: 1 },
    ],
  );
  assert.deepEqual(
    placed.map(({ device: { DeviceId }, placement }) => [DeviceId, placement]),
    [
      ['here', 'placed'],
      ['zero', 'unplaced'],
      ['none', 'unplaced'],
      ['far', 'invalid'],
    ],
  );
});

test('every condition must hold', () => {
  const all = placeDevices(
    [
      aDevice('a1', { DeviceStatus: 'Online', DeviceGroup: 'lab', Tags: [{ TagId: 't1', TagName: 'beta' }] }),
      aDevice('a2', { DeviceStatus: 'Offline', DeviceGroup: 'lab' }),
      aDevice('b1', { DeviceStatus: 'Online', DeviceGroup: 'Lab' }),
    ],
    [],
  );
  const found = (filter: object) => filterDevices(all, filter).map(({ device: { DeviceId } }) => DeviceId);
  assert.deepEqual(found({}), ['a1', 'a2', 'b1']);
  assert.deepEqual(found({ group: 'lab' }), ['a1', 'a2']);
  assert.deepEqual(found({ group: 'lab', status: 'online' }), ['a1']);
  assert.deepEqual(found({ tag: 'beta' }), ['a1']);
  assert.deepEqual(found({ tag: 't1' }), ['a1']);
  assert.deepEqual(found({ name: 'NAME B' }), ['b1']);
  assert.deepEqual(found({ id: 'A' }), ['a1', 'a2']);
});

test('the view in the URL, there and back; nonsense is no view', () => {
  assert.deepEqual(readView(printView({ lat: 52.5, lng: -13.25, zoom: 6 })), { lat: 52.5, lng: -13.25, zoom: 6 });
  for (const bad of [null, '', '1,2', 'a,b,c', '95,0,3', '1,2,99']) assert.equal(readView(bad), undefined);
});
