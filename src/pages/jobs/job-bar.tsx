// How many jobs are selected, and what can be done to all of them.
import { Button } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import { jobSelection } from './job-selection.ts';

interface JobBarProps {
  count: number;
  /** Those of them that have ended. */
  executed: number;
  /** Those that the filter hides. */
  hidden: number;
  /** Those that can be stopped; none where the service cannot stop jobs. */
  stoppable: number;
  onStop: () => void;
  onArchive: () => void;
}

export function JobBar({ count, executed, hidden, stoppable, onStop, onArchive }: JobBarProps) {
  const moving = count - executed;
  const reason = executed === 0 ? 'None of the selected jobs has ended' : undefined;
  return (
    <SelectionBar
      name="jobs"
      count={count}
      note={
        <>
          {moving > 0 && ` · ${formatCount(moving)} wait or run`}
          {hidden > 0 && ` · ${formatCount(hidden)} not in this list`}
        </>
      }
      onClear={jobSelection.clear}
    >
      {stoppable > 0 && (
        <Button size="xs" variant="default" onClick={onStop}>
          Stop {formatCount(stoppable)}…
        </Button>
      )}
      <Button size="xs" variant="default" disabled={executed === 0} title={reason} onClick={onArchive}>
        Archive and delete…
      </Button>
    </SelectionBar>
  );
}
