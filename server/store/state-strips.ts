// How much of each step of a span devices were Online: the strips beside the rows of the availability.
import { isOnline, type Span } from './state-history.ts';
import type { Reader } from './database.ts';
import { unknownIn } from './state-sums.ts';
import { changesOfDevices, type DeviceSums } from './state-totals.ts';

/** A step in which nothing is known. */
const UNKNOWN = -1;
const AT_ONCE = 500;

/** Time in each step: parts of steps in milliseconds, and how often a whole step begins or ends to count. */
interface StepTimes {
  parts: Float64Array;
  whole: Int32Array;
}

/** The steps of one row, which may have many devices. */
class Strip {
  readonly #span: Span;
  readonly #gaps: readonly Span[];
  readonly #step: number;
  readonly #steps: number;
  /** Of all devices: time that is known, and time Online. */
  readonly #known: StepTimes;
  readonly #online: StepTimes;

  constructor(span: Span, gaps: readonly Span[], steps: number) {
    this.#span = span;
    this.#gaps = gaps;
    this.#steps = steps;
    this.#step = (span.to - span.from) / steps;
    const none = (): StepTimes => ({ parts: new Float64Array(steps), whole: new Int32Array(steps + 1) });
    this.#known = none();
    this.#online = none();
  }

  addKnown(from: number): void {
    this.#add(this.#known, from, this.#span.to);
  }

  addOnline(from: number, to: number): void {
    this.#add(this.#online, from, to);
  }

  /** Whole steps are counted by their first and last one: a device is in the same state for many of them. */
  #add({ parts, whole }: StepTimes, from: number, to: number): void {
    const { from: start } = this.#span;
    const begin = Math.max(from, start);
    const end = Math.min(to, this.#span.to);
    if (begin >= end) return;
    const startOf = (step: number) => start + step * this.#step;
    const first = Math.floor((begin - start) / this.#step);
    const firstWhole = Math.ceil((begin - start) / this.#step);
    const last = Math.floor((end - start) / this.#step);
    if (first < firstWhole) parts[first]! += this.#lengthOf(begin, Math.min(end, startOf(firstWhole)));
    if (last < firstWhole) return;
    whole[firstWhole]!++;
    whole[last]!--;
    if (last < this.#steps && end > startOf(last)) parts[last]! += this.#lengthOf(startOf(last), end);
  }

  /** Without gaps. */
  #lengthOf(from: number, to: number): number {
    return to - from - unknownIn(this.#gaps, from, to);
  }

  /** In percent. Only a step without any other state is 100 or 0. */
  shares(): number[] {
    let [knownWhole, onlineWhole] = [0, 0];
    return Array.from({ length: this.#steps }, (_, step) => {
      const from = this.#span.from + step * this.#step;
      const length = this.#lengthOf(from, from + this.#step);
      knownWhole += this.#known.whole[step]!;
      onlineWhole += this.#online.whole[step]!;
      const known = this.#known.parts[step]! + knownWhole * length;
      if (known < 1) return UNKNOWN;
      const share = (this.#online.parts[step]! + onlineWhole * length) / known;
      if (share >= 1 - 1e-9) return 100;
      return share <= 1e-9 ? 0 : Math.min(99, Math.max(1, Math.round(100 * share)));
    });
  }
}

/**
 * The strip of each of these rows, which are the devices that count for it. Their sums say what each was at the beginning and
 * which never changed: only the changes of the others are read, some devices at a time. `otherWork` is called in between.
 */
export async function stateStrips(
  db: Reader,
  rows: readonly (readonly DeviceSums[])[],
  { span, gaps, steps }: { span: Span; gaps: readonly Span[]; steps: number },
  otherWork: () => Promise<unknown>,
): Promise<number[][]> {
  const strips = rows.map(() => new Strip(span, gaps, steps));
  const changing: { seq: number; begin: number; wasOnline: boolean; strip: Strip }[] = [];
  for (const [at, devices] of rows.entries())
    for (const { seq, wasOnline, online, offline, unknown, changes } of devices) {
      const strip = strips[at]!;
      // The sums start with the first connection.
      const begin = span.to - (online + offline + unknown);
      strip.addKnown(begin);
      if (changes > 0) changing.push({ seq, begin, wasOnline, strip });
      else if (online > 0) strip.addOnline(begin, span.to);
    }
  // Devices that follow each other in the index of changes are read together.
  changing.sort((one, two) => one.seq - two.seq);
  for (let first = 0; first < changing.length; first += AT_ONCE) {
    const some = changing.slice(first, first + AT_ONCE);
    const seqs = some.map(({ seq }) => seq);
    const changes = await changesOfDevices(db, seqs, span);
    let next = 0;
    for (const { seq, begin, wasOnline, strip } of some) {
      let since = wasOnline ? begin : undefined;
      for (let change = changes[next]; change?.device_seq === seq; change = changes[++next]) {
        const { at, cause } = change;
        if (since !== undefined && at > since) strip.addOnline(since, at);
        since = isOnline(cause) ? Math.max(at, begin) : undefined;
      }
      if (since !== undefined) strip.addOnline(since, span.to);
    }
    await otherWork();
  }
  return strips.map((strip) => strip.shares());
}
