// PostgreSQL as the source of a backup, read in one snapshot, and as the target of a restore, filled in one
// transaction.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import { Client, types } from 'pg';
import type { CustomTypesConfig } from 'pg';
import { ConfigError } from '../config-error.ts';
import { placeOf } from '../database-url.ts';
import { versionFault } from '../store/database-version.ts';
import { postgresDialect } from '../store/dialect.ts';
import { NO_TIME_LIMIT } from '../store/postgres-connection.ts';
import { startFault } from '../store/postgres-fault.ts';
import {
  hasTable,
  migratePostgres,
  migrationsOf,
  requireFinishedDatabase,
  requireServer,
} from '../store/postgres-migrate.ts';
import { WRITE_LOCK } from '../store/postgres.ts';
import { UNFINISHED_FOLDER, UNFINISHED_TABLE, UNFINISHED_TABLES } from '../store/unfinished-restore.ts';
import { SCHEMA_VERSION, SERVICE_VERSIONS } from '../store/upgrades.ts';
import { at } from './fault.ts';
import { definitionsOf, emptyTables } from './source.ts';
import type { Source } from './source.ts';
import { quoted, sqliteCounter, sqliteRows, tablesOf } from './tables.ts';
import type { Cell, Row, Table } from './tables.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Long enough for the slowest statement, which checks the references of a whole table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** The sessions of a service that was just stopped take a moment to disappear. */
const PATIENCE_MS = { backup: 1_000, restore: 5_000 };
const BATCH_ROWS = 100;
const OWN_NAME = 'muster backup';
const SERVICE_NAMES = ['muster'];
const NAMES = { INTEGER: 'bigint', REAL: 'double precision', TEXT: 'text', BLOB: 'bytea' } as const;

const PARSERS: Record<number, (text: string) => unknown> = {
  // As in the service, true is 1.
  16: (text) => (text === 't' ? 1 : 0),
  20: BigInt,
};
const EXACT_TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => PARSERS[oid] ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
};

async function connect(url: URL): Promise<Client> {
  const client = new Client({
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: EXACT_TYPES,
    application_name: OWN_NAME,
  });
  // The next statement fails with the same error.
  client.on('error', () => {});
  try {
    await client.connect();
    await requireServer(client, placeOf(url));
    await client.query(NO_TIME_LIMIT);
    return client;
  } catch (cause) {
    await client.end().catch(() => {});
    throw startFault(cause, url);
  }
}

/** Whether these programs have sessions, apart from this one. */
async function isInUse(client: Client, programs: string[], patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await client.query<{ others: bigint }>(
      `SELECT count(*) AS others FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ANY ($1) AND pid <> pg_backend_pid()`,
      [programs],
    );
    if (rows[0]?.others === 0n) return false;
    if (performance.now() >= deadline) return true;
    await sleep(100);
  }
}

const takeLock = async (client: Client): Promise<boolean> =>
  (await client.query<{ taken: number }>('SELECT pg_try_advisory_lock($1) AS taken', [WRITE_LOCK])).rows[0]?.taken ===
  1;

