// The results of executed jobs by rules, so that a list can show them without reading the output of every device again.
// Only counts are stored, in this browser and for this account; each is valid for the rules it was found with.
import * as z from 'zod/mini';
import { VERDICTS, type Verdict } from '#/features/jobs/verdict.ts';
import type { Rule } from '#/features/jobs/rule.ts';
import { json, stored } from '#/lib/stored.ts';

const cachedVerdict = z.object({
  counts: z.partialRecord(z.enum(VERDICTS), z.int().check(z.positive())),
  /** Of a job to one device: what its verdict rests on. */
  because: z.optional(z.string()),
});
export type CachedVerdict = z.infer<typeof cachedVerdict>;

/** Of the latest jobs; a row is a hundred characters or so. */
const MOST = 1000;

type Row = [job: string, rules: string, cached: CachedVerdict];
const rows = json(z.array(z.tuple([z.string(), z.string(), cachedVerdict])));
const byJob = (all: readonly Row[]): ReadonlyMap<string, Row> => new Map(all.map((row) => [row[0], row]));

/** By job. */
export const verdictCache = stored('muster-verdicts', byJob([]), {
  read: (text) => byJob(rows.read(text)),
  print: (cache) => rows.print([...cache.values()]),
});

/** Short for a list of rules: with other rules it is another. */
function printOf(rules: readonly Rule[]): string {
  const text = JSON.stringify(rules);
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}

/** What `cache` knows of a job under these rules. */
export function cachedVerdictOf(
  cache: ReadonlyMap<string, Row>,
  job: string,
  rules: readonly Rule[],
): CachedVerdict | undefined {
  const row = cache.get(job);
  return row && row[1] === printOf(rules) ? row[2] : undefined;
}

const isSame = (one: CachedVerdict | undefined, two: CachedVerdict) =>
  one !== undefined &&
  one.because === two.because &&
  VERDICTS.every((verdict: Verdict) => one.counts[verdict] === two.counts[verdict]);

export function enter(job: string, rules: readonly Rule[], cached: CachedVerdict): void {
  const cache = verdictCache.get();
  if (isSame(cachedVerdictOf(cache, job, rules), cached)) return;
  const others = [...cache.values()].filter(([id]) => id !== job);
  verdictCache.set(byJob([...others, [job, printOf(rules), cached] satisfies Row].slice(-MOST)));
}
