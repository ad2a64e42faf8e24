// A verdict as shape and word. What it rests on, and what the service says where that is another thing, is in the tooltip.
import { StateMark } from '#/ui/state-mark.tsx';
import type { Judgement } from './verdict.ts';

/** "Told by rule “rolled back” at line 3. The service says Succeeded." */
const reasonOf = ({ verdict, because, raw }: Judgement): string =>
  `Told by ${because}.${verdict === raw ? '' : ` The service says ${raw}.`}`;

export function VerdictMark({ judgement }: { judgement: Judgement }) {
  return (
    <span title={reasonOf(judgement)}>
      <StateMark state={judgement.verdict} />
    </span>
  );
}
