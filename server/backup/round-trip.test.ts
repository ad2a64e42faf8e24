// Everything that a service stores comes back from a backup as it was: into a folder, an S3 store and, with
// `npm run test:engines`, PostgreSQL.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TestProcess } from '../../scripts/test-process.ts';
import { openDatabase } from '../store/sqlite.ts';
import { onPostgres } from '../store/test-database.ts';
import { SERVICE_VERSIONS } from '../store/upgrades.ts';
import { testFleet } from '../test-fleet.ts';
import { makeBackup } from './make-backup.ts';
import { readPlaces } from './places.ts';
import { restoreBackup } from './restore-backup.ts';
import type { RestoreOptions } from './restore-backup.ts';
import {
  answersTheSame,
  contentsOf,
  dropPlaces,
  emptyPlace,
  fillEmptyTables,
  fillFolder,
  filesOf,
  refused,
  startAt,
  startStore,
} from './test-source.ts';
import type { Filled } from './test-source.ts';

let root: string;
/** The data folder of a service that was used and stopped. */
let source: string;
let filled: Filled;
/** The same with rows in every table, more than a service could have. */
let full: string;
before(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'muster-backup-'));
  source = path.join(root, 'source');
  filled = await fillFolder(source);
  full = path.join(root, 'full');
  cpSync(source, full, { recursive: true });
  fillEmptyTables(path.join(full, 'muster.db'));
});
after(async () => {
  await dropPlaces();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;
const fresh = () => path.join(root, `folder-${(count += 1)}`);

/** Backs one place up and restores it to another, as the two commands do. */
async function transfer(from: NodeJS.ProcessEnv, to: NodeJS.ProcessEnv, options?: RestoreOptions) {
  const file = `${fresh()}.tar`;
  const made = await makeBackup(readPlaces(from), file);
  return { ...made, ...(await restoreBackup(readPlaces(to), file, options)) };
}

/** To the engine that is tested, and back to a folder. */
async function thereAndBack(from: string): Promise<string> {
  const place = await emptyPlace(fresh());
  const back = fresh();
  await transfer({ DATA_DIR: from }, place);
  await transfer(place, { DATA_DIR: back });
  return back;
}

/** What a backup does without, whatever it says itself: what concerns only running processes, and what is for one caller. */
const NOT_BACKED_UP = ['bulk_keys', 'changes', 'leases', 'nodes', 'upload_pieces', 'uploads'];
/** All other tables that the database of this folder has. */
function schemaOf(folder: string): string[] {
  using sqlite = new DatabaseSync(path.join(folder, 'muster.db'), { readOnly: true });
  const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return tables.all().flatMap(({ name }) => (NOT_BACKED_UP.includes(String(name)) ? [] : [String(name)]));
}

test('every row of every table comes back, and so do the artifacts and the numbers that were used', async () => {
  const untouched = filesOf(full);
  const contents = contentsOf(full);
  assert.deepEqual(Object.keys(contents).toSorted(), schemaOf(full).toSorted());
  for (const [table, [, ...rows]] of Object.entries(contents)) assert.ok(rows.length > 0, `${table} has rows`);
  const back = await thereAndBack(full);
  assert.deepEqual(readdirSync(back).sort(), ['artifacts', 'muster.db', 'muster.lock']);
  assert.deepEqual(contentsOf(back), contents);
  for (const name of readdirSync(path.join(full, 'artifacts')).filter((each) => each !== 'arriving'))
    assert.deepEqual(
      readFileSync(path.join(back, 'artifacts', name)),
      readFileSync(path.join(full, 'artifacts', name)),
    );
  assert.deepEqual(filesOf(full), untouched, 'the source is as before');
});

test('a service on what was restored answers as the one before, and its jobs still wait', async (t) => {
  const place = await emptyPlace(fresh());
  const { manifest, waiting, areInterrupted, artifacts } = await transfer({ DATA_DIR: source }, place);
  assert.deepEqual([manifest.Running, waiting, areInterrupted, artifacts], [false, 1, false, 2]);
  await answersTheSame(t, filled, place);
});

test('of a service that ran, no device and no tunnel is connected in what was restored', async () => {
  const running = fresh();
  cpSync(full, running, { recursive: true });
  const connected = (folder: string, change = '') => {
    const sqlite = new DatabaseSync(path.join(folder, 'muster.db'));
    sqlite.exec(change);
    const rowsOf = (table: string, how: string) =>
      sqlite.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${how}`).get()?.['count'];
    const counts = { devices: rowsOf('devices', 'online = 1'), tunnels: rowsOf('tunnels', 'connected IS NOT NULL') };
    sqlite.close();
    return counts;
  };
  const { devices, tunnels } = connected(running, 'UPDATE devices SET online = 1; UPDATE tunnels SET connected = 1');
  assert.ok(Number(devices) > 0 && Number(tunnels) > 0);
  assert.deepEqual(connected(await thereAndBack(running)), { devices: 0, tunnels: 0 });
});

test('artifacts go to an S3 store and come back', async (t) => {
  const s3 = await startStore(t);
  const there = fresh();
  await transfer({ DATA_DIR: source }, { DATA_DIR: there, ...s3.env });
  assert.equal(s3.names().length, 2);
  assert.deepEqual(readdirSync(there).sort(), ['muster.db', 'muster.lock']);
  const back = fresh();
  assert.equal((await transfer({ DATA_DIR: there, ...s3.env }, { DATA_DIR: back })).artifacts, 2);
  assert.equal(readdirSync(path.join(back, 'artifacts')).length, 2);
  await answersTheSame(t, filled, { DATA_DIR: back });
  await answersTheSame(t, filled, { ...s3.env, DATA_DIR: there });
});

test('a store with other objects or of another installation is refused, one of the same is filled again', async (t) => {
  const s3 = await startStore(t);
  const object = (text: string) => ({ bytes: Buffer.from(text), written: Date.now() });
  const attempt = () => transfer({ DATA_DIR: source }, { DATA_DIR: fresh(), ...s3.env });
  s3.objects.set('fleet/artifacts/leftover', object('x'));
  await refused(attempt(), /fleet\/artifacts is not empty \(it holds leftover\): set ARTIFACT_STORE_URL/);
  s3.objects.clear();
  s3.objects.set('fleet/artifacts/.muster', object('another'));
  await refused(attempt(), /holds the artifacts of another Muster/);
  s3.objects.clear();
  s3.trouble = ({ method, key }) =>
    method === 'GET' && !key.endsWith('.muster') && key !== '' ? 'wrong bytes' : undefined;
  await refused(attempt(), /The artifact \w+ is damaged in s3:.* after it was stored/);
  s3.trouble = () => undefined;
  assert.equal((await attempt()).artifacts, 2);
});

test('artifacts can stay in their store, for a restore beside it', async (t) => {
  const s3 = await startStore(t);
  const there = fresh();
  await transfer({ DATA_DIR: source }, { DATA_DIR: there, ...s3.env });
  const file = `${fresh()}.tar`;
  const artifactsIn = s3.env['ARTIFACT_STORE_URL'];
  // Keys of the store are not needed.
  const program = new TestProcess(['server/backup.ts', file, '--without-artifacts'], {
    env: { DATA_DIR: there, ARTIFACT_STORE_URL: artifactsIn },
  });
  assert.equal(await program.ended, 0, program.printed);
  assert.match(program.printed, / and 0 artifacts, .*\nThe artifacts are not in it: they stay in s3:\/\/test-bucket/);
  const target = fresh();
  const restored = await restoreBackup(readPlaces({ DATA_DIR: target, ...s3.env }), file);
  assert.deepEqual([restored.artifactsIn, restored.artifacts], [artifactsIn, 0]);
  await answersTheSame(t, filled, { ...s3.env, DATA_DIR: target });
});

test('values come back exactly: 64-bit numbers, fractions, bytes, and texts that no string can hold', async () => {
  const from = fresh();
  cpSync(source, from, { recursive: true });
  const sqlite = new DatabaseSync(path.join(from, 'muster.db'));
  sqlite.exec(`
    UPDATE accounts SET artifact_limit = 9223372036854775807, created = -9007199254740993;
    UPDATE devices SET lat = 0.1 + 0.2, lng = -4.9406564584124654e-300, hostname = CAST(x'efbbbf61' AS TEXT);
    UPDATE job_output SET bytes = x'00ff00' WHERE "offset" > 0;
    ${onPostgres ? '' : "UPDATE jobs SET result = CAST(x'610062eda080ff' AS TEXT)"};
  `);
  sqlite.close();
  assert.deepEqual(contentsOf(await thereAndBack(from)), contentsOf(from));
});

if (onPostgres)
  void test('texts that PostgreSQL cannot store are named and nothing is left, or they are replaced', async (t) => {
    const from = fresh();
    cpSync(source, from, { recursive: true });
    const sqlite = new DatabaseSync(path.join(from, 'muster.db'));
    sqlite.exec(`
      UPDATE jobs SET result = CAST(x'61006200' AS TEXT) WHERE seq = 1;
      UPDATE jobs SET reason = CAST(x'61eda08062' AS TEXT) WHERE seq = 2;
    `);
    const [one, other] = sqlite
      .prepare('SELECT id FROM jobs WHERE seq < 3 ORDER BY seq')
      .all()
      .map(({ id }) => String(id));
    sqlite.close();
    const target = await emptyPlace(fresh());
    await refused(
      transfer({ DATA_DIR: from }, target),
      new RegExp(`cannot store 2 texts .*: jobs ${one}, result; jobs ${other}, reason\\. Nothing was changed`),
    );
    assert.deepEqual(readdirSync(target.DATA_DIR), ['muster.lock']);
    const { replaced } = await transfer({ DATA_DIR: from }, target, { replaceCharacters: true });
    assert.equal(replaced.count, 2);
    const back = fresh();
    await transfer(target, { DATA_DIR: back });
    const copy = new DatabaseSync(path.join(back, 'muster.db'));
    t.after(() => copy.close());
    assert.deepEqual(copy.prepare('SELECT result FROM jobs WHERE seq = 1').get()?.['result'], 'a\uFFFDb\uFFFD');
    assert.deepEqual(copy.prepare('SELECT reason FROM jobs WHERE seq = 2').get()?.['reason'], 'a\uFFFD\uFFFD\uFFFDb');
  });

if (onPostgres)
  void test('a job may refer to a later one, and rows are not counted twice by triggers', async () => {
    const from = fresh();
    cpSync(source, from, { recursive: true });
    const sqlite = new DatabaseSync(path.join(from, 'muster.db'));
    // Further away than one statement inserts.
    sqlite.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO jobs (id, account_id, name, status, created) SELECT 'made' || i, 1, '', 'Failed', 0 FROM n;
      UPDATE jobs SET parent_seq = (SELECT max(seq) FROM jobs) WHERE seq = 1;
    `);
    sqlite.close();
    const contents = contentsOf(from);
    assert.deepEqual(contentsOf(await thereAndBack(from)), contents);
  });

test('a backup of an earlier format is restored, into either engine', async (t) => {
  const file = `${fresh()}.tar`;
  writeFileSync(file, gunzipSync(readFileSync(path.join(import.meta.dirname, 'format-1.tar.gz'))));
  const place = await emptyPlace(fresh());
  const { artifacts, waiting, areInterrupted } = await restoreBackup(readPlaces(place), file);
  // It did not say whether a service ran.
  assert.deepEqual([artifacts, waiting, areInterrupted], [1, 1, true]);
  const service = await startAt(t, place);
  const fleet = testFleet((...request) => service.call(...request));
  const [job] = await fleet.jobs();
  assert.equal(job?.Status, 'Interrupted');
  const devices = (await (await service.call('GET', '/v1/devices/1/10')).json()) as {
    Devices: { DeviceName: string }[];
  };
  assert.deepEqual(
    devices.Devices.map(({ DeviceName }) => DeviceName),
    ['Ünï 🚀'],
  );
  assert.equal(service.stored().length, 1);
});

test('a backup of the oldest tables that can be upgraded is brought up to date, an older database is refused', async () => {
  const from = fresh();
  mkdirSync(from);
  const file = path.join(from, 'muster.db');
  const oldest = new DatabaseSync(file);
  oldest.exec(readFileSync(path.join(import.meta.dirname, '../store/fixtures/sqlite-36.sql'), 'utf8'));
  oldest.close();
  const place = await emptyPlace(fresh());
  const { manifest } = await transfer({ DATA_DIR: from }, place, { keepWaiting: true });
  assert.equal(manifest.Schema, SERVICE_VERSIONS.oldest);
  const back = fresh();
  await transfer(place, { DATA_DIR: back }, { keepWaiting: true });
  // What an upgrade of the file itself leads to.
  await openDatabase(file).close();
  const contents = contentsOf(back);
  const expected = contentsOf(from);
  assert.deepEqual(Object.keys(contents), Object.keys(expected));
  for (const name of [
    'jobs',
    'job_states',
    'job_output',
    'audit',
    'idempotency_keys',
    'outcome_rules',
    'output_runs',
  ]) {
    assert.ok((expected[name]?.length ?? 0) > 1, `${name} has rows`);
    assert.deepEqual(contents[name], expected[name], name);
  }

  const older = new DatabaseSync(file);
  older.exec(`PRAGMA user_version = ${SERVICE_VERSIONS.oldest - 1}`);
  older.close();
  await refused(
    transfer({ DATA_DIR: from }, { DATA_DIR: fresh() }),
    /too old for this one .*Check out the tag schema-1 /,
  );
});
