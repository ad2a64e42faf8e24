// Run by `npm run test:engines`; without a server there is no test here.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { startPostgres } from '../../scripts/engines/postgres-server.ts';
import type { PostgresServer } from '../../scripts/engines/postgres-server.ts';
import { until } from '../../scripts/test-process.ts';
import { ConfigError } from '../config-error.ts';
import { Unavailable } from './errors.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresDatabase } from './postgres.ts';
import { SERVICE_TABLES } from './sqlite.ts';
import { asAdministrator, createTestDatabase, onPostgres } from './test-database.ts';
import type { TestDatabase } from './test-database.ts';
import { SCHEMA_VERSION } from './upgrades.ts';

let at: TestDatabase;
let db: PostgresDatabase;
if (onPostgres) {
  before(async () => {
    at = await createTestDatabase({ empty: true });
    db = await openPostgres(at.url);
  });
  after(async () => {
    await db.close();
    await at.drop();
  });
}
function onServer(name: string, run: (t: TestContext) => Promise<void>): void {
  if (onPostgres) void test(name, run);
}

const put = (key: string, to: Database = db) =>
  to.write((tx) => tx.run("INSERT INTO settings (key, value) VALUES (?, '')", key));
const keys = async (like: string, from: Database = db) =>
  (await from.all<{ key: string }>('SELECT key FROM settings WHERE key LIKE ? ORDER BY key', like)).map(
    ({ key }) => key,
  );

onServer('every session that writes waits until its commit is on the disk', async () => {
  // 'off' answers before the write-ahead log is flushed: a power cut takes back what was acknowledged.
  const sql = "SELECT current_setting('synchronous_commit') AS commits";
  const commits = async (rows: Promise<{ commits: string }[]>) => (await rows)[0]?.commits;
  assert.equal(await commits(db.write((tx) => tx.all<{ commits: string }>(sql))), 'on');
  assert.equal(await commits(db.all<{ commits: string }>(sql)), 'on');
  assert.equal(await commits(db.direct<{ commits: string }>(sql)), 'on');
});

onServer('a write resolves when its commit has ended, and rejects when that fails', async () => {
  // What is deferred runs in the commit: it takes a while, and refuses 0.
  await db.write(async (tx) => {
    await tx.run('CREATE TABLE late (id BIGINT NOT NULL)');
    await tx.run(`CREATE FUNCTION check_late() RETURNS trigger LANGUAGE plpgsql AS $check$ BEGIN
      PERFORM pg_sleep(0.2);
      IF NEW.id = 0 THEN RAISE 'refused in the commit'; END IF;
      RETURN NULL;
    END $check$`);
    await tx.run(`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION check_late()`);
  });
  const ids = async () => (await db.all<{ id: number }>('SELECT id FROM late')).map(({ id }) => id);
  try {
    let effects = 0;
    const insert = (id: number) =>
      db.write(async (tx) => {
        tx.afterCommit(() => (effects += 1));
        await tx.run('INSERT INTO late (id) VALUES (?)', id);
      });
    await insert(1);
    assert.deepEqual([await ids(), effects], [[1], 1]);
    await assert.rejects(insert(0), /refused in the commit/);
    assert.deepEqual([await ids(), effects], [[1], 1]);
  } finally {
    // The other engine has no such table.
    await db.write(async (tx) => {
      await tx.run('DROP TABLE late');
      await tx.run('DROP FUNCTION check_late');
    });
  }
});

onServer('both engines have the same tables and columns, of the same types', async () => {
  const sqlite = new DatabaseSync(':memory:');
  sqlite.exec(SERVICE_TABLES.schema);
  const columnsOf = (table: string) =>
    sqlite
      .prepare(`SELECT name, type, "notnull" OR pk AS needed FROM pragma_table_info('${table}') ORDER BY name`)
      .all()
      .map(({ name, type, needed }) => `${table}.${String(name)} ${String(type)} ${String(needed)}`);
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
  const expected = tables.flatMap(({ name }) => columnsOf(String(name)));
  const types: Record<string, string> = { bigint: 'INTEGER', text: 'TEXT', bytea: 'BLOB', 'double precision': 'REAL' };
  const found = await db.all<{ at: string; type: string; needed: number; collation: string | null }>(
    `SELECT table_name || '.' || column_name AS at, data_type AS type, is_nullable = 'NO' AS needed,
       collation_name AS collation FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> 'migrations' AND column_name <> 'rowid'`,
  );
  assert.deepEqual(
    found.map(({ at: column, type, needed }) => `${column} ${types[type] ?? type} ${needed}`).toSorted(),
    expected.toSorted(),
  );
  for (const { at: column, type, collation } of found) if (type === 'text') assert.equal(collation, 'C', column);
  const indexes = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name")
    .all()
    .map(({ name }) => name);
  const made = await db.all<{ name: string }>(
    "SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%\\_key' AND indexname NOT LIKE '%\\_pkey'",
  );
  assert.deepEqual(new Set(made.map(({ name }) => name)), new Set(indexes));
  assert.deepEqual(await db.migrations(), { at: SCHEMA_VERSION, steps: SCHEMA_VERSION });
});

