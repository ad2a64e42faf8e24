// The lines of a log as a reader sees them: without colours, and of a line that was written over and over only the
// last.

/** Longer lines are cut: what matters of an error is at its beginning. */
const LONGEST = 400;

// eslint-disable-next-line no-control-regex -- escape sequences are what this is about (ECMA-48)
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;
// eslint-disable-next-line no-control-regex -- so are control characters; a tab is a blank
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A progress bar moves the cursor back to the beginning: what was written last is what is left to see. */
function lastWritten(line: string): string {
  const parts = line.split('\r');
  return parts.findLast((part) => part.trim() !== '') ?? '';
}

/** All lines, trailing blanks and empty lines at the end left out. */
export function plainLines(text: string): string[] {
  const lines = (text.includes('\u001B') ? text.replace(ESCAPES, '') : text).split('\n');
  for (const [index, line] of lines.entries()) {
    const seen = line.includes('\r') ? lastWritten(line) : line;
    lines[index] = (seen.length > LONGEST ? seen.slice(0, LONGEST) : seen).replace(CONTROLS, '').trimEnd();
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The last part of a long text, from the beginning of a line. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(-length);
  return tail.slice(tail.indexOf('\n') + 1);
}
