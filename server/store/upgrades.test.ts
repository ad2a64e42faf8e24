// Databases of earlier versions against the schema: fixtures/ has one of commit 7223ce0e for each engine, with rows in every
// table, and the steps that later commits added. A change of the schema without its upgrade fails here.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { readConfig } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { openStore } from '../open-store.ts';
import { openPostgres } from './postgres.ts';
import { openDatabase } from './sqlite.ts';
import { createTestDatabase, onPostgres } from './test-database.ts';
import { SCHEMA_VERSION, WITH_OPENERS } from './upgrades.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');
const engine = onPostgres ? 'postgres' : 'sqlite';
/** By version. */
const steps = new Map(
  read(`${engine}-37-to-42.sql`)
    .split(/^-- step (?=\d)/m)
    .slice(1)
    .map((step) => [Number.parseInt(step, 10), step.replace(/^\d+/, '')]),
);

/** The steps that a commit had after version 36, in its order. Those on branches gave the same number to other steps. */
const COMMITS: Record<string, { steps: number[]; differs?: string }> = {
  '7223ce0e': { steps: [] },
  b761131e: { steps: [37] },
  '7eb6eeef': { steps: [40] },
  '3e8ccb5a': { steps: [41] },
  '7ddacd60': {
    steps: [37, 38, 39],
    // Another index, and one trigger where there are three now.
    differs: `DROP INDEX jobs_of_account;
      CREATE INDEX jobs_of_account ON jobs (account_id, seq) WHERE parent_seq IS NULL;
      ${
        onPostgres
          ? `CREATE FUNCTION state_of_job_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
             CREATE TRIGGER state_of_job_changed AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION state_of_job_changed();
             DROP FUNCTION state_of_job_adopted() CASCADE;`
          : `CREATE TRIGGER state_of_job_changed AFTER UPDATE ON jobs BEGIN SELECT 1; END;
             DROP TRIGGER state_of_job_adopted;`
      }`,
  },
  a8c34951: { steps: [37, 38, 39, 40, 41] },
  a8655e26: { steps: [37, 38, 39, 40, 41, 42] },
};

/** Waves 2 and 12 of a rollout: the second was ended by a person, though the name of the twelfth begins like its own. */
const WAVES = `
  INSERT INTO rollouts (seq, id, account_id, name, settings, state, waves, actor, address, created)
    VALUES (77, 'r77', 1, 'many waves', '{}', 'Running', 12, '', '', 1);
  INSERT INTO rollout_waves (rollout_seq, number, began, passed) VALUES (77, 0, 1, 6), (77, 2, 1, NULL), (77, 11, 1, 7);
  INSERT INTO rollout_steps (rollout_seq, at, actor, text, reason) VALUES
    (77, 5, 'token', 'Advanced', ''), (77, 5, '', 'Wave 12 passed: 2 good, 2 needed', '');`;

/** The statements that make the database of a commit. */
function databaseOf(commit: string): string {
  const { steps: made = [], differs = '' } = COMMITS[commit] ?? {};
  const version = 36 + made.length;
  const setVersion = onPostgres
    ? made.map((_, index) => `INSERT INTO migrations (step) VALUES (${37 + index});`).join('\n')
    : `PRAGMA user_version = ${version};`;
  return [read(`${engine}-36.sql`), WAVES, ...made.map((step) => steps.get(step)), differs, setVersion].join('\n');
}

