// A backup made during changes, restored and compared; and the backups that restore refuses.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Device } from '#/contract/devices.ts';
import { tarEntries } from '#/contract/tar-entries.ts';
import { ConfigError } from '../config-error.ts';
import { testBulk } from '../test-bulk.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';
import { restoreBackup } from './restore-backup.ts';
import { openBackupSchedule } from './schedule.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-backup-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => path.join(folder, name);

/** Runs a command of the service as a user would. */
const run = (program: 'backup' | 'restore', dataDir: string, ...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [path.join(import.meta.dirname, `../${program}.ts`), ...args],
      { env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], DATA_DIR: dataDir } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });

async function upload(service: TestService, bytes: Buffer): Promise<string> {
  const form = new FormData();
  const fields = { size: '1', version: '1', type: 'script', destination: '/tmp', command: 'sh x.sh' };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'x.sh');
  const response = await service.call('POST', '/v1/artifact', form);
  assert.equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as Artifact).ArtifactId;
}

/** Makes changes until it is stopped, and remembers what was acknowledged. */
function openWriter(service: TestService) {
  const devices = new Set<string>();
  const jobs = new Set<string>();
  const artifacts = new Map<string, string>();
  const fleet = testFleet((...request) => service.call(...request));
  const over = new AbortController();
  const loops = Array.from({ length: 4 }, async (_, number) => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      const { id } = await fleet.device('', `device ${number}.${round}`);
      devices.add(id);
      const bytes = randomBytes(20_000 + round);
      const artifact = await upload(service, bytes);
      artifacts.set(artifact, hash('sha256', bytes));
      jobs.add(await fleet.submit({ DeviceId: id, ArtifactId: artifact }));
      if (round % 3 !== 2) continue;
      // What is deleted during the backup is in it completely or not at all.
      artifacts.delete(artifact);
      assert.equal((await service.call('DELETE', `/v1/artifact/${artifact}`)).status, 200);
    }
  });
  return {
    devices,
    jobs,
    artifacts,
    stop: () => {
      over.abort();
      return Promise.all(loops);
    },
  };
}

test('a backup made under load holds all that was acknowledged before, and every artifact byte for byte', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const writer = openWriter(service);
  const file = at('load.tar');
  while (writer.artifacts.size < 20) await new Promise((resolve) => setTimeout(resolve, 10));
  const known = { devices: [...writer.devices], jobs: [...writer.jobs], artifacts: new Map(writer.artifacts) };
  const made = await run('backup', service.dataDir, file);
  await writer.stop();
  assert.deepEqual(
    [made.code, /^\S+load\.tar: the database and \d+ artifacts/.test(made.output)],
    [0, true],
    made.output,
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['load.tar'], 'nothing else is left behind');
  assert.ok(writer.devices.size > known.devices.length, 'it went on meanwhile');

  const dataDir = at('restored');
  const restored = await run('restore', dataDir, file);
  assert.equal(restored.code, 0, restored.output);
  assert.ok(!existsSync(path.join(dataDir, 'restoring')));
  const database = new DatabaseSync(path.join(dataDir, 'muster.db'));
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
  database.close();

  const copy = await startTestService({}, dataDir);
  t.after(() => copy.end());
  const list = async <T>(what: string) => (await (await copy.call('GET', what)).json()) as T;
  const { Devices } = await list<{ Devices: Device[] }>('/v1/devices/1/1000');
  const deviceIds = new Set(Devices.map(({ DeviceId }) => DeviceId));
  for (const id of known.devices) assert.ok(deviceIds.has(id), `device ${id}`);
  const jobIds = new Set((await list<{ JobId: string }[]>('/v1/job')).map(({ JobId }) => JobId));
  for (const id of known.jobs) assert.ok(jobIds.has(id), `job ${id}`);

  const artifacts = await list<Artifact[]>('/v1/artifact');
  const bytesOf = new Map<string, string>();
  for (const { ArtifactId, Command, Sha256 } of artifacts as (Artifact & { Sha256?: string })[]) {
    const link = /http[^'"\s]+\/download\/[^'"\s]+/.exec(Command)?.[0] ?? '';
    const response = await fetch(link);
    assert.equal(response.status, 200, `artifact ${ArtifactId}`);
    const sum = hash('sha256', Buffer.from(await response.arrayBuffer()));
    if (Sha256 !== undefined) assert.equal(sum, Sha256);
    bytesOf.set(ArtifactId, sum);
  }
  for (const [id, sum] of writer.artifacts) if (known.artifacts.has(id)) assert.equal(bytesOf.get(id), sum);
  assert.deepEqual(
    readdirSync(path.join(dataDir, 'artifacts'))
      .filter((name) => name !== 'arriving')
      .sort(),
    [...bytesOf.keys()].sort(),
  );
});

