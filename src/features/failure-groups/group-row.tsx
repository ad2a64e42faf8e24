// A group of failures as an expandable row: how many devices, what they printed, how they ended.
import { IconChevronRight } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { GroupTitle } from './group-title.tsx';
import type { FailureGroup } from './shown-group.ts';
import classes from './failure-groups.module.css';

interface GroupRowProps {
  group: FailureGroup;
  /** Devices in all groups. */
  total: number;
  opened: boolean;
  onToggle: () => void;
}

export function GroupRow(props: GroupRowProps) {
  const { group, total, opened, onToggle } = props;
  const share = group.keys.length / Math.max(1, total);
  return (
    <button type="button" className={classes.row} aria-expanded={opened} onClick={onToggle}>
      <IconChevronRight size={16} stroke={1.8} aria-hidden className="turns dim" />
      <span className={classes.count}>
        {formatCount(group.keys.length)}
        <span className={classes.times}> ×</span>
      </span>
      <span className={classes.what}>
        <GroupTitle group={group} />
      </span>
      <span className={classes.meta}>
        {group.ended !== 'Failed' && <StateMark state={group.ended} />}
        {group.title.length > 0 && <ExitCodes group={group} />}
      </span>
      <span className={classes.share} title={`${Math.round(share * 100)} % of those that did not succeed`} aria-hidden>
        <span style={{ width: `${Math.max(2, share * 100)}%` }} data-state={group.ended} />
      </span>
    </button>
  );
}

const MAX_CODES = 3;

function ExitCodes({ group: { exitCodes } }: { group: FailureGroup }) {
  if (exitCodes.length === 0) return null;
  const shown = exitCodes.slice(0, MAX_CODES).map(({ code }) => code);
  return (
    <span
      className="dim tabular"
      title={exitCodes.map(({ code, count }) => `exit code ${code}: ${formatCount(count)}`).join('\n')}
    >
      exit {shown.join(', ')}
      {exitCodes.length > MAX_CODES && ' …'}
    </span>
  );
}
