// A backup made during changes, restored and compared; and the backups that a restore refuses.
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Device } from '#/contract/devices.ts';
import { TestProcess, until } from '../../scripts/test-process.ts';
import { asAdministrator, onPostgres } from '../store/test-database.ts';
import { testFleet } from '../test-fleet.ts';
import { testBulk } from '../test-bulk.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { makeBackup } from './make-backup.ts';
import { readPlaces } from './places.ts';
import { restoreBackup } from './restore-backup.ts';
import { openBackupSchedule } from './schedule.ts';
import { dropPlaces, emptyPlace, refused, startAt } from './test-source.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-backup-'));
});
after(async () => {
  await dropPlaces();
  rmSync(folder, { recursive: true, force: true });
});
const at = (name: string) => path.join(folder, name);

const envOf = ({ dataDir, s3, context }: TestService): NodeJS.ProcessEnv => ({
  DATA_DIR: dataDir,
  DATABASE_URL: context.config.databaseUrl?.href,
  ...s3?.env,
});

/** Runs a command of the service as a user would. */
async function run(program: 'backup' | 'restore', env: NodeJS.ProcessEnv, ...args: string[]) {
  const ended = new TestProcess([`server/${program}.ts`, ...args], { env });
  return { code: await ended.ended, output: ended.printed };
}

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
  const made = await run('backup', envOf(service), file);
  await writer.stop();
  assert.deepEqual(
    [made.code, /load\.tar: \d+ rows and \d+ artifacts, .* of a service that runs\.$/m.test(made.output)],
    [0, true],
    made.output,
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['load.tar'], 'nothing else is left behind');
  assert.ok(writer.devices.size > known.devices.length, 'it went on meanwhile');

  const place = await emptyPlace(at('restored'));
  const restored = await run('restore', place, file);
  assert.equal(restored.code, 0, restored.output);
  const copy = await startAt(t, place);
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
    readdirSync(path.join(place.DATA_DIR, 'artifacts'))
      .filter((name) => name !== 'arriving')
      .sort(),
    [...bytesOf.keys()].sort(),
  );
});

test('a job that waited is sent after a restore only if no service ran, unless one says otherwise', async (t) => {
  const service = await startTestService();
  const fleet = testFleet((...request) => service.call(...request));
  const { id } = await fleet.device('lab');
  const single = await fleet.run('true', { DeviceId: id });
  const parent = await fleet.run('true', { DeviceGroup: 'lab' });
  const env = envOf(service);
  const running = at('running.tar');
  assert.match((await run('backup', env, running)).output, /of a service that runs\.$/m);
  await service.close();
  const stopped = at('stopped.tar');
  assert.match((await run('backup', env, stopped)).output, /of a service that is stopped\.$/m);
  t.after(() => rmSync(service.dataDir, { recursive: true }));
  for (const [file, args, expected] of [
    [running, [], 'Interrupted'],
    [running, ['--keep-waiting'], 'Waiting'],
    [stopped, [], 'Waiting'],
    [stopped, ['--interrupt-waiting'], 'Interrupted'],
  ] as const) {
    const place = await emptyPlace(at(`of ${path.basename(file)} ${args.join('')}`));
    const { code, output } = await run('restore', place, file, ...args);
    assert.equal(code, 0, output);
    assert.match(output, expected === 'Waiting' ? /^2 jobs wait\./m : /^2 jobs that waited then are Interrupted/m);
    const copy = await startAt(t, place);
    const there = testFleet((...request) => copy.call(...request));
    assert.deepEqual([(await there.job(single)).Status, (await there.job(parent)).Status], [expected, expected]);
  }
});

/** Where each member of a tar file begins, with its header. */
function membersOf(tar: Buffer): { name: string; at: number; size: number }[] {
  const found = [];
  for (let start = 0; tar[start] !== 0;) {
    const [name = ''] = tar.toString('latin1', start, start + 100).split('\0');
    const size = Number.parseInt(tar.toString('latin1', start + 124, start + 135), 8);
    found.push({ name, at: start, size });
    start += 512 * (1 + Math.ceil(size / 512));
  }
  return found;
}