test('a job that waited is not run after a restore, unless that is asked for', async (t) => {
  const service = await startTestService();
  const fleet = testFleet((...request) => service.call(...request));
  const { id } = await fleet.device('lab');
  const single = await fleet.run('true', { DeviceId: id });
  const parent = await fleet.run('true', { DeviceGroup: 'lab' });
  const file = at('waiting.tar');
  assert.equal((await run('backup', service.dataDir, file)).code, 0);
  await service.end();
  for (const [name, args, expected] of [
    ['ended', [], 'Interrupted'],
    ['kept', ['--keep-waiting'], 'Waiting'],
  ] as const) {
    const { code, output } = await run('restore', at(name), file, ...args);
    assert.deepEqual([code, output.includes('2 jobs that waited')], [0, expected === 'Interrupted'], output);
    const copy = await startTestService({}, at(name));
    t.after(() => copy.end());
    const there = testFleet((...request) => copy.call(...request));
    assert.deepEqual([(await there.job(single)).Status, (await there.job(parent)).Status], [expected, expected]);
  }
});

test('restore refuses a folder in use or not empty, and a file that is not whole, and changes nothing', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  await upload(service, Buffer.from('#!/bin/sh\n'));
  const file = at('sound.tar');
  assert.equal((await run('backup', service.dataDir, file)).code, 0);
  const again = await run('backup', service.dataDir, file);
  assert.deepEqual([again.code, /exists already/.test(again.output)], [1, true]);
  const refused = (dataDir: string, from: string, says: RegExp) =>
    assert.rejects(
      restoreBackup(dataDir, from),
      (cause) => cause instanceof ConfigError && !cause.message.includes('\n') && says.test(cause.message),
      String(says),
    );
  await refused(service.dataDir, file, /^Another Muster service is using /);
  const taken = mkdtempSync(at('taken-'));
  writeFileSync(path.join(taken, 'notes.txt'), 'mine');
  await refused(taken, file, /is not empty \(it holds notes\.txt\)/);
  await refused(at('never'), at('no-such.tar'), /^There is no file /);

  const sound = readFileSync(file);
  /** The same backup with one part changed. */
  const changed = (name: string, change: (bytes: Buffer) => Buffer) => {
    writeFileSync(at(name), change(Buffer.from(sound)));
    return at(name);
  };
  const flip = (bytes: Buffer, where: number) => {
    bytes[where] = (bytes[where] ?? 0) ^ 1;
    return bytes;
  };
  const target = at('empty');
  await refused(
    target,
    changed('cut.tar', (bytes) => bytes.subarray(0, bytes.length / 2)),
    /no backup that can be restored/,
  );
  await refused(
    target,
    changed('artifact.tar', (bytes) => flip(bytes, 520)),
    /artifacts\/\w+ in it is damaged/,
  );
  const databaseAt = sound.indexOf('SQLite format 3');
  await refused(
    target,
    changed('database.tar', (bytes) => flip(bytes, databaseAt + 5000)),
    /muster\.db in it is damaged/,
  );
  await refused(
    target,
    changed('text.tar', () => Buffer.from('hello')),
    /no backup that can be restored/,
  );
  const newer = (bytes: Buffer) => {
    bytes.write('"Format": 9', bytes.indexOf('"Format": 1'));
    return bytes;
  };
  await refused(target, changed('newer.tar', newer), /newer version of Muster/);
  assert.deepEqual(
    readdirSync(target).filter((name) => !name.startsWith('muster.lock')),
    [],
  );
  assert.equal((await restoreBackup(target, file)).artifacts, 1, 'and still takes a sound one');
});