/** A database that can be looked at, of either engine. */
interface Raw {
  all(sql: string): Promise<Record<string, unknown>[]>;
  exec(sql: string): Promise<void>;
  /** Opens it as the service does, and closes it again. */
  open(): Promise<void>;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function rawDatabase(t: TestContext): Promise<Raw> {
  if (!onPostgres) {
    const file = path.join(folderOf(t), 'muster.db');
    const sqlite = new DatabaseSync(file);
    sqlite.exec('PRAGMA synchronous = OFF');
    t.after(() => sqlite.close());
    return {
      all: async (sql) => sqlite.prepare(sql).all(),
      exec: async (sql) => sqlite.exec(sql),
      open: async () => openDatabase(file).close(),
    };
  }
  const { url, drop } = await createTestDatabase({ empty: true });
  const client = new Client({ connectionString: url.href });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  return {
    all: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    exec: async (sql) => void (await client.query(sql)),
    open: async () => (await openPostgres(url)).close(),
  };
}

const TABLES = onPostgres
  ? `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name <> 'migrations'`
  : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const tablesOf = async (db: Raw) => (await db.all(TABLES)).map(({ name }) => String(name)).toSorted();

const sorted = <Row extends object>(rows: Row[]): Row[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Rows as texts, by table. */
async function rowsOf(db: Raw): Promise<Map<string, Record<string, string>[]>> {
  const rows = new Map<string, Record<string, string>[]>();
  const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value));
  for (const table of await tablesOf(db)) {
    const found = (await db.all(`SELECT * FROM ${table}`)).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])),
    );
    rows.set(table, sorted(found));
  }
  return rows;
}

const plain = (sql: unknown) => String(sql).replaceAll(/--.*$/gm, '').replaceAll('"', '').replaceAll(/\s+/g, ' ');

