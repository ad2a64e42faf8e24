import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { deviceColumns } from './device-columns.ts';

test('a device with everything, and one with next to nothing', () => {
  const full = device.parse({
    DeviceId: 'd1',
    DeviceName: '=cmd()',
    DeviceGroup: 'north',
    DeviceStatus: 'online',
    DeviceKey: 'secret',
    LocalAddr: 'fe80::1',
    LocalPort: 22,
    CustomerName: 'Acme',
    CustomerSite: 'Dock',
    Tags: [
      { TagId: 't1', TagName: 'outdoors' },
      { TagId: 't2', TagName: '' },
    ],
    LastSeenTime: '2026-11-02 14:03:09',
    CreatedTime: '2026-11-01 14:03:09',
    SysOS: 'linux',
    Rack: { row: 4 },
    SysArch: '',
  });
  const bare = device.parse({ DeviceId: 'd2' });
  const { head, row } = deviceColumns(
    [full, bare],
    [
      { DeviceId: 'd1', Lat: -33.9, Lng: 151.2 },
      { DeviceId: 'd2', Lat: 0, Lng: 0 },
    ],
  );
  assert.deepEqual(head.slice(12), ['Rack', 'SysOS']);
  assert.deepEqual(row(full), [
    'd1',
    '=cmd()',
    'north',
    'Online',
    'Acme',
    'Dock',
    'outdoors; t2',
    '[fe80::1]:22',
    '2026-11-02 14:03:09',
    '2026-11-01 14:03:09',
    '-33.9',
    '151.2',
    '{"row":4}',
    'linux',
  ]);
  assert.deepEqual(row(bare), ['d2', '', '', 'Unknown', ...Array.from({ length: 10 }, () => '')]);
  assert.equal(JSON.stringify(row(full)).includes('secret'), false);
});
