// The lines of a log as a terminal shows them, without colours: of an overwritten line only the last text.

/** Longer lines are cut, because the important part of an error is its beginning. */
const LONGEST = 400;

// eslint-disable-next-line no-control-regex -- escape sequences are what this is about (ECMA-48)
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;
// eslint-disable-next-line no-control-regex -- so are control characters; a tab is a blank
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A progress bar returns the cursor to the start of the line, so that only the last text remains visible. */
function lastWritten(line: string): string {
  const parts = line.split('\r');
  return parts.findLast((part) => part.trim() !== '') ?? '';
}

/** All lines, without trailing spaces and without empty lines at the end. */
export function plainLines(text: string): string[] {
  const lines = (text.includes('\u001B') ? text.replace(ESCAPES, '') : text).split('\n');
  for (const [index, line] of lines.entries()) {
    const seen = line.includes('\r') ? lastWritten(line) : line;
    lines[index] = (seen.length > LONGEST ? seen.slice(0, LONGEST) : seen).replace(CONTROLS, '').trimEnd();
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The end of a long text, from the beginning of a line. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(-length);
  return tail.slice(tail.indexOf('\n') + 1);
}