test('the keys of devices that bulk work created are in no backup, not even sealed', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const bulk = testBulk((...request) => service.call(...request));
  const Devices = [{ DeviceName: 'new', DeviceGroup: '' }];
  await bulk.ended(await bulk.begin({ Action: 'create', Devices }));
  const database = new DatabaseSync(path.join(service.dataDir, 'muster.db'), { readOnly: true });
  const [row] = database.prepare('SELECT sealed FROM bulk_keys').all();
  database.close();
  const file = at('no-keys.tar');
  assert.equal((await run('backup', service.dataDir, file)).code, 0);
  const tar = readFileSync(file);
  assert.ok(tar.includes('bulk_keys_of_owner'));
  assert.ok(!tar.includes(Buffer.from(row?.['sealed'] as Uint8Array)));
});

test('a damaged artifact file is said, and keeps nothing else out of the backup', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const whole = await upload(service, Buffer.from('whole'));
  const cut = await upload(service, Buffer.from('cut short'));
  const artifactFile = path.join(service.dataDir, 'artifacts', cut);
  writeFileSync(artifactFile, 'cut');
  const file = at('damaged.tar');
  const { code, output } = await run('backup', service.dataDir, file);
  assert.deepEqual([code, output.includes(cut), output.includes(whole)], [0, true, false], output);
  const entries: string[] = [];
  const content = [readFileSync(file)];
  for await (const { path: name } of tarEntries(streamOf(content), { maxBytes: 1e9 })) entries.push(name);
  assert.deepEqual(entries, [`artifacts/${whole}`, 'muster.db', 'manifest.json']);
  const restored = await run('restore', at('damaged'), file);
  assert.deepEqual([restored.code, restored.output.includes(cut)], [0, true], restored.output);
});

async function* streamOf(pieces: Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

test('a schedule makes backups, keeps the newest, says when one fails, and leaves other files alone', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const backups = { folder: at('scheduled'), everyMs: 3_600_000, most: 2 };
  const clock = { passed: 0, now: () => Date.UTC(2026, 10, 22) + clock.passed, steady: () => clock.passed };
  const open = (dataDir = service.dataDir) =>
    openBackupSchedule({ config: { dataDir, backups, artifactStore: undefined }, clock, lookEveryMs: 5 });
  mkdirSync(backups.folder);
  writeFileSync(path.join(backups.folder, 'notes.txt'), 'mine');
  writeFileSync(path.join(backups.folder, 'muster-20261121T000000Z.tar.0123456789ab.partial'), 'cut off');
  let schedule = open();
  t.after(() => schedule?.close());
  const success = (time: number) => until('a backup', () => schedule?.last.success === time);
  await success(clock.now());
  for (let more = 0; more < 2; more += 1) {
    clock.passed += backups.everyMs;
    await success(clock.now());
  }
  await until('the oldest to go', () => readdirSync(backups.folder).length === 3);
  assert.deepEqual(readdirSync(backups.folder), [
    'muster-20261122T010000Z.tar',
    'muster-20261122T020000Z.tar',
    'notes.txt',
  ]);
  schedule?.close();

  // A restart counts from the newest file; a failed backup is reported.
  clock.passed += backups.everyMs - 1;
  schedule = open(at('no data here'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(schedule?.last, { success: undefined, failure: undefined });
  clock.passed += 1;
  await until('a failure', () => schedule?.last.failure === clock.now());
});
