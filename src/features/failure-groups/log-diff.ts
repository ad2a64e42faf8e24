// Compares the log of a failed device with a successful one, line by line; lines that differ only by numbers, times,
// paths and the device's own name count as equal.
import { diffArrays } from 'diff';
import { keyOf, tokensOf } from './line-tokens.ts';
import { plainLines } from './plain-lines.ts';

export interface DeviceLog {
  stdout: string;
  stderr: string;
  names: string[];
}

export interface DiffRow {
  /** In both logs, only in the failed one, or only in the healthy one; `gap`: omitted common lines. */
  side: 'both' | 'failed' | 'healthy' | 'gap';
  text: string;
  error: boolean;
  /** Number of lines in a gap. */
  count: number;
}

export interface LogDiff {
  rows: DiffRow[];
  /** Common lines at the beginning. */
  sameUntil: number;
  /** Whether the logs differ in too many lines, so that only the beginnings were compared. */
  coarse: boolean;
  /** Rows omitted at the end. */
  more: number;
}

/** Lines compared of each log, from the end. */
const MAX_LINES = 4_000;
/** Most differing lines for a full comparison. */
const MAX_STEPS = 600;
const MAX_ROWS = 600;
/** Common lines shown around a difference. */
const AROUND = 3;

interface Line {
  text: string;
  error: boolean;
  key: string;
}

function linesOf({ stdout, stderr, names }: DeviceLog): Line[] {
  const lower = names.map((name) => name.toLowerCase());
  const read = (text: string, error: boolean) =>
    plainLines(text)
      .slice(-MAX_LINES)
      .map((line): Line => ({ text: line, error, key: `${error ? '!' : ' '}${keyOf(tokensOf(line, lower))}` }));
  return [...read(stdout, false), ...read(stderr, true)];
}

/** The indexes of common lines; undefined if too many lines differ. */
function matches(one: Line[], two: Line[]): [number, number][] | undefined {
  const keys = (lines: Line[]) => lines.map(({ key }) => key);
  const changes = diffArrays(keys(one), keys(two), { maxEditLength: MAX_STEPS });
  if (!changes) return undefined;
  const pairs: [number, number][] = [];
  let x = 0;
  let y = 0;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let at = 0; at < count; at++) pairs.push([x + at, y + at]);
    if (!added) x += count;
    if (!removed) y += count;
  }
  return pairs;
}

const row = (side: DiffRow['side'], { text, error }: Line): DiffRow => ({ side, text, error, count: 1 });

function rowsOf(failed: Line[], healthy: Line[], pairs: [number, number][]): DiffRow[] {
  const rows: DiffRow[] = [];
  let x = 0;
  let y = 0;
  for (const [toX, toY] of [...pairs, [failed.length, healthy.length] as const]) {
    for (; x < toX; x++) rows.push(row('failed', failed[x]!));
    for (; y < toY; y++) rows.push(row('healthy', healthy[y]!));
    if (x < failed.length && y < healthy.length) rows.push(row('both', failed[x++]!));
    y++;
  }
  return rows;
}

/** Replaces long runs of common lines by one row with their count. */
function folded(rows: DiffRow[]): DiffRow[] {
  const shown: DiffRow[] = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (rows[end]?.side === 'both') end++;
    const before = at === 0 ? 0 : AROUND;
    const after = end === rows.length ? 0 : AROUND;
    const hidden = end - at - before - after;
    if (hidden > 1) {
      shown.push(...rows.slice(at, at + before), { side: 'gap', text: '', error: false, count: hidden });
      shown.push(...rows.slice(end - after, end));
    } else shown.push(...rows.slice(at, end));
    at = end;
    while (at < rows.length && rows[at]?.side !== 'both') shown.push(rows[at++]!);
  }
  return shown;
}

/** The healthy log with the most lines in common with the failed one. */
function nearest(failed: Line[], healthy: readonly Line[][]): number {
  const keys = new Set(failed.map(({ key }) => key));
  const scores = healthy.map((lines) => lines.filter(({ key }) => keys.has(key)).length / (lines.length + 10));
  return scores.indexOf(Math.max(...scores));
}

/** `candidates`: logs of devices that succeeded, at least one; `against`: the index of the one compared with. */
export function diffLogs(failedLog: DeviceLog, candidates: readonly DeviceLog[]): LogDiff & { against: number } {
  const failed = linesOf(failedLog);
  const read = candidates.map(linesOf);
  const against = nearest(failed, read);
  const healthy = read[against] ?? [];
  let sameUntil = 0;
  while (sameUntil < failed.length && failed[sameUntil]?.key === healthy[sameUntil]?.key) sameUntil++;
  const pairs = matches(failed, healthy);
  const rows = folded(
    rowsOf(failed, healthy, pairs ?? Array.from({ length: sameUntil }, (_, at): [number, number] => [at, at])),
  );
  return {
    rows: rows.slice(0, MAX_ROWS),
    sameUntil,
    coarse: pairs === undefined,
    more: Math.max(0, rows.length - MAX_ROWS),
    against,
  };
}
