// Copies the rows of all tables in portions, and then compares each row of both sides.
import { ConfigError } from '../config-error.ts';
import { nameOfRow, portionsOf, TABLES } from './tables.ts';
import type { Column, MovedTable, Row, TableReader, TableTarget, Value } from './tables.ts';

/** Receives lines for the operator. */
export type Report = (line: string) => void;

/** Rows with a text that the target can't store as it was. */
export interface ChangedRows {
  count: number;
  /** The first of them. */
  names: string[];
}

const REPORT_EVERY_MS = 5_000;
const MAX_NAMES = 20;

/** Reports how far it is, for a table that takes long. */
function openProgress(report: Report, doing: string, { name }: MovedTable, count: number) {
  let last = performance.now();
  return (done: number) => {
    if (performance.now() - last < REPORT_EVERY_MS) return;
    last = performance.now();
    report(`${doing} ${name}: ${done} of ${count} rows`);
  };
}

/** The columns in the source's order; both sides must have the same. */
async function columnsOf(from: TableReader, to: TableReader, table: MovedTable): Promise<Column[]> {
  const columns = await from.columns(table);
  const spelled = (side: Column[]) => JSON.stringify(side.map(({ name, type }) => `${name} ${type}`).sort());
  if (columns.length === 0 || spelled(columns) !== spelled(await to.columns(table)))
    throw new TypeError(`The table ${table.name} has not the same columns in ${from.address} and ${to.address}`);
  return columns;
}

/** The row as the target stores it, and the columns whose text it can't store as it is. */
function stored(row: Row, columns: Column[], to: TableTarget): { row: Row; changed: string[] } {
  const changed: string[] = [];
  const values = row.map((value, index) => {
    const column = columns[index];
    if (column?.type !== 'text' || !(value instanceof Uint8Array)) return value;
    const text = to.storable(value);
    if (text !== value) changed.push(column.name);
    return text;
  });
  return { row: values, changed };
}

/** Copies all rows. */
export async function copyTables(from: TableReader, to: TableTarget, report: Report): Promise<ChangedRows> {
  const changed: ChangedRows = { count: 0, names: [] };
  for (const table of TABLES) {
    const columns = await columnsOf(from, to, table);
    const count = await from.count(table);
    const progress = openProgress(report, 'Copying', table, count);
    let done = 0;
    for await (const rows of portionsOf(from, table, columns)) {
      const converted = rows.map((row) => stored(row, columns, to));
      for (const each of converted) {
        if (each.changed.length === 0) continue;
        changed.count += 1;
        if (changed.names.length < MAX_NAMES)
          changed.names.push(`${nameOfRow(table, columns, each.row)} (${each.changed.join(', ')})`);
      }
      await to.insert(
        table,
        columns,
        converted.map(({ row }) => row),
      );
      done += rows.length;
      progress(done);
    }
    await to.setLastNumber(table, await from.lastNumber(table));
    if (count > 0) report(`Copied ${table.name}: ${done} rows`);
  }
  return changed;
}

/** Compares every value of every row, in order, and the numbering; the error names the first difference. */
export async function compareTables(from: TableReader, to: TableTarget, report: Report): Promise<number> {
  let total = 0;
  for (const table of TABLES) {
    const columns = await columnsOf(from, to, table);
    const [expected, found] = [await from.count(table), await to.count(table)];
    if (expected !== found) throw mismatch(to, `the table ${table.name} has ${found} rows instead of ${expected}`);
    const progress = openProgress(report, 'Checking', table, expected);
    let done = 0;
    const arrived = portionsOf(to, table, columns);
    for await (const rows of portionsOf(from, table, columns)) {
      const copies = (await arrived.next()).value ?? [];
      for (const [index, row] of rows.entries()) {
        const copy = copies[index];
        const wanted = stored(row, columns, to).row;
        if (!copy) throw mismatch(to, `the row ${nameOfRow(table, columns, wanted)} is missing`);
        const differs = wanted.findIndex((value, at) => !isSame(value, copy[at] ?? null));
        if (differs !== -1)
          throw mismatch(to, `the row ${nameOfRow(table, columns, wanted)} differs in ${columns[differs]?.name}`);
      }
      done += rows.length;
      progress(done);
    }
    if (!(await arrived.next()).done) throw mismatch(to, `the table ${table.name} has too many rows`);
    if ((await from.lastNumber(table)) !== (await to.lastNumber(table)))
      throw mismatch(to, `the numbering of the table ${table.name} differs`);
    total += done;
  }
  return total;
}

const mismatch = ({ address }: TableReader, what: string) =>
  new ConfigError(`${address} is not as the source: ${what}. Run the move again.`);

/** Negative zero is zero: SQLite stores no other. */
function isSame(one: Value, other: Value): boolean {
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  return one === other;
}
