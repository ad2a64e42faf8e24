// Why devices failed, across all waves of a rollout.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { Job } from '#/contract/jobs.ts';
import { isOver, rolloutEndpoints, type Rollout, type RolloutWave } from '#/contract/rollouts.ts';
import { ChildOutputs } from '#/api/child-outputs.ts';
import type { ChildStates } from '#/api/child-states.ts';
import { jobQueries } from '#/api/jobs.ts';
import { isLean } from '#/api/lean-rows.ts';
import { ExportGroupButton } from '#/features/failure-groups/export-group-button.tsx';
import type { FailedJob, FailureClient } from '#/features/failure-groups/failure-client.ts';
import { FailureGroups } from '#/features/failure-groups/failure-groups.tsx';
import { GroupLog, type Example } from '#/features/failure-groups/group-log.tsx';
import { groupText } from '#/features/failure-groups/group-title.tsx';
import { OpenGroup } from '#/features/failure-groups/open-group.tsx';
import { RetryGroupButton } from '#/features/failure-groups/retry-group-button.tsx';
import { SelectGroupButton } from '#/features/failure-groups/select-group-button.tsx';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { TagGroupButton } from '#/features/failure-groups/tag-group-button.tsx';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { FAILURES, verdictOf } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { ActionDialog, groupWords } from './rollout-actions.tsx';
import type { FailureCause } from './rollout-decision.ts';
import { failuresIn } from './rollout-words.ts';
import { useMay } from '#/api/people.ts';

interface RolloutFailuresProps {
  rollout: Rollout;
  /** The id of the open group. */
  opened: string | undefined;
  onOpen: (id: string | undefined) => void;
  /** What is shown of a log of the open group. */
  example: Example;
  onExample: (example: Example) => void;
  /** Told why most devices of the wave failed, whenever that is known anew. */
  onCause: (cause: FailureCause | undefined) => void;
}

export function RolloutFailures({ rollout, opened, onOpen, onCause, ...log }: RolloutFailuresProps) {
  const failures = useRolloutFailures(rollout.Waves);
  const { byKey } = failures;
  const { Wave } = rollout;
  const onFound = useCallback(
    (groups: readonly FailureGroup[]) => {
      const causes = groups.map((group): FailureCause => {
        const { length } = group.keys.filter((key) => byKey.get(key)?.wave === Wave);
        return { wave: Wave, devices: length, text: groupText(group) };
      });
      const [most] = causes.filter(({ devices }) => devices > 0).sort((one, two) => two.devices - one.devices);
      onCause(most);
    },
    [byKey, Wave, onCause],
  );
  return (
    <FailureGroups
      failed={failures.failed}
      opened={opened}
      onToggle={({ id }, isOpen) => onOpen(isOpen ? undefined : id)}
      onFound={onFound}
      details={(group, client) => <Members {...log} {...{ rollout, group, client, failures }} />}
    />
  );
}

interface JobInWave {
  job: Job;
  wave: number;
}

interface Member extends JobInWave {
  key: string;
}

const COLUMNS: Column<Member>[] = [
  {
    header: 'Device',
    cell: ({ job }) => (
      <Link to={paths.device(job.DeviceId)} className={rowName}>
        <MiddleEllipsis text={nameOf(job)} />
      </Link>
    ),
  },
  { header: 'Wave', width: '80px', align: 'end', phone: 'second', cell: ({ wave }) => formatCount(wave) },
  {
    header: 'Log',
    width: '90px',
    phone: 'second',
    cell: ({ key, job }) => (
      <Link to={paths.job(key)} aria-label={`Log of ${nameOf(job)}`}>
        Log
      </Link>
    ),
  },
];

interface MembersProps extends Pick<RolloutFailuresProps, 'example' | 'onExample'> {
  rollout: Rollout;
  group: FailureGroup;
  client: FailureClient;
  failures: FailuresInWaves;
}

const nameOf = ({ DeviceName, DeviceId }: Job): string => DeviceName || DeviceId;

