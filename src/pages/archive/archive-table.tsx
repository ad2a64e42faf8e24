// The archived jobs as a table; while something is searched, with what was found in each.
import { Link } from 'react-router';
import type { ArchiveHit } from '#/features/job-archive/archive-search.ts';
import type { StoredJob } from '#/features/job-archive/archive-store.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { overallState } from '#/features/jobs/outcome.ts';
import { OutcomeCell } from '#/features/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { rowName } from '#/ui/table/table.tsx';
import { devicesText, formatBytes } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import type { RowSelection } from '#/ui/table/row-select.tsx';
import type { Sort } from '#/ui/table/sort.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import classes from './archive.module.css';

export const archivedName = ({ id, job }: StoredJob): string => job.JobName || id;
const keyOf = ({ id }: StoredJob) => id;

function Found({ hit }: { hit: ArchiveHit }) {
  const { id, named, devices, logs, lines } = hit;
  const words = [
    ...(named ? ['its name'] : []),
    ...(devices > 0 ? [`the name of ${devicesText(devices)}`] : []),
    ...(logs > 0 ? [`the output of ${devicesText(logs)}`] : []),
  ];
  return (
    <div className={classes.found}>
      <span className="dim">In {words.join(', ')}</span>
      {lines.map(({ row, device, stream, line, text }) => (
        <Link key={row} to={paths.archivedJob(id, row)} title={`${device}, ${stream}, line ${line}`}>
          <bdi>{device}</bdi> <code>{visible(text)}</code>
        </Link>
      ))}
    </div>
  );
}

const columnsOf = (hits: ReadonlyMap<string, ArchiveHit> | undefined): Column<StoredJob>[] => [
  {
    header: 'Name',
    by: 'name',
    width: hits ? '20%' : '24%',
    cell: (stored) => (
      <Link to={paths.archivedJob(stored.id)} className={rowName} title={archivedName(stored)}>
        {archivedName(stored)}
      </Link>
    ),
  },
  {
    header: 'Target',
    by: 'target',
    width: '13%',
    phone: 'wide',
    cell: ({ job }) => {
      const text = targetText(targetOf(job));
      return <span title={text}>{text}</span>;
    },
  },
  hits
    ? {
        header: 'Found',
        width: '38%',
        phone: 'wide',
        cell: ({ id }) => {
          const hit = hits.get(id);
          return hit && <Found hit={hit} />;
        },
      }
    : {
        header: 'State',
        by: 'state',
        width: '32%',
        phone: 'wide',
        cell: (stored) => (
          <span className={classes.standing}>
            <StateMark state={overallState(stored.outcome)} />
            {stored.devices > 1 && <OutcomeCell outcome={stored.outcome} of={archivedName(stored)} />}
          </span>
        ),
      },
  {
    header: 'Ended',
    by: 'ended',
    width: '10%',
    phone: 'second',
    cell: ({ job }) => <Time at={timesOf(job).ended} raw={job.EndTime} />,
  },
  {
    header: 'Archived',
    by: 'archived',
    width: '10%',
    phone: 'hide',
    cell: ({ archived }) => <Time at={new Date(archived)} />,
  },
  {
    header: 'Stored',
    by: 'stored',
    width: '11%',
    align: 'end',
    phone: 'end',
    cell: ({ bytes }) => formatBytes(bytes),
  },
];

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const ORDERS: Record<string, (one: StoredJob, two: StoredJob) => number> = {
  name: (one, two) => collator.compare(archivedName(one), archivedName(two)),
  target: (one, two) => collator.compare(targetText(targetOf(one.job)), targetText(targetOf(two.job))),
  state: (one, two) => collator.compare(overallState(one.outcome), overallState(two.outcome)),
  ended: (one, two) => (timesOf(one.job).ended?.getTime() ?? 0) - (timesOf(two.job).ended?.getTime() ?? 0),
  archived: (one, two) => one.archived - two.archived,
  stored: (one, two) => one.bytes - two.bytes,
};

export function sortArchive(jobs: StoredJob[], sort: Sort | undefined): StoredJob[] {
  const order = sort && ORDERS[sort.by];
  return order ? jobs.toSorted((one, two) => (sort.down ? -1 : 1) * order(one, two)) : jobs;
}

export const ARCHIVE_COLUMNS = Object.keys(ORDERS);

interface ArchiveTableProps {
  jobs: StoredJob[];
  hits: ReadonlyMap<string, ArchiveHit> | undefined;
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
  selection: RowSelection<StoredJob>;
}

export function ArchiveTable({ jobs, hits, ...others }: ArchiveTableProps) {
  return <VirtualTable name="Archived jobs" columns={columnsOf(hits)} rows={jobs} rowKey={keyOf} {...others} />;
}
