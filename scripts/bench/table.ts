// Prints figures as a table: one line each, columns aligned, the ratio last.
import type { Figure, Row } from './section.ts';

/** Three significant digits, but all of the whole part of a larger number. */
const number = (value: number): string =>
  value.toLocaleString('en-US', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });

const show = ({ value, unit }: Figure): string => `${number(value)} ${unit}`;

/** The rows as aligned text, with a heading. */
export function tableOf(rows: Row[]): string {
  const cells = [
    ['measured', 'figure', 'compared with', 'figure', 'ratio'],
    ...rows.map(({ what, figure, against }) => [
      what,
      show(figure),
      against?.what ?? '',
      against ? show(against.figure) : '',
      against ? number(figure.value / against.figure.value) : '',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
