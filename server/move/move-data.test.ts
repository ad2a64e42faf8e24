// A filled service is moved, and a service on the target has to answer the same: from a folder to a folder here, and to
// PostgreSQL and back with `npm run test:engines`. S3 stores are those of the tests.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { UNFINISHED_FOLDER, UNFINISHED_OWNER } from '../store/unfinished-move.ts';
import { moveData } from './move-data.ts';
import { planMove } from './places.ts';
import { answersTheSame, fillFolder, filesOf, move, refused, startOn, startStore } from './test-source.ts';
import type { Filled } from './test-source.ts';

let root: string;
/** The data folder of a service that was used and stopped. */
let source: string;
let filled: Filled;
before(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'muster-move-'));
  source = path.join(root, 'source');
  filled = await fillFolder(source);
});
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const fresh = () => path.join(root, `target-${(count += 1)}`);
test('a moved folder has every row and file, a service on it answers the same, and the source is as before', async (t) => {
  const untouched = filesOf(source);
  const target = fresh();
  const { rows, artifacts, changed } = await move({ DATA_DIR: source }, target);
  assert.deepEqual(filesOf(source), untouched);
  assert.ok(rows > 40, `${rows} rows`);
  assert.deepEqual([artifacts, changed.count], [2, 0]);
  assert.deepEqual(readdirSync(target).sort(), ['artifacts', 'muster.db', 'muster.lock']);
  await answersTheSame(t, filled, {}, target);
});

test('artifacts move to an S3 store and back, the tables stay', async (t) => {
  const { s3, keys, address } = await startStore(t);
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  const untouched = filesOf(from);
  assert.equal((await move({ ...keys, DATA_DIR: from }, address)).rows, 0);
  assert.deepEqual(filesOf(from), untouched);
  assert.equal(s3.names().length, 2);

  const target = fresh();
  await move({ ...s3.env, DATA_DIR: from }, target);
  assert.equal(readdirSync(path.join(target, 'artifacts')).length, 2);
  await answersTheSame(t, filled, {}, target);
});

test('an S3 store of an unfinished move stops a start; the next move begins again', async (t) => {
  const { s3, keys, address } = await startStore(t);
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  s3.objects.set('fleet/artifacts/leftover', { bytes: Buffer.from('x'), written: Date.now() });
  await refused(move({ ...keys, DATA_DIR: from }, address), /is not empty \(it holds leftover\)/);

  let puts = 0;
  s3.trouble = ({ method, key }) =>
    method === 'PUT' && !key.endsWith('.muster') && (puts += 1) > 1 ? { status: 403, code: 'AccessDenied' } : undefined;
  s3.objects.clear();
  await refused(move({ ...keys, DATA_DIR: from }, address), /cannot be used: the store denies access/);
  s3.trouble = () => undefined;
  assert.match(String(s3.objects.get('fleet/artifacts/.muster')?.bytes), new RegExp(`^${UNFINISHED_OWNER}`));
  await refused(startOn(s3.env, from), /a move to it is under way or was not finished/);

  const { lines } = await move({ ...keys, DATA_DIR: from }, address);
  assert.match(
    lines[0] ?? '',
    /holds a part of a move that was not finished: it is removed, and the move begins again/,
  );
  assert.equal(s3.names().length, 2);
  await answersTheSame(t, filled, s3.env, from);
});

test('an object that arrived with other bytes is named, and nothing is complete', async (t) => {
  const { s3, keys, address } = await startStore(t);
  s3.trouble = ({ method, key }) =>
    method === 'GET' && !key.endsWith('.muster') && key !== '' ? 'wrong bytes' : undefined;
  await refused(move({ ...keys, DATA_DIR: source }, address), /The artifact install\.sh 1 \(\w+\) is damaged in s3:/);
});

test('artifacts whose file is missing or damaged are named, all of them', async () => {
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  const files = path.join(from, 'artifacts');
  const [one = '', other = ''] = readdirSync(files);
  rmSync(path.join(files, one));
  writeFileSync(path.join(files, other), 'something else');
  const target = fresh();
  await refused(move({ DATA_DIR: from }, target), /has not the files of all artifacts: .*, .* Start the service there/);
  // The mark stays, the files do not.
  assert.deepEqual(readdirSync(path.join(target, UNFINISHED_FOLDER)), ['artifacts-in.txt']);
  await refused(startOn({}, target), /a move to it is under way or was not finished/);
});

