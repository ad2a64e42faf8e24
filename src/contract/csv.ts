// CSV as RFC 4180 has it, both ways: written so that no spreadsheet takes a name for a formula, read as people's
// programs save it.

/**
 * What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection" and ASVS 1.2.10; East Asian versions
 * also take the full-width forms); behind apostrophes, too, so that the one put before it can be distinguished from
 * those that were there. Where the list separator is a semicolon, quotes inside a line of ours mean nothing: what
 * follows a semicolon or a line end within a value is a cell of its own there.
 */
const FORMULAS = /^'*(?=[=+\-@\t\r\n\0＝＋－＠])|(?<=[;\t\r\n])["']*(?=[=+\-@\0＝＋－＠])/g;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Most cells: nothing in them means anything to a spreadsheet. */
const PLAIN = /^\w[\w.:+-]*$/;

function cell(value: string): string {
  if (PLAIN.test(value)) return value;
  // A negative number begins like a formula and is none.
  const safe = NUMBER.test(value) ? value : value.replace(FORMULAS, "'$&");
  return /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line, with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A whole file, with the mark that makes spreadsheets read it as UTF-8. */
export const csvText = (rows: readonly (readonly string[])[]): string => `\uFEFF${rows.map(csvLine).join('')}`;

/** A cell as it was before it was made safe: only the apostrophes that were put before formulas are taken off. */
export const plainCell = (text: string): string => text.replace(FORMULAS, (quotes) => quotes.replace(/^'/, ''));

export interface CsvRow {
  /** The line of the file that it begins on, from 1. */
  line: number;
  cells: string[];
}

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter of a file: the one that its first line holds most of, outside of quotes. */
export function delimiterOf(text: string): string {
  const counts = new Map<string, number>();
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) break;
    else if (!quoted) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  const countOf = (delimiter: string) => counts.get(delimiter) ?? 0;
  return DELIMITERS.reduce((most, other) => (countOf(other) > countOf(most) ? other : most));
}

/**
 * The rows of a file: quotes, any line end, a byte order mark, and a comma, semicolon or tab between cells. Empty lines
 * are left out. Nothing is refused: a quote that never ends takes the rest of the text.
 */
export function readCsv(given: string, delimiter?: string): CsvRow[] {
  const text = given.replace(/^\uFEFF/, '');
  const between = delimiter ?? delimiterOf(text);
  const rows: CsvRow[] = [];
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  let at = 0;
  const endRow = () => {
    if (row.cells.some((value) => value.trim() !== '')) rows.push(row);
  };
  while (at < text.length) {
    let value = '';
    // Blanks before an opening quote belong to nothing.
    const opening = /^ *"/.exec(text.slice(at, at + 64))?.[0];
    if (opening) {
      at += opening.length;
      for (;;) {
        const end = text.indexOf('"', at);
        value += text.slice(at, end < 0 ? text.length : end);
        at = end < 0 ? text.length : end + 1;
        if (text[at] !== '"' || end < 0) break;
        value += '"';
        at++;
      }
    }
    const start = at;
    while (at < text.length && text[at] !== between && text[at] !== '\n' && text[at] !== '\r') at++;
    row.cells.push(opening ? value + text.slice(start, at).trimEnd() : text.slice(start, at));
    if (opening) line += value.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (text[at] === between) {
      at++;
      // A delimiter at the very end leaves one more, empty cell.
      if (at === text.length) row.cells.push('');
      continue;
    }
    if (at < text.length) at += text.startsWith('\r\n', at) ? 2 : 1;
    endRow();
    row = { line: ++line, cells: [] };
  }
  if (row.cells.length > 0) endRow();
  return rows;
}
