// Moves to PostgreSQL and back. Run by `npm run test:engines`; without a server only the first test is there.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { asAdministrator, createTestDatabase, onPostgres } from '../store/test-database.ts';
import { UNFINISHED_TABLE } from '../store/unfinished-move.ts';
import { moveData } from './move-data.ts';
import { planMove } from './places.ts';
import { isPlainText } from './tables.ts';
import { answersTheSame, fillFolder, filesOf, move, refused, startOn, startStore } from './test-source.ts';
import type { Filled } from './test-source.ts';

test('a text that PostgreSQL cannot store is recognised by its bytes', () => {
  assert.ok(isPlainText(Buffer.from('\uFEFFgrün 🚀')));
  assert.ok(!isPlainText(Buffer.from('a\0')));
  assert.ok(!isPlainText(Buffer.from([0xed, 0xa0, 0x80])));
});

let root: string;
let source: string;
let filled: Filled;
let count = 0;
const fresh = () => path.join(root, `folder-${(count += 1)}`);
if (onPostgres) {
  before(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'muster-move-'));
    source = path.join(root, 'source');
    filled = await fillFolder(source);
  });
  after(async () => {
    await endProcesses();
    rmSync(root, { recursive: true, force: true });
  });
}
function onServer(name: string, run: (t: TestContext) => Promise<void>): void {
  if (onPostgres) void test(name, run);
}
async function newDatabase(t: TestContext): Promise<string> {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  return url.href;
}
const tablesOf = async (url: string): Promise<string[]> => {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  await client.end();
  return rows.map(({ name }) => name);
};

onServer('a folder moves to PostgreSQL and back: services on both answer the same', async (t) => {
  const database = await newDatabase(t);
  const untouched = filesOf(source);
  const there = await move({ DATA_DIR: source }, database);
  assert.deepEqual([there.artifacts, there.changed.count], [0, 0]);
  assert.deepEqual(filesOf(source), untouched);
  assert.ok(!(await tablesOf(database)).includes(UNFINISHED_TABLE));

  const target = fresh();
  const back = await move({ DATA_DIR: source, DATABASE_URL: database }, target);
  assert.deepEqual([back.rows, back.artifacts], [there.rows, 2]);
  assert.deepEqual(filesOf(source), untouched);

  await answersTheSame(t, filled, {}, target);
  // The artifacts stayed; the old database has to go.
  const files = fresh();
  cpSync(source, files, { recursive: true });
  await refused(startOn({ DATABASE_URL: database }, files), /holds the embedded database of another service/);
  mkdirSync(path.join(files, 'before-move'));
  renameSync(path.join(files, 'muster.db'), path.join(files, 'before-move', 'muster.db'));
  await answersTheSame(t, filled, { DATABASE_URL: database }, files);
});

onServer('tables and artifacts move to PostgreSQL and S3, from there to a folder with another S3 store', async (t) => {
  const database = await newDatabase(t);
  const { s3, keys, address } = await startStore(t);
  await move({ ...keys, DATA_DIR: source }, database, address);
  assert.equal(s3.names().length, 2);
  const outside = { ...s3.env, DATABASE_URL: database };
  const target = fresh();
  const other = `${address}-2`;
  await move({ ...outside, DATA_DIR: fresh() }, target, other);
  await answersTheSame(t, filled, { ...s3.env, ARTIFACT_STORE_URL: other }, target);
  await answersTheSame(t, filled, outside, fresh());
});

onServer(
  'values arrive exactly; texts that PostgreSQL cannot store are changed, and their rows are named',
  async (t) => {
    const from = fresh();
    cpSync(source, from, { recursive: true });
    const sqlite = new DatabaseSync(path.join(from, 'muster.db'));
    sqlite.exec(`
    UPDATE accounts SET artifact_limit = 9223372036854775807, created = -9007199254740993;
    UPDATE devices SET lat = 0.1 + 0.2, lng = -4.9406564584124654e-300, hostname = CAST(x'efbbbf61' AS TEXT);
    UPDATE jobs SET result = CAST(x'61006200' AS TEXT) WHERE seq = 1;
    UPDATE jobs SET reason = CAST(x'61eda08062' AS TEXT) WHERE seq = 2;
    UPDATE job_output SET bytes = x'00ff00' WHERE "offset" > 0;
  `);
    const ids = sqlite.prepare('SELECT id FROM jobs WHERE seq IN (1, 2) ORDER BY seq').all();
    sqlite.exec('UPDATE jobs SET output_bytes = 10 WHERE seq = 2');
    sqlite.close();
    const database = await newDatabase(t);
    const { changed } = await move({ DATA_DIR: from }, database);
    assert.equal(changed.count, 2);
    assert.deepEqual(changed.names, [
      `jobs ${String(ids[0]?.['id'])} (result)`,
      `jobs ${String(ids[1]?.['id'])} (reason)`,
    ]);
    const target = fresh();
    assert.deepEqual((await move({ DATA_DIR: from, DATABASE_URL: database }, target)).changed.names, []);
    const copy = new DatabaseSync(path.join(target, 'muster.db'));
    t.after(() => copy.close());
    copy.exec(`ATTACH '${path.join(from, 'muster.db')}' AS original`);
    assert.deepEqual(
      copy
        .prepare('SELECT result, reason FROM jobs WHERE seq < 3 ORDER BY seq')
        .all()
        .map(({ result, reason }) => [result, reason]),
      copy
        .prepare('SELECT result, reason FROM original.jobs WHERE seq < 3 ORDER BY seq')
        .all()
        .map(({ result, reason }, index) =>
          index === 0 ? ['a\uFFFDb\uFFFD', reason] : [result, 'a\uFFFD\uFFFD\uFFFDb'],
        ),
    );
    for (const table of ['accounts', 'devices', 'job_output', 'sessions', 'audit'])
      assert.deepEqual(
        copy.prepare(`SELECT * FROM original.${table} EXCEPT SELECT * FROM main.${table}`).all(),
        [],
        table,
      );
  },
);

