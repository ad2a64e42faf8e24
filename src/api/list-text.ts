// Parses a long list response in short tasks: parsing and validating 100,000 locations at once would block the page for
// 100 ms or more.
import { rowsOf } from '#/contract/endpoint.ts';
import { unreadableRows } from '#/contract/unreadable-rows.ts';
import { unexpectedError } from './api-error.ts';
import { runChunked } from '#/lib/pace.ts';

/** Rows parsed and validated per step. */
const PIECE = 250;
const [QUOTE, COMMA, OPEN, CLOSE, BEGIN, END] = Array.from('",[]{}', (sign) => sign.charCodeAt(0));

/** The index of the string's closing quote; the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** The start of the first array, or of the named one: the text itself, or a value of its top-level object. */
function startOfList(text: string, name: string | undefined): number {
  let depth = 0;
  let last = '';
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === QUOTE) {
      const start = i;
      i = endOfString(text, start);
      if (depth === 1) last = text.slice(start + 1, i);
    } else if (sign === OPEN && depth <= 1 && (name === undefined || last === name)) return i;
    else if (sign === BEGIN || sign === OPEN) depth++;
    else if (sign === END || sign === CLOSE) depth--;
  }
  return -1;
}

/** Splits a list into JSON texts of `most` rows each; returns the rest of the response without them. */
export function* cutList(text: string, most: number, name?: string): Generator<string, string> {
  const start = startOfList(text, name);
  if (start < 0) return text;
  let depth = 0;
  let count = 0;
  let from = start + 1;
  for (let i = from; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === QUOTE) i = endOfString(text, i);
    else if (sign === BEGIN || sign === OPEN) depth++;
    else if (depth > 0 && (sign === END || sign === CLOSE)) depth--;
    else if (depth === 0 && sign === CLOSE) {
      const rest = text.slice(from, i);
      if (count > 0 || rest.trim() !== '') yield `[${rest}]`;
      return `${text.slice(0, start)}[]${text.slice(i + 1)}`;
    } else if (depth === 0 && sign === END) break;
    else if (depth === 0 && sign === COMMA && ++count % most === 0) {
      yield `[${text.slice(from, i)}]`;
      from = i + 1;
    }
  }
  // Truncated: parsing it will fail.
  return text;
}

/** The schema interface, independent of the library. */
interface Reader<Row> {
  safeParse: (value: unknown) => { success: true; data: Row[] } | { success: false };
}

interface Framed<Frame> {
  name?: string;
  isFrame: (value: unknown) => value is Frame;
}

/** The rule for every list (`rowsOf`), with its only array emptied. */
const ANY: Framed<unknown> = { isFrame: (value): value is unknown => rowsOf(value)?.length === 0 };

/**
 * The rows of a list response, and the rest of the response as its frame; throws an ApiError if it is not a list of such
 * rows. Bad rows are left out, and `unreadable` counts them. `framed`: the name of the list in a response with further
 * fields, and the check for these.
 */
export async function readList<Row, Frame = unknown>(
  { status, text }: { status: number; text: string },
  reader: Reader<Row>,
  framed?: Framed<Frame>,
): Promise<ListRead<Row, Frame>> {
  try {
    return await runChunked(readSteps(text, reader, framed ?? (ANY as Framed<Frame>)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotTheList) throw unexpectedError(status, text);
    throw error;
  }
}

interface ListRead<Row, Frame> {
  rows: Row[];
  frame: Frame;
  unreadable: number;
}

class NotTheList extends Error {}

function* readSteps<Row, Frame>(
  text: string,
  reader: Reader<Row>,
  { name, isFrame }: Framed<Frame>,
): Generator<void, ListRead<Row, Frame>> {
  const rows: Row[] = [];
  let unreadable = 0;
  const pieces = cutList(text, PIECE, name);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) {
      const frame: unknown = value.trim() === '' ? null : JSON.parse(value);
      if (!isFrame(frame) || (rows.length === 0 && unreadable > 0)) throw new NotTheList();
      return { rows, frame, unreadable };
    }
    const piece: unknown = JSON.parse(value);
    const read = reader.safeParse(piece);
    if (read.success) {
      for (const row of read.data) rows.push(row);
      unreadable += unreadableRows(read.data);
    } else unreadable += Array.isArray(piece) ? piece.length : 1;
    yield;
  }
}
