// Estimates how long the rest of a job will take from its current pace, once enough devices have finished in the current
// run.
import type { Job } from '#/contract/jobs.ts';
import { isMoving, jobState } from '#/contract/job-state.ts';
import { durationOf, timesOf } from './job-times.ts';

/** Finished devices needed for an estimate. */
const ENOUGH = 5;
/** Only the latest finished devices count, because the pace of a job may change. */
const LATEST = 40;
const STEP = 200;
/** Milliseconds that these must span: a burst does not show the pace. */
const LEAST_SPAN = 2_000;

/** Milliseconds without a finished device after which a job has stalled, and its pace no longer counts. */
const pauseOf = (usual: number) => 2 * usual + 10_000;

interface Ended {
  at: number;
  length: number;
}

/** The latest finished devices without a pause between them: a retry or returning devices start a new run. */
function presentRun(ended: Ended[], usual: number): Ended[] {
  const latest = ended.sort((one, two) => one.at - two.at).slice(-LATEST);
  const before = latest.findLastIndex(({ at }, index) => (latest[index + 1]?.at ?? at) - at > pauseOf(usual));
  return latest.slice(before + 1);
}

const median = (values: number[]) => values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0;

/**
 * Milliseconds until all devices that can proceed have finished; undefined if unknown or if nothing runs. `away`: how
 * many waiting jobs are for Offline devices, which are not counted.
 */
export function* timeLeft(children: readonly Job[], now: Date, away: number): Generator<void, number | undefined> {
  const ended: Ended[] = [];
  const running: number[] = [];
  let waiting = 0;
  // Parsing ten thousand times is slow: it is done in steps, and not at all if nothing is left.
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
    // All remaining jobs are running. If one takes longer than usual, there is no estimate.
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
