// The queues as rows with their devices and stale jobs, and how rows are filtered, sorted and counted.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { QueuedJob, Queues } from '#/features/job-queue/queues.ts';
import {
  DAY,
  STALE_KINDS,
  staleIn,
  type StaleKind,
  type StaleReason,
  type StaleRules,
} from '#/features/job-queue/stale.ts';
import { sortPart, sortRows, type Sort } from '#/ui/table/sort.ts';
import { oneOf, optional, positive, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export interface QueueRow {
  /** The DeviceId. */
  id: string;
  name: string;
  /** Undefined until the fleet is loaded, and for a device that no longer exists. */
  status: string | undefined;
  seen: Date | undefined;
  running: readonly QueuedJob[];
  /** Waiting jobs in execution order. */
  waiting: readonly QueuedJob[];
  /** The job that has been waiting the longest, of those with a known time. */
  oldest: QueuedJob | undefined;
  stale: ReadonlyMap<QueuedJob, readonly StaleReason[]>;
}

/** The rows without device data, computed once per read of the queues. */
export function queueRows(queues: Queues, rules: StaleRules): QueueRow[] {
  return Array.from(queues, ([id, jobs]) => {
    const waiting = jobs.filter(({ state }) => state === 'Waiting');
    return {
      id,
      name: jobs.find(({ DeviceName }) => DeviceName)?.DeviceName || id,
      status: undefined,
      seen: undefined,
      running: jobs.filter(({ state }) => state === 'Running'),
      waiting,
      oldest: sortRows(
        waiting.filter(({ created }) => created !== undefined),
        ({ created }) => created,
        false,
      )[0],
      stale: staleIn(waiting, rules),
    };
  });
}

/** Adds the fleet's data of each device, field by field to avoid a device object per row. */
export function withDevices(rows: readonly QueueRow[], fleet: FleetIndex | undefined): readonly QueueRow[] {
  if (!fleet) return rows;
  return rows.map((row) => {
    const at = fleet.rowOf(row.id);
    if (at === undefined) return row;
    const seen = fleet.timeOf(at, 'LastSeenTime');
    return {
      ...row,
      name: fleet.textOf(at, 'DeviceName') || row.name,
      status: fleet.textOf(at, 'DeviceStatus') || undefined,
      seen: Number.isFinite(seen) ? new Date(seen) : undefined,
    };
  });
}

const COLUMNS = ['device', 'state', 'waiting', 'oldest'] as const;
/** The default order: longest wait first. */
const FIRST: Sort = { by: 'oldest', down: false };

export const queuesUrl = urlSchema({
  /** Words in the name or id of a device, or the name of one of its jobs. */
  q: plainText,
  status: plainText,
  /** Least days that a job has been waiting. */
  older: positive,
  artifact: plainText,
  stale: oneOf(['any', ...(Object.keys(STALE_KINDS) as StaleKind[])]),
  sort: sortPart(COLUMNS),
  /** The device whose queue is open. */
  open: optional,
  dialog: optional,
  /** The device whose stale jobs the dialog shows. */
  of: optional,
});

export type QueuesView = Omit<typeof queuesUrl.defaults, 'open' | 'dialog' | 'of'>;

/** The state after "Clear filters". */
export const NO_QUEUE_FILTER = { q: '', status: '', older: undefined, artifact: '', stale: undefined };

export const isQueueFiltered = ({ q, status, older, artifact, stale }: QueuesView): boolean =>
  [q.trim(), status, older, artifact, stale].some(Boolean);

/** The stale jobs of a row that match the filter: all, or those with one reason. */
export const staleOf = ({ stale }: QueueRow, { stale: wanted }: Pick<QueuesView, 'stale'>): QueuedJob[] =>
  Array.from(stale).flatMap(([job, reasons]) =>
    wanted === undefined || wanted === 'any' || reasons.some(({ kind }) => kind === wanted) ? job : [],
  );

export function filterQueues(rows: readonly QueueRow[], view: QueuesView, now: number): QueueRow[] {
  const { q, status, older, artifact, stale } = view;
  const part = q.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(part);
  return rows.filter(
    (row) =>
      (part === '' ||
        has(row.name) ||
        has(row.id) ||
        [...row.running, ...row.waiting].some((job) => has(job.JobName))) &&
      // Links of before the third state mean every device that is not online.
      (status === '' || row.status === status || (status === 'Offline' && row.status === 'NotConnected')) &&
      (older === undefined || (row.oldest?.created !== undefined && now - row.oldest.created > older * DAY)) &&
      (artifact === '' || [...row.running, ...row.waiting].some(({ ArtifactId }) => ArtifactId === artifact)) &&
      (stale === undefined || staleOf(row, view).length > 0),
  );
}

function keyOf(by: string): (row: QueueRow) => string | number | undefined {
  switch (by) {
    case 'device':
      return ({ name }) => name;
    case 'state':
      // The device that has been Offline the longest comes first.
      return ({ status, seen }) => (status === 'Offline' ? seen?.getTime() : undefined);
    case 'waiting':
      return ({ waiting }) => waiting.length;
    default:
      return ({ oldest }) => oldest?.created;
  }
}

export function sortQueues(rows: readonly QueueRow[], { by, down }: Sort = FIRST): QueueRow[] {
  return sortRows(rows, keyOf(by), down);
}

export type QueueTotals = ReturnType<typeof queueFigures>;

export function queueFigures(rows: readonly QueueRow[]) {
  const sum = (countOf: (row: QueueRow) => number, of = rows) => of.reduce((total, row) => total + countOf(row), 0);
  const staleCount = ({ stale }: QueueRow) => stale.size;
  const [longest] = sortRows(
    rows.filter(({ waiting }) => waiting.length > 0),
    ({ waiting }) => waiting.length,
    true,
  );
  const [oldest] = sortRows(
    rows.filter(({ oldest: job }) => job),
    ({ oldest: job }) => job?.created,
    false,
  );
  return {
    devices: rows.length,
    waiting: sum(({ waiting }) => waiting.length),
    running: sum(({ running }) => running.length),
    longest,
    oldest,
    stale: sum(staleCount),
    staleDevices: rows.filter(staleCount).length,
    staleOffline: sum(
      staleCount,
      rows.filter(({ status }) => status === 'Offline' || status === 'NotConnected'),
    ),
  };
}
