// The queues by device: what is running, what is waiting and since when, what is next. A row expands to its complete queue.
import { useMemo } from 'react';
import { ActionIcon } from '@mantine/core';
import { IconChevronRight, IconTrash } from '@tabler/icons-react';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { counted, formatCount } from '#/lib/format.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { OpenedQueue, QueuedJobLink } from './opened-queue.tsx';
import type { QueueRow } from './queue-rows.ts';
import classes from './queues.module.css';
import { Gate } from '#/ui/controls/gate.tsx';

/** Jobs listed by name in a row; the rest are counted. */
const NEXT = 3;

/** The row of a device, or its open queue below it. */
interface Line {
  row: QueueRow;
  below?: true;
}

const linesOf = (rows: readonly QueueRow[], opened: string | undefined) =>
  rows.flatMap((row): Line[] => (row.id === opened ? [{ row }, { row, below: true }] : [{ row }]));

const parentOf = ({ row, below }: Line) => (below ? row.id : undefined);
const keyOf = ({ row, below }: Line) => (below ? `${row.id} queue` : row.id);

interface QueueTableProps {
  /** All rows, regardless of the filter. */
  all: readonly QueueRow[];
  rows: readonly QueueRow[];
  opened: string | undefined;
  onOpen: (id: string | undefined) => void;
  artifactText: (id: string | undefined) => string | undefined;
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
  onRemove: (row: QueueRow) => void;
  /** Why none may be removed. */
  noRemove: string | undefined;
}

const columnsOf = ({ opened, onOpen, onRemove, noRemove }: QueueTableProps): Column<Line>[] => [
  {
    header: 'Device',
    by: 'device',
    width: '22%',
    cell: ({ row }) => (
      <span className={classes.device}>
        <ActionIcon
          size="sm"
          aria-label={`Queue of ${row.name}`}
          aria-expanded={opened === row.id}
          onClick={() => onOpen(opened === row.id ? undefined : row.id)}
        >
          <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
        <Link to={paths.device(row.id)} className={rowName}>
          <MiddleEllipsis text={row.name} />
        </Link>
      </span>
    ),
  },
  {
    header: 'State',
    by: 'state',
    width: '148px',
    phone: 'end',
    cell: ({ row: { status, seen } }) =>
      status === undefined ? (
        <span className="dim">–</span>
      ) : (
        <span className={classes.state}>
          <StateMark state={status} />
          {status === 'Offline' && seen && (
            <span className="dim">
              <span className="visually-hidden">last seen </span>
              <Time at={seen} />
            </span>
          )}
        </span>
      ),
  },
  {
    header: 'Waiting',
    by: 'waiting',
    width: '120px',
    phone: 'second',
    cell: ({ row: { waiting, stale } }) => (
      <>
        {formatCount(waiting.length)}
        <span className="on-phone"> waiting</span>
        {stale.size > 0 && <span className={classes.warn}> · {formatCount(stale.size)} stale</span>}
      </>
    ),
  },
  {
    header: 'Oldest',
    by: 'oldest',
    width: '86px',
    phone: 'end',
    cell: ({ row: { oldest } }) => <Time at={oldest?.created} />,
  },
  {
    header: 'Runs now',
    width: '14%',
    room: 'medium',
    phone: 'hide',
    cell: ({ row: { running } }) =>
      running[0] ? (
        <>
          <QueuedJobLink job={running[0]} />
          {running.length > 1 && <span className="dim"> and {formatCount(running.length - 1)} more</span>}
        </>
      ) : (
        <span className="dim">–</span>
      ),
  },
  {
    header: 'Next',
    phone: 'wide',
    cell: ({ row }) => <Next row={row} />,
  },
  {
    header: 'Actions',
    width: '52px',
    tools: true,
    phone: 'end',
    cell: ({ row }) =>
      row.stale.size > 0 && (
        <Gate why={noRemove}>
          <IconButton
            icon={IconTrash}
            color="red"
            label={`Remove the stale jobs of ${row.name}`}
            title={`Remove ${counted(row.stale.size, 'stale job')}…`}
            onClick={() => onRemove(row)}
          />
        </Gate>
      ),
  },
];

/** The next jobs in order, on one line. */
function Next({ row: { waiting, stale } }: { row: QueueRow }) {
  const more = waiting.length - NEXT;
  return (
    <ol className={classes.next}>
      {waiting.slice(0, NEXT).map((job) => (
        <li key={job.JobId} data-stale={stale.has(job) || undefined}>
          <bdi>{job.JobName || job.JobId}</bdi>
          {stale.has(job) && <span className="visually-hidden">, stale</span>}
        </li>
      ))}
      {more > 0 && <li className="dim">{formatCount(more)} more</li>}
    </ol>
  );
}

export function QueueTable(props: QueueTableProps) {
  const { all, rows, opened, artifactText, sort, onSort, onRemove } = props;
  const lines = useMemo(() => linesOf(rows, opened), [rows, opened]);
  const find = useMemo(() => {
    const byKey = new Map(linesOf(all, opened).map((line) => [keyOf(line), line]));
    return (key: string) => byKey.get(key);
  }, [all, opened]);
  return (
    <VirtualTable
      name="Queues"
      columns={columnsOf(props)}
      rows={lines}
      rowKey={keyOf}
      find={find}
      parentOf={parentOf}
      fullRow={({ row, below }) =>
        below && <OpenedQueue row={row} artifactText={artifactText} onRemove={() => onRemove(row)} />
      }
      isMarked={({ row }) => row.id === opened}
      sort={sort}
      onSort={onSort}
    />
  );
}
