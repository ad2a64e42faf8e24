// How long the rest of a job is going to take, by the pace of what runs now: shown only when enough devices have ended
// in the present run.
import type { Job } from '#/contract/jobs.ts';
import { isMoving, jobState } from '#/contract/job-state.ts';
import { durationOf, timesOf } from './job-times.ts';

/** Fewer than these that have ended allow no estimate of the rest. */
const ENOUGH = 5;
/** The latest that count: a job may become slower or faster on the way. */
const LATEST = 40;
const STEP = 200;
/** Milliseconds in which they must have ended: a burst does not show the pace. */
const LEAST_SPAN = 2_000;

/** Milliseconds without any end after which a job has stalled; an earlier pace is no promise. */
const pauseOf = (usual: number) => 2 * usual + 10_000;

interface Ended {
  at: number;
  length: number;
}

/** The latest that ended without a pause between them: before a retry, or before devices came back, it was another run. */
function presentRun(ended: Ended[], usual: number): Ended[] {
  const latest = ended.sort((one, two) => one.at - two.at).slice(-LATEST);
  const before = latest.findLastIndex(({ at }, index) => (latest[index + 1]?.at ?? at) - at > pauseOf(usual));
  return latest.slice(before + 1);
}

const median = (values: number[]) => values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0;

/**
 * Milliseconds until all that can go on now have ended; undefined where that is unknown, and where nothing runs. `away`:
 * how many of those that wait are for devices that are Offline, so that they are not counted.
 */
export function* timeLeft(children: readonly Job[], now: Date, away: number): Generator<void, number | undefined> {
  const ended: Ended[] = [];
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
      ended.push({ at: times.ended.getTime(), length });
    }
  }
  waiting = Math.max(0, waiting - away);
  if (running.length === 0 || ended.length < ENOUGH) return undefined;
  const usual = median(ended.map(({ length }) => length));
  if (waiting === 0) {
    // All that is left runs at once. Where one takes longer than usual, nothing is known any more.
    const rest = usual - Math.min(...running);
    return rest > 0 ? rest : undefined;
  }
  const latest = presentRun(ended, usual);
  const span = now.getTime() - (latest[0]?.at ?? 0);
  if (span < LEAST_SPAN || latest.length < ENOUGH) return undefined;
  const pace = span / latest.length;
  const silence = now.getTime() - (latest.at(-1)?.at ?? 0);
  if (silence > 5 * pace + pauseOf(usual)) return undefined;
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
