// How often a page reads again where the service does not report what changes: what stays the same is read less and less
// often, so that all of a page on which nothing happens sends at most twelve requests a minute.

/** Milliseconds between two requests of a quiet page. */
const SHARE = 7_000;
/** After so many readings without anything new the pauses begin to grow. */
const STEADY = 3;

/** What was read, and when. */
export interface PacedReading {
  data: unknown;
  /** Milliseconds since the epoch. */
  at: number;
}

interface Paced extends PacedReading {
  /** Readings in a row that brought the same data. */
  same: number;
  requests: number;
  /** Milliseconds between two readings, at most. */
  longest: number;
}

export class QuietPace {
  /** What this page reads again and again. */
  private readonly known = new Map<object, Paced>();

  /** Milliseconds until the next reading of `what`; `usual` while something changes. `requests`: so many for a reading. */
  next(what: object, { data, at }: PacedReading, usual: number, requests = 1): number {
    const before = this.known.get(what);
    if (before?.at === at) return paceOf(before, usual);
    const same = before !== undefined && Object.is(before.data, data) ? before.same + 1 : 0;
    const paced = { data, at, same, requests, longest: 0 };
    this.known.set(what, paced);
    paced.longest = Math.max(usual, SHARE * this.requests(at));
    return paceOf(paced, usual);
  }

  /** For one reading of everything. What was not read for a while is on no page any more. */
  private requests(now: number): number {
    let sum = 0;
    for (const [what, { at, longest, requests }] of this.known)
      if (at + 2 * longest + SHARE < now) this.known.delete(what);
      else sum += requests;
    return sum;
  }
}

const paceOf = ({ same, longest }: Paced, usual: number): number =>
  same < STEADY ? usual : Math.max(usual, Math.min(longest, usual * 2 ** (same - STEADY + 1)));

/** The one of this page. */
export const quietPace = new QuietPace();
