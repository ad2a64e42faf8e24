// An index of the lines in a long text. It is extended when text arrives at the end, so that ten megabytes open at once and
// only the lines in view are ever sliced out of the text.
import { firstIndex } from '#/lib/binary-search.ts';
import { codeAt, continues, lastOf, nextOf, sliceOf, logTextOf, type LogText } from './log-text.ts';
import { overwritten } from './overwritten.ts';

/** The rows of a text. A line has several rows if it is very long, or if it is raw and has carriage returns. */
export interface LineIndex {
  readonly text: LogText;
  /** Shows every state of a line with carriage returns, not just the last one as a terminal does. */
  readonly raw: boolean;
  readonly rows: number;
  readonly lines: number;
  /** The offsets of each row and its end. These arrays are longer than `rows`, so that they can grow without a copy. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The line number of each row; 0 if the row continues the line above. */
  readonly numbers: Uint32Array;
}

/** Longer lines continue in another row, because browsers are slow to draw a line of a megabyte. */
export const LONGEST_ROW = 2000;
/** How much of a line with many carriage returns is kept for its earlier states. */
const REWRITTEN = 4096;

/** An incomplete control sequence. */
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

/** Indexes a text. Given the index of its beginning, it reads only the rest. */
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
  // The last line may have been incomplete, so it is indexed again.
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
  /** Adds a text without carriage returns, broken into rows if it is very long. */
  const pushLong = (start: number, end: number, number: number) => {
    let from = start;
    while (end - from > LONGEST_ROW) {
      let to = from + LONGEST_ROW;
      // Splits neither a surrogate pair nor a control sequence.
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
  const received = sliceOf(text, starts[row] ?? text.length, ends[row] ?? text.length);
  return raw || !received.includes('\r') ? received : overwritten(received);
}

/** How many screen lines a row takes at a number of columns, by its length; without wrapping (0 columns), 1. */
export function screenLines({ starts, ends }: LineIndex, row: number, columns: number): number {
  if (columns === 0) return 1;
  return Math.max(1, Math.ceil(((ends[row] ?? 0) - (starts[row] ?? 0)) / columns));
}

/** The row at an offset of the text. */
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
