// A verdict as shape and word. The tooltip has its reason, and the service's state if that differs.
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Judgement } from './verdict.ts';

/** Which rule or output decided the verdict, and the service's own state if that differs. */
export const reasonOf = ({ verdict, because, raw }: Pick<Judgement, 'verdict' | 'because' | 'raw'>): string =>
  `Decided by ${because}.${verdict === raw ? '' : ` The service reports ${raw}.`}`;

export function VerdictMark({ judgement }: { judgement: Judgement }) {
  return (
    <span title={reasonOf(judgement)}>
      <StateMark state={judgement.verdict} />
    </span>
  );
}
