// Group commit: units that arrive together share a transaction, and each succeeds or fails alone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { Conflict, Unavailable } from './errors.ts';
import { until } from '../../scripts/test-process.ts';
import { openDatabase } from './sqlite.ts';
import type { Database, Tx } from './database.ts';
import { openDiskSpace } from './disk-space.ts';

let folder: string;
let file: string;
let db: Database;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-database-'));
  file = path.join(folder, 'muster.db');
  db = openDatabase(file);
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

const set = (key: string) => (tx: Tx) => tx.run('INSERT INTO settings (key, value) VALUES (?, ?)', key, 'x');
const keys = async () => (await db.all<{ key: string }>('SELECT key FROM settings ORDER BY key')).map(({ key }) => key);

/** Makes SQLite run out of space; the limit belongs to the connection that writes. */
const limitPages = (pages: number) => db.write((tx) => tx.get(`PRAGMA max_page_count = ${pages}`), { essential: true });

test('a unit that throws is undone alone', async () => {
  const results = await Promise.allSettled([
    db.write(set('a')),
    db.write(async (tx) => {
      await set('lost')(tx);
      throw new Conflict('no');
    }),
    db.write(set('b')),
    db.write(set('a')), // not unique
    db.write(set('c')),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await keys(), ['a', 'b', 'c']);
});

test('units that arrive together share a commit', async () => {
  const reader = new DatabaseSync(file, { readOnly: true });
  const commits = new Set<unknown>();
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      await db.write(set(`k${index}`));
      // SQLite's count of commits by other connections.
      commits.add(reader.prepare('PRAGMA data_version').get()?.['data_version']);
    }),
  );
  reader.close();
  assert.equal((await keys()).length, 50);
  // A transaction ends when its time is over: on a busy machine the rest share the next.
  assert.ok(commits.size < 25, `${commits.size} commits`);
});

test('units before a patient one are committed without it', async () => {
  const events: string[] = [];
  const unit = (name: string) => async (tx: Tx) => {
    await set(name)(tx);
    events.push(`${name} runs`);
    tx.afterCommit(() => events.push(`${name} committed`));
  };
  const patient = { patient: true };
  await Promise.all([db.write(unit('a')), db.write(unit('b')), db.write(unit('c'), patient), db.write(unit('d'))]);
  const order = ['a runs', 'b runs', 'a committed', 'b committed', 'c runs', 'd runs', 'c committed', 'd committed'];
  assert.deepEqual(events, order);
});

test('what a write resolves to is on disk by then', async () => {
  const reader = new DatabaseSync(file, { readOnly: true });
  const count = reader.prepare('SELECT count(*) AS n FROM settings');
  assert.equal(await db.write(() => count.get()?.['n']), 0);
  await db.write(async (tx) => {
    await set('a')(tx);
    assert.equal(count.get()?.['n'], 0, 'nobody sees it before the commit');
  });
  assert.equal(count.get()?.['n'], 1);
  reader.close();
});

test('SQLite is set to flush each commit to the disk, after each start', async () => {
  /** Of the connection that writes: SQLite stores only the journal's mode in the file. */
  const setting = async (name: string) =>
    (await db.write((tx) => tx.get<Record<string, unknown>>(`PRAGMA ${name}`)))?.[name];
  for (let start = 0; start < 2; start++) {
    // 2 is FULL: with a write-ahead log, NORMAL flushes at checkpoints only, and a power cut takes back what was committed.
    assert.equal(await setting('synchronous'), 2);
    assert.equal(await setting('journal_mode'), 'wal');
    await db.close();
    db = openDatabase(file);
  }
});

test('effects run after the commit, in order, and not for a unit that was undone', async () => {
  const seen: string[] = [];
  await Promise.allSettled([
    db.write((tx) => tx.afterCommit(() => seen.push('first'))).then(() => seen.push('resolved')),
    db.write((tx) => {
      tx.afterCommit(() => seen.push('undone'));
      throw new Error('undo');
    }),
    db.write((tx) => tx.afterCommit(() => seen.push('second'))),
  ]);
  assert.deepEqual(seen, ['first', 'second', 'resolved']);
});

