// How often what needs a long look is looked at: ten thousand devices take a while.

/** A look takes at most one part in so many of the time. */
const TIMES = 50;

export interface LookPace {
  /** Forgets all but these. */
  keep(seqs: readonly number[]): void;
  /** Undefined where the last look is too short a time ago. */
  look<Found>(seq: number, see: () => Promise<Found>): Promise<Found | undefined>;
}

export function openLookPace(): LookPace {
  const looks = new Map<number, { at: number; took: number }>();
  return {
    keep: (seqs) => {
      const kept = new Set(seqs);
      for (const seq of looks.keys()) if (!kept.has(seq)) looks.delete(seq);
    },
    look: async (seq, see) => {
      const began = performance.now();
      const before = looks.get(seq);
      if (before && began - before.at < before.took * TIMES) return undefined;
      const found = await see();
      looks.set(seq, { at: began, took: performance.now() - began });
      return found;
    },
  };
}
