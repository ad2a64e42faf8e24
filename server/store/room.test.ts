// The ballast on a disk that fills up, and what is said of it. No small disk can be mounted where the tests run: only
// the number of free bytes is made up.
import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { openRoom } from './room.ts';
import type { Room } from './room.ts';

const MB = 1024 * 1024;
let folder: string;
let free: number;
let lines: string[];
let room: Room;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-room-'));
  free = 1000 * MB;
  lines = [];
  mock.method(fs, 'statfsSync', () => ({ bavail: free / 4096, bsize: 4096, blocks: (2000 * MB) / 4096 }));
  syncBuiltinESMExports();
  room = openRoom(folder, { report: (line) => lines.push(line) });
});
afterEach(() => {
  room.close();
  mock.restoreAll();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});
const ballast = () => statSync(path.join(folder, 'ballast'), { throwIfNoEntry: false })?.size ?? 0;

test('a warning before the disk is full, once, and once when there is room again', () => {
  room.look();
  assert.deepEqual([room.state(), lines, room.problem()], ['Enough', [], undefined]);
  free = 90 * MB;
  room.look();
  room.look();
  assert.equal(room.state(), 'Low');
  free = 900 * MB;
  room.look();
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /nearly full \(90 MB are free\): free some space/);
  assert.match(lines[1] ?? '', /has room again/);
});

test('the ballast takes real room, is given up once, and comes back only when there is room for it', () => {
  room.look();
  assert.equal(ballast(), 16 * MB);
  assert.ok((statSync(path.join(folder, 'ballast')).blocks ?? 0) * 512 >= 16 * MB || process.platform === 'win32');
  free = 0;
  room.ranOut();
  assert.deepEqual([room.isShort(), room.state(), room.refusal()?.status], [true, 'Full', 503]);
  assert.match(lines.at(-1) ?? '', /is full: everything can be read, and jobs, artifacts and devices can be deleted/);
  room.release();
  free = 16 * MB; // what it took
  room.look();
  assert.deepEqual([room.isShort(), ballast()], [true, 0]);
  free = 40 * MB;
  assert.deepEqual([room.isShort(), ballast(), room.refusal()], [false, 16 * MB, undefined]);
});
