// Storage space, doubles in the registry, and what could go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account } from '#/contract/account.ts';
import { artifact } from '#/contract/artifacts.ts';
import { job } from '#/contract/jobs.ts';
import { usageOf } from '#/pages/artifacts/versions/artifact-usage.ts';
import { roomLeft, spareArtifacts, uploadFindings } from './upload-findings.ts';

const holder = (fields: object) =>
  account.parse({ UserEmail: 'a@b', PlanMaxDeviceLimit: 1, NumDevicesAdded: 0, ...fields });
const file = { name: 'app.tar.gz', size: 100, version: '1', sha256: 'ab' };
const levels = (...rest: Parameters<typeof uploadFindings>) => uploadFindings(...rest).map(({ level }) => level);

test('room is only known where the service reports it', () => {
  assert.equal(roomLeft(undefined), undefined);
  assert.equal(roomLeft(holder({})), undefined);
  assert.equal(roomLeft(holder({ ArtifactBytesUsed: 5, ArtifactBytesLimit: 20 })), 15);
  assert.equal(roomLeft(holder({ ArtifactBytesUsed: 30, ArtifactBytesLimit: 20 })), 0);
});

test('a file that does not fit is refused, one that just fits is not', () => {
  const usage = (used: number) => holder({ ArtifactBytesUsed: used, ArtifactBytesLimit: 1000 });
  assert.deepEqual(levels(file, usage(900), []), []);
  assert.deepEqual(levels(file, usage(901), []), ['error']);
  assert.deepEqual(levels(file, usage(2000), []), ['error']);
  assert.deepEqual(levels(file, holder({}), []), []);
});

test('the same name and version is reported, and the same content', () => {
  const registry = [artifact.parse({ ArtifactId: 'a', Name: 'app.tar.gz', Version: '1.0', Sha256: 'AB' })];
  const textsOf = (version: string, sha256?: string) =>
    uploadFindings({ ...file, version, sha256 }, undefined, registry).map(({ text }) => text);
  assert.deepEqual(textsOf('1.0'), ['app.tar.gz 1.0 already exists']);
  assert.deepEqual(textsOf('1.1'), []);
  assert.deepEqual(textsOf(''), []);
  assert.deepEqual(textsOf('1.1', 'ab'), ['The same content is in the registry as app.tar.gz 1.0']);
});

test('what could go: old versions first, the largest of them first, nothing that a job needs', () => {
  const made = (ArtifactId: string, Name: string, Version: string, day: number, SizeBytes: number) =>
    artifact.parse({ ArtifactId, Name, Version, SizeBytes, CreatedTime: `2026-01-0${day}T00:00:00Z` });
  const registry = [
    made('old', 'app.sh', '1', 1, 10),
    made('needed', 'app.sh', '2', 2, 99),
    made('large', 'app.sh', '3', 3, 20),
    made('newest', 'app.sh', '4', 4, 30),
    made('only', 'tool.sh', '1', 1, 40),
  ];
  const usage = usageOf([job.parse({ JobId: 'j', ArtifactId: 'needed', Status: 'Waiting' })]);
  assert.deepEqual(
    spareArtifacts(registry, usage).map(({ ArtifactId }) => ArtifactId),
    ['large', 'old', 'only', 'newest'],
  );
});