export async function openPostgresSource(url: URL): Promise<Source> {
  const address = placeOf(url);
  const client = await connect(url);
  const now = await connect(url).catch(async (cause: unknown) => {
    await client.end().catch(() => {});
    throw cause;
  });
  const close = async () => {
    for (const each of [client, now]) await each.end().catch(() => {});
  };
  try {
    return await at(address, async () => {
      await requireFinishedDatabase(client, address);
      const step = (await hasTable(client, 'migrations')) ? await migrationsOf(client) : undefined;
      if (step === undefined) throw new ConfigError(`${address} holds no data of a Muster service.`);
      const fault = versionFault(step, SERVICE_VERSIONS);
      if (fault !== undefined) throw new ConfigError(`${address} ${fault}`);
      if (step !== SCHEMA_VERSION)
        throw new ConfigError(
          `${address} is of another version of Muster (its step ${step}; this one has ${SCHEMA_VERSION}): back it up with the version that it belongs to, or start the service of this version with it once.`,
        );
      const wasInUse = await isInUse(client, SERVICE_NAMES, PATIENCE_MS.backup);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // The first statement that reads takes the snapshot.
      await client.query('SELECT 1 FROM accounts');
      const Running = wasInUse || (await isInUse(now, SERVICE_NAMES, 0));
      const Time = new Date().toISOString();
      const empty = emptyTables();
      const facts = {
        Engine: 'PostgreSQL',
        Schema: SCHEMA_VERSION,
        Definitions: definitionsOf(empty),
        Time,
        Running,
      } as const;
      const tables = tablesOf(empty);
      empty.close();
      return {
        facts,
        tables,
        rows: (table) => rowsOf(client, table, address),
        counter: async ({ name, counter }) => {
          const sequence = await client.query<{ name: string }>('SELECT pg_get_serial_sequence($1, $2) AS name', [
            name,
            counter,
          ]);
          const last = await client.query<{ last: bigint }>(
            `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence.rows[0]?.name}`,
          );
          return String(last.rows[0]?.last);
        },
        hasArtifact: async (id) =>
          (await at(address, () => now.query('SELECT 1 FROM artifacts WHERE id = $1', [id]))).rows.length > 0,
        close,
      };
    });
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function* rowsOf(client: Client, { name, columns }: Table, address: string): AsyncGenerator<Row, void> {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  await at(address, () => client.query(`DECLARE backup NO SCROLL CURSOR FOR SELECT ${list} FROM ${name}`));
  for (;;) {
    const { rows } = await at(address, () =>
      client.query<Row>({ text: `FETCH ${BATCH_ROWS} FROM backup`, rowMode: 'array' }),
    );
    yield* rows;
    if (rows.length < BATCH_ROWS) break;
  }
  await at(address, () => client.query('CLOSE backup'));
}

/** Texts that PostgreSQL cannot store, with U+0000 or parts of characters. */
export interface RefusedTexts {
  count: number;
  /** The first ones, by table, row and column. */
  names: string[];
}

const MAX_NAMES = 20;

export interface PostgresTarget {
  /** Marks the database as unfinished. */
  begin(): Promise<void>;
  /** Copies all rows from a SQLite database of this version, and returns the texts that PostgreSQL cannot store. */
  load(sqlite: DatabaseSync, report: (table: string, rows: number) => void): Promise<RefusedTexts>;
  /** Commits everything at once. */
  complete(): Promise<void>;
  /** Removes the mark and all rows, after a failure. */
  undo(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a database that has no tables of Muster, or that an interrupted restore marked. No service can start until the
 * target is closed.
 */
export async function openPostgresTarget(url: URL): Promise<PostgresTarget> {
  const address = placeOf(url);
  const client = await connect(url);
  const run = (text: string, values?: unknown[]) => at(address, () => client.query(text, values));
  try {
    await at(address, async () => {
      // A service that starts waits for this lock, which all writers take.
      const isFree =
        !(await isInUse(client, [...SERVICE_NAMES, OWN_NAME], PATIENCE_MS.restore)) && (await takeLock(client));
      if (!isFree) throw new ConfigError(`A Muster service, or another restore, is using ${address}: stop it first.`);
      if ((await hasTable(client, 'migrations')) || (await hasTable(client, 'accounts')))
        throw new ConfigError(
          `${address} is not empty: it holds the tables of a Muster service, or of another program. Set DATABASE_URL to an empty database.`,
        );
    });
  } catch (cause) {
    await client.end().catch(() => {});
    throw cause;
  }
  return {
    begin: async () =>
      void (await run(`CREATE TABLE IF NOT EXISTS ${UNFINISHED_TABLE} (since TIMESTAMPTZ DEFAULT now())`)),
    load: (sqlite, report) => at(address, () => load(client, address, sqlite, report)),
    complete: async () => {
      const { command } = await run('COMMIT').catch((cause: unknown) => {
        if (!(cause instanceof ConfigError)) throw cause;
        throw new ConfigError(
          `${cause.message} Whether it has all of the data is not known. Run the restore again: if that says that ${address} is not empty, it has, and you can delete the folder ${UNFINISHED_FOLDER} in DATA_DIR.`,
        );
      });
      if (command !== 'COMMIT') throw new TypeError('PostgreSQL rolled back the transaction');
      // Gives the first queries better plans; the server would do this later by itself.
      await client.query('ANALYZE').catch(() => {});
    },
    undo: async () => {
      await client.query('ROLLBACK').catch(() => {});
      await client.query(`DROP TABLE IF EXISTS ${UNFINISHED_TABLE}`).catch(() => {});
    },
    close: () => client.end().catch(() => {}),
  };
}

async function load(
  client: Client,
  address: string,
  sqlite: DatabaseSync,
  report: (table: string, rows: number) => void,
): Promise<RefusedTexts> {
  const tables = tablesOf(sqlite);
  await client.query(`BEGIN; DROP TABLE IF EXISTS ${UNFINISHED_TABLES.join(', ')}`);
  await migratePostgres(client, address);
  // A row may refer to a later one, so references are checked after all rows are there.
  const references = await client.query<{ name: string; owner: string; definition: string }>(
    `SELECT quote_ident(conname) AS name, conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
  );
  for (const { owner, name } of references.rows) await client.query(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}`);
  // The triggers already ran when these rows were first written.
  for (const { name } of tables) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);

  const refused: RefusedTexts = { count: 0, names: [] };
  const storable = (table: Table, row: Row): Row =>
    row.map((cell, index) => {
      const column = table.columns[index];
      if (column?.type !== 'TEXT' || cell === null) return cell;
      const text = cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell);
      const stored = postgresDialect.storable(text.toWellFormed());
      if (stored === cell) return cell;
      refused.count += 1;
      if (refused.names.length < MAX_NAMES)
        refused.names.push(`${table.name} ${nameOfRow(table, row)}, ${column.name}`);
      return stored;
    });
  for (const table of tables) {
    let count = 0;
    let batch: Row[] = [];
    const send = async () => {
      await insert(client, table, batch);
      count += batch.length;
      report(table.name, count);
      batch = [];
    };
    for (const row of sqliteRows(sqlite, table)) {
      batch.push(storable(table, row));
      if (batch.length === BATCH_ROWS) await send();
    }
    if (batch.length > 0) await send();
    await setCounter(client, table, sqliteCounter(sqlite, table));
  }
  for (const { name } of tables) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  for (const { owner, name, definition } of references.rows)
    await client.query(`ALTER TABLE ${owner} ADD CONSTRAINT ${name} ${definition}`);
  return refused;
}

async function insert(client: Client, { name, columns }: Table, rows: Row[]): Promise<void> {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${NAMES[type]}[]`).join(', ');
  const parameter = (cell: Cell) => (cell === null || cell instanceof Uint8Array ? cell : String(cell));
  await client.query({
    name: `insert ${name}`,
    text: `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`,
    values: columns.map((_, index) => rows.map((row) => parameter(row[index] ?? null))),
  });
}

/** PostgreSQL also has a sequence for rows that have no number in SQLite. */
async function setCounter(client: Client, { name, columns, counter }: Table, last: string): Promise<void> {
  if (counter !== undefined && last !== '0')
    await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [name, counter, last]);
  else if (columns[0]?.name === 'rowid')
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, 'rowid'), max(rowid)) FROM ${name} HAVING max(rowid) IS NOT NULL`,
      [name],
    );
}

/**
 * Identifies a row by its id, or else by its first two columns. Bytes are not shown, because they may be hashes of
 * secrets.
 */
function nameOfRow({ columns }: Table, row: Row): string {
  const id = columns.findIndex(({ name }) => name === 'id');
  const shown = id === -1 ? row.slice(0, 2) : [row[id] ?? null];
  return shown.map((cell) => (cell instanceof Uint8Array ? '…' : String(cell))).join('/');
}
