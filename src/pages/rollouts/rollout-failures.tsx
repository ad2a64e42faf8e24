// Why devices failed, across all waves of a rollout.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { isOver, rolloutEndpoints, type Rollout, type RolloutWave } from '#/contract/rollouts.ts';
import { ChildOutputs } from '#/api/child-outputs.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { jobQueries } from '#/api/jobs.ts';
import { isLean } from '#/api/lean-rows.ts';
import type { FailedJob } from '#/features/failure-groups/failure-client.ts';
import { FailureGroups } from '#/features/failure-groups/failure-groups.tsx';
import { RetryGroupButton } from '#/features/failure-groups/retry-group-button.tsx';
import { SelectGroupButton } from '#/features/failure-groups/select-group-button.tsx';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { FAILURES, verdictOf } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { ActionDialog } from './rollout-actions.tsx';
import { failuresIn } from './rollout-words.ts';
import classes from './rollouts.module.css';
import { useMay } from '#/api/people.ts';

interface RolloutFailuresProps {
  rollout: Rollout;
  /** The id of the open group. */
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
  // The devices at the time of the click: the group may grow while the dialog is open.
  const [retried, setRetried] = useState<string[]>();
  const noRetry = useMay(rolloutEndpoints.retry, 'Retrying a rollout');
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
      <div className="flow" role="group" aria-label="Actions for this group">
        <RetryGroupButton
          count={group.keys.length}
          fault={
            noRetry ?? (isOver(rollout.State) ? 'The rollout has ended: retry them from their job’s page' : undefined)
          }
          onClick={() => setRetried(members.map(({ id }) => id))}
        />
        <SelectGroupButton ids={members.map(({ id }) => id)} />
      </div>
      <VirtualTable name="Devices of this group" bounded columns={COLUMNS} rows={members} rowKey={({ key }) => key} />
      {retried && (
        <ActionDialog rollout={rollout} action="retry" deviceIds={retried} onClose={() => setRetried(undefined)} />
      )}
    </div>
  );
}

/** A Map, since React Query copies changed rows of an array, and a copied row would pass for one with its output. */
const rowsOf = (results: UseQueryResult<ChildStates>[]): ReadonlyMap<number, Job[]> =>
  new Map(results.map(({ data }, at) => [at, data?.rows ?? []]));

/** An output reader for each of these jobs, closed when the jobs change. */
function useOutputs(parents: readonly string[]) {
  const key = parents.join(' ');
  const outputs = useMemo(() => (key === '' ? [] : key.split(' ').map((id) => new ChildOutputs(id))), [key]);
  useEffect(() => () => outputs.forEach((each) => each.close()), [outputs]);
  const source = useMemo(
    () => ({
      subscribe: (listener: () => void) => {
        const leave = outputs.map((each) => each.subscribe(listener));
        return () => leave.forEach((end) => end());
      },
      read: () => outputs.reduce((sum, { version }) => sum + version, 0),
    }),
    [outputs],
  );
  return { outputs, version: useSyncExternalStore(source.subscribe, source.read) };
}

interface FailedInWaves {
  /** The failed jobs whose output was read. */
  failed: FailedJob[];
  /** Each failed job and the number of its wave, by job id. */
  byKey: ReadonlyMap<string, { job: Job; wave: number }>;
}

function useRolloutFailures(waves: readonly RolloutWave[]): FailedInWaves {
  const started = waves.filter(({ JobId, Counts }) => JobId !== '' && failuresIn(Counts) > 0);
  const children = useQueries({ queries: started.map(({ JobId }) => jobQueries.childStates(JobId)), combine: rowsOf });
  const { outputs, version } = useOutputs(started.map(({ JobId }) => JobId));
  const rows = useMemo(
    () =>
      [...children.values()].map((each) =>
        byAttempt(each).last.filter((job) => FAILURES.includes(verdictOf(job).verdict)),
      ),
    [children],
  );
  useEffect(() => rows.forEach((each, at) => outputs[at]?.want(each)), [rows, outputs]);
  const numbers = started.map(({ Number: number }) => number).join(' ');
  return useMemo(() => {
    const byKey: [string, { job: Job; wave: number }][] = [];
    for (const [at, number] of numbers.split(' ').entries())
      for (const row of rows[at] ?? [])
        byKey.push([row.JobId, { job: (version > 0 && outputs[at]?.of(row)) || row, wave: Number(number) }]);
    const failed = byKey.flatMap(([key, { job }]) =>
      isLean(job) ? [] : [{ key, job, ended: verdictOf(job).verdict }],
    );
    return { failed, byKey: new Map(byKey) };
  }, [rows, outputs, version, numbers]);
}
