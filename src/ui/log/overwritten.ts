// What a terminal shows of a line that was rewritten: each carriage return goes back to its beginning, and what is
// written then covers the old letters one by one.

/** ECMA-48 control sequences, or one character. */
// oxlint-disable-next-line no-control-regex
const PART = /\u001b\[([0-?]*)[ -/]*([@-~])|[^]/gu;

interface Cell {
  text: string;
  /** The colour codes it was written with. */
  codes: string;
}

/** The last state of a line: its text with the colours it has there. Other control sequences are left out. */
export function overwritten(line: string): string {
  const cells: Cell[] = [];
  let codes = '';
  let column = 0;
  const blank = (from: number, to: number) => {
    for (let at = from; at < Math.min(to, cells.length); at++) cells[at] = { text: ' ', codes: '' };
  };
  for (const { 0: part, 1: values = '', 2: final } of line.matchAll(PART)) {
    if (part === '\r') column = 0;
    else if (final === 'm') codes = /^0*$/.test(values) ? '' : codes + part;
    else if (final === 'K') {
      // EL: 0 erases to the end, 1 from the beginning, 2 all.
      if (values === '' || values === '0') cells.length = Math.min(cells.length, column);
      else if (values === '1') blank(0, column + 1);
      else if (values === '2') blank(0, cells.length);
    } else if (final === undefined) {
      while (cells.length < column) cells.push({ text: ' ', codes: '' });
      cells[column++] = { text: part, codes };
    }
  }
  let shown = '';
  let now = '';
  for (const cell of cells) {
    if (cell.codes !== now) {
      shown += now === '' ? cell.codes : `\u001b[0m${cell.codes}`;
      now = cell.codes;
    }
    shown += cell.text;
  }
  return now === codes ? shown : `${shown}${now === '' ? '' : '\u001b[0m'}${codes}`;
}
