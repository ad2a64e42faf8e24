// Each statement of the store that joins or sorts uses the indexes that it was written for, whatever statistics the
// database has: none, those of its tables, or those of another moment.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Client } from 'pg';
import type { Database } from './database.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { openPostgres } from './postgres.ts';
import { openDatabase } from './sqlite.ts';
import { EXAMPLES, PLANS, READ_WHOLE } from './test-plans.ts';
import { createTestDatabase, onPostgres } from './test-database.ts';
import { childrenOf, fleetOf, readWhole, WITHOUT_CHILDREN } from './test-plan-tables.ts';
import { statementsOf, uncollected } from './test-statements.ts';

/** Devices. */
const FEW = 1000;
const MANY = 100_000;

// ---- SQLite ----------------------------------------------------------------------------------------------------------

/** Statistics as `ANALYZE` would store them: the number of rows, and how many share each further column's values. */
type Figures = (columns: number) => string;
const ZEROS: Figures = (columns) => Array.from({ length: columns + 1 }, () => 0).join(' ');
const HUGE: Figures = (columns) => Array.from({ length: columns + 1 }, () => 10_000_000).join(' ');

function seedStatistics(file: string, figures: Figures): void {
  const sqlite = new DatabaseSync(file);
  sqlite.exec('CREATE TABLE IF NOT EXISTS one (n); ANALYZE; DELETE FROM sqlite_stat1; DROP TABLE one');
  const insert = sqlite.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
  for (const { name, tbl_name: table } of sqlite
    .prepare("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
    .all())
    insert.run(
      table as string,
      name as string,
      figures(sqlite.prepare(`PRAGMA index_info(${String(name)})`).all().length),
    );
  sqlite.close();
}

/** What a plan reads, in its order: each table by its index, and whether the rows are sorted or grouped afterwards. */
function inShort(details: string[]): string {
  const made = details.flatMap((detail) => /^(?:CO-ROUTINE|MATERIALIZE) (.*)/.exec(detail)?.[1] ?? []);
  const steps = details.flatMap((detail) => {
    if (/^USE TEMP B-TREE FOR (?:LAST .*)?(?:ORDER BY|DISTINCT)/.test(detail)) return 'sorts';
    if (detail.startsWith('USE TEMP B-TREE FOR GROUP BY')) return 'groups';
    const [, how, table = '', by = ''] = /^(SEARCH|SCAN) (\S+)(.*)/.exec(detail) ?? [];
    if (how === undefined || by.includes('VIRTUAL TABLE') || made.includes(table) || table === 'CONSTANT') return [];
    if (table.startsWith('(')) return [];
    const index = by.includes('AUTOMATIC')
      ? 'automatic index'
      : (/INDEX (\w+)/.exec(by)?.[1] ??
        (by.includes('INTEGER PRIMARY KEY') ? 'rowid' : by.includes('KEY') ? 'key' : ''));
    return `${table} ${how === 'SCAN' ? `all ${index}`.trim() : index}`.trim();
  });
  return steps.join(', ');
}

type Explain = Pick<Database, 'all'>;
async function sqlitePlans(db: Explain): Promise<Record<string, string[]>> {
  const plans: Record<string, string[]> = {};
  for (const { sql, from } of await statementsOf(sqliteDialect, EXAMPLES)) {
    const details = await db
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .catch((cause: unknown) => assert.fail(`${from}: ${String(cause)}\n${sql}`));
    const plan = inShort(details.map(({ detail }) => detail));
    const known = (plans[from] ??= []);
    if (plan !== '' && !known.includes(plan)) known.push(plan);
  }
  return Object.fromEntries(Object.entries(plans).filter(([, each]) => each.length > 0));
}

/** Lines as they would stand in `PLANS`. */
const differing = (plans: Record<string, string[]>): string[] =>
  Object.keys({ ...PLANS, ...plans })
    .filter((from) => plans[from]?.join() !== PLANS[from]?.join())
    .map((from) => `'${from}': [${(plans[from] ?? []).map((plan) => `'${plan}'`).join(', ')}],`);

test('the statements of the store that join or sort are all collected', async () => {
  for (const dialect of [sqliteDialect, postgresDialect])
    assert.deepEqual(
      uncollected(await statementsOf(dialect, EXAMPLES)),
      [],
      'No call reaches these: add one to EXAMPLES in test-plans.ts',
    );
});

const toSqlite = onPostgres ? undefined : test;
void toSqlite?.('in SQLite, plans depend on no statistics that the file holds', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-plans-'));
  const file = path.join(folder, 'muster.db');
  t.after(() => rmSync(folder, { recursive: true }));
  const check = async (what: string) => {
    const db = openDatabase(file);
    try {
      const plans = [await sqlitePlans(db), await db.write(sqlitePlans)];
      for (const each of plans)
        assert.deepEqual(differing(each), [], `with ${what}; if it is right, it belongs into test-plans.ts`);
    } finally {
      await db.close();
    }
  };
  /** So that the test fails if statistics count: these would lead the planner to other plans. */
  const mislead = async () => {
    const sqlite = new DatabaseSync(file, { readOnly: true });
    const plans = await sqlitePlans({ all: async <T>(sql: string) => sqlite.prepare(sql).all() as T[] });
    sqlite.close();
    return differing(plans);
  };

  await t.test('none', () => check('no statistics'));
  for (const [what, figures] of [
    ['zeros', ZEROS],
    ['huge figures', HUGE],
  ] as const)
    await t.test(what, async () => {
      seedStatistics(file, figures);
      assert.ok((await mislead()).length > 20, `${what} mislead the planner`);
      await check(what);
    });
  await t.test('its own tables, before and after there are children', async () => {
    const analyze = (...statements: string[]) => {
      const sqlite = new DatabaseSync(file);
      for (const statement of statements) sqlite.exec(statement);
      sqlite.close();
    };
    analyze(...fleetOf(FEW, sqliteDialect), 'ANALYZE', ...childrenOf(FEW));
    await check('statistics from before the children');
    analyze('ANALYZE');
    await check('true statistics');
  });
});

// ---- PostgreSQL ------------------------------------------------------------------------------------------------------

const toPostgres = onPostgres ? test : undefined;
void toPostgres?.('in PostgreSQL, large tables are read by an index', async (t) => {
  const { url, drop } = await createTestDatabase();
  // Creates the tables.
  await (await openPostgres(url)).close();
  const client = new Client({ connectionString: url.href });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  const statements = await statementsOf(postgresDialect, EXAMPLES);
  const run = async (...each: string[]) => {
    for (const sql of each) await client.query(sql);
  };
  const check = async (what: string) => {
    const found: string[] = [];
    for (const { sql, from } of statements) {
      const whole = (await readWhole(client, sql)).filter((table) => !READ_WHOLE[from]?.includes(table));
      if (whole.length > 0) found.push(`${from} reads all of ${whole.join(', ')}`);
    }
    assert.deepEqual(found, [], `with ${what}`);
  };
  const tables = await client.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { tablename } of tables.rows) await run(`ALTER TABLE ${tablename} SET (autovacuum_enabled = off)`);
  // Triggers would only fill other tables.
  await run('SET session_replication_role = replica', ...fleetOf(MANY, postgresDialect), ...childrenOf(MANY));
  await t.test('without statistics', () => check('no statistics'));
  await run('ANALYZE');
  await t.test('with true statistics', () => check('true statistics'));
  await run(...WITHOUT_CHILDREN, 'ANALYZE', ...childrenOf(MANY));
  await t.test('with statistics from before there were children', () => check('statistics from before the children'));
});
