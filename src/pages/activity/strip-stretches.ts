// A strip as the service sends it, one percentage for each step, as stretches of time that have the same share.

export interface ShareStretch {
  from: number;
  to: number;
  /** How much is Online, from 0 to 1; undefined where it is not known. */
  share: number | undefined;
}

export function stripStretches(strip: readonly number[], { from, to }: { from: number; to: number }): ShareStretch[] {
  const step = (to - from) / strip.length;
  const stretches: ShareStretch[] = [];
  for (const [at, percent] of strip.entries()) {
    const share = percent < 0 ? undefined : percent / 100;
    const last = stretches.at(-1);
    const end = from + (at + 1) * step;
    if (last && last.share === share) last.to = end;
    else stretches.push({ from: from + at * step, to: end, share });
  }
  return stretches;
}
