// The lines that a link points to, in the URL: `?line=120`, `?line=120-131`, or `?line=stderr.7` for a stream other than the
// first.
import { formatCount } from '#/lib/format.ts';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';

export const logUrl = urlSchema({ log: optional, line: optional });

export interface LineMark {
  stream: string;
  from: number;
  to: number;
}

const MARK = /^(?:([\w-]{1,40})\.)?(\d{1,9})(?:-(\d{1,9}))?$/;

/** The lines that the text names, if any. */
export function readMark(text: string | undefined, streams: readonly { name: string }[]): LineMark | undefined {
  const [, name, from, to] = MARK.exec(text ?? '') ?? [];
  const stream = name ?? streams[0]?.name;
  if (from === undefined || stream === undefined || !streams.some((each) => each.name === stream)) return undefined;
  const ends = [Number(from), Number(to ?? from)];
  const first = Math.min(...ends);
  return first === 0 ? undefined : { stream, from: first, to: Math.max(...ends) };
}

export function printMark({ stream, from, to }: LineMark, streams: readonly { name: string }[]): string {
  return `${stream === streams[0]?.name ? '' : `${stream}.`}${from}${to > from ? `-${to}` : ''}`;
}

/** The mark after a click on a line: Shift extends it to that line, and a second click removes it. */
export function markedBy(
  { stream, line, shift }: { stream: string; line: number; shift: boolean },
  mark: LineMark | undefined,
): LineMark | undefined {
  if (shift && mark?.stream === stream)
    return line < mark.from ? { stream, from: line, to: mark.to } : { stream, from: mark.from, to: line };
  const again = mark?.stream === stream && mark.from === line && mark.to === line;
  return again ? undefined : { stream, from: line, to: line };
}

/** "Line 120", "Lines 120 to 131". */
export const markText = ({ from, to }: LineMark): string =>
  to > from ? `Lines ${formatCount(from)} to ${formatCount(to)}` : `Line ${formatCount(from)}`;
