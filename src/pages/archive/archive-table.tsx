// The columns of the archived jobs, and how the table is sorted by each.
import { Link } from 'react-router';
import type { ArchiveHit } from '#/features/job-archive/archive-search.ts';
import type { StoredJob } from '#/features/job-archive/archive-store.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { overallState } from '#/features/jobs/outcome.ts';
import { OutcomeCell } from '#/features/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { devicesText, formatBytes } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { sortRows } from '#/ui/table/sort-rows.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import classes from './archive.module.css';

export const archivedName = ({ id, job }: StoredJob): string => job.JobName || id;

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

/** `hits`: what was found in each, while something is searched. */
export const archiveColumns = (hits: ReadonlyMap<string, ArchiveHit> | undefined): Column<StoredJob>[] => [
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
    cell: ({ archived }) => <Time at={archived} />,
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

const KEYS: Record<string, (stored: StoredJob) => string | number> = {
  name: archivedName,
  target: ({ job }) => targetText(targetOf(job)),
  state: ({ outcome }) => overallState(outcome),
  ended: ({ job }) => timesOf(job).ended?.getTime() ?? 0,
  archived: ({ archived }) => archived,
  stored: ({ bytes }) => bytes,
};
export const ARCHIVE_COLUMNS = Object.keys(KEYS);

export function sortArchive(jobs: StoredJob[], sort: Sort | undefined): StoredJob[] {
  const keyOf = sort && KEYS[sort.by];
  return keyOf ? sortRows(jobs, keyOf, sort.down) : jobs;
}
