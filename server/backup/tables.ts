// The tables of the service as a backup reads and writes them. The list comes from the database itself, so that new
// tables are included automatically.
import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';

export type ColumnType = 'INTEGER' | 'REAL' | 'TEXT' | 'BLOB';

export interface Table {
  name: string;
  /**
   * Starts with `rowid` if the rows have no integer key. It is their order of insertion, which is a real column only in
   * PostgreSQL.
   */
  columns: { name: string; type: ColumnType }[];
  /** The column whose numbers are never reused, not even after a row was deleted. */
  counter: string | undefined;
}

/** A text that is not valid UTF-8, which SQLite accepts, is represented as bytes. */
export type Cell = bigint | number | string | Uint8Array | null;
/** In the order of the table's columns. */
export type Row = Cell[];

/**
 * Tables that are not backed up. Most concern only the processes that use the database; without `changes`, clients read
 * everything again. The keys of devices created by bulk actions are only for the caller who requested them. The bytes of
 * unfinished uploads are not in a backup.
 */
const LEFT_OUT = new Set(['changes', 'nodes', 'leases', 'bulk_keys', 'uploads', 'upload_pieces']);

export const quoted = (name: string): string => `"${name}"`;

export function tablesOf(sqlite: DatabaseSync): Table[] {
  const tables = sqlite.prepare(
    `SELECT t.name, t.wr, s.sql FROM pragma_table_list t JOIN sqlite_schema s ON s.type = 'table' AND s.name = t.name
     WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name`,
  );
  const columnsOf = sqlite.prepare('SELECT name, type, pk FROM pragma_table_info(?)');
  return tables.all().flatMap(({ name, wr, sql }): Table[] => {
    if (LEFT_OUT.has(String(name))) return [];
    const found = columnsOf.all(String(name));
    const columns = found.map((column) => ({ name: String(column['name']), type: column['type'] as ColumnType }));
    const key = found.filter(({ pk }) => pk !== 0);
    const isNumbered = wr === 1 || (key.length === 1 && key[0]?.['type'] === 'INTEGER');
    if (!isNumbered) columns.unshift({ name: 'rowid', type: 'INTEGER' });
    const counter = String(sql).includes('AUTOINCREMENT') ? String(key[0]?.['name']) : undefined;
    return [{ name: String(name), columns, counter }];
  });
}

/** Texts are read as bytes, because a string would end at U+0000. */
export function* sqliteRows(sqlite: DatabaseSync, { name, columns }: Table): Generator<Row, void> {
  const list = columns.map((column) =>
    column.type === 'TEXT' ? `CAST(${quoted(column.name)} AS BLOB)` : quoted(column.name),
  );
  const select = sqlite.prepare(`SELECT ${list.join(', ')} FROM ${quoted(name)}`);
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  for (const row of select.iterate() as Iterable<unknown> as Iterable<Row>)
    yield row.map((value, index) =>
      columns[index]?.type === 'TEXT' && value instanceof Uint8Array && isUtf8(value)
        ? Buffer.from(value.buffer, value.byteOffset, value.length).toString()
        : value,
    );
}

/** The highest number ever used in this table. */
export function sqliteCounter(sqlite: DatabaseSync, { name }: Table): string {
  const read = sqlite.prepare('SELECT CAST(seq AS TEXT) AS seq FROM sqlite_sequence WHERE name = ?');
  return String(read.get(name)?.['seq'] ?? '0');
}

/** JSON has no bytes, and JavaScript's numbers cannot represent all 64-bit integers. */
const toJson = (cell: Cell): unknown => {
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (cell instanceof Uint8Array) return { base64: Buffer.from(cell).toString('base64') };
  return cell;
};

export const printRow = (row: Row): string => JSON.stringify(row.map(toJson));

/** Throws on anything that `printRow` does not print. A large number remains a string, which SQLite converts. */
export function parseRow(line: string): Row {
  const row: unknown = JSON.parse(line);
  if (!Array.isArray(row)) throw new TypeError('A row is a list');
  return row.map((cell: unknown): Cell => {
    if (cell === null || typeof cell === 'number' || typeof cell === 'string') return cell;
    if (typeof cell === 'object' && 'base64' in cell) return Buffer.from(String(cell.base64), 'base64');
    throw new TypeError('A row holds what no column has');
  });
}
