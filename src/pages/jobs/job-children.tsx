// The devices of a group or tag job: how each stands, filtered by state, and the output of the one that is opened.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import { jobQueries } from '#/api/jobs.ts';
import { rowName } from '#/ui/data-table.tsx';
import { formatCount } from '#/ui/format.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time } from '#/ui/time.tsx';
import { Empty, View } from '#/ui/view.tsx';
import { VirtualTable } from '#/ui/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/virtual-table.tsx';
import { ChildPanel } from './child-panel.tsx';
import { filterChildren, readFilter } from './job-filter.ts';
import { timesOf } from '#/jobs/job-times.ts';
import { Duration } from '#/jobs/duration.tsx';
import { STATES, totalOf } from '#/jobs/outcome.ts';
import { useVerdicts } from '#/jobs/use-verdicts.ts';
import type { Verdicts } from '#/jobs/use-verdicts.ts';
import type { VerdictCounts } from '#/jobs/verdict.ts';
import { VerdictMark } from '#/jobs/verdict-mark.tsx';
import { useAddress } from '#/ui/use-address.ts';
import type { Address } from '#/ui/use-address.ts';
import classes from './job-page.module.css';

/** What tells a child in the URL: its id, or its place where a service gives children no ids. */
const keysOf = (children: Job[]) => new Map(children.map((child, place) => [child, child.JobId || `no-${place + 1}`]));

interface Opening {
  keys: Map<Job, string>;
  opened: string | null;
  address: Address;
  verdicts: Verdicts;
}

const NONE: Job[] = [];

const columnsOf = ({ keys, opened, address, verdicts }: Opening): VirtualColumn<Job>[] => {
  const columns: VirtualColumn<Job>[] = [
    {
      header: 'Device',
      width: opened ? '46%' : '36%',
      cell: (child) => {
        const key = keys.get(child) ?? '';
        const name = child.DeviceName || child.DeviceId || `Device ${key}`;
        const { to, state } = address.opening({ child: key });
        // Going from one output to the next is not a step that Back should take.
        return (
          <Link
            to={to}
            state={state}
            replace={opened !== null}
            preventScrollReset
            className={rowName}
            aria-current={opened === key ? 'true' : undefined}
            title={`Output of ${name}`}
          >
            {name}
          </Link>
        );
      },
    },
    { header: 'State', width: opened ? '32%' : '18%', cell: (child) => <VerdictMark judgement={verdicts.of(child)} /> },
    { header: 'Exit code', width: opened ? '22%' : '12%', phone: 'second', cell: exitCode },
  ];
  if (opened) return columns;
  return [
    ...columns,
    {
      header: 'Started',
      width: '18%',
      phone: 'hide',
      cell: (child) => <Time at={timesOf(child).started} raw={child.StartTime} />,
    },
    { header: 'Duration', width: '16%', phone: 'second', cell: (child) => <Duration job={child} /> },
  ];
};

const exitCode = ({ ExitCode }: Job) =>
  ExitCode === undefined ? (
    <span className="dim">–</span>
  ) : (
    <>
      <span className={classes['onPhone']}>exit code </span>
      {ExitCode}
    </>
  );

function StateFilter({ counts, address }: { counts: VerdictCounts; address: Address }) {
  const { state } = readFilter(address.params);
  const choices = STATES.filter((each) => counts[each] || each === state);
  return (
    <div role="group" aria-label="State" className={classes['states']}>
      <button type="button" aria-pressed={state === undefined} onClick={() => address.set({ state: '' })}>
        All {formatCount(totalOf(counts))}
      </button>
      {choices.map((each) => (
        <button key={each} type="button" aria-pressed={state === each} onClick={() => address.set({ state: each })}>
          <StateMark state={each} /> {formatCount(counts[each] ?? 0)}
        </button>
      ))}
    </div>
  );
}

export function JobChildren({ parent }: { parent: Job }) {
  const address = useAddress();
  const children = useQuery(jobQueries.children(parent.JobId));
  const filter = readFilter(address.params);
  const keys = useMemo(() => keysOf(children.data ?? []), [children.data]);
  const verdicts = useVerdicts(children.data ?? NONE, parent);
  const opened = address.params.get('child');
  const row = [...keys].find(([, key]) => key === opened)?.[0];
  return (
    <View
      query={children}
      name="the devices of this job"
      isEmpty={(rows) => rows.length === 0}
      empty={
        <Empty title="No devices" action={null}>
          The service lists no child jobs for this job.
        </Empty>
      }
    >
      {(rows) => {
        const shown = filterChildren(rows, filter, (child) => verdicts.of(child).verdict);
        return (
          <div className={classes['split']} data-opened={opened !== null || undefined}>
            <div className={classes['children']}>
              <div className={classes['childFilters']}>
                <StateFilter counts={verdicts.counts} address={address} />
                {(rows.length > 10 || filter.name) && (
                  <TextInput
                    size="xs"
                    aria-label="Find a device by name"
                    placeholder="Find a device"
                    leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
                    value={filter.name}
                    onChange={(event) => address.set({ name: event.currentTarget.value })}
                    rightSection={
                      filter.name && (
                        <CloseButton size="xs" aria-label="Clear the name" onClick={() => address.set({ name: '' })} />
                      )
                    }
                    spellCheck={false}
                  />
                )}
              </div>
              {shown.length === 0 ? (
                <Empty
                  title="No device matches"
                  action={
                    <Button variant="default" onClick={() => address.set({ name: '', state: '' })}>
                      Show all
                    </Button>
                  }
                />
              ) : (
                <VirtualTable
                  name="Devices of this job"
                  columns={columnsOf({ keys, opened, address, verdicts })}
                  rows={shown}
                  rowKey={(child) => keys.get(child) ?? ''}
                  isSelected={(child) => keys.get(child) === opened}
                />
              )}
            </div>
            {opened !== null && (
              <ChildPanel
                key={opened}
                id={row ? row.JobId : opened}
                row={row}
                fallback={`Device ${opened}`}
                address={address}
              />
            )}
          </div>
        );
      }}
    </View>
  );
}
