// A long log: the index of its lines, which must be complete before the first row is drawn, and the log view in a real
// browser.
import { indexLines, rowText } from '../../src/ui/log/lines.ts';
import { browserRows } from './log-browser.ts';
import { milliseconds, timeOf, type Section } from './section.ts';

/** Rows that fit on a screen. */
const VISIBLE = 60;
const CHUNK = 48 * 1024;

export const log: Section = async ({ logMegabytes }) => {
  const text = sampleLog(logMegabytes * 1_000_000);
  const index = indexLines([text]);
  const split = { what: "split('\\n')", figure: milliseconds(timeOf(() => text.split('\n'))) };
  const beginningText = text.slice(0, -CHUNK);
  const beginning = indexLines([beginningText]);
  const rowsAt = (from: number) => {
    let length = 0;
    for (let row = from; row < from + VISIBLE; row++) length += rowText(index, row).length;
    return length;
  };
  return {
    subject: `${logMegabytes} MB, ${index.rows.toLocaleString('en-US')} rows`,
    rows: [
      { what: 'index of all lines', figure: milliseconds(timeOf(() => indexLines([text]))), against: split },
      {
        what: 'carried on by the last 48 kB',
        figure: milliseconds(timeOf(() => indexLines([beginningText, text.slice(-CHUNK)], beginning))),
        against: split,
      },
      {
        what: `text of ${VISIBLE} rows in the middle`,
        figure: milliseconds(timeOf(() => rowsAt(index.rows >> 1), 50)),
        against: { what: 'a frame', figure: milliseconds(1000 / 60) },
      },
      ...(await browserRows(text)),
    ],
  };
};

/** Lines like those of an update: of many lengths, some coloured. */
function sampleLog(length: number): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < length; i++) {
    const colour = i % 7 === 0 ? '\u001b[32m' : '';
    const line = `${colour}[${i}] unpacking layer ${(i * 7919) % 997} ${'#'.repeat(i % 60)}${colour && '\u001b[0m'}\n`;
    size += line.length;
    lines.push(line);
  }
  return lines.join('');
}
