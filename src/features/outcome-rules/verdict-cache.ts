// What became of executed jobs by rules, so that a list can say it without reading the output of every device again. Only
// counts are kept, in this browser and for this account; each holds for the rules it was found with.
import { useSyncExternalStore } from 'react';
import { useAccountKey } from '#/api/account-key.ts';
import { VERDICTS } from '#/features/jobs/verdict.ts';
import type { Verdict, VerdictCounts } from '#/features/jobs/verdict.ts';
import type { Rule } from '#/features/jobs/rule.ts';

export interface CachedVerdict {
  counts: VerdictCounts;
  /** Of a job to one device: what its verdict rests on. */
  because?: string | undefined;
}

/** Of the latest jobs; a row is a hundred characters or so. */
const MOST = 1000;

type Row = [job: string, rules: string, cached: CachedVerdict];

const caches = new Map<string, Map<string, Row>>();
const watchers = new Set<() => void>();
let version = 0;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function readRow(value: unknown): Row[] {
  if (!Array.isArray(value)) return [];
  const [job, rules, cached] = value as unknown[];
  if (typeof job !== 'string' || typeof rules !== 'string' || !isObject(cached) || !isObject(cached['counts']))
    return [];
  const counts: VerdictCounts = {};
  for (const [word, count] of Object.entries(cached['counts'])) {
    const verdict = VERDICTS.find((each) => each === word);
    if (verdict && typeof count === 'number' && Number.isInteger(count) && count > 0) counts[verdict] = count;
  }
  const { because } = cached;
  return [[job, rules, { counts, ...(typeof because === 'string' && { because }) }]];
}

function load(key: string): Map<string, Row> {
  let rows: unknown;
  try {
    rows = JSON.parse(localStorage.getItem(key) ?? '[]');
  } catch {
    // Left undefined: the cache begins anew.
  }
  return new Map((Array.isArray(rows) ? rows : []).flatMap(readRow).map((row) => [row[0], row]));
}

function cacheOf(key: string): Map<string, Row> {
  let cache = caches.get(key);
  if (!cache) caches.set(key, (cache = load(key)));
  return cache;
}

/** Short for a list of rules: with other rules it is another. */
function printOf(rules: readonly Rule[]): string {
  const text = JSON.stringify(rules);
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}

/** Under which key each account's cache is kept. */
export const useVerdictCacheKey = (): string => useAccountKey('muster-verdicts');

/** What is known of a job under these rules. */
export function cachedVerdictOf(key: string, job: string, rules: readonly Rule[]): CachedVerdict | undefined {
  const row = cacheOf(key).get(job);
  return row && row[1] === printOf(rules) ? row[2] : undefined;
}

const isSame = (one: CachedVerdict | undefined, two: CachedVerdict) =>
  one !== undefined &&
  one.because === two.because &&
  VERDICTS.every((verdict: Verdict) => one.counts[verdict] === two.counts[verdict]);

export function enter(key: string, job: string, rules: readonly Rule[], cached: CachedVerdict): void {
  if (isSame(cachedVerdictOf(key, job, rules), cached)) return;
  const cache = cacheOf(key);
  cache.delete(job);
  cache.set(job, [job, printOf(rules), cached]);
  for (const oldest of cache.keys()) {
    if (cache.size <= MOST) break;
    cache.delete(oldest);
  }
  try {
    localStorage.setItem(key, JSON.stringify([...cache.values()]));
  } catch {
    // It holds until the page is left, and can be found out again.
  }
  version++;
  for (const each of watchers) each();
}

/** Another tab wrote or cleared what is kept. */
function forget() {
  caches.clear();
  version++;
  for (const each of watchers) each();
}

function subscribe(watcher: () => void) {
  if (watchers.size === 0) window.addEventListener('storage', forget);
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) window.removeEventListener('storage', forget);
  };
}

/** Another number whenever something was entered. */
export const useVerdictCacheVersion = (): number => useSyncExternalStore(subscribe, () => version);
