// The rows of "Add many" as users paste, drop or type them: unchecked text in seven columns.
import { formatCount } from '#/lib/format.ts';
import { MAX_NEW_DEVICES } from '#/contract/bulk.ts';
import { delimiterOf, plainCell, readCsv } from '#/contract/csv.ts';

export const COLUMNS = ['name', 'group', 'customer', 'site', 'lat', 'lng', 'tags'] as const;
export type ColumnName = (typeof COLUMNS)[number];
export type Cells = Record<ColumnName, string>;

/** An existing device, which its row changes. */
export interface ExistingDevice {
  id: string;
  /** The columns that the list contains; other values are not changed. */
  columns: ReadonlySet<ColumnName>;
}

/** Rows are immutable: an edit creates a new object with the same id. */
export interface DraftRow {
  id: number;
  cells: Cells;
  existing?: ExistingDevice;
}

/** As many as the service creates in one request; more rows need several lists. */
export const MOST_ROWS = MAX_NEW_DEVICES;

/** Names of the columns in files, in lower case without spaces. */
const HEADINGS: Record<ColumnName | 'id', string[]> = {
  id: ['id', 'deviceid'],
  name: ['name', 'device', 'devicename'],
  group: ['group', 'devicegroup'],
  customer: ['customer', 'customername'],
  site: ['site', 'customersite'],
  lat: ['lat', 'latitude'],
  lng: ['lng', 'lon', 'long', 'longitude'],
  tags: ['tags', 'tag'],
};

export class UnusableRows extends Error {
  override readonly name = 'UnusableRows';
}

const EMPTY: Cells = { name: '', group: '', customer: '', site: '', lat: '', lng: '', tags: '' };

let lastId = 0;
export const newRow = (cells: Partial<Cells> = {}): DraftRow => ({ id: ++lastId, cells: { ...EMPTY, ...cells } });

export const edited = (row: DraftRow, column: ColumnName, text: string): DraftRow => ({
  ...row,
  cells: { ...row.cells, [column]: text },
  ...(row.existing && { existing: { ...row.existing, columns: new Set([...row.existing.columns, column]) } }),
});

/** Joins the lines of a cell, because a form field shows only one. */
export const oneLine = (text: string): string => text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim();
const tidy = (text: string) => oneLine(plainCell(text));

type Heading = keyof typeof HEADINGS;

const headingOf = (text: string) =>
  (['id', ...COLUMNS] as const).find((column) =>
    HEADINGS[column].includes(text.replaceAll(/[\s_-]/g, '').toLowerCase()),
  );

/** Tags in a cell are separated by semicolons too, which must not be mistaken for column delimiters. */
function rowsOf(text: string) {
  const delimiter = delimiterOf(text);
  if (delimiter !== ';') return readCsv(text, delimiter);
  const byComma = readCsv(text, ',');
  return (byComma[0]?.cells.length ?? 0) > 3 ? byComma : readCsv(text, ';');
}

/** The column of each cell, from the first row if it is a header; otherwise in the default order. */
function columnsOf(first: string[]): { columns: (Heading | undefined)[]; isHead: boolean } {
  const named = first.map(headingOf);
  const known = named.filter((column) => column !== undefined).length;
  if ((named.includes('name') || named.includes('id')) && (known > 1 || first.length === 1))
    return {
      columns: named.map((column, index) => (named.indexOf(column) === index ? column : undefined)),
      isHead: true,
    };
  if (known > 1 && known === first.filter((text) => text.trim() !== '').length)
    throw new UnusableRows('The first row names columns, and none of them is "name". Each device needs a name.');
  return { columns: [...COLUMNS], isHead: false };
}

const quoted = (names: string[]) => names.map((name) => `"${name}"`).join(', ');

/**
 * Reads CSV, or the clipboard format of spreadsheets. Throws {@link UnusableRows}. `notes`: which parts of the text are
 * not used, in sentences.
 */
export function parseRows(text: string): { rows: DraftRow[]; notes: string[] } {
  const read = rowsOf(text);
  const [first] = read;
  if (!first) throw new UnusableRows('It has no rows.');
  const { columns, isHead } = columnsOf(first.cells);
  const body = isHead ? read.slice(1) : read;
  if (body.length === 0) throw new UnusableRows('It has a heading row and no devices.');
  if (body.length > MOST_ROWS)
    throw new UnusableRows(
      `There are ${formatCount(body.length)} rows in it. Up to ${formatCount(MOST_ROWS)} devices are added at a time: split the list.`,
    );

  const notes: string[] = [];
  const unused = isHead ? first.cells.filter((heading, index) => !columns[index] && heading.trim() !== '') : [];
  if (unused.length > 0)
    notes.push(`Not used: the column${unused.length > 1 ? 's' : ''} ${quoted(unused.map((name) => name.trim()))}.`);
  let beyond = 0;
  const named = new Set(columns.filter((column) => column !== undefined && column !== 'id'));
  const rows = body.map(({ cells }) => {
    const row = newRow();
    cells.forEach((cell, index) => {
      const column = columns[index];
      if (column === 'id') {
        const id = tidy(cell);
        if (id) row.existing = { id, columns: named };
      } else if (column) row.cells[column] = tidy(cell);
    });
    if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) beyond++;
    return row;
  });
  if (beyond > 0)
    notes.push(
      `${beyond === 1 ? 'One row has' : `${beyond} rows have`} cells beyond the last column; they are not used.`,
    );
  return { rows, notes };
}