onServer('a connection that is lost half-way leaves only a mark; the next move begins again', async (t) => {
  const database = await newDatabase(t);
  const attempt = moveData(planMove({ DATA_DIR: source }, [database]), (line) => {
    if (line.startsWith('Copied jobs')) void endSessions(database);
  });
  await refused(attempt, /cannot be reached any longer/);
  assert.deepEqual(await tablesOf(database), [UNFINISHED_TABLE]);
  const folder = fresh();
  await refused(startOn({ DATABASE_URL: database }, folder), /a move to it is under way or was not finished/);
  const { lines } = await move({ DATA_DIR: source }, database);
  assert.match(lines[0] ?? '', /it is removed, and the move begins again/);
  await answersTheSame(t, filled, { DATABASE_URL: database }, copyOfArtifacts());
});

async function endSessions(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asAdministrator(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
}
/** A folder with the artifacts of the source, and without its database. */
function copyOfArtifacts(): string {
  const folder = fresh();
  cpSync(path.join(source, 'artifacts'), path.join(folder, 'artifacts'), { recursive: true });
  return folder;
}

onServer(
  'a move that is killed can be repeated, though part of it was complete; no service starts meanwhile',
  async (t) => {
    const database = await newDatabase(t);
    const { s3, keys } = await startStore(t);
    const files = fresh();
    s3.trouble = ({ method, key }) => (method === 'PUT' && /\/\w{16}$/.test(key) ? 'no answer' : undefined);
    const program = new TestProcess(['server/move.ts', '--to', database, `s3://test-bucket/killed`], {
      env: { ...keys, DATA_DIR: source },
    });
    await until('an upload', () => s3.asked.some((each) => /^PUT killed\/\w{16}$/.test(each)));
    await refused(startOn({ DATABASE_URL: database }, fresh()), /a move to it is under way/);
    await refused(move({ DATA_DIR: source }, database), /Another Muster service is using .*source/);
    await program.end('SIGKILL');

    s3.trouble = () => undefined;
    // As if it had ended between its last two steps.
    s3.objects.set('killed/.muster', { bytes: Buffer.from(instanceId()), written: Date.now() });
    const { lines } = await move({ ...keys, DATA_DIR: source }, database, 's3://test-bucket/killed');
    assert.equal(lines.filter((line) => /it is removed, and the move begins again/.test(line)).length, 2);
    await answersTheSame(
      t,
      filled,
      { ...s3.env, ARTIFACT_STORE_URL: 's3://test-bucket/killed', DATABASE_URL: database },
      files,
    );
  },
);

function instanceId(): string {
  const sqlite = new DatabaseSync(path.join(source, 'muster.db'), { readOnly: true });
  const id = sqlite.prepare("SELECT value FROM settings WHERE key = 'instance'").get()?.['value'];
  sqlite.close();
  return String(id);
}

onServer(
  'databases that are in use, not empty, missing, foreign or read-only are refused with one sentence',
  async (t) => {
    const database = await newDatabase(t);
    const service = await startOn({ DATABASE_URL: database });
    await refused(move({ DATA_DIR: source }, database), /A Muster service, or another move, is using/);
    await refused(
      move({ DATA_DIR: service.dataDir, DATABASE_URL: database }, fresh()),
      /A Muster service, or another move, is using/,
    );
    await refused(
      move({ ...(await startStore(t)).s3.env, DATA_DIR: fresh(), DATABASE_URL: database }, fresh()),
      /A Muster service/,
    );
    await service.end();
    const full = await newDatabase(t);
    await move({ DATA_DIR: source }, full);
    await refused(move({ DATA_DIR: source }, full), /is not empty: it holds the tables of a Muster service/);
    const empty = await newDatabase(t);
    await refused(move({ DATA_DIR: source, DATABASE_URL: empty }, fresh()), /holds no data of a Muster service/);
    await refused(move({ DATA_DIR: source }, `${empty}_missing`), /^--to is .*, but there is no such database/);
    await refused(
      move({ DATA_DIR: source }, 'postgres://muster@127.0.0.1:1/muster'),
      /^--to is .* cannot be reached \(ECONNREFUSED\)/,
    );
    await asAdministrator(`ALTER DATABASE ${new URL(empty).pathname.slice(1)} SET default_transaction_read_only = on`);
    await refused(move({ DATA_DIR: source }, empty), /is read-only \(.*\): make it writable/);
    assert.deepEqual(
      readdirSync(root).filter((name) => name === 'source'),
      ['source'],
    );
  },
);
