// A verdict as shape and word. Its reason, and the service's state where that differs, are in the tooltip.
import { jobState } from '#/api/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { stateOf } from '#/features/jobs/outcome.ts';
import type { Judgement } from '#/features/jobs/verdict.ts';
import type { CachedVerdict } from './verdict-cache.ts';

/** Which rule or output the verdict comes from, and the service's own state where that differs. */
export const reasonOf = ({ verdict, because, raw }: Pick<Judgement, 'verdict' | 'because' | 'raw'>): string =>
  `Decided by ${because}.${verdict === raw ? '' : ` The service reports ${raw}.`}`;

export function VerdictMark({ judgement }: { judgement: Parameters<typeof reasonOf>[0] }) {
  return (
    <span title={reasonOf(judgement)}>
      <StateMark state={judgement.verdict} />
    </span>
  );
}

/** Of a job to one device in a list: by the cache, or else the service's word. */
export function CachedMark({ job, cached }: { job: Job; cached: CachedVerdict | undefined }) {
  const state = stateOf(job, cached?.counts);
  if (!cached) return <StateMark state={state} />;
  const { because = 'its rules' } = cached;
  return <VerdictMark judgement={{ verdict: state, because, raw: jobState(job) }} />;
}
