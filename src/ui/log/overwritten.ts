// Control sequences, and what a terminal shows of a line with carriage returns: each returns to the beginning of the line,
// where new text covers the old one character by character.

/** ECMA-48 control sequences: colours (final byte m) and cursor movements. */
// oxlint-disable-next-line no-control-regex
export const SEQUENCE = /\u001b\[([0-?]*)[ -/]*([@-~])/g;

/** The text without any control sequence. */
export const withoutAnsi = (text: string): string => (text.includes('\u001b') ? text.replace(SEQUENCE, '') : text);

/** A control sequence, or one character. */
// oxlint-disable-next-line no-control-regex
const PART = /\u001b\[([0-?]*)[ -/]*([@-~])|[^]/gu;

interface Cell {
  text: string;
  /** The colour codes that were active when it was written. */
  codes: string;
}

/** Shown between two states. */
const RETURN = '\u240d';
/** How many covered states are shown at most. */
const MOST_SHOWN = 3;

/** The first word of a state, of two letters or more. States of a progress bar share it. */
const firstWord = (state: string): string => /\p{L}[\p{L}\p{M}]+/u.exec(state)?.[0].toLowerCase() ?? '';

/** The covered states that say something other than the last one, such as "ok" before "FAILED". */
function covered(line: string): string[] {
  const states = withoutAnsi(line)
    .split('\r')
    .map((state) => state.trim())
    .filter((state) => state !== '');
  const last = firstWord(states.pop() ?? '');
  const byWord = new Map<string, string>();
  for (const state of states) {
    const word = firstWord(state);
    if (word !== '' && word !== last) byWord.set(word, state);
  }
  return [...byWord.values()].slice(-MOST_SHOWN);
}

/**
 * The last state of a line, with its colours but no other control sequences. Covered states that begin with another word
 * come before it, so that nothing is hidden.
 */
export function overwritten(line: string): string {
  const shown = line.includes('\r') ? covered(line) : [];
  if (shown.length === 0) return lastState(line);
  return `${shown.join(RETURN)}${RETURN}${lastState(line.replaceAll('\r', '\r\u001b[K'))}`;
}

function lastState(line: string): string {
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
