// Why devices failed, in all waves of a rollout together.
import { useMemo, useState } from 'react';
import { isOver, type Rollout } from '#/contract/rollouts.ts';
import { FailureGroups } from '#/features/failure-groups/failure-groups.tsx';
import { RetryGroupButton } from '#/features/failure-groups/retry-group-button.tsx';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { ActionDialog } from './rollout-actions.tsx';
import { useRolloutFailures, type FailedInWaves } from './use-rollout-failures.ts';
import classes from './rollouts.module.css';

interface RolloutFailuresProps {
  rollout: Rollout;
  /** The id of the group that is open. */
  opened: string | undefined;
  onOpen: (id: string | undefined) => void;
}

export function RolloutFailures({ rollout, opened, onOpen }: RolloutFailuresProps) {
  const failures = useRolloutFailures(rollout.Waves);
  return (
    <FailureGroups
      failed={failures.failed}
      opened={opened}
      onToggle={({ id }, isOpen) => onOpen(isOpen ? undefined : id)}
      details={(group) => <Members rollout={rollout} group={group} failures={failures} />}
    />
  );
}

interface Member {
  key: string;
  id: string;
  name: string;
  wave: number;
}

const COLUMNS: Column<Member>[] = [
  {
    header: 'Device',
    cell: ({ id, name }) => (
      <Link to={paths.device(id)} className={rowName}>
        <MiddleEllipsis text={name || id} />
      </Link>
    ),
  },
  { header: 'Wave', width: '80px', align: 'end', phone: 'second', cell: ({ wave }) => formatCount(wave) },
  {
    header: 'Log',
    width: '90px',
    phone: 'second',
    cell: ({ key, name }) => (
      <Link to={paths.job(key)} aria-label={`Log of ${name}`}>
        Log
      </Link>
    ),
  },
];

interface MembersProps {
  rollout: Rollout;
  group: FailureGroup;
  failures: FailedInWaves;
}

function Members({ rollout, group, failures: { byKey } }: MembersProps) {
  // What was chosen stays, though the group may grow while the dialog is open.
  const [retried, setRetried] = useState<string[]>();
  const members = useMemo(
    () =>
      group.keys.flatMap((key): Member[] => {
        const found = byKey.get(key);
        if (!found) return [];
        const { DeviceId: id, DeviceName: name = '' } = found.job;
        return [{ key, id, name, wave: found.wave }];
      }),
    [group.keys, byKey],
  );
  return (
    <div className={classes.members}>
      <div role="group" aria-label="Actions for this group">
        <RetryGroupButton
          count={group.keys.length}
          fault={isOver(rollout.State) ? 'The rollout has ended: retry them on the page of their job' : undefined}
          onClick={() => setRetried(members.map(({ id }) => id))}
        />
      </div>
      <VirtualTable name="Devices of this group" bounded columns={COLUMNS} rows={members} rowKey={({ key }) => key} />
      {retried && (
        <ActionDialog rollout={rollout} action="retry" deviceIds={retried} onClose={() => setRetried(undefined)} />
      )}
    </div>
  );
}
