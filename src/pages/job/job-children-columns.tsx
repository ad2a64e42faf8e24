// The columns of the table of a job's devices, and how it is sorted by each.
import type { Job } from '#/contract/jobs.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { attemptOf } from '#/features/jobs/attempts.ts';
import { Duration } from '#/features/jobs/duration.tsx';
import { tellingLineOf } from '#/features/failure-groups/failure-client.ts';
import { durationOf, timesOf } from '#/features/jobs/job-times.ts';
import { FAILURES, VERDICTS, verdictOf } from '#/features/jobs/verdict.ts';
import { VerdictMark } from '#/features/jobs/verdict-mark.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { visible } from '#/lib/glyphs.ts';
import { sortRows, type Sort } from '#/ui/table/sort.ts';
import { Time } from '#/ui/controls/time.tsx';
import type { UrlActions } from '#/ui/url/use-url-state.ts';
import type { ChildOutputs } from '#/api/child-outputs.ts';
import { Link } from '#/ui/url/link.tsx';
import { useSeenOutput } from './children/use-child-rows.ts';
import { childName, type ChildJobs } from './children/child-jobs.ts';
import type { JobUrl } from './children/job-url.ts';
import classes from './job-page.module.css';

/** A field of a child's device in the fleet; empty if unknown. */
const fieldOf = (fleet: FleetIndex | undefined, { DeviceId }: Job, field: 'CustomerSite' | 'DeviceGroup'): string => {
  const row = fleet?.rowOf(DeviceId);
  return (fleet && row !== undefined && fleet.device(row)[field]) || '';
};

/** Failed devices come first by default. */
export function sortChildren(
  rows: readonly Job[],
  sort: Sort | undefined,
  { fleet, now }: { fleet: FleetIndex | undefined; now: Date },
): readonly Job[] {
  if (!sort) return sortRows(rows, (child) => (FAILURES.includes(verdictOf(child).verdict) ? 0 : 1), false);
  const valueOf = (child: Job): string | number | undefined => {
    switch (sort.by) {
      case 'device':
        return child.DeviceName || child.DeviceId || undefined;
      case 'site':
        return fieldOf(fleet, child, 'CustomerSite') || undefined;
      case 'group':
        return fieldOf(fleet, child, 'DeviceGroup') || undefined;
      case 'state':
        return VERDICTS.indexOf(verdictOf(child).verdict);
      case 'exit':
        return child.ExitCode;
      case 'started':
        return timesOf(child).started?.getTime();
      default:
        return durationOf(timesOf(child), now);
    }
  };
  return sortRows(rows, valueOf, sort.down);
}

const lines = new WeakMap<Job, string>();
function lineOf(child: Job): string {
  const line = lines.get(child) ?? tellingLineOf(child);
  lines.set(child, line);
  return line;
}

const ATTEMPT: Column<Job> = {
  header: 'Attempt',
  width: '80px',
  align: 'end',
  phone: 'second',
  cell: (child) => (
    <>
      <span className="on-phone">attempt </span>
      {attemptOf(child)}
    </>
  ),
};

interface ColumnsRequest {
  jobs: ChildJobs;
  fleet: FleetIndex | undefined;
  /** Fields of the fleet that differ between these devices and deserve a column. */
  fields: { site: boolean; group: boolean };
  opened: string | undefined;
  url: UrlActions<JobUrl>;
  /** The line of each job that matches the search. */
  found: ReadonlyMap<Job, string> | undefined;
  box: Column<Job>;
}

export function childColumns({ jobs, fleet, fields, opened, url, found, box }: ColumnsRequest): Column<Job>[] {
  const fleetColumn = (id: 'site' | 'group', header: string): Column<Job> => ({
    header,
    by: id,
    width: '11%',
    phone: 'hide',
    room: 'medium',
    cell: (child) => {
      const text = fieldOf(fleet, child, id === 'site' ? 'CustomerSite' : 'DeviceGroup');
      return text ? <span title={text}>{visible(text)}</span> : <span className="dim">–</span>;
    },
  });
  const columns: Column<Job>[] = [
    box,
    {
      header: 'Device',
      by: 'device',
      width: opened ? undefined : '26%',
      cell: (child) => {
        const key = jobs.keys.get(child) ?? '';
        const name = childName(child, key);
        const { to, state } = url.opening({ child: key });
        // Moving from one output to the next is not a step for the Back button.
        return (
          <Link
            to={to}
            state={state}
            replace={opened !== undefined}
            preventScrollReset
            className={rowName}
            aria-current={opened === key ? 'true' : undefined}
            title={`Output of ${name}`}
          >
            <MiddleEllipsis text={visible(name)} column="children" />
          </Link>
        );
      },
    },
    {
      header: 'State',
      by: 'state',
      width: '124px',
      cell: (child) => <VerdictMark judgement={verdictOf(child)} />,
    },
    ...(jobs.earlier.size > 0 ? [ATTEMPT] : []),
    { header: 'Exit code', by: 'exit', width: '92px', phone: 'second', cell: exitCode },
  ];
  if (opened) return columns;
  return [
    ...columns,
    {
      header: 'Message',
      phone: 'wide',
      cell: (child) => <PrintedLine child={child} outputs={jobs.outputs} found={found?.get(child)} />,
    },
    ...(fields.site ? [fleetColumn('site', 'Site')] : []),
    ...(fields.group ? [fleetColumn('group', 'Group')] : []),
    {
      header: 'Started',
      by: 'started',
      width: '100px',
      phone: 'hide',
      room: 'medium',
      cell: (child) => <Time at={timesOf(child).started} raw={child.StartTime} />,
    },
    { header: 'Duration', by: 'duration', width: '96px', phone: 'second', cell: (child) => <Duration job={child} /> },
  ];
}

function PrintedLine({ child, outputs, found }: { child: Job; outputs: ChildOutputs; found: string | undefined }) {
  useSeenOutput(outputs, child);
  const line = visible(found || lineOf(child));
  return (
    <code className={classes.line} title={line}>
      {line}
    </code>
  );
}

const exitCode = ({ ExitCode }: Job) =>
  ExitCode === undefined ? (
    <span className="dim">–</span>
  ) : (
    <>
      <span className="on-phone">exit code </span>
      {ExitCode}
    </>
  );

/** Which fields of the fleet differ between these devices. */
export function tellingFields(rows: readonly Job[], fleet: FleetIndex | undefined): ColumnsRequest['fields'] {
  const differs = (field: 'CustomerSite' | 'DeviceGroup') => {
    const values = new Set<string>();
    for (const child of rows) if (values.add(fieldOf(fleet, child, field)).size > 1) return true;
    return false;
  };
  return { site: differs('CustomerSite'), group: differs('DeviceGroup') };
}
