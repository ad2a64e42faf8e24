// The list of moved tables against the tables of both engines, so that none is forgotten.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SERVICE_TABLES } from '../store/sqlite.ts';
import { createTestDatabase, onPostgres } from '../store/test-database.ts';
import { NOT_MOVED, TABLES } from './tables.ts';

const named = TABLES.map(({ name }) => name);

function openTables(): DatabaseSync {
  const sqlite = new DatabaseSync(':memory:');
  sqlite.exec(SERVICE_TABLES.schema);
  return sqlite;
}

test('a move takes all tables, each by its key, and the ones that others refer to first', () => {
  const sqlite = openTables();
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  assert.deepEqual([...named, ...NOT_MOVED].toSorted(), tables.toSorted());
  for (const [index, { name, key }] of TABLES.entries()) {
    const columns = sqlite.prepare('SELECT name, pk FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').all(name);
    const hasOrder = sqlite.prepare('SELECT wr FROM pragma_table_list(?)').get(name)?.['wr'] === 0;
    const isText = sqlite.prepare("SELECT 1 FROM pragma_table_info(?) WHERE pk = 1 AND type <> 'INTEGER'").get(name);
    // Rows without a number of their own are in the order of their insertion.
    assert.deepEqual(key, hasOrder && isText ? ['rowid'] : columns.map((column) => column['name']), name);
    for (const { table } of sqlite.prepare('SELECT "table" FROM pragma_foreign_key_list(?)').all(name))
      assert.ok(named.indexOf(String(table)) <= index, `${name} refers to ${String(table)}`);
  }
});

test('the schema adds no rows: the target would have them twice', () => {
  const sqlite = openTables();
  for (const name of named) assert.equal(sqlite.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.['n'], 0, name);
});

if (onPostgres)
  test('PostgreSQL has the same tables and keys', async (t) => {
    const { openPostgres } = await import('../store/postgres.ts');
    const { url, drop } = await createTestDatabase();
    t.after(drop);
    const db = await openPostgres(url);
    const tables = await db.all<{ name: string }>(
      `SELECT table_name::text AS name FROM information_schema.tables
       WHERE table_schema = current_schema() AND table_name <> 'migrations'`,
    );
    const ordered = await db.all<{ name: string }>(
      "SELECT table_name::text AS name FROM information_schema.columns WHERE column_name = 'rowid'",
    );
    await db.close();
    assert.deepEqual([...named, ...NOT_MOVED].toSorted(), tables.map(({ name }) => name).toSorted());
    assert.deepEqual(
      TABLES.filter(({ key }) => key[0] === 'rowid')
        .map(({ name }) => name)
        .toSorted(),
      ordered.map(({ name }) => name).toSorted(),
    );
  });
