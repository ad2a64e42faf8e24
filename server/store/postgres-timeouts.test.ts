// What does not end on PostgreSQL becomes an error. Run by `npm run test:engines`; without a server the first test only.
// The limits are short ones in the address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { openRelay } from '../../scripts/chaos/relay.ts';
import type { Relay } from '../../scripts/chaos/relay.ts';
import { startPostgres } from '../../scripts/engines/postgres-server.ts';
import { until } from '../../scripts/test-process.ts';
import { Unavailable } from './errors.ts';
import type { Database } from './database.ts';
import { writingConnection } from './postgres-connection.ts';
import { openPostgres } from './postgres.ts';
import { createTestDatabase, onPostgres } from './test-database.ts';

/** Longer than any test. */
const NEVER = '600000';

test('a statement gets the error of the server, before the client gives up', () => {
  const { query_timeout: ofClient, statement_timeout: ofServer } = writingConnection(new URL('postgres://host/db'));
  assert.ok(Number(ofServer) < Number(ofClient));
});

function onServer(name: string, run: (t: TestContext) => Promise<void>): void {
  if (onPostgres) void test(name, run);
}

/** On a busy machine a start may take longer than the limits: its tables are made before, and it is tried again. */
async function openLimited(url: URL, limits: Record<string, string>): Promise<Database> {
  await (await openPostgres(url)).close();
  const limited = new URL(url);
  for (const [name, value] of Object.entries(limits)) limited.searchParams.set(name, value);
  return until('a start within the limits', () => openPostgres(limited).catch(() => undefined));
}

interface Opened {
  db: Database;
  /** A session of another program, without any limit. */
  other: Client;
}

async function openWith(t: TestContext, limits: Record<string, string>): Promise<Opened> {
  const { url, drop } = await createTestDatabase();
  const db = await openLimited(url, limits);
  const other = new Client({ connectionString: url.href });
  // Dropping the database ends it.
  other.on('error', () => {});
  await other.connect();
  t.after(async () => {
    await other.end();
    await db.close();
    await drop();
  });
  return { db, other };
}

const put = (db: Database, key: string) =>
  db.write((tx) => tx.run("INSERT INTO settings (key, value) VALUES (?, '')", key));
const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );
const keysOf = async (db: Database) =>
  (await db.all<{ key: string }>("SELECT key FROM settings WHERE key LIKE 't%' ORDER BY key")).map(({ key }) => key);
const unavailable = (title: RegExp) => (cause: unknown) =>
  cause instanceof Unavailable && title.test(cause.message) && cause.retryAfterSeconds !== undefined;
/** The lock of all that write, as the service takes it. */
const WRITE_LOCK = 0x6d7573746572;

onServer('a read that takes too long is stopped, and the next one succeeds', async (t) => {
  const { db } = await openWith(t, { statement_timeout: '100' });
  await assert.rejects(() => db.all('SELECT pg_sleep(600)'), unavailable(/took too long/));
  await until('an answer', () => isDone(db.all('SELECT 1')));
});

onServer('a read that waits for a lock is refused', async (t) => {
  const { db, other } = await openWith(t, { lock_timeout: '100' });
  await other.query('BEGIN; LOCK TABLE settings');
  await assert.rejects(() => keysOf(db), unavailable(/is locked/));
  await other.query('ROLLBACK');
  assert.deepEqual(await keysOf(db), []);
});

onServer('a unit whose statement waits for a lock fails alone, and takes back what it did', async (t) => {
  const { db, other } = await openWith(t, { lock_timeout: '100' });
  await other.query('BEGIN; LOCK TABLE tags');
  const both = [
    db.write(async (tx) => {
      await tx.run("INSERT INTO settings (key, value) VALUES ('t1', '')");
      await tx.all('SELECT * FROM tags');
    }),
    put(db, 't2'),
  ];
  const [first, second] = await Promise.allSettled(both);
  assert.ok(first?.status === 'rejected' && unavailable(/is locked/)(first.reason));
  assert.equal(second?.status, 'fulfilled');
  assert.deepEqual(await keysOf(db), ['t2']);
});

onServer('while another session keeps the lock of writes, all units that wait are refused together', async (t) => {
  const { db, other } = await openWith(t, { lock_timeout: '200' });
  await other.query(`SELECT pg_advisory_lock(${WRITE_LOCK})`);
  const faults = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      put(db, `t${n}`).then(
        () => assert.fail('stored'),
        (cause: unknown) => {
          assert.ok(unavailable(/is locked/)(cause), String(cause));
          return (cause as Unavailable).cause;
        },
      ),
    ),
  );
  assert.ok(new Set(faults).size <= 3, 'they do not wait one after the other');
  await other.query(`SELECT pg_advisory_unlock(${WRITE_LOCK})`);
  await until('a unit that is stored', () => isDone(put(db, 't')));
  assert.deepEqual(await keysOf(db), ['t']);
});

