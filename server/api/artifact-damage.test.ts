// Artifacts whose files were deleted or truncated by others, and files without an artifact.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, mock, test } from 'node:test';
import type { Artifact } from '#/contract/artifacts.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { scratch, spawnAgent } from '../test-agents.ts';
import { endProcesses } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const BYTES = 1_000_000;
let service: TestService;
let logged: string[];
before(async () => {
  service = await startTestService();
});
after(() => service.end());
beforeEach(() => {
  logged = [];
  mock.method(process.stderr, 'write', (line: string) => logged.push(line) > 0);
});

async function upload(name: string): Promise<Artifact> {
  const form = new FormData();
  const fields = { size: '1', version: '2', type: 'script', destination: '/tmp', command: 'true' };
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new File(['#!/bin/sh\n'.padEnd(BYTES, '#')], name));
  return (await (await service.call('POST', '/v1/artifact', form)).json()) as Artifact;
}
const fileOf = ({ ArtifactId }: Artifact) => path.join(service.dataDir, 'artifacts', ArtifactId);
const linkOf = ({ Command }: Artifact) => /'(http[^']+)'/.exec(Command)?.[1] ?? '';
const read = async ({ ArtifactId }: Artifact) =>
  (await (await service.call('GET', `/v1/artifact/${ArtifactId}`)).json()) as Artifact;

test('a file that is missing or cut: shown, logged once, and a download answers so', async () => {
  const faults: [spoil: (file: string) => void, fault: string, says: RegExp][] = [
    [(file) => rmSync(file), 'Missing', /gone\.sh 2 is missing on the service: upload that artifact again/],
    [(file) => truncateSync(file, 10), 'Damaged', /gone\.sh 2 is damaged on the service: upload that artifact again/],
  ];
  for (const [spoil, fault, says] of faults) {
    const artifact = await upload('gone.sh');
    assert.equal(artifact.FileFault, undefined);
    spoil(fileOf(artifact));
    assert.equal((await read(artifact)).FileFault, fault);
    for (const method of ['GET', 'HEAD']) assert.equal((await fetch(linkOf(artifact), { method })).status, 410);
    assert.match(((await (await fetch(linkOf(artifact))).json()) as ProblemBody).detail ?? '', says);
    assert.equal(logged.filter((line) => says.test(line)).length, 1);
  }
});

test('a file that is cut while it is sent ends the download', async () => {
  const artifact = await upload('cut.sh');
  const { files } = service.context;
  const readBytes = files.read.bind(files);
  mock.method(files, 'read', async (...asked: Parameters<typeof readBytes>) => {
    const bytes = await readBytes(...asked);
    truncateSync(fileOf(artifact), 100_000);
    return bytes;
  });
  const response = await fetch(linkOf(artifact));
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
});

test('a job that needs such a file fails in words, and the next one runs', async () => {
  const fleet = testFleet((...asked) => service.call(...asked));
  const device = await fleet.device();
  const artifact = await upload('needed.sh');
  const failing = await fleet.submit({ DeviceId: device.id, ArtifactId: artifact.ArtifactId });
  const next = await fleet.run('echo next', { DeviceId: device.id });
  truncateSync(fileOf(artifact), 10);
  const { folder, remove } = scratch();
  spawnAgent(['--server', service.url, '--key', device.key], folder);
  const failed = await fleet.ended(failing);
  assert.equal(failed.Status, 'Failed');
  assert.match(failed.Result, /The file of needed\.sh 2 is damaged on the service: upload that artifact again/);
  assert.equal((await fleet.ended(next)).Stdout, 'next\n');
  await endProcesses();
  remove();
});

test('at a start, a file that no artifact ever had is set aside; one of a deleted artifact is removed', async () => {
  const deleted = await upload('deleted.sh');
  renameSync(fileOf(deleted), `${fileOf(deleted)}.kept`);
  await service.call('DELETE', `/v1/artifact/${deleted.ArtifactId}`);
  renameSync(`${fileOf(deleted)}.kept`, fileOf(deleted));
  const unknown = path.join(service.dataDir, 'artifacts', 'unknown1');
  writeFileSync(unknown, 'of another database');
  await service.close();
  service = await startTestService({}, service.dataDir);
  assert.deepEqual([existsSync(fileOf(deleted)), existsSync(unknown)], [false, false]);
  const aside = path.join(service.dataDir, 'artifacts-set-aside');
  assert.deepEqual(service.context.files.notes, [
    `1 artifact files that the database does not know are now in ${aside}.`,
  ]);
  assert.equal(readFileSync(path.join(aside, 'unknown1'), 'utf8'), 'of another database');
});
