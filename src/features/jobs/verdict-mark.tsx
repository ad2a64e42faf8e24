// A verdict as shape and word. Its reason, and the service's state where that differs, are in the tooltip.
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Judgement } from './verdict.ts';

/** Which rule or output the verdict comes from, and the service's own state where that differs. */
export const reasonOf = ({ verdict, because, raw }: Pick<Judgement, 'verdict' | 'because' | 'raw'>): string =>
  `Decided by ${because}.${verdict === raw ? '' : ` The service reports ${raw}.`}`;

export function VerdictMark({ judgement }: { judgement: Judgement }) {
  return (
    <span title={reasonOf(judgement)}>
      <StateMark state={judgement.verdict} />
    </span>
  );
}