test('a transaction is of no use after its unit', async () => {
  let ended: Tx | undefined;
  await db.write((tx) => void (ended = tx));
  assert.ok(ended);
  await assert.rejects(set('late')(ended), /after its unit of work had ended/);
  assert.deepEqual(await keys(), []);
});

test('what a unit sent at the same time as the statement that fails is undone with it', async () => {
  const failing = db.write(async (tx) => {
    const slower = async () => {
      for (const key of ['lost 1', 'lost 2', 'lost 3', 'lost 4', 'lost 5', 'lost 6']) await set(key)(tx);
    };
    await Promise.all([slower(), tx.run('INSERT INTO no_such_table VALUES (1)')]);
  });
  await Promise.all([assert.rejects(failing, /no such table/), db.write(set('kept'))]);
  assert.deepEqual(await keys(), ['kept']);
});

test('while a unit awaits, others read only what is committed, and later units wait for it', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const first = db.write(async (tx) => {
    await set('a')(tx);
    begin();
    await gate;
    assert.equal((await tx.all('SELECT key FROM settings')).length, 1, 'not those of later units');
  });
  await begun;
  const second = db.write(set('b'));
  assert.deepEqual(await keys(), []);
  open();
  await Promise.all([first, second]);
  assert.deepEqual(await keys(), ['a', 'b']);
});

test('a file locked by another process: the write waits, without keeping others waiting, and then succeeds', async () => {
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const written = db.write(set('a')).then(() => 'written');
  const turn = new Promise<string>((resolve) => void setImmediate(() => setImmediate(() => resolve('turn'))));
  assert.equal(await Promise.race([written, turn]), 'turn');
  other.exec('COMMIT');
  other.close();
  assert.equal(await written, 'written');
});

test('a file that stays locked: a clear refusal, nothing half-done, and the next write succeeds', async () => {
  await db.close();
  db = openDatabase(file, { lockTimeoutMs: 100 });
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(db.write(set('a')), (cause: Error) => {
    assert.ok(cause instanceof Unavailable);
    assert.match(cause.message, /in use by another program/);
    return true;
  });
  other.exec('ROLLBACK');
  other.close();
  await db.write(set('b'));
  assert.deepEqual(await keys(), ['b']);
});

test('a full disk: a clear refusal, nothing half-done, and it recovers', async () => {
  await db.write(set('a'));
  const { page_count: pages } = (await db.get<{ page_count: number }>('PRAGMA page_count')) ?? { page_count: 0 };
  await limitPages(pages + 3);
  const large = (tx: Tx) => tx.run(`INSERT INTO settings VALUES ('large', hex(zeroblob(100000)))`);
  const results = await Promise.allSettled([db.write(large), db.write(large)]);
  for (const result of results) {
    assert.equal(result.status, 'rejected');
    assert.ok(result.reason instanceof Unavailable);
    assert.match(result.reason.message, /disk .* is full/);
  }
  assert.deepEqual(await keys(), ['a']);
  await limitPages(1_000_000);
  await db.write(large);
  assert.deepEqual(await keys(), ['a', 'large']);
});

