// The ballast on a disk that fills up, and the problems reported. The tests cannot mount a small disk: the number of
// free bytes is simulated.
import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { openDiskSpace } from './disk-space.ts';
import type { DiskSpace } from './disk-space.ts';

const MB = 1024 * 1024;
let folder: string;
let free: number;
let lines: string[];
let disk: DiskSpace;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-room-'));
  free = 1000 * MB;
  lines = [];
  mock.method(fs, 'statfsSync', () => ({ bavail: free / 4096, bsize: 4096, blocks: (2000 * MB) / 4096 }));
  syncBuiltinESMExports();
  disk = openDiskSpace(folder, { report: (line) => lines.push(line) });
});
afterEach(() => {
  disk.close();
  mock.restoreAll();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});
const ballast = () => statSync(path.join(folder, 'ballast'), { throwIfNoEntry: false })?.size ?? 0;

test('a warning before the disk is full, once, and once when there is room again', () => {
  disk.check();
  assert.deepEqual([disk.state(), lines, disk.problem()], ['Enough', [], undefined]);
  free = 90 * MB;
  disk.check();
  disk.check();
  assert.equal(disk.state(), 'Low');
  free = 900 * MB;
  disk.check();
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /nearly full \(90 MB are free\): free some space/);
  assert.match(lines[1] ?? '', /has room again/);
});

test('the ballast takes real room, is given up once, and comes back only when there is room for it', () => {
  disk.check();
  assert.equal(ballast(), 16 * MB);
  assert.ok((statSync(path.join(folder, 'ballast')).blocks ?? 0) * 512 >= 16 * MB || process.platform === 'win32');
  free = 0;
  disk.writeFailed();
  assert.deepEqual(
    [disk.isShort(), disk.state(), disk.refusal()?.message],
    [true, 'Full', 'The disk of the service is full'],
  );
  assert.match(lines.at(-1) ?? '', /is full: everything can be read, and jobs, artifacts and devices can be deleted/);
  disk.removeBallast();
  free = 16 * MB; // the size of the ballast
  disk.check();
  assert.deepEqual([disk.isShort(), ballast()], [true, 0]);
  free = 40 * MB;
  assert.deepEqual([disk.isShort(), ballast(), disk.refusal()], [false, 16 * MB, undefined]);
});
