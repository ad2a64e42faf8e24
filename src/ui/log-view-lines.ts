// Where the lines of a long text begin. Found once, and carried on when text arrives at the end, so that ten megabytes
// open at once and only the lines in view are ever cut out of the text.

/** The rows of a text. A line is one row, or several where it is overlong or was rewritten with a carriage return. */
export interface LineIndex {
  readonly text: string;
  /** How many rows there are. */
  readonly rows: number;
  /** How many lines there are. */
  readonly lines: number;
  /** Offset of each row; longer than `rows`, so that it can grow in place. */
  readonly starts: Uint32Array;
  /** Line number of each row; 0 where a row goes on with the line above. */
  readonly numbers: Uint32Array;
}

/** A longer line goes on in another row: no browser draws a line of a megabyte in good time. */
export const LONGEST_ROW = 2000;

const grown = (array: Uint32Array): Uint32Array => {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
};

/** Finds the rows of a text. With an index of its beginning only the rest is looked at. */
export function indexLines(text: string, previous?: LineIndex): LineIndex {
  const known = previous && previous.text !== '' && text.startsWith(previous.text) ? previous : undefined;
  let starts = known?.starts ?? new Uint32Array(Math.max(16, Math.ceil(text.length / 40)));
  let numbers = known?.numbers ?? new Uint32Array(starts.length);
  let rows = known?.rows ?? 0;
  let lines = known?.lines ?? 0;
  let at = known?.text.length ?? 0;
  // The last line may have been cut in the middle: its rows are found again.
  if (known && !known.text.endsWith('\n')) {
    while (rows > 0 && numbers[rows - 1] === 0) rows--;
    rows--;
    lines--;
    at = starts[rows] ?? 0;
  }
  const push = (start: number, number: number) => {
    if (rows === starts.length) {
      starts = grown(starts);
      numbers = grown(numbers);
    }
    starts[rows] = start;
    numbers[rows++] = number;
  };
  let carriageReturn = -1;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    lines++;
    if (carriageReturn < at) {
      const next = text.indexOf('\r', at);
      carriageReturn = next === -1 ? Number.POSITIVE_INFINITY : next;
    }
    push(at, lines);
    let from = at;
    while (end - from > LONGEST_ROW || carriageReturn < end - 1) {
      const broken = carriageReturn < end - 1 && carriageReturn - from < LONGEST_ROW;
      from = broken ? carriageReturn + 1 : from + LONGEST_ROW;
      // A pair of surrogates stays together.
      if (!broken && (text.charCodeAt(from) & 0xfc00) === 0xdc00) from--;
      if (from >= end) break;
      push(from, 0);
      if (broken || carriageReturn < from) {
        const next = text.indexOf('\r', from);
        carriageReturn = next === -1 ? Number.POSITIVE_INFINITY : next;
      }
    }
    at = end + 1;
  }
  return { text, rows, lines, starts, numbers };
}

/** The text of one row, without its line end. */
export function rowText({ text, rows, starts }: LineIndex, row: number): string {
  const start = starts[row] ?? text.length;
  let end = row + 1 < rows ? (starts[row + 1] ?? text.length) : text.length;
  if (end > start && text[end - 1] === '\n') {
    end--;
    if (end > start && text[end - 1] === '\r') end--;
  }
  return text.slice(start, end);
}

/** How many lines of a screen a row takes at a number of columns, by its length alone; 1 without wrapping (0 columns). */
export function screenLines({ text, rows, starts }: LineIndex, row: number, columns: number): number {
  if (columns === 0) return 1;
  const end = row + 1 < rows ? (starts[row + 1] ?? text.length) - 1 : text.length;
  return Math.max(1, Math.ceil((end - (starts[row] ?? 0)) / columns));
}

/** The row that holds an offset of the text. */
export function rowAt({ rows, starts }: LineIndex, offset: number): number {
  let low = 0;
  let high = rows - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
