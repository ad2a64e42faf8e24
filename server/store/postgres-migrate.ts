// Creates and upgrades the tables in PostgreSQL.
import type { ClientBase } from 'pg';
import { ConfigError } from '../config-error.ts';
import { versionFault } from './database-version.ts';
import { longStatement } from './postgres-connection.ts';
import { SCHEMA } from './schema.ts';
import { textOf } from './schema-text.ts';
import { unfinishedRestore, UNFINISHED_TABLES } from './unfinished-restore.ts';
import { SCHEMA_VERSION, SERVICE_VERSIONS, stopsNodes, upgradeFrom } from './upgrades.ts';

/** Earlier versions of PostgreSQL are no longer maintained. */
const OLDEST_SERVER = 140_000;

/** Refuses a server that is too old, and a database of another encoding. */
export async function requireServer(client: ClientBase, where: string): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  if (Number(rows[0]?.version) < OLDEST_SERVER)
    throw new ConfigError(`The server of ${where} is too old: Muster needs PostgreSQL 14 or newer.`);
  if (rows[0]?.encoding !== 'UTF8')
    throw new ConfigError(`${where} has the encoding ${rows[0]?.encoding}: create it with ENCODING 'UTF8'.`);
}

/** Whether the database has a table of this name. */
export const hasTable = async (client: ClientBase, table: string) =>
  (await client.query<{ yes: number }>('SELECT to_regclass($1) IS NOT NULL AS yes', [table])).rows[0]?.yes === 1;

/** Refuses a database whose restore did not finish. */
export async function requireFinishedDatabase(client: ClientBase, where: string): Promise<void> {
  for (const table of UNFINISHED_TABLES)
    if (await hasTable(client, table)) throw unfinishedRestore(where, `the table ${table}`);
}

/** Creates or upgrades the tables; the caller's transaction has the lock. `where` names the database for an error. */
export async function migratePostgres(client: ClientBase, where: string): Promise<void> {
  await requireFinishedDatabase(client, where);
  if (!(await hasTable(client, 'migrations'))) {
    if (await hasTable(client, 'accounts'))
      throw new ConfigError(`${where} holds tables of another program: give Muster a database of its own.`);
    await client.query(textOf(SCHEMA, 'postgres'));
    await client.query('CREATE TABLE migrations (step BIGINT PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())');
  } else {
    const at = await migrationsOf(client);
    const fault = versionFault(at, SERVICE_VERSIONS);
    if (fault !== undefined) throw new ConfigError(`${where} ${fault}`);
    if (at === SCHEMA_VERSION) return;
    if (stopsNodes(at)) await requireNoNodes(client, where);
    const names = await namesIn(client);
    await client.query(longStatement(upgradeFrom(at, (name) => names.has(name), 'postgres')));
  }
  await client.query('INSERT INTO migrations (step) VALUES ($1)', [SCHEMA_VERSION]);
}

/** Its tables, and each `table.column`. */
async function namesIn(client: ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  return new Set(rows.flatMap(({ table, column }) => [table, `${table}.${column}`]));
}

/** Nodes of an earlier version would keep using tables that no longer exist. */
async function requireNoNodes(client: ClientBase, where: string): Promise<void> {
  const { rows } = await client.query<{ url: string }>(
    'SELECT url FROM nodes WHERE expires > extract(epoch FROM clock_timestamp()) * 1000 ORDER BY url',
  );
  if (rows.length === 0) return;
  const urls = rows.map(({ url }) => url).join(', ');
  throw new ConfigError(
    `${where} has to be upgraded, and is in use by nodes of an earlier version (${urls}): stop all of them first. A node that was killed counts for some seconds more.`,
  );
}

/** The version of the tables. */
export async function migrationsOf(client: Pick<ClientBase, 'query'>): Promise<number> {
  const { rows } = await client.query<{ at: string }>('SELECT max(step) AS at FROM migrations');
  return Number(rows[0]?.at ?? 0);
}