function Members({ rollout, group, client, failures, example, onExample }: MembersProps) {
  const { byKey, all, onWant } = failures;
  // The devices at the time of the click: the group may grow while the dialog is open.
  const [asked, setAsked] = useState<{ action: 'retry' | 'skip'; ids: string[] }>();
  const [isTagging, setTagging] = useState(false);
  const noRetry = useMay(rolloutEndpoints.retry, 'Retrying a rollout');
  const noSkip = useMay(rolloutEndpoints.skip, 'Leaving out devices');
  const members = useMemo(
    () =>
      group.keys.flatMap((key): Member[] => {
        const found = byKey.get(key);
        return found ? [{ key, ...found }] : [];
      }),
    [group.keys, byKey],
  );
  const jobs = useMemo(() => members.map(({ job }) => job), [members]);
  const ids = jobs.map(({ DeviceId }) => DeviceId);
  const [sample] = jobs;
  return (
    <>
      <OpenGroup
        group={group}
        actions={
          <>
            <RetryGroupButton
              count={group.keys.length}
              fault={
                noRetry ??
                (isOver(rollout.State) ? 'The rollout has ended: retry them from their job’s page' : undefined)
              }
              onClick={() => setAsked({ action: 'retry', ids })}
            />
            {!isOver(rollout.State) && (
              <Gate why={noSkip}>
                <Button size="xs" onClick={() => setAsked({ action: 'skip', ids })}>
                  {ids.length === 1 ? 'Leave it out' : 'Leave these out'}…
                </Button>
              </Gate>
            )}
            <TagGroupButton
              ids={ids}
              isOpen={isTagging}
              onOpen={() => setTagging(true)}
              onClose={() => setTagging(false)}
            />
            <SelectGroupButton ids={ids} />
            <ExportGroupButton members={jobs} group={group} />
          </>
        }
        devices={
          <VirtualTable
            name="Devices of this group"
            bounded
            columns={COLUMNS}
            rows={members}
            rowKey={({ key }) => key}
          />
        }
        log={
          sample && (
            <GroupLog
              client={client}
              sample={sample}
              jobs={all}
              onWant={onWant}
              nameOf={nameOf}
              whole={{ to: paths.job(sample.JobId) }}
              example={example}
              onExample={onExample}
            />
          )
        }
      />
      {asked && (
        <ActionDialog
          rollout={rollout}
          action={asked.action}
          deviceIds={asked.ids}
          words={groupWords(asked.action, asked.ids.length)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
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

interface FailuresInWaves {
  /** The failed jobs whose output was read. */
  failed: FailedJob[];
  /** Each failed job, by job id. */
  byKey: ReadonlyMap<string, JobInWave>;
  /** The last job of each device in the waves that were read, with its output as read so far. */
  all: Job[];
  /** Reads the output of some of them. */
  onWant: (jobs: readonly Job[]) => void;
}

/** The waves with failures and, if nothing has succeeded in them, the last one that has healthy logs to compare with. */
function wavesToRead(waves: readonly RolloutWave[]): RolloutWave[] {
  const started = waves.filter(({ JobId }) => JobId !== '');
  const hasHealthy = (wave: RolloutWave) => wave.Gate.Success > 0;
  const failing = started.filter(({ Counts }) => failuresIn(Counts) > 0);
  const healthy = failing.some(hasHealthy) ? undefined : started.findLast(hasHealthy);
  return healthy ? [...failing, healthy] : failing;
}

function useRolloutFailures(waves: readonly RolloutWave[]): FailuresInWaves {
  const read = wavesToRead(waves);
  const children = useQueries({ queries: read.map(({ JobId }) => jobQueries.childStates(JobId)), combine: rowsOf });
  const { outputs, version } = useOutputs(read.map(({ JobId }) => JobId));
  const last = useMemo(() => [...children.values()].map((rows) => byAttempt(rows).last), [children]);
  const rows = useMemo(
    () => last.map((each) => each.filter((job) => FAILURES.includes(verdictOf(job).verdict))),
    [last],
  );
  useEffect(() => rows.forEach((each, at) => outputs[at]?.want(each)), [rows, outputs]);
  const waveOf = useMemo(() => new Map(last.flatMap((each, at) => each.map(({ JobId }) => [JobId, at]))), [last]);
  const onWant = useCallback(
    (jobs: readonly Job[]) => {
      for (const [at, some] of Map.groupBy(jobs, ({ JobId }) => waveOf.get(JobId)))
        if (at !== undefined) outputs[at]?.want(some);
    },
    [waveOf, outputs],
  );
  const all = useMemo(
    // `version` increases when more output has arrived.
    () => last.flatMap((each, at) => each.map((row) => (version > 0 && outputs[at]?.of(row)) || row)),
    [last, outputs, version],
  );
  const numbers = read.map(({ Number: number }) => number).join(' ');
  return useMemo(() => {
    const byKey: [string, JobInWave][] = [];
    for (const [at, number] of numbers.split(' ').entries())
      for (const row of rows[at] ?? [])
        byKey.push([row.JobId, { job: (version > 0 && outputs[at]?.of(row)) || row, wave: Number(number) }]);
    const failed = byKey.flatMap(([key, { job }]) =>
      isLean(job) ? [] : [{ key, job, ended: verdictOf(job).verdict }],
    );
    return { failed, byKey: new Map(byKey), all, onWant };
  }, [rows, outputs, version, numbers, all, onWant]);
}