onServer('a service that stops answering within a transaction loses the lock; the others go on', async (t) => {
  const { db, other } = await openWith(t, { lock_timeout: NEVER });
  await other.query("SET idle_in_transaction_session_timeout = '100ms'");
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${WRITE_LOCK})`);
  await put(db, 't1');
  assert.deepEqual(await keysOf(db), ['t1']);
});

onServer('a unit that pauses too long within its transaction is refused, and stores nothing', async (t) => {
  const { db, other } = await openWith(t, { idle_in_transaction_session_timeout: '100' });
  const paused = db.write(async (tx) => {
    await tx.run("INSERT INTO settings (key, value) VALUES ('t1', '')");
    const row = await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await until('the end of the session', async () => {
      const { rowCount } = await other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [row?.pid]);
      return rowCount === 0;
    });
    await tx.get('SELECT 1');
  });
  await assert.rejects(paused, unavailable(/cannot be reached/));
  await until('another session', () => isDone(put(db, 't2')));
  assert.deepEqual(await keysOf(db), ['t2']);
});

/** The same, through a network that can lose connections. Without any limit of time, so that only the loss ends a wait. */
async function openThroughRelay(t: TestContext): Promise<{ db: Database; relay: Relay }> {
  const { url, drop } = await createTestDatabase();
  const relay = await openRelay([Number(url.port)]);
  url.port = new URL(relay.url).port;
  const db = await openLimited(url, { query_timeout: NEVER, statement_timeout: '0' });
  t.after(async () => {
    await db.close();
    await relay.close();
    await drop();
  });
  return { db, relay };
}

onServer('a read whose connection alone was lost is refused, and the next one succeeds', async (t) => {
  const { db, relay } = await openThroughRelay(t);
  relay.loseAfter('the lost read');
  await assert.rejects(() => db.all("SELECT pg_sleep(0.1), 'the lost read' AS text"), unavailable(/cannot be reached/));
  assert.deepEqual(await keysOf(db), []);
});

onServer('a write whose connection alone was lost is refused, and the next one succeeds', async (t) => {
  const { db, relay } = await openThroughRelay(t);
  relay.loseAfter('the lost write');
  const lost = db.write(async (tx) => {
    await tx.run("INSERT INTO settings (key, value) VALUES ('t1', '')");
    await tx.all("SELECT 'the lost write' AS text");
  });
  await assert.rejects(lost, unavailable(/cannot be reached/));
  await until('another session', () => isDone(put(db, 't2')));
  assert.deepEqual(await keysOf(db), ['t2']);
});

onServer('a statement that takes long is not taken for a lost one', async (t) => {
  const { db } = await openThroughRelay(t);
  const [read, written] = await Promise.all([
    db.all('SELECT 1 AS one FROM pg_sleep(9)'),
    db.write((tx) => tx.all('SELECT 1 AS one FROM pg_sleep(9)')),
  ]);
  assert.deepEqual([read.length, written.length], [1, 1]);
});

onServer('a commit that waits for a standby in vain is not acknowledged', async (t) => {
  const server = await startPostgres();
  t.after(() => server.remove());
  const url = new URL(server.url);
  const settings = new Client({ connectionString: url.href });
  await settings.connect();
  const standby = async (name: string) => {
    await settings.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await settings.query('SELECT pg_reload_conf()');
    const shown = async () =>
      (await settings.query<{ name: string }>("SELECT current_setting('synchronous_standby_names') AS name")).rows[0];
    await until('the setting', async () => (await shown())?.name === name);
  };
  await settings.query('SET synchronous_commit = local');
  const db = await openLimited(url, { query_timeout: '1000', statement_timeout: '300' });
  t.after(() => db.close());
  await standby('none');
  // Sessions show the setting a moment before the server acts on it.
  let tried = 0;
  const refusal = await until('a refusal', () =>
    put(db, `t1 ${++tried}`).then(
      () => undefined,
      (cause: unknown) => cause,
    ),
  );
  assert.ok(refusal instanceof Unavailable && /not known/.test(refusal.detail ?? ''), String(refusal));
  await standby('');
  await settings.end();
  await until('another session', () => isDone(put(db, 't2')));
});