test('on a full disk essential writes use the space reserved for them; others are refused at once', async () => {
  await db.close();
  let short = false;
  let isFreed = false;
  const disk = {
    ...openDiskSpace(folder, { report: () => {} }),
    writeFailed: () => void (short = true),
    isShort: () => short,
    removeBallast: () => void (isFreed = true),
  };
  disk.close();
  db = openDatabase(file, { disk });
  const { page_count: pages } = (await db.get<{ page_count: number }>('PRAGMA page_count')) ?? { page_count: 0 };
  await limitPages(pages);
  const large = (key: string) => (tx: Tx) => tx.run('INSERT INTO settings VALUES (?, hex(zeroblob(100000)))', key);
  const ran: string[] = [];
  const write = (key: string, essential: boolean) =>
    db.write(
      async (tx) => {
        ran.push(key);
        if (isFreed) await tx.get('PRAGMA max_page_count = 1000000');
        return large(key)(tx);
      },
      { essential },
    );
  const results = await Promise.allSettled([write('a', true), write('b', false), write('c', true)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await keys(), ['a', 'c']);
  ran.length = 0;
  await assert.rejects(write('d', false), /disk .* is full/);
  assert.deepEqual(ran, [], 'not even tried');
  short = false;
  await write('d', false);
  assert.deepEqual(await keys(), ['a', 'c', 'd']);
});

const fill = (rows: number) =>
  db.write(async (tx) => {
    for (let row = 0; row < rows; row++)
      await tx.run('INSERT INTO settings VALUES (?, hex(zeroblob(50000)))', `large ${row}`);
  });

test('the file shrinks after much was deleted, in slices', async () => {
  await fill(400);
  const full = (await db.get<{ page_count: number }>('PRAGMA page_count'))?.page_count ?? 0;
  await db.write((tx) => tx.run("DELETE FROM settings WHERE key LIKE 'large%'"));
  await until('the file to shrink', () => statSync(file).size < full * 4096 * 0.3);
});

test('the file of an earlier version is written anew, once, so that it can shrink, and says so', async () => {
  await fill(10);
  await db.close();
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA auto_vacuum = NONE; VACUUM');
  raw.close();
  const lines: string[] = [];
  const disk = openDiskSpace(folder, { report: () => {} });
  const report = (line: string) => void lines.push(line);
  for (let start = 0; start < 2; start++) {
    db = openDatabase(file, { disk, report });
    assert.equal((await db.get<{ auto_vacuum: number }>('PRAGMA auto_vacuum'))?.auto_vacuum, 2);
    assert.equal((await keys()).length, 10);
    await db.close();
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /Writing the database \(\d+ MB\) anew, once, so that it can shrink/);
  // Without enough space the database continues unchanged.
  const again = new DatabaseSync(file);
  again.exec('PRAGMA auto_vacuum = NONE; VACUUM');
  again.close();
  db = openDatabase(file, { disk: { ...disk, free: () => 0 }, report });
  assert.match(lines[1] ?? '', /cannot shrink yet: that needs \d+ MB free at a start/);
  await db.write(set('b'));
  disk.close();
});

test('closing waits for what was asked before, and refuses what comes after', async () => {
  const before = db.write(set('a')).then(() => 'written');
  const closed = db.close();
  await assert.rejects(db.write(set('b')), /stopping/);
  await closed;
  assert.equal(await before, 'written');
  db = openDatabase(file);
  assert.deepEqual(await keys(), ['a']);
});

test('the version of a table changes with each write to it, by whatever statement, and by no other', async () => {
  const [start, others] = [await db.version('settings'), await db.version('devices')];
  await db.write(set('a'));
  const inserted = await db.version('settings');
  await db.write((tx) => tx.get('DELETE FROM settings WHERE key = ? RETURNING key', 'a'));
  assert.equal(new Set([start, inserted, await db.version('settings')]).size, 3);
  assert.equal(await db.version('devices'), others);
});

test('refuses a database that a newer version has changed', async () => {
  await db.close();
  const raw = new DatabaseSync(file);
  const at = Number(raw.prepare('PRAGMA user_version').get()?.['user_version']);
  raw.exec('PRAGMA user_version = 999');
  raw.close();
  assert.throws(() => openDatabase(file), /newer version/);
  const undo = new DatabaseSync(file);
  undo.exec(`PRAGMA user_version = ${at}`);
  undo.close();
  db = openDatabase(file);
});

test('the audit log takes no change and no deletion', async () => {
  await db.write((tx) =>
    tx.run(`INSERT INTO audit (at, actor, address, action, target, outcome) VALUES (1, 'a', 'b', 'c', 'd', 'done')`),
  );
  await assert.rejects(
    db.write((tx) => tx.run(`UPDATE audit SET actor = 'x'`)),
    /append-only/,
  );
  await assert.rejects(
    db.write((tx) => tx.run('DELETE FROM audit')),
    /append-only/,
  );
});
