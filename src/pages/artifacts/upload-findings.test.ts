// Room in the storage, and doubles in the registry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account } from '#/contract/account.ts';
import { artifact } from '#/contract/artifacts.ts';
import { roomLeft, uploadFindings } from './upload-findings.ts';

const holder = (fields: object) =>
  account.parse({ UserEmail: 'a@b', PlanMaxDeviceLimit: 1, NumDevicesAdded: 0, ...fields });
const file = { name: 'app.tar.gz', size: 100 };
const levels = (...rest: Parameters<typeof uploadFindings>) => uploadFindings(...rest).map(({ level }) => level);

test('room is only claimed to be known where the service tells', () => {
  assert.equal(roomLeft(undefined), undefined);
  assert.equal(roomLeft(holder({})), undefined);
  assert.equal(roomLeft(holder({ ArtifactBytesUsed: 5, ArtifactBytesLimit: 20 })), 15);
  assert.equal(roomLeft(holder({ ArtifactBytesUsed: 30, ArtifactBytesLimit: 20 })), 0);
});

test('a file that does not fit is refused, one that just fits is not', () => {
  const usage = (used: number) => holder({ ArtifactBytesUsed: used, ArtifactBytesLimit: 1000 });
  assert.deepEqual(levels(file, '1', usage(900), []), []);
  assert.deepEqual(levels(file, '1', usage(901), []), ['error']);
  assert.deepEqual(levels(file, '1', usage(2000), []), ['error']);
  assert.deepEqual(levels(file, '1', holder({}), []), []);
});

test('the same name and version is told', () => {
  const registry = [artifact.parse({ ArtifactId: 'a', Name: 'app.tar.gz', Version: '1.0' })];
  assert.deepEqual(levels(file, '1.0', undefined, registry), ['warning']);
  assert.deepEqual(levels(file, '1.1', undefined, registry), []);
  assert.deepEqual(levels(file, '', undefined, registry), []);
});