onServer('units that arrive together share a commit; one that throws is taken back alone, also the first', async () => {
  const fails = (key: string) =>
    db.write(async (tx) => {
      await tx.run("INSERT INTO settings (key, value) VALUES (?, '')", key);
      throw new Error('no');
    });
  const settled = await Promise.allSettled([fails('g0'), put('g1'), fails('g2'), put('g3'), put('g3'), put('g4')]);
  assert.deepEqual(
    settled.map(({ status }) => status === 'fulfilled'),
    [false, true, false, true, false, true],
  );
  assert.deepEqual(await keys('g%'), ['g1', 'g3', 'g4']);
  const caught = await db
    .write(async (tx) => {
      await tx.run("INSERT INTO settings (key, value) VALUES ('g1', '')").catch(() => {});
    })
    .then(
      () => 'stored',
      () => 'refused',
    );
  assert.equal(caught, 'refused', 'a statement that failed ends its unit, even if the unit goes on');
});

onServer('units that arrive together are fewer transactions than units', async () => {
  const transactions = await Promise.all(
    Array.from({ length: 20 }, () =>
      db.write((tx) => tx.get<{ id: string }>('SELECT CAST(pg_current_xact_id() AS TEXT) AS id')),
    ),
  );
  assert.ok(new Set(transactions.map((row) => row?.id)).size < 20);
});

onServer('readers see only what is committed', async () => {
  let seen: string[] = ['?'];
  await db.write(async (tx) => {
    await tx.run("INSERT INTO settings (key, value) VALUES ('r1', '')");
    seen = await keys('r%');
    assert.equal((await tx.all("SELECT 1 FROM settings WHERE key = 'r1'")).length, 1);
  });
  assert.deepEqual(seen, []);
  assert.deepEqual(await keys('r%'), ['r1']);
});

onServer('two processes that write get numbers in the order of their commits', async (t) => {
  const other = await openPostgres(at.url);
  const add = (to: Database) =>
    to.write((tx) =>
      tx.run("INSERT INTO audit (at, actor, address, action, target, outcome) VALUES (0, '', '', 'o', '', '')"),
    );
  let last = 0;
  const done = new AbortController();
  t.after(() => done.abort());
  const watch = (async () => {
    let counted = 0;
    while (!done.signal.aborted) {
      const rows = await db.all<{ seq: number }>('SELECT seq FROM audit WHERE seq > ? ORDER BY seq', last);
      counted += rows.length;
      last = rows.at(-1)?.seq ?? last;
    }
    return counted;
  })();
  await Promise.all(Array.from({ length: 200 }, (_, n) => add(n % 2 ? db : other)));
  const stored = (await db.get<{ count: number }>("SELECT count(*) AS count FROM audit WHERE action = 'o'"))?.count;
  await new Promise((resolve) => void setImmediate(resolve));
  await db.all('SELECT 1');
  done.abort();
  const counted = await watch;
  const rest = await db.all('SELECT seq FROM audit WHERE seq > ?', last);
  assert.equal(stored, 200);
  assert.equal(counted + rest.length, 200, 'a reader that follows the numbers misses none');
  await other.close();
});

onServer('the audit log accepts only new rows', async () => {
  await assert.rejects(() => db.write((tx) => tx.run('DELETE FROM audit')), /append-only/);
  await assert.rejects(() => db.write((tx) => tx.run("UPDATE audit SET actor = 'x'")), /append-only/);
});

onServer('what cannot be used is one sentence', async () => {
  const refused = async (change: (url: URL) => void, pattern: RegExp) => {
    const url = new URL(at.url);
    change(url);
    await assert.rejects(
      () => openPostgres(url),
      (cause) =>
        cause instanceof ConfigError && pattern.test(cause.message) && cause.message.startsWith('DATABASE_URL'),
    );
  };
  await refused((url) => (url.pathname = '/missing'), /no such database/);
  await refused((url) => (url.port = '1'), /cannot be reached \(ECONNREFUSED\)/);
  await refused((url) => (url.username = 'stranger'), /refuses that user/);
});

onServer('a session that the server ends: units in flight are rejected, later ones succeed', async () => {
  const outcome = db.write(async (tx) => {
    await tx.run("INSERT INTO settings (key, value) VALUES ('l1', '')");
    const row = await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await asAdministrator(`SELECT pg_terminate_backend(${row?.pid})`);
    await tx.get('SELECT 1');
  });
  await assert.rejects(outcome, (cause) => cause instanceof Unavailable);
  await until('another session', () => put('l2').then(Boolean, () => false));
  assert.deepEqual(await keys('l%'), ['l2']);
});

onServer('PostgreSQL is killed under writes and comes back: nothing acknowledged is lost', async (t) => {
  const server: PostgresServer = await startPostgres();
  t.after(() => server.remove());
  const own = await openPostgres(new URL(server.url));
  t.after(() => own.close());
  const acknowledged: string[] = [];
  let refused = 0;
  const over = new AbortController();
  t.after(() => over.abort());
  const writer = async (name: number) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const key = `k${name}-${n}`;
      await put(key, own).then(
        () => acknowledged.push(key),
        async (cause: unknown) => {
          assert.ok(cause instanceof Unavailable, String(cause));
          refused += 1;
          await new Promise((resolve) => setTimeout(resolve, 10));
        },
      );
    }
  };
  const writers = [1, 2, 3, 4].map(writer);
  for (const round of [1, 2]) {
    const enough = acknowledged.length + 50;
    await until('writes', () => acknowledged.length > enough);
    await server.kill();
    await assert.rejects(
      () => own.all('SELECT 1'),
      (cause) => cause instanceof Unavailable,
      `reads of round ${round}`,
    );
    await server.start();
  }
  const enough = acknowledged.length + 50;
  await until('writes again', () => acknowledged.length > enough);
  over.abort();
  await Promise.all(writers);
  const stored = new Set(await keys('k%', own));
  assert.deepEqual(
    acknowledged.filter((key) => !stored.has(key)),
    [],
  );
  assert.ok(refused > 0);
});
