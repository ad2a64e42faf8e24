// The tables of an embedded database: read without changing the file, or written to a new one. Texts are read and
// written as their bytes, because a text in JavaScript can't be everything that SQLite stores.
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ConfigError } from '../config-error.ts';
import { openDatabaseFile } from '../store/database-file.ts';
import { SERVICE_TABLES } from '../store/sqlite.ts';
import { at } from './move-fault.ts';
import type { FolderTarget } from './folder-target.ts';
import { numberOf, keyIndexes, quoted } from './tables.ts';
import type { Column, ColumnType, Row, TableReader, TableSource, TableTarget } from './tables.ts';

const TYPES: Record<string, ColumnType> = { INTEGER: 'integer', REAL: 'real', TEXT: 'text', BLOB: 'blob' };

/** Opens the database of a stopped service. Nothing is written, not even by SQLite. */
export function openSqliteSource(file: string): TableSource {
  const stamp = () =>
    ['', '-wal']
      .map((end) => statSync(`${file}${end}`, { throwIfNoEntry: false }))
      .map((found) => (found ? `${found.size} ${found.mtimeMs}` : ''))
      .join();
  const before = stamp();
  const sqlite = openDatabaseFile(file, SERVICE_TABLES, {
    readOnly: true,
    whyReadOnly: 'a move changes nothing there: start and stop the service of this version with it once',
  });
  return {
    ...readerOf(sqlite, file),
    requireUnchanged: async () => {
      if (stamp() !== before)
        throw new ConfigError(`${file} was changed during the move: end what uses it, then run the move again.`);
    },
    close: async () => sqlite.close(),
  };
}

/** A database in a new folder. */
export function openSqliteTarget(target: FolderTarget): TableTarget {
  const address = target.folder;
  let sqlite: DatabaseSync | undefined;
  let triggers: Record<string, unknown>[] = [];
  const open = () => {
    if (!sqlite) throw new TypeError('The tables were not created yet');
    return sqlite;
  };
  const reader = readerOf(open, address);
  const insertions = new Map<string, StatementSync>();
  return {
    ...reader,
    unfinished: target.unfinished,
    begin: (artifacts) => at(address, () => target.begin(artifacts)),
    createTables: () =>
      at(address, () => {
        sqlite = openDatabaseFile(target.path('muster.db'), SERVICE_TABLES);
        // Until it is complete, a crash begins it anew.
        sqlite.exec('PRAGMA synchronous = OFF');
        // They would log each row as a change.
        triggers = sqlite.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
        for (const { name } of triggers) sqlite.exec(`DROP TRIGGER ${String(name)}`);
      }),
    insert: (table, columns, rows) =>
      at(address, () => {
        let statement = insertions.get(table.name);
        if (!statement) {
          const names = columns.map(({ name }) => quoted(name)).join(', ');
          const values = columns.map(placeholder).join(', ');
          statement = open().prepare(`INSERT INTO ${table.name} (${names}) VALUES (${values})`);
          insertions.set(table.name, statement);
        }
        open().exec('BEGIN');
        for (const row of rows) statement.run(...row);
        open().exec('COMMIT');
      }),
    setLastNumber: (table, number) =>
      at(address, () => {
        if (number === 0n || numberOf(table) !== 'seq') return;
        const { changes } = open().prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(number, table.name);
        if (changes === 0)
          open().prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table.name, number);
      }),
    storable: (text) => text,
    complete: () =>
      at(address, async () => {
        for (const { sql } of triggers) open().exec(String(sql));
        open().close();
        sqlite = undefined;
        const handle = openSync(target.path('muster.db'), 'r+');
        try {
          fsyncSync(handle);
        } finally {
          closeSync(handle);
        }
        await target.complete();
      }),
    close: async () => {
      sqlite?.close();
      sqlite = undefined;
    },
  };
}

const placeholder = ({ type }: Column) => (type === 'text' ? 'CAST(? AS TEXT)' : '?');

function readerOf(connection: DatabaseSync | (() => DatabaseSync), address: string): Omit<TableReader, 'close'> {
  const sqlite = typeof connection === 'function' ? connection : () => connection;
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string) => {
    let known = statements.get(sql);
    if (!known) {
      known = sqlite().prepare(sql);
      known.setReadBigInts(true);
      known.setReturnArrays(true);
      statements.set(sql, known);
    }
    return known;
  };
  const values = (sql: string, ...args: Row) => statement(sql).all(...args) as unknown as Row[];
  const number = (sql: string, ...args: string[]) => {
    const [value] = (statement(sql).get(...args) ?? []) as unknown as (bigint | null)[];
    return value ?? 0n;
  };

  return {
    address,
    columns: ({ name: table, key }) =>
      at(address, () => {
        const rows = sqlite().prepare('SELECT name, type FROM pragma_table_info(?)').all(table);
        const columns = rows.map(({ name, type }): Column => {
          const known = TYPES[String(type)];
          if (!known) throw new TypeError(`${table} has a column of the unknown type ${String(type)}`);
          return { name: String(name), type: known };
        });
        return key[0] === 'rowid' ? [{ name: 'rowid', type: 'integer' }, ...columns] : columns;
      }),
    count: ({ name }) => at(address, () => Number(number(`SELECT count(*) FROM ${name}`))),
    rows: (table, columns, after, limit) =>
      at(address, () => {
        const names = columns.map(({ name, type }) =>
          type === 'text' ? `CAST(${quoted(name)} AS BLOB)` : quoted(name),
        );
        const indexes = keyIndexes(table, columns);
        const key = table.key.map(quoted).join(', ');
        const marks = indexes.map((index) => columns[index]).flatMap((column) => (column ? [placeholder(column)] : []));
        const where = after ? `WHERE (${key}) > (${marks.join(', ')})` : '';
        return values(
          `SELECT ${names.join(', ')} FROM ${table.name} ${where} ORDER BY ${key} LIMIT ${limit}`,
          ...(after ? indexes.map((index) => after[index] ?? null) : []),
        );
      }),
    lastNumber: (table) =>
      at(address, () => {
        const column = numberOf(table);
        if (column === 'seq') return number('SELECT seq FROM sqlite_sequence WHERE name = ?', table.name);
        return column === 'rowid' ? number(`SELECT max(rowid) FROM ${table.name}`) : 0n;
      }),
  };
}
