// Devices as our service and others send them, and what may be sent to a service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device, deviceChange, deviceDraft, deviceEndpoints, deviceLocation, position } from '#/contract/devices.ts';

test('a row with only the documented fields is enough', () => {
  const bare = { DeviceId: 'd1', DeviceName: 'pump', DeviceGroup: 'north', DeviceStatus: 'Online' };
  assert.deepEqual(device.parse(bare), { ...bare, LocalAddr: '', LocalPort: '' });
});

test('inventory is read, a leaked key is dropped, and a bad Tags field does no other harm', () => {
  const read = device.parse({
    DeviceId: 'd1',
    DeviceKey: 'leaked',
    SysTotalMemory: 1024,
    Custom: { a: 1 },
    LocalPort: 55123,
    Tags: 'red',
  });
  assert.ok(!('DeviceKey' in read));
  assert.equal(read.SysTotalMemory, '1024');
  assert.equal(read.LocalPort, '55123');
  assert.deepEqual(read.Custom, { a: 1 });
  assert.equal(read.Tags, undefined);
  assert.deepEqual(device.parse({ DeviceId: 'd', Tags: null }).Tags, []);
  assert.equal('Tags' in device.parse({ DeviceId: 'd' }), false);
});

test('status is read in any letter case; an unknown one is kept', () => {
  const status = (DeviceStatus: unknown) => device.parse({ DeviceId: 'd', DeviceStatus }).DeviceStatus;
  assert.equal(status('ONLINE'), 'Online');
  assert.equal(status(' offline '), 'Offline');
  assert.equal(status('Sleeping'), 'Sleeping');
  for (const odd of ['', null, undefined, 3]) assert.equal(status(odd), 'Unknown');
});

test('a device that was never seen is not connected yet, where the service reports times', () => {
  const status = (fields: object) => device.parse({ DeviceId: 'd', DeviceStatus: 'offline', ...fields }).DeviceStatus;
  assert.equal(status({ LastSeenTime: '' }), 'NotConnected');
  assert.equal(status({ LastSeenTime: '2026-11-02T14:03:09Z' }), 'Offline');
  for (const LastSeenTime of [undefined, null]) assert.equal(status({ LastSeenTime }), 'Offline');
  assert.equal(status({ LastSeenTime: '', DeviceStatus: 'Online' }), 'Online');
  assert.equal(status({ LastSeenTime: '', DeviceStatus: 'Sleeping' }), 'Sleeping');
});

test('a page with an implausible total still shows its devices', () => {
  const { response } = deviceEndpoints.page;
  const Devices = [{ DeviceId: 'a' }, { DeviceId: 'b' }];
  assert.equal(response.parse({ Devices, TotalNumDevices: 9 }).TotalNumDevices, 9);
  assert.equal(response.parse({ Devices, TotalNumDevices: '9' }).TotalNumDevices, 9);
  for (const TotalNumDevices of [1, '', null, 'many', -4, 2.5])
    assert.deepEqual(Object.keys(response.parse({ Devices, TotalNumDevices })), ['Devices'], String(TotalNumDevices));
  assert.equal(response.parse(Devices).Devices.length, 2);
  assert.deepEqual(response.parse({ Devices: [], TotalNumDevices: 40 }), { Devices: [], TotalNumDevices: 40 });
  assert.deepEqual(response.parse({ Devices: null, TotalNumDevices: 0 }), { Devices: [], TotalNumDevices: 0 });
  for (const other of ['<html>', { message: 'down' }, { Devices: [{}] }]) assert.ok(!response.safeParse(other).success);
});

test('locations read numeric strings and leave range to the reader', () => {
  assert.deepEqual(deviceLocation.parse({ DeviceId: 'd', Lat: '52.5', Lng: 13 }), {
    DeviceId: 'd',
    Lat: 52.5,
    Lng: 13,
  });
  assert.equal(deviceLocation.parse({ DeviceId: 'd', Lat: 1234, Lng: 0 }).Lat, 1234);
});

test('writing is exact', () => {
  assert.ok(position.safeParse({ Lat: -90, Lng: 180 }).success);
  for (const bad of [
    { Lat: '1', Lng: 1 },
    { Lat: 90.1, Lng: 0 },
    { Lat: 0, Lng: -180.5 },
    { Lat: 0 },
    { Lat: null, Lng: 0 },
  ])
    assert.ok(!position.safeParse(bad).success, JSON.stringify(bad));
  assert.ok(deviceDraft.safeParse({ DeviceName: 'pump', DeviceGroup: '' }).success);
  for (const bad of [{ DeviceName: 'pump' }, { DeviceName: '', DeviceGroup: 'g' }, { DeviceName: 1, DeviceGroup: 'g' }])
    assert.ok(!deviceDraft.safeParse(bad).success, JSON.stringify(bad));
  assert.ok(deviceChange.safeParse({ CustomerSite: '' }).success);
  for (const bad of [{}, { DeviceName: ' ' }, { Unknown: 'x' }])
    assert.ok(!deviceChange.safeParse(bad).success, JSON.stringify(bad));
});
