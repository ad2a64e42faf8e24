// Where the lines of a long text begin. Found once, and carried on when text arrives at the end, so that ten megabytes
// open at once and only the lines in view are ever cut out of the text.
import { firstIndex } from '#/lib/binary-search.ts';
import { codeAt, continues, lastOf, nextOf, sliceOf, logTextOf, type LogText } from './log-text.ts';
import { overwritten } from './overwritten.ts';

/** The rows of a text. A line is one row, or several where it is overlong or, raw, was rewritten with a carriage return. */
export interface LineIndex {
  readonly text: LogText;
  /** Rewritten lines are shown state by state, not as a terminal leaves them. */
  readonly raw: boolean;
  /** How many rows there are. */
  readonly rows: number;
  /** How many lines there are. */
  readonly lines: number;
  /** Offset of each row and of its end; longer than `rows`, so that it can grow without a copy. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Line number of each row; 0 where a row goes on with the line above. */
  readonly numbers: Uint32Array;
}

/** A longer line goes on in another row: no browser draws a line of a megabyte in good time. */
export const LONGEST_ROW = 2000;
/** How much of a line that was rewritten again and again can still be seen of its earlier states. */
const REWRITTEN = 4096;

/** A control sequence that has not ended. */
// oxlint-disable-next-line no-control-regex
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*)?$/;
const LONGEST_SEQUENCE = 32;

const CR = 13;
const LF = 10;

const grown = (array: Uint32Array): Uint32Array => {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
};

/** Finds the rows of a text. With an index of its beginning only the rest is looked at. */
export function indexLines(pieces: readonly string[], previous?: LineIndex, raw = false): LineIndex {
  const text = logTextOf(pieces);
  const known =
    previous?.raw === raw && previous.text.length > 0 && continues(text, previous.text) ? previous : undefined;
  let starts = known?.starts ?? new Uint32Array(Math.max(16, Math.ceil(text.length / 40)));
  let ends = known?.ends ?? new Uint32Array(starts.length);
  let numbers = known?.numbers ?? new Uint32Array(starts.length);
  let rows = known?.rows ?? 0;
  let lines = known?.lines ?? 0;
  let at = known?.text.length ?? 0;
  // The last line may have been cut in the middle: its rows are found again.
  if (known && codeAt(known.text, known.text.length - 1) !== LF) {
    while (rows > 0 && numbers[rows - 1] === 0) rows--;
    rows--;
    lines--;
    at = lastOf(text, '\n', 0, starts[rows] ?? 0) + 1;
  }
  const push = (start: number, end: number, number: number) => {
    if (rows === starts.length) {
      starts = grown(starts);
      ends = grown(ends);
      numbers = grown(numbers);
    }
    starts[rows] = start;
    ends[rows] = end;
    numbers[rows++] = number;
  };
  /** A stretch without a carriage return, broken where it is overlong. */
  const pushLong = (start: number, end: number, number: number) => {
    let from = start;
    while (end - from > LONGEST_ROW) {
      let to = from + LONGEST_ROW;
      // A pair of surrogates and a control sequence stay together.
      if ((codeAt(text, to) & 0xfc00) === 0xdc00) to--;
      const ending = sliceOf(text, Math.max(from + 1, to - LONGEST_SEQUENCE), to);
      const unfinished = UNFINISHED.exec(ending);
      if (unfinished) to -= ending.length - unfinished.index;
      push(from, to, from === start ? number : 0);
      from = to;
    }
    push(from, end, from === start ? number : 0);
  };
  const pushStates = (start: number, end: number, number: number) => {
    for (let from = start; from <= end;) {
      const to = Math.min(nextOf(text, '\r', from), end);
      const state = Math.min(to + 1, end);
      pushLong(from, state, from === start ? number : 0);
      if (state >= end) break;
      from = state;
    }
  };
  const pushRewritten = (start: number, end: number, number: number) => {
    const last = lastOf(text, '\r', start, end) + 1;
    if (end - last > LONGEST_ROW) return pushLong(last, end, number);
    push(end - start > REWRITTEN ? Math.min(nextOf(text, '\r', end - REWRITTEN) + 1, last) : start, end, number);
  };
  let carriageReturn = -1;
  while (at < text.length) {
    const newline = nextOf(text, '\n', at);
    lines++;
    if (carriageReturn < at) carriageReturn = nextOf(text, '\r', at);
    let end = newline;
    if (newline < text.length && end > at && codeAt(text, end - 1) === CR) end--;
    if (carriageReturn >= end) pushLong(at, end, lines);
    else if (raw) pushStates(at, end, lines);
    else pushRewritten(at, end, lines);
    at = newline + 1;
  }
  return { text, raw, rows, lines, starts, ends, numbers };
}

/** The text of one row, without its line end. */
export function rowText({ text, raw, starts, ends }: LineIndex, row: number): string {
  const whole = sliceOf(text, starts[row] ?? text.length, ends[row] ?? text.length);
  return raw || !whole.includes('\r') ? whole : overwritten(whole);
}

/** How many lines of a screen a row takes at a number of columns, by its length alone; 1 without wrapping (0 columns). */
export function screenLines({ starts, ends }: LineIndex, row: number, columns: number): number {
  if (columns === 0) return 1;
  return Math.max(1, Math.ceil(((ends[row] ?? 0) - (starts[row] ?? 0)) / columns));
}

/** The row that holds an offset of the text. */
export const rowAt = ({ rows, starts }: LineIndex, offset: number): number =>
  Math.max(0, firstIndex(rows, (row) => (starts[row] ?? 0) > offset) - 1);

/** The line that a row belongs to. */
export function lineOf({ numbers }: LineIndex, row: number): number {
  let first = row;
  while (first > 0 && numbers[first] === 0) first--;
  return numbers[first] ?? 0;
}

/** The first row of a line; undefined where there is no such line (yet). */
export function rowOfLine(index: LineIndex, line: number): number | undefined {
  if (line < 1 || line > index.lines) return undefined;
  return firstIndex(index.rows, (row) => lineOf(index, row) >= line);
}
