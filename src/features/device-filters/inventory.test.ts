import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { addressOf, inventoryOf, inventoryLabel } from './inventory.ts';

test('known fields come in a fixed order, unknown ones after them, secrets and empty ones not at all', () => {
  const row = device.parse({
    DeviceId: 'd1',
    DeviceName: 'pump',
    DeviceStatus: 'Online',
    Zone: 3,
    Battery: { Level: 0.5 },
    SysArch: 'arm64',
    SysHostname: 'pump-host',
    SysOS: '',
    DeviceKey: 'secret',
  });
  assert.deepEqual(inventoryOf(row), [
    { label: 'Host name', value: 'pump-host' },
    { label: 'Architecture', value: 'arm64' },
    { label: 'Battery', value: '{"Level":0.5}' },
    { label: 'Zone', value: '3' },
  ]);
});

test('a device that reports nothing has no inventory', () => {
  assert.deepEqual(inventoryOf(device.parse({ DeviceId: 'd1' })), []);
});

test('an address is printed as far as it is known', () => {
  assert.equal(addressOf({ LocalAddr: '10.0.0.2', LocalPort: '22' }), '10.0.0.2:22');
  assert.equal(addressOf({ LocalAddr: 'fe80::1', LocalPort: '22' }), '[fe80::1]:22');
  assert.equal(addressOf({ LocalAddr: '10.0.0.2', LocalPort: '' }), '10.0.0.2');
  assert.equal(addressOf({ LocalAddr: '', LocalPort: '' }), '');
});

test('a field that a service adds has its own name', () => {
  for (const name of ['constructor', 'toString', 'Colour']) assert.equal(inventoryLabel(name), name);
  assert.equal(inventoryLabel('SysOS'), 'System');
});
