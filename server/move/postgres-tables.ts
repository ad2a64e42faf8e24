// The tables in PostgreSQL: read as of one moment, or written in one transaction, so that an interrupted move leaves
// nothing but its mark.
import type { Client } from 'pg';
import { ConfigError } from '../config-error.ts';
import { placeOf } from '../database-url.ts';
import { postgresDialect } from '../store/dialect.ts';
import { SCHEMA_VERSION } from '../store/upgrades.ts';
import { hasTable, migratePostgres, migrationsOf, requireFinishedDatabase } from '../store/postgres-migrate.ts';
import { UNFINISHED_TABLE } from '../store/unfinished-move.ts';
import { at, moveFault } from './move-fault.ts';
import { openMoveSession } from './postgres-session.ts';
import { numberOf, isPlainText, keyIndexes, quoted, TABLES } from './tables.ts';
import type { Column, ColumnType, Row, TableReader, TableSource, TableTarget, Value } from './tables.ts';

const TYPES: Record<string, ColumnType> = {
  bigint: 'integer',
  'double precision': 'real',
  text: 'text',
  bytea: 'blob',
};
const NAMES: Record<ColumnType, string> = { integer: 'bigint', real: 'double precision', text: 'text', blob: 'bytea' };

/** Opens the database of a stopped service. */
export async function openPostgresSource(url: URL): Promise<TableSource> {
  const client = await openMoveSession(url, 'DATABASE_URL');
  const address = placeOf(url);
  try {
    await requireFinishedDatabase(client, address);
    if (!(await hasTable(client, 'migrations'))) throw new ConfigError(`${address} holds no data of a Muster service.`);
    const step = await migrationsOf(client);
    if (step !== SCHEMA_VERSION)
      throw new ConfigError(
        `${address} is of another version of Muster (its step ${step}; this one knows ${SCHEMA_VERSION}): start and stop the service of this version with it once.`,
      );
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } catch (cause) {
    await client.end().catch(() => {});
    throw moveFault(cause, address);
  }
  return {
    ...readerOf(client, address),
    // The lock keeps all others from writing; it is gone only with the connection.
    requireUnchanged: async () => void (await at(address, () => client.query('SELECT 1'))),
    close: () => client.end().catch(() => {}),
  };
}

