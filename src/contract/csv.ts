// Writes CSV (RFC 4180) in which no spreadsheet sees a formula, and reads the dialects that common programs write.

/**
 * What spreadsheets take for the start of a formula (OWASP, "CSV Injection" and ASVS 1.2.10; East Asian versions accept the
 * full-width forms too). Preceding apostrophes are part of the match, so that the added one can be told from those that
 * were there. With a semicolon as list separator, spreadsheets ignore quotes inside our lines, and what follows a
 * semicolon or line break within a value becomes a cell of its own.
 */
const FORMULAS = /^'*(?=[=+\-@\t\r\n\0＝＋－＠])|(?<=[;\t\r\n])["']*(?=[=+\-@\0＝＋－＠])/g;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** The common case: a cell with no character that is special to a spreadsheet. */
const PLAIN = /^\w[\w.:+-]*$/;

function cell(value: string): string {
  if (PLAIN.test(value)) return value;
  // A negative number begins like a formula but is none.
  const safe = NUMBER.test(value) ? value : value.replace(FORMULAS, "'$&");
  return /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line, including the line break. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A file, with the byte order mark that makes spreadsheets read it as UTF-8. */
export const csvText = (rows: readonly (readonly string[])[]): string => `\uFEFF${rows.map(csvLine).join('')}`;

/** Undoes `cell` for formulas: removes only the apostrophes that it added. */
export const plainCell = (text: string): string => text.replace(FORMULAS, (quotes) => quotes.replace(/^'/, ''));

export interface CsvRow {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  cells: string[];
}

const DELIMITERS = [',', ';', '\t'] as const;

/** The line before the header in which spreadsheets look for the delimiter: `sep=;`. It may be padded like any other. */
const DECLARED = /^\uFEFF?"?sep=(\\t|[^\r\n"])\1*"?(?:\r\n|\r|\n|$)/i;

/** The delimiter of a file: the one that it declares, or else the most frequent one in its first line, outside quotes. */
export function delimiterOf(text: string): string {
  const declared = DECLARED.exec(text)?.[1];
  if (declared !== undefined) return declared.replace('\\t', '\t');
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
 * The rows of a file with quotes, any line end, a byte order mark, and commas, semicolons or tabs between cells, or what it
 * declares. Empty lines are skipped. It accepts anything: an unclosed quote takes the rest of the text.
 */
export function readCsv(given: string, delimiter?: string): CsvRow[] {
  const isDeclared = DECLARED.test(given);
  const text = given.replace(isDeclared ? DECLARED : /^\uFEFF/, '');
  const separator = isDeclared ? delimiterOf(given) : (delimiter ?? delimiterOf(text));
  const rows: CsvRow[] = [];
  let line = isDeclared ? 2 : 1;
  let row: CsvRow = { line, cells: [] };
  let at = 0;
  const endRow = () => {
    if (row.cells.some((value) => value.trim() !== '')) rows.push(row);
  };
  while (at < text.length) {
    let value = '';
    // Ignores spaces before an opening quote.
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
    while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++;
    row.cells.push(opening ? value + text.slice(start, at).trimEnd() : text.slice(start, at));
    if (opening) line += value.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (text[at] === separator) {
      at++;
      // A delimiter at the end of the text is followed by an empty cell.
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

// ---- Several values in one cell ------------------------------------------------------------------------------------------

/** What would end a value or be lost at its ends, and a backslash that would be taken for one of ours. */
const ESCAPED = /[;|]|^\s+|\s+$|[\r\n]|\\(?=[;|\\u\r\n]|\s*$)/g;
const escapedChar = (char: string) =>
  /\s/.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${char}`;

/** Values such as tags: `edge; north`. A semicolon in one is written as `\;`. */
export const listCell = (values: readonly string[]): string =>
  values.map((value) => value.replace(ESCAPED, (found) => found.replace(/[^]/g, escapedChar))).join('; ');

/** The values of a cell, each of them once. Lists that people write may have `|` between them. */
export function readListCell(text: string): string[] {
  const parts = text.match(/(?:\\[;|\\]|[^;|])+/g) ?? [];
  const values = parts.map((part) =>
    part
      .trim()
      .replace(/\\(?:u([\da-f]{4})|([;|\\]))/g, (_, code: string | undefined, char: string) =>
        code === undefined ? char : String.fromCharCode(Number.parseInt(code, 16)),
      ),
  );
  return [...new Set(values)].filter(Boolean);
}