test('a file that is not whole is refused, whichever member is damaged or missing, and nothing is left', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const fleet = testFleet((...request) => service.call(...request));
  await fleet.submit({
    DeviceId: (await fleet.device()).id,
    ArtifactId: await upload(service, Buffer.from('#!/bin/sh')),
  });
  const file = at('sound.tar');
  assert.equal((await run('backup', envOf(service), file)).code, 0);
  const again = await run('backup', envOf(service), file);
  assert.deepEqual([again.code, /exists already/.test(again.output)], [1, true]);

  const sound = readFileSync(file);
  const places = readPlaces(await emptyPlace(at('empty')));
  const refusedAs = async (bytes: Buffer, says: RegExp) => {
    writeFileSync(at('changed.tar'), bytes);
    await refused(restoreBackup(places, at('changed.tar')), says);
    assert.deepEqual(readdirSync(places.dataDir), ['muster.lock']);
  };
  const changed = (change: (bytes: Buffer) => unknown) => {
    const bytes = Buffer.from(sound);
    change(bytes);
    return bytes;
  };
  const members = membersOf(sound);
  assert.deepEqual(
    [members[0]?.name, members.at(-2)?.name, members.at(-1)?.name],
    ['manifest.json', 'summary.json', 'SHA256SUMS'],
  );
  for (const { at: start, size } of members) {
    const middle = start + 512 + Math.floor(size / 2);
    await refusedAs(
      changed((bytes) => (bytes[middle] = (bytes[middle] ?? 0) ^ 1)),
      /changed\.tar is no backup that can be restored: .* damaged.*\. Nothing was changed\.$/,
    );
    const end = start + 512 * (1 + Math.ceil(size / 512));
    await refusedAs(
      Buffer.concat([sound.subarray(0, start), sound.subarray(end)]),
      / no backup that can be restored: .* missing /,
    );
  }
  await refusedAs(sound.subarray(0, sound.length / 2), /no backup that can be restored: it ends in the middle/);
  await refusedAs(Buffer.from('hello'), /no backup that can be restored/);
  const newer = changed((bytes) => bytes.write('"Format": 9', bytes.indexOf('"Format": 3')));
  await refusedAs(newer, /newer version of Muster/);
  const laterTables = changed((bytes) => bytes.write('"Schema": 99', bytes.indexOf('"Schema": ')));
  await refusedAs(laterTables, /newer version of Muster \(/);
  const earlierTables = changed((bytes) => bytes.write('"Schema": 35', bytes.indexOf('"Schema": ')));
  await refusedAs(earlierTables, /version of Muster that is too old for this one\. Check out the tag schema-1 /);
  const foreign = changed((bytes) => bytes.write('artifacts/../x', 512 * 4));
  await refusedAs(foreign, /no backup that can be restored/);
  assert.equal((await restoreBackup(places, file)).artifacts, 1, 'a sound one is still taken');
});

test('a place that is in use, not empty or missing is refused', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const file = at('other.tar');
  assert.equal((await run('backup', envOf(service), file)).code, 0);
  const place = readPlaces(envOf(service));
  await refused(restoreBackup(place, file), onPostgres ? /is not empty/ : /^Another Muster service is using /);
  if (onPostgres)
    await refused(
      restoreBackup({ ...place, dataDir: at('elsewhere') }, file),
      /^A Muster service, .* is using .*: stop/,
    );
  const taken = mkdtempSync(at('taken-'));
  writeFileSync(path.join(taken, 'notes.txt'), 'mine');
  await refused(restoreBackup(readPlaces({ DATA_DIR: taken }), file), /is not empty \(it holds notes\.txt\)/);
  await refused(restoreBackup(readPlaces({ DATA_DIR: at('never') }), at('no-such.tar')), /^There is no file /);
  await refused(makeBackup(readPlaces({ DATA_DIR: taken }), at('none.tar')), /^There is no muster\.db in /);
  await refused(makeBackup(place, at('nowhere/none.tar')), /there is no folder .*nowhere\. Make it first/);
  const usage = await run('restore', {});
  assert.deepEqual([usage.code, usage.output.startsWith('Usage: npm run restore -- FILE')], [1, true]);
  if (!onPostgres) return;
  const none = readPlaces(await emptyPlace(at('none')));
  await refused(makeBackup(none, at('none.tar')), /holds no data of a Muster service/);
  const nowhere = readPlaces({ DATABASE_URL: 'postgres://muster@127.0.0.1:1/muster' });
  await refused(makeBackup(nowhere, at('none.tar')), /^DATABASE_URL is .* cannot be reached \(ECONNREFUSED\)/);
  const name = none.databaseUrl?.pathname.slice(1);
  await asAdministrator(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await refused(restoreBackup(none, file), /is read-only \(.*\): make it writable/);
});