test('a target without space is named, and what had arrived is removed', async (t) => {
  const target = fresh();
  const lines: string[] = [];
  const attempt = moveData(planMove({ DATA_DIR: source }, [target]), (line) => {
    lines.push(line);
    if (line.startsWith('Copied jobs'))
      t.mock.method(DatabaseSync.prototype, 'exec', () => {
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      });
  });
  await refused(attempt, /is full \(database or disk is full\): free space on its disk/);
  t.mock.restoreAll();
  assert.ok(lines.some((line) => line.startsWith('Copied and checked the artifacts')));
  assert.deepEqual(readdirSync(path.join(target, UNFINISHED_FOLDER)), ['artifacts-in.txt']);
  await move({ DATA_DIR: source }, target);
});

test('values arrive exactly: 64-bit numbers, fractions, bytes, and texts that no JavaScript string can hold', async () => {
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  const file = path.join(from, 'muster.db');
  const sqlite = new DatabaseSync(file);
  sqlite.exec(`
    UPDATE accounts SET artifact_limit = 9223372036854775807, created = -9007199254740993;
    UPDATE devices SET lat = 0.1 + 0.2, lng = 4.9406564584124654e-324;
    UPDATE jobs SET result = CAST(x'610062eda080ff' AS TEXT);
    UPDATE job_output SET bytes = x'' WHERE "offset" > 0;
  `);
  const all = (database: DatabaseSync) => {
    const read = database.prepare(`SELECT a.artifact_limit, a.created, d.lat, d.lng, CAST(j.result AS BLOB), o.bytes
      FROM accounts a, devices d, jobs j, job_output o ORDER BY d.seq, j.seq, o.job_seq, o."offset"`);
    read.setReadBigInts(true);
    return read.all();
  };
  const expected = all(sqlite);
  sqlite.close();
  const target = fresh();
  await move({ DATA_DIR: from }, target);
  const copy = new DatabaseSync(path.join(target, 'muster.db'));
  assert.deepEqual(all(copy), expected);
  copy.close();
});

test('a running service, a target that is not empty and a place without data are refused with one sentence', async (t) => {
  const running = await startOn({});
  t.after(() => running.end());
  await refused(move({ DATA_DIR: running.dataDir }, fresh()), /Another Muster service is using .*: stop it first/);
  await refused(move({ DATA_DIR: source }, running.dataDir), /Another Muster service is using/);
  const full = fresh();
  mkdirSync(full);
  writeFileSync(path.join(full, 'notes.txt'), '');
  await refused(move({ DATA_DIR: source }, full), /is not empty \(it holds notes\.txt\)/);
  await refused(move({ DATA_DIR: full }, fresh()), /There is no muster\.db in/);
  await refused(move({ DATA_DIR: path.join(root, 'nowhere') }, fresh()), /There is no folder/);
  await refused(move({ DATA_DIR: source }, '/proc/muster/target'), /--to is ".*", but the service cannot make/);
});

test('what a crash left in the log of the database arrives, and the log stays as it was', async (t) => {
  const running = await startOn({});
  t.after(() => running.end());
  const made = await running.call('POST', '/v1/devices', { DeviceName: 'in the log', DeviceGroup: '' });
  assert.equal(made.status, 200);
  // The files as a power failure would leave them.
  const from = fresh();
  mkdirSync(from);
  for (const file of ['muster.db', 'muster.db-wal'])
    copyFileSync(path.join(running.dataDir, file), path.join(from, file));
  const untouched = filesOf(from);
  const target = fresh();
  await move({ DATA_DIR: from }, target);
  assert.deepEqual(filesOf(from), untouched);
  const copy = new DatabaseSync(path.join(target, 'muster.db'));
  t.after(() => copy.close());
  assert.deepEqual(
    copy
      .prepare('SELECT name FROM devices')
      .all()
      .map(({ name }) => name),
    ['in the log'],
  );
});

test('a move that ended between its last steps begins again', async (t) => {
  const target = fresh();
  await move({ DATA_DIR: source }, target);
  mkdirSync(path.join(target, UNFINISHED_FOLDER));
  const { lines } = await move({ DATA_DIR: source }, target);
  assert.match(lines[0] ?? '', /the move begins again/);
  await answersTheSame(t, filled, {}, target);
});

test('tables of an older version are not brought up to date by a move', async () => {
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  const sqlite = new DatabaseSync(path.join(from, 'muster.db'));
  sqlite.exec('PRAGMA user_version = 36');
  sqlite.close();
  await refused(
    move({ DATA_DIR: from }, fresh()),
    /of another version of Muster, and a move changes nothing there: start/,
  );
});

test('a row that something else writes to the source meanwhile is noticed', async () => {
  const from = fresh();
  await move({ DATA_DIR: source }, from);
  const target = fresh();
  const other = new DatabaseSync(path.join(from, 'muster.db'));
  const attempt = moveData(planMove({ DATA_DIR: from }, [target]), (line) => {
    if (line.startsWith('Copied settings')) other.exec("INSERT INTO settings (key, value) VALUES ('late', '')");
  });
  await refused(attempt, /muster\.db was changed during the move/);
  other.close();
});