/** Everything that the tables consist of, except the order of columns. */
async function schemaOf(db: Raw): Promise<string[]> {
  const queries = onPostgres
    ? [
        `SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, identity_generation, collation_name
           FROM information_schema.columns WHERE table_schema = current_schema()`,
        `SELECT attrelid::regclass::text AS at, attname, attstorage FROM pg_attribute JOIN pg_class ON oid = attrelid
           WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
        `SELECT conrelid::regclass::text AS at, pg_get_constraintdef(oid) AS is FROM pg_constraint
           WHERE connamespace = current_schema()::regnamespace`,
        'SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()',
        'SELECT pg_get_triggerdef(oid) AS is FROM pg_trigger WHERE NOT tgisinternal',
        'SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace',
      ]
    : [
        `SELECT t.name AS "table", t.strict, t.wr, c.name, c.type, c."notnull", c.dflt_value, c.pk
           FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.name NOT LIKE 'sqlite_%'`,
        `SELECT t.name, f."from", f."table", f."to", f.on_delete FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f`,
        `SELECT t.name, i."unique", i.origin, (SELECT group_concat(name) FROM pragma_index_info(i.name)) AS columns
           FROM pragma_table_list t JOIN pragma_index_list(t.name) i WHERE t.name NOT LIKE 'sqlite_%'`,
        "SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql NOT NULL",
      ];
  const found = [];
  for (const sql of queries) found.push(...(await db.all(sql)).map((row) => plain(Object.values(row).join(' | '))));
  // SQLite shows CHECK constraints in the text of a table only.
  if (!onPostgres)
    for (const { name, sql } of await db.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))
      for (const [check] of plain(sql).matchAll(/\w+ [^,(]*CHECK \([^()]*(?:\([^()]*\))?[^()]*\)/g))
        found.push(`${String(name)}: ${check}`);
  return found.toSorted();
}

/** Of the top jobs in the fixture: number, whether archived, state. The first went to a group, and one device rolled back. */
const STATES = [
  '1 0 RolledBack',
  '5 1 Succeeded',
  '6 0 Waiting',
  '7 0 Running',
  '8 0 Failed',
  '10 0 Waiting',
  '12 0 Succeeded',
  '14 0 Waiting',
];

const RENAMED: Record<string, string> = {
  orders: 'idempotency_keys',
  rules: 'outcome_rules',
  output_order: 'output_runs',
};

for (const commit of Object.keys(COMMITS))
  test(`a database of commit ${commit} gets the tables of a new one, and keeps every row`, async (t) => {
    const [fresh, db] = [await rawDatabase(t), await rawDatabase(t)];
    await fresh.open();
    await db.exec(databaseOf(commit));
    const before = await rowsOf(db);
    for (const [table, rows] of before)
      assert.ok(rows.length > 0 || table === 'job_states', `the fixture has rows of ${table}`);

    await db.open();

    assert.deepEqual(await schemaOf(db), await schemaOf(fresh));
    const after = await rowsOf(db);
    for (const [table, rows] of before) {
      const now = after.get(RENAMED[table] ?? table) ?? [];
      // In the columns that it had.
      const same = now.map((row) =>
        Object.fromEntries(
          Object.keys(rows[0] ?? {}).map((name) => [
            name,
            row[table === 'orders' && name === 'made' ? 'result_id' : name],
          ]),
        ),
      );
      const isNew = (row: object) => table === 'settings' && 'key' in row && row.key === 'audit_mark';
      if (table === 'job_states') continue;
      const kept = (all: object[]) => sorted(all.filter((row) => !isNew(row)));
      assert.deepEqual(kept(same), kept(rows), table);
    }
    assert.match(after.get('settings')?.find(({ key }) => key === 'audit_mark')?.['value'] ?? '', /^\d+ [0-9a-f]{64}$/);
    const byHand = await db.all('SELECT rollout_seq, number FROM rollout_waves WHERE by_hand = 1 ORDER BY rollout_seq');
    assert.deepEqual(
      byHand.map(({ rollout_seq: rollout, number }) => [Number(rollout), Number(number)]),
      [
        [1, 0],
        [77, 0],
      ],
    );
    // A wave started when its job was made; without one, when its time limit began.
    const started = await db.all(
      `SELECT w.started, coalesce(j.created, w.began) AS expected FROM rollout_waves w LEFT JOIN jobs j ON j.seq = w.job_seq`,
    );
    assert.ok(started.length > 3);
    for (const { started: at, expected } of started) assert.equal(Number(at), Number(expected));
    const states = await db.all('SELECT job_seq, archived, state FROM job_states ORDER BY job_seq');
    assert.deepEqual(
      states.map((row) => Object.values(row).join(' ')),
      STATES,
    );
    // A second start changes nothing.
    const done = await rowsOf(db);
    await db.open();
    assert.deepEqual(await rowsOf(db), done);
  });

test('whoever opened a tunnel before the upgrade is known from the audit log', async (t) => {
  const db = await rawDatabase(t);
  await db.open();
  await db.exec(`ALTER TABLE tunnels DROP COLUMN opened_by;
    INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (7, 'a@b.example', 9, 9, 1);
    INSERT INTO devices (seq, id, account_id, name, name_folded, grp, key_hash, created) VALUES (7, 'd', 7, 'd', 'd', '', ${onPostgres ? "''" : "x''"}, 1);
    INSERT INTO tunnels (name, account_id, device_seq, protocol, local_dest, created, requested)
      VALUES ('offered', 7, 7, 'TCP', 'a', 1, 0), ('asked', 7, 7, 'TCP', 'a', 1, 1), ('forgotten', 7, 7, 'TCP', 'b', 1, 1);
    INSERT INTO audit (seq, at, account_id, actor, address, action, target, outcome) VALUES
      (70, 1, 7, 'person:ada', '', 'tunnel.open', 'asked d', 'done'), (71, 1, 7, 'person:eve', '', 'tunnel.remove', 'asked d', 'refused');
    INSERT INTO audit_objects (object, audit_seq) VALUES ('asked', 70), ('asked', 71);`);
  await db.exec(WITH_OPENERS);
  assert.deepEqual(
    (await db.all('SELECT name, opened_by FROM tunnels ORDER BY name')).map((row) => Object.values(row).join(' ')),
    ['asked person:ada', 'forgotten ', 'offered '],
  );
});

test('an upgrade that fails changes nothing', async (t) => {
  const db = await rawDatabase(t);
  await db.exec(databaseOf('7223ce0e'));
  // In the way of a table that gets this name late in the upgrade.
  await db.exec('CREATE TABLE output_runs (one INTEGER)');
  const [schema, rows] = [await schemaOf(db), await rowsOf(db)];
  await assert.rejects(async () => db.open(), /output_runs/);
  assert.deepEqual(await schemaOf(db), schema);
  assert.deepEqual(await rowsOf(db), rows);
  await db.exec('DROP TABLE output_runs');
  await db.open();
});

const isRefusal = (words: RegExp) => (cause: unknown) => {
  assert.ok(cause instanceof ConfigError, String(cause));
  assert.match(cause.message, words);
  return true;
};
const TOO_OLD = /too old .*step 35; this one needs 36 .*Check out the tag schema-1 \(commit 7223ce0e\)/;

if (onPostgres) {
  test('an older database is refused, and stays as it is', async (t) => {
    const db = await rawDatabase(t);
    await db.exec(databaseOf('7223ce0e'));
    await db.exec('DELETE FROM migrations WHERE step > 35');
    const [schema, rows] = [await schemaOf(db), await rowsOf(db)];
    await assert.rejects(() => db.open(), isRefusal(TOO_OLD));
    assert.deepEqual(await schemaOf(db), schema);
    assert.deepEqual(await rowsOf(db), rows);
  });

  test('a database that nodes of an earlier version use is not upgraded under them', async (t) => {
    const db = await rawDatabase(t);
    await db.exec(databaseOf('a8655e26'));
    const setExpiry = (seconds: number) =>
      db.exec(`UPDATE nodes SET expires = (extract(epoch FROM clock_timestamp()) + ${seconds}) * 1000`);
    await setExpiry(60);
    await assert.rejects(
      () => db.open(),
      isRefusal(/nodes of an earlier version \(http:\/\/10\.0\.0\.2:8080\): stop all/),
    );
    assert.ok((await tablesOf(db)).includes('orders'));
    await setExpiry(0);
    await db.open();
    assert.ok((await tablesOf(db)).includes('idempotency_keys'));
    // Nodes of this version come and go.
    await setExpiry(60);
    await db.open();
  });
} else {
  /** Each file of a folder with the hash of its bytes and its time. */
  const filesOf = (folder: string) =>
    readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${file} ${entry.isFile() ? hash('sha256', readFileSync(file)) : ''} ${statSync(file).mtimeMs}`;
    });
  const EMPTY = hash('sha256', '');
  const open = (folder: string) => openStore(readConfig({ DATA_DIR: folder, PORT: '0' }));

  /** A data folder with a database of this version; a crash left its last writes in the write-ahead log. */
  function folderOfVersion(t: TestContext, version: number, afterCrash: boolean): string {
    const [used, folder] = [folderOf(t), folderOf(t)];
    const sqlite = new DatabaseSync(path.join(used, 'muster.db'));
    t.after(() => sqlite.close());
    sqlite.exec(
      `PRAGMA synchronous = OFF; ${read('sqlite-36.sql')} PRAGMA user_version = 1; PRAGMA journal_mode = WAL`,
    );
    sqlite.exec(`PRAGMA user_version = ${version}`);
    if (!afterCrash) sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    for (const name of readdirSync(used))
      if (!name.endsWith('-shm')) copyFileSync(path.join(used, name), path.join(folder, name));
    mkdirSync(path.join(folder, 'artifacts'));
    return folder;
  }

  for (const afterCrash of [false, true])
    test(`an older folder is refused before a byte is written${afterCrash ? ', also after a crash' : ''}`, async (t) => {
      const folder = folderOfVersion(t, 35, afterCrash);
      const before = filesOf(folder);
      assert.equal(
        before.some((file) => file.includes('-wal') && !file.includes(EMPTY)),
        afterCrash,
      );
      await assert.rejects(() => open(folder), isRefusal(TOO_OLD));
      assert.deepEqual(filesOf(folder), before);
    });

  test('the version that counts is the one in the write-ahead log', async (t) => {
    const store = await open(folderOfVersion(t, 36, true));
    assert.deepEqual(await store.db.migrations(), { at: SCHEMA_VERSION, steps: SCHEMA_VERSION });
    await store.release();
  });

  test('a folder of a newer version is refused before a byte is written', async (t) => {
    const folder = folderOfVersion(t, 999, false);
    const before = filesOf(folder);
    await assert.rejects(() => open(folder), isRefusal(/newer version of Muster \(its step 999; this one knows \d+\)/));
    assert.deepEqual(filesOf(folder), before);
  });
}
