// Results that take a while to compute, kept in memory. A small one is computed again when it is asked for; of a large one
// the older result is shown while the next is computed.
import { setImmediate as otherRequests } from 'node:timers/promises';

/** How long a result is fresh. For a large account, at least this many times as long as it took to compute. */
const FRESH_MS = 2_000;
const FRESH_TIMES = 20;
/** No older result is shown. */
const STALE_MS = 10 * 60_000;

interface Kept<Result> {
  result: Result | undefined;
  /** When it was computed, and how long that took. */
  at: number;
  took: number;
  computing: Promise<Result> | undefined;
}

interface Options {
  /** The least time for which a large result is fresh, and after which it is not shown any more. */
  freshMs?: number;
}

export class KeptResults<Result> {
  readonly #kept = new Map<string, Kept<Result>>();
  readonly #most: number;
  readonly #isLarge: (result: Result) => boolean;

  /** Keeps at most `most` results; those of large accounts take the most memory. */
  constructor(most: number, isLarge: (result: Result) => boolean) {
    this.#most = most;
    this.#isLarge = isLarge;
  }

  /** `compute` gets the result before, if that is still kept. */
  async of(
    key: string,
    compute: (before: Result | undefined) => Promise<Result>,
    { freshMs = FRESH_MS }: Options = {},
  ): Promise<Result> {
    const known = this.#kept.get(key) ?? { result: undefined, at: 0, took: 0, computing: undefined };
    // Moves it to the end, so that the least recently used result is evicted first.
    this.#kept.delete(key);
    this.#kept.set(key, known);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    const { result } = known;
    const age = performance.now() - known.at;
    const isSmall = result !== undefined && !this.#isLarge(result);
    if (result && age < (isSmall ? FRESH_MS : Math.max(freshMs, FRESH_TIMES * known.took))) return result;
    known.computing ??= refresh(known, compute);
    if (!result || isSmall || age > Math.max(STALE_MS, 2 * freshMs)) return known.computing;
    known.computing.catch(() => {}); // The next reader without a result sees the error.
    return result;
  }

  /** Waits until nothing is computed any more. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#kept.values()].flatMap(({ computing }) => computing ?? []));
  }
}

async function refresh<Result>(
  known: Kept<Result>,
  compute: (before: Result | undefined) => Promise<Result>,
): Promise<Result> {
  const began = performance.now();
  try {
    const result = await compute(known.result);
    const at = performance.now();
    Object.assign(known, { result, at, took: at - began });
    return result;
  } finally {
    known.computing = undefined;
  }
}

/** Lets other requests have their turn; throws once `isClosed` holds, so that closing waits for no long computation. */
export const turns = (isClosed: () => boolean, stop: () => Error) => async (): Promise<void> => {
  if (isClosed()) throw stop();
  await otherRequests();
};
