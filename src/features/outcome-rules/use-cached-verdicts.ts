// The verdicts of jobs in a list, which has no output: from the cache, and where the cache has none the output is read
// in the background, one job at a time, while somebody looks.
import { useEffect, useMemo, useState } from 'react';
import { call } from '#/api/call.ts';
import { isMoving, isParent, jobState } from '#/api/job-state.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { byAttempt } from '#/features/jobs/attempts.ts';
import type { KnownVerdicts } from '#/features/jobs/lately.ts';
import { outcomeOf, stateOf } from '#/features/jobs/outcome.ts';
import type { Rule } from '#/features/jobs/rule.ts';
import { useRules } from './use-rules.ts';
import { judge, readVerdicts } from './use-verdicts.ts';
import { countVerdicts } from '#/features/jobs/verdict.ts';
import { waitFor } from '#/lib/pace.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { cachedVerdictOf, enter, verdictCache, type CachedVerdict } from './verdict-cache.ts';

/** Jobs that are looked into of one list, the first ones; a person opens the older ones. */
const MOST = 100;
/** Milliseconds between two jobs. */
const PAUSE = 200;

/** By the cache, else as the service counts and reports them. */
export interface CachedVerdicts extends KnownVerdicts {
  /** Undefined for a job without rules, one that still moves, and one whose output was not read yet. */
  of: (job: Job) => CachedVerdict | undefined;
  /** How many are still to be read. */
  unread: number;
}

/** Reads what a job printed on its device or devices, and enters what became of it. */
async function look(job: Job, rules: readonly Rule[], signal: AbortSignal): Promise<void> {
  const params = { job_id: job.JobId };
  const parent = isParent(job);
  const jobs = parent
    ? byAttempt(await call(jobEndpoints.children, { params }, { signal })).last
    : [await call(jobEndpoints.get, { params }, { signal })];
  await readVerdicts(jobs, rules, signal);
  if (signal.aborted || jobs.some(isMoving)) return;
  const judged = jobs.map((each) => judge(each, rules));
  const because = parent ? undefined : judged[0]?.because;
  enter(job.JobId, rules, { counts: countVerdicts(judged), because });
}

/** `jobs` must be the same array as long as nothing in it changes. */
export function useCachedVerdicts(jobs: readonly Job[]): CachedVerdicts {
  const cache = useStore(verdictCache);
  const rulesOf = useRules();
  // A job whose output could not be read is left alone until the page is entered again.
  const [failed, setFailed] = useState<ReadonlySet<string>>(new Set());

  const cached = useMemo(() => {
    const of = (job: Job) => {
      const rules = job.JobId && rulesOf(job)?.rules;
      return rules ? cachedVerdictOf(cache, job.JobId, rules) : undefined;
    };
    const isUnread = (job: Job) =>
      job.JobId !== '' &&
      !isMoving(job) &&
      jobState(job) !== 'Cancelled' &&
      rulesOf(job) !== undefined &&
      of(job) === undefined &&
      !failed.has(job.JobId);
    const unread = jobs.filter(isUnread).slice(0, MOST);
    return { of, unread };
  }, [cache, failed, jobs, rulesOf]);

  const [next] = cached.unread;
  const rules = next && rulesOf(next)?.rules;
  useEffect(() => {
    if (!next || !rules) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const work = async () => {
      await waitFor(PAUSE, signal);
      if (document.hidden) await seen(signal);
      if (!signal.aborted) await look(next, rules, signal);
    };
    // What was read is in the cache now; all else is left alone.
    const leave = () => !signal.aborted && setFailed((ids) => new Set([...ids, next.JobId]));
    work().then(leave, leave);
    return () => leaving.abort();
  }, [next, rules]);

  return useMemo(() => {
    const { of, unread } = cached;
    return {
      of,
      outcomeOf: (job) => (isParent(job) ? (of(job)?.counts ?? outcomeOf(job)) : undefined),
      stateOf: (job) => stateOf(job, of(job)?.counts),
      unread: unread.length,
    };
  }, [cached]);
}

/** Until the page is looked at again. */
const seen = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve());
  });
