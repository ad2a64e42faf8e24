import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { readCsv } from '#/contract/csv.ts';
import { deviceColumns } from '#/features/device-filters/device-columns.ts';
import { devicesCsv } from './export-devices.ts';

const devices = Array.from({ length: 1_200 }, (_, index) =>
  device.parse({ DeviceId: `d${index}`, DeviceName: index === 7 ? '=cmd()' : `device, ${index}`, LastSeenTime: '' }),
);

const all = { columns: deviceColumns(devices, []), count: devices.length, at: (at: number) => devices[at]! };

test('every device is a row, however many chunks it takes', async () => {
  const progress: number[] = [];
  const parts = await devicesCsv({ ...all, onProgress: (written) => progress.push(written) });
  const rows = readCsv(parts?.join('') ?? '');
  assert.equal(rows.length, 1_201);
  assert.deepEqual(rows[1]?.cells.slice(0, 2), ['d0', 'device, 0']);
  assert.equal(rows[8]?.cells[1], "'=cmd()");
  assert.deepEqual(progress, [500, 1_000, 1_200]);
});

test('a cancelled export produces no file', async () => {
  const cancel = new AbortController();
  const parts = await devicesCsv({
    ...all,
    signal: cancel.signal,
    onProgress: () => cancel.abort(),
  });
  assert.equal(parts, undefined);
});
