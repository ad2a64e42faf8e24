// How much of each step of a span devices were Online: the strips beside the rows of the availability.
import { isOnline, type Span } from './state-history.ts';
import type { Reader } from './database.ts';
import { unknownIn } from './state-sums.ts';
import { changesOfDevices, lastChanges, type DeviceSums } from './state-totals.ts';

/** A step in which nothing is known. */
const UNKNOWN = -1;
const AT_ONCE = 500;

/** The steps of one row, which may have many devices. */
class Strip {
  readonly #span: Span;
  readonly #gaps: readonly Span[];
  readonly #step: number;
  /** Milliseconds in each step, without gaps. */
  readonly #length: Float64Array;
  /** The same of all devices: time that is known, and time Online. */
  readonly #known: Float64Array;
  readonly #online: Float64Array;

  constructor(span: Span, gaps: readonly Span[], steps: number) {
    this.#span = span;
    this.#gaps = gaps;
    this.#step = (span.to - span.from) / steps;
    this.#length = Float64Array.from({ length: steps }, (_, step) => {
      const from = span.from + step * this.#step;
      return this.#step - unknownIn(gaps, from, from + this.#step);
    });
    this.#known = new Float64Array(steps);
    this.#online = new Float64Array(steps);
  }

  addKnown(from: number): void {
    this.#add(this.#known, from, this.#span.to);
  }

  addOnline(from: number, to: number): void {
    this.#add(this.#online, from, to);
  }

  #add(into: Float64Array, from: number, to: number): void {
    const { from: start } = this.#span;
    const begin = Math.max(from, start);
    const end = Math.min(to, this.#span.to);
    const last = Math.min(into.length - 1, Math.ceil((end - start) / this.#step) - 1);
    for (let step = Math.floor((begin - start) / this.#step); step <= last; step++) {
      const stepFrom = start + step * this.#step;
      const stepTo = stepFrom + this.#step;
      const isAll = begin <= stepFrom && end >= stepTo;
      const [a, b] = [Math.max(begin, stepFrom), Math.min(end, stepTo)];
      into[step]! += isAll ? this.#length[step]! : Math.max(0, b - a - unknownIn(this.#gaps, a, b));
    }
  }

  /** In percent. Only a step without any other state is 100 or 0. */
  shares(): number[] {
    return Array.from(this.#known, (known, step) => {
      if (known < 1) return UNKNOWN;
      const share = this.#online[step]! / known;
      if (share >= 1 - 1e-9) return 100;
      return share <= 1e-9 ? 0 : Math.min(99, Math.max(1, Math.round(100 * share)));
    });
  }
}

/**
 * The strip of each of these rows, which are the devices that count for it. Their sums tell which devices never changed:
 * only the changes of the others are read, some devices at a time. `otherWork` is called in between.
 */
export async function stateStrips(
  db: Reader,
  rows: readonly (readonly DeviceSums[])[],
  { span, gaps, steps }: { span: Span; gaps: readonly Span[]; steps: number },
  otherWork: () => Promise<unknown>,
): Promise<number[][]> {
  const strips = rows.map(() => new Strip(span, gaps, steps));
  const changing: { seq: number; begin: number; strip: Strip }[] = [];
  for (const [at, devices] of rows.entries())
    for (const { seq, online, offline, unknown, changes } of devices) {
      const strip = strips[at]!;
      // The sums start when the device was created.
      const begin = span.to - (online + offline + unknown);
      strip.addKnown(begin);
      if (changes > 0) changing.push({ seq, begin, strip });
      else if (online > 0) strip.addOnline(begin, span.to);
    }
  for (let first = 0; first < changing.length; first += AT_ONCE) {
    const some = changing.slice(first, first + AT_ONCE);
    const seqs = some.map(({ seq }) => seq);
    const before = await lastChanges(db, seqs, { at: span.from, device_seq: Number.MAX_SAFE_INTEGER });
    const wasOnline = new Set(before.flatMap(({ device_seq, cause }) => (isOnline(cause) ? [device_seq] : [])));
    const changes = Map.groupBy(await changesOfDevices(db, seqs, span), ({ device_seq }) => device_seq);
    for (const { seq, begin, strip } of some) {
      let since = wasOnline.has(seq) ? begin : undefined;
      for (const { at, cause } of changes.get(seq) ?? []) {
        if (since !== undefined && at > since) strip.addOnline(since, at);
        since = isOnline(cause) ? Math.max(at, begin) : undefined;
      }
      if (since !== undefined) strip.addOnline(since, span.to);
    }
    await otherWork();
  }
  return strips.map((strip) => strip.shares());
}