if (!onPostgres) {
  void test('a database that is damaged is named, and no backup of it is made', async (t) => {
    const service = await startTestService();
    t.after(() => rmSync(service.dataDir, { recursive: true }));
    await service.close();
    const database = path.join(service.dataDir, 'muster.db');
    const bytes = readFileSync(database);
    writeFileSync(database, bytes.fill(0xff, bytes.length - 40_000, bytes.length - 30_000));
    const places = readPlaces({ DATA_DIR: service.dataDir });
    await refused(makeBackup(places, at('of damaged.tar')), / is damaged \(.*\): restore a backup of it first\.$/);
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('of damaged')));
  });

  void test('a disk that is full is named, and what had arrived is removed', async (t) => {
    const service = await startTestService();
    t.after(() => service.end());
    const file = at('for a full disk.tar');
    await makeBackup(readPlaces(envOf(service)), file);
    const places = readPlaces({ DATA_DIR: at('full') });
    const exec: (this: DatabaseSync, sql: string) => void = Reflect.get(DatabaseSync.prototype, 'exec');
    t.mock.method(DatabaseSync.prototype, 'exec', function fail(this: DatabaseSync, sql: string) {
      if (sql === 'COMMIT')
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      exec.call(this, sql);
    });
    await refused(restoreBackup(places, file), /full is full \(database or disk is full\): free space on its disk/);
    t.mock.restoreAll();
    assert.deepEqual(readdirSync(places.dataDir), ['muster.lock']);
    await restoreBackup(places, file);
  });
}

test('the keys of devices that bulk work created are in no backup, not even sealed', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const bulk = testBulk((...request) => service.call(...request));
  const Devices = [{ DeviceName: 'new', DeviceGroup: '' }];
  await bulk.ended(await bulk.begin({ Action: 'create', Devices }));
  const { db } = service.context;
  const [row] = await db.all<{ sealed: Uint8Array }>('SELECT sealed FROM bulk_keys');
  const sealed = Buffer.from(row?.sealed ?? []);
  assert.ok(sealed.length > 0);
  const file = at('no-keys.tar');
  assert.equal((await run('backup', envOf(service), file)).code, 0);
  const tar = readFileSync(file);
  const members = membersOf(tar);
  assert.ok(members.some(({ name }) => name.startsWith('rows/bulk_items/')));
  for (const { name, at: start, size } of members) {
    const bytes = tar.subarray(start + 512, start + 512 + size);
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    assert.ok(!text.includes(sealed.toString('base64')) && !text.includes(sealed.toString('latin1')), name);
  }
  const place = await emptyPlace(at('without keys'));
  await restoreBackup(readPlaces(place), file);
  const copy = await startAt(t, place);
  assert.deepEqual(await copy.context.db.all('SELECT * FROM bulk_keys'), []);
  assert.equal((await copy.context.db.all('SELECT * FROM bulk_items')).length, 1);
});

test('a damaged artifact file is named, and keeps nothing else out of the backup', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const whole = await upload(service, Buffer.from('whole'));
  const cut = await upload(service, Buffer.from('cut short'));
  writeFileSync(path.join(service.dataDir, 'artifacts', cut), 'cut');
  const file = at('damaged.tar');
  const { code, output } = await run('backup', envOf(service), file);
  assert.deepEqual([code, output.includes(cut), output.includes(whole)], [0, true, false], output);
  const names = membersOf(readFileSync(file)).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => name.startsWith('artifacts/')),
    [`artifacts/${whole}`],
  );
  const restored = await run('restore', await emptyPlace(at('damaged')), file);
  assert.deepEqual([restored.code, restored.output.includes(cut)], [0, true], restored.output);
});

test('a schedule makes backups, keeps the newest, says when one fails, and leaves other files alone', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const backups = { folder: at('scheduled'), everyMs: 3_600_000, most: 2 };
  const clock = { passed: 0, now: () => Date.UTC(2026, 10, 22) + clock.passed, steady: () => clock.passed };
  const { databaseUrl } = service.context.config;
  let leads = false;
  const open = (places = { dataDir: service.dataDir, databaseUrl }) =>
    openBackupSchedule({
      config: { ...places, backups, artifactStore: undefined },
      clock,
      isLeader: () => leads,
      lookEveryMs: 5,
    });
  mkdirSync(backups.folder);
  writeFileSync(path.join(backups.folder, 'notes.txt'), 'mine');
  writeFileSync(path.join(backups.folder, 'muster-20261121T000000Z.tar.0123456789ab.partial'), 'cut off');
  let schedule = open();
  t.after(() => schedule?.close());
  const success = (time: number) => until('a backup', () => schedule?.last.success === time);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(schedule?.last.success, undefined, 'another node leads');
  leads = true;
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
  schedule = open({ dataDir: at('no data here'), databaseUrl: undefined });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(schedule?.last, { success: undefined, failure: undefined });
  clock.passed += 1;
  await until('a failure', () => schedule?.last.failure === clock.now());
});
