// Compares the log of a failed device with a successful one, line by line; lines that differ only by numbers, times,
// paths and the device's own name count as equal.
import { keyOf, tokensOf } from './line-tokens.ts';
import { plainLines } from './plain-lines.ts';

export interface DeviceLog {
  stdout: string;
  stderr: string;
  names: string[];
}

export interface DiffRow {
  /** In both, only in the failed one, only in the healthy one; `gap`: common lines that are left out. */
  side: 'both' | 'failed' | 'healthy' | 'gap';
  text: string;
  error: boolean;
  /** Lines of a gap. */
  count: number;
}

export interface LogDiff {
  rows: DiffRow[];
  /** Lines at the beginning that both have. */
  sameUntil: number;
  /** So many differing lines that only the beginnings were compared. */
  coarse: boolean;
  /** Rows that are left out at the end. */
  more: number;
}

/** Lines of each log that are compared: the last ones, where it all ended. */
const MOST_LINES = 4_000;
/** Differing lines up to which every line is compared. */
const MOST_STEPS = 600;
const MOST_ROWS = 600;
/** Common lines that are shown around a difference. */
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
      .slice(-MOST_LINES)
      .map((line): Line => ({ text: line, error, key: `${error ? '!' : ' '}${keyOf(tokensOf(line, lower))}` }));
  return [...read(stdout, false), ...read(stderr, true)];
}

/** Which lines both have, by Myers' greedy search (1986); undefined where they differ in too many. */
function matches(one: Line[], two: Line[]): [number, number][] | undefined {
  const most = Math.min(MOST_STEPS, one.length + two.length);
  const offset = most + 1;
  const reach = new Int32Array(2 * offset + 1);
  const history: Int32Array[] = [];
  for (let steps = 0; steps <= most; steps++) {
    history.push(reach.slice());
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && (reach[offset + k - 1] ?? 0) < (reach[offset + k + 1] ?? 0));
      let x = down ? (reach[offset + k + 1] ?? 0) : (reach[offset + k - 1] ?? 0) + 1;
      while (x < one.length && x - k < two.length && one[x]?.key === two[x - k]?.key) x++;
      reach[offset + k] = x;
      if (x < one.length || x - k < two.length) continue;
      return walkBack(history, offset, one.length, two.length);
    }
  }
  return undefined;
}

function walkBack(history: Int32Array[], offset: number, length: number, otherLength: number): [number, number][] {
  const pairs: [number, number][] = [];
  let x = length;
  let y = otherLength;
  for (let steps = history.length - 1; steps >= 0; steps--) {
    const reach = history[steps];
    if (!reach) break;
    const k = x - y;
    const down = k === -steps || (k !== steps && (reach[offset + k - 1] ?? 0) < (reach[offset + k + 1] ?? 0));
    const before = down ? k + 1 : k - 1;
    const beforeX = steps === 0 ? 0 : (reach[offset + before] ?? 0);
    const beforeY = steps === 0 ? 0 : beforeX - before;
    while (x > beforeX && y > beforeY && x > 0 && y > 0) pairs.push([--x, --y]);
    x = beforeX;
    y = beforeY;
  }
  return pairs.toReversed();
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

/** Long stretches of common lines become one row that counts them. */
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

/** Which of some healthy logs has most lines in common with the one that failed. */
function nearest(failed: Line[], healthy: readonly Line[][]): number {
  const keys = new Set(failed.map(({ key }) => key));
  const scores = healthy.map((lines) => lines.filter(({ key }) => keys.has(key)).length / (lines.length + 10));
  return scores.indexOf(Math.max(...scores));
}

/** `candidates`: logs of devices that succeeded, at least one; `against` in the answer is the one that was taken. */
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
    rows: rows.slice(0, MOST_ROWS),
    sameUntil,
    coarse: pairs === undefined,
    more: Math.max(0, rows.length - MOST_ROWS),
    against,
  };
}