/** Opens a database that has nothing of Muster yet, or what an unfinished move left. */
export async function openPostgresTarget(url: URL): Promise<TableTarget> {
  const client = await openMoveSession(url, '--to');
  const address = placeOf(url);
  let unfinished: string | undefined;
  try {
    unfinished = await stateOf(client, address);
  } catch (cause) {
    await client.end().catch(() => {});
    throw moveFault(cause, address);
  }
  const run = (sql: string, values?: unknown[]) => at(address, () => client.query(sql, values));
  return {
    ...readerOf(client, address),
    unfinished,
    begin: async (artifacts) => {
      await run(`CREATE TABLE IF NOT EXISTS ${UNFINISHED_TABLE} (artifacts TEXT NOT NULL)`);
      await run(`WITH before AS (DELETE FROM ${UNFINISHED_TABLE}) INSERT INTO ${UNFINISHED_TABLE} VALUES ($1)`, [
        artifacts,
      ]);
    },
    createTables: async () => {
      await run('BEGIN');
      await run(`DROP TABLE ${UNFINISHED_TABLE}`);
      await at(address, () => migratePostgres(client, address));
      // They would log each row as a change.
      for (const { name } of TABLES) await run(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    },
    insert: async (table, columns, rows) => {
      const names = columns.map(({ name }) => quoted(name)).join(', ');
      const lists = columns.map(({ type }, index) => `$${index + 1}::${NAMES[type]}[]`).join(', ');
      await at(address, () =>
        client.query({
          name: `insert ${table.name}`,
          text: `INSERT INTO ${table.name} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${lists})`,
          values: columns.map((column, index) => rows.map((row) => parameter(column, row[index] ?? null))),
        }),
      );
    },
    setLastNumber: async (table, number) => {
      const column = numberOf(table);
      if (number > 0n && column !== undefined)
        await run('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [table.name, column, String(number)]);
    },
    storable: (text) =>
      isPlainText(text) ? text : Buffer.from(postgresDialect.storable(Buffer.from(text).toString())),
    complete: async () => {
      for (const { name } of TABLES) await run(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
      const { command } = await run('COMMIT').catch((cause: unknown) => {
        if (!(cause instanceof ConfigError)) throw cause;
        throw new ConfigError(
          `${cause.message} Whether it has all of the data is not known: if a service starts with it, it has; else run the move again.`,
        );
      });
      if (command !== 'COMMIT') throw new TypeError('PostgreSQL rolled back the transaction');
      // The first queries are planned better with it; the server does it later by itself.
      await client.query('ANALYZE').catch(() => {});
    },
    close: () => client.end().catch(() => {}),
  };
}

/** What an unfinished move left; undefined for a database without tables of Muster. */
async function stateOf(client: Client, address: string): Promise<string | undefined> {
  if (await hasTable(client, UNFINISHED_TABLE)) {
    const { rows } = await client.query<{ artifacts: string }>(`SELECT artifacts FROM ${UNFINISHED_TABLE}`);
    return rows[0]?.artifacts ?? '';
  }
  if ((await hasTable(client, 'migrations')) || (await hasTable(client, 'accounts')))
    throw new ConfigError(
      `${address} is not empty: it holds the tables of a Muster service, or of another program. Name an empty database with --to.`,
    );
  return undefined;
}

function parameter({ type }: Column, value: Value): unknown {
  if (value === null || type === 'blob') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return String(value);
}

function readerOf(client: Client, address: string): Omit<TableReader, 'close'> {
  const values = async (text: string, args: unknown[] = []): Promise<unknown[][]> =>
    (await client.query<unknown[]>({ text, values: args, rowMode: 'array' })).rows;

  return {
    address,
    columns: ({ name: table }) =>
      at(address, async () => {
        const rows = await values(
          `SELECT column_name::text, data_type::text FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
          [table],
        );
        return rows.map(([name, type]): Column => {
          const known = TYPES[String(type)];
          if (!known) throw new TypeError(`${table} has a column of the unknown type ${String(type)}`);
          return { name: String(name), type: known };
        });
      }),
    count: ({ name }) => at(address, async () => Number((await values(`SELECT count(*) FROM ${name}`))[0]?.[0])),
    rows: (table, columns, after, limit) =>
      at(address, async () => {
        const indexes = keyIndexes(table, columns);
        const key = table.key.map(quoted).join(', ');
        const keyColumns = indexes.flatMap((index) => columns[index] ?? []);
        const marks = keyColumns.map(({ type }, index) => `$${index + 1}::${NAMES[type]}`).join(', ');
        const found = await values(
          `SELECT ${columns.map(({ name }) => quoted(name)).join(', ')} FROM ${table.name}
           ${after ? `WHERE (${key}) > (${marks})` : ''} ORDER BY ${key} LIMIT ${limit}`,
          after ? keyColumns.map((column, n) => parameter(column, after[indexes[n] ?? 0] ?? null)) : [],
        );
        return found.map((row) => row.map((value) => (typeof value === 'string' ? Buffer.from(value) : value)) as Row);
      }),
    lastNumber: (table) =>
      at(address, async () => {
        const column = numberOf(table);
        if (column === undefined) return 0n;
        const [sequence] = await values('SELECT pg_get_serial_sequence($1, $2)', [table.name, column]);
        const [found] = await values(
          column === 'rowid'
            ? `SELECT coalesce(max(rowid), 0) FROM ${table.name}`
            : `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${String(sequence?.[0])}`,
        );
        return (found?.[0] as bigint | undefined) ?? 0n;
      }),
  };
}
