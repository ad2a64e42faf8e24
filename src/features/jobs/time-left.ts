// How long the rest of a job is going to take, judged by the devices that have ended: shown only when enough of them
// have.
import type { Job } from '#/contract/jobs.ts';
import { isMoving, jobState } from '#/api/job-state.ts';
import { durationOf, timesOf } from './job-times.ts';

/** Fewer than these that have ended allow no estimate of the rest. */
const ENOUGH = 5;
/** The latest that count: a job may become slower or faster on the way. */
const LATEST = 40;
const STEP = 200;
/** Milliseconds in which they must have ended: a burst does not show the pace. */
const LEAST_SPAN = 2_000;

const median = (values: number[]) => values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0;

/**
 * Milliseconds until all that can go on now have ended; undefined where that is unknown. `away`: how many of those that
 * wait are for devices that are Offline, so that they are not counted.
 */
export function* timeLeft(children: readonly Job[], now: Date, away: number): Generator<void, number | undefined> {
  const ends: number[] = [];
  const lengths: number[] = [];
  const running: number[] = [];
  let waiting = 0;
  // Reading ten thousand times takes its time: it is done in steps, and not at all when nothing is left.
  if (!children.some(isMoving)) return undefined;
  for (const [index, child] of children.entries()) {
    if (index % STEP === STEP - 1) yield;
    const state = jobState(child);
    const times = timesOf(child);
    const length = durationOf(times, now);
    if (state === 'Waiting') waiting++;
    else if (state === 'Running') running.push(length ?? 0);
    else if (times.ended && length !== undefined) {
      ends.push(times.ended.getTime());
      lengths.push(length);
    }
  }
  waiting = Math.max(0, waiting - away);
  if (waiting + running.length === 0 || ends.length < ENOUGH) return undefined;
  const usual = median(lengths);
  if (waiting === 0) {
    // All that is left runs at once. Where one takes longer than usual, nothing is known any more.
    const rest = usual - Math.min(...running);
    return rest > 0 ? rest : undefined;
  }
  const latest = ends.sort((one, two) => one - two).slice(-LATEST);
  const span = now.getTime() - (latest[0] ?? 0);
  if (span < LEAST_SPAN) return undefined;
  const pace = span / latest.length;
  // Nothing has ended for much longer than it should take: it has stalled, and the earlier pace is no promise.
  const silence = now.getTime() - (latest.at(-1) ?? 0);
  if (silence > 5 * pace + 2 * usual + 10_000) return undefined;
  return pace * (waiting + running.length);
}

/** "less than a minute", "about 3 minutes", "about 2 hours". */
export function leftText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  if (minutes <= 1) return 'less than a minute';
  if (minutes < 90) return `about ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 36 ? `about ${hours} hours` : `about ${Math.round(hours / 24)} days`;
}
