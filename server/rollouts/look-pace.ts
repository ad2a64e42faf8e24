// Limits how often expensive checks run: checking ten thousand devices takes a while.

/** A check may take at most one part in this many of the time. */
const TIMES = 50;

export interface LookPace {
  /** Forgets all checks but these. */
  keep(seqs: readonly number[]): void;
  /** Runs a check; undefined if the last one was too recent. */
  look<Found>(seq: number, see: () => Promise<Found>): Promise<Found | undefined>;
}

export function openLookPace(steady = () => performance.now()): LookPace {
  const looks = new Map<number, { at: number; took: number }>();
  return {
    keep: (seqs) => {
      const kept = new Set(seqs);
      for (const seq of looks.keys()) if (!kept.has(seq)) looks.delete(seq);
    },
    look: async (seq, see) => {
      const began = steady();
      const before = looks.get(seq);
      if (before && began - before.at < before.took * TIMES) return undefined;
      const found = await see();
      looks.set(seq, { at: began, took: steady() - began });
      return found;
    },
  };
}
