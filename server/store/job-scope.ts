// What a role that is limited to device groups sees of jobs: those on devices of its groups, and parents with a child on
// one, as if these were their only children. The group that counts is the one that a device is in now, and jobs of deleted
// devices are seen only by roles without limits.
import type { JobStatus } from '#/contract/jobs.ts';
import type { Database, Reader } from './database.ts';
import { perDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { countsIn, rollUp, summaryOf } from './job-moves.ts';
import type { Counts } from './job-moves.ts';
import type { JobRow } from './jobs.ts';
import { DEVICES_MOVED, EVERYTHING, groupsKey, inGroups, isInScope } from './scope.ts';
import type { Condition, Scope } from './scope.ts';

/** The condition that a single job or a parent, a row `job`, is in the scope. */
export function isOwnTopJob(dialect: Dialect, scope: Scope, job: string): Condition {
  if (!scope.groups) return EVERYTHING;
  const own = inGroups(dialect, scope, 'v.grp');
  return {
    sql: ` AND (EXISTS (SELECT 1 FROM devices v WHERE v.seq = ${job}.device_seq${own.sql})
      OR EXISTS (SELECT 1 FROM jobs c ${dialect.indexedBy('jobs_current')} CROSS JOIN devices v
        WHERE c.parent_seq = ${job}.seq AND c.superseded = 0 AND v.seq = c.device_seq${own.sql}))`,
    values: [...own.values, ...own.values],
  };
}

const TOP_JOBS = perDialect(
  (sql) => `SELECT ${sql.jsonArray('seq')} AS seqs FROM (SELECT DISTINCT coalesce(j.parent_seq, j.seq) AS seq
      FROM devices d CROSS JOIN jobs j ${sql.indexedBy('jobs_of_device')}
      WHERE d.account_id = ? AND d.grp IN (SELECT value FROM ${sql.list('own')}) AND j.device_seq = d.seq) AS each`,
);

/** Single jobs and parents in the scope; undefined if that is all of them. */
export async function topJobsInScope(db: Reader, { accountId, groups }: Scope): Promise<number[] | undefined> {
  if (!groups) return undefined;
  const found = await db.get<{ seqs: string }>(TOP_JOBS(db), accountId, JSON.stringify(groups));
  return JSON.parse(found?.seqs ?? '[]') as number[];
}

// ---- A job as the scope sees it --------------------------------------------------------------------------------------

/** The figures of a parent that are not in its row otherwise, of the children in the scope alone. */
export interface OwnFigures {
  /** Children by verdict, or by status where there is none. */
  verdicts: Record<string, number>;
  waitingOffline: number;
}

interface FigureRow {
  parent: number;
  status: JobStatus;
  verdict: string | null;
  jobs: number;
  started: number | null;
  ended: number | null;
  stop_asked: number | null;
  attempt: number;
  offline: number;
}

const FIGURES = perDialect(
  (sql) => `SELECT c.parent_seq AS parent, c.status, c.verdict, count(*) AS jobs, min(c.started) AS started,
      max(c.ended) AS ended, max(c.stop_asked) AS stop_asked, max(c.attempt) AS attempt,
      sum(CASE WHEN c.status = 'Waiting' AND v.online = 0 THEN 1 ELSE 0 END) AS offline
    FROM jobs c ${sql.indexedBy('jobs_current')} CROSS JOIN devices v
    WHERE ${sql.among('c.parent_seq', `SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')}`)} AND c.superseded = 0 AND v.seq = c.device_seq
      AND v.grp IN (SELECT value FROM ${sql.list('own')})
    GROUP BY c.parent_seq, c.status, c.verdict`,
);

const OWN_DEVICES = perDialect(
  (sql) => `SELECT seq FROM devices WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})
    AND grp IN (SELECT value FROM ${sql.list('own')})`,
);

/** These jobs as the scope sees them, without those that it does not see. */
export async function jobsInScope(db: Reader, scope: Scope, rows: JobRow[]): Promise<JobRow[]> {
  const { groups } = scope;
  if (!groups || rows.length === 0) return rows;
  const own = JSON.stringify(groups);
  const seqsOf = (all: (number | null)[]) => JSON.stringify([...new Set(all.filter((seq) => seq !== null))]);
  const isParent = ({ device_seq }: JobRow) => device_seq === null;
  const devices = rows.every(isParent)
    ? []
    : await db.all<{ seq: number }>(OWN_DEVICES(db), seqsOf(rows.map(({ device_seq }) => device_seq)), own);
  const parents = rows.filter(isParent).map(({ seq }) => seq);
  const figures = parents.length === 0 ? [] : await db.all<FigureRow>(FIGURES(db), seqsOf(parents), own);
  const isOwn = new Set(devices.map(({ seq }) => seq));
  const ofParent = Map.groupBy(figures, ({ parent }) => parent);
  return rows.flatMap((row) => {
    if (row.device_seq !== null) return isOwn.has(row.device_seq) ? [row] : [];
    const children = ofParent.get(row.seq);
    return children ? [narrowed(row, scope, children)] : [];
  });
}

const latest = (times: (number | null)[]) =>
  times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);
const earliest = (times: (number | null)[]) =>
  times.reduce((first, time) => (time !== null && (first === null || time < first) ? time : first), null);

const total = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** A parent with the figures of these children. */
function narrowed(row: JobRow, scope: Scope, children: readonly FigureRow[]): JobRow {
  const counts: Counts = { Waiting: 0, Running: 0, Succeeded: 0, Failed: 0, Cancelled: 0, Interrupted: 0 };
  const verdicts = new Map<string, number>();
  for (const { status, verdict, jobs } of children) {
    counts[status] += jobs;
    verdicts.set(verdict ?? status, (verdicts.get(verdict ?? status) ?? 0) + jobs);
  }
  const device_group = row.device_group !== null && isInScope(scope, row.device_group) ? row.device_group : null;
  const own = {
    verdicts: Object.fromEntries(verdicts),
    waitingOffline: children.reduce((sum, { offline }) => sum + offline, 0),
  };
  if (total(counts) === total(countsIn(row))) return { ...row, device_group, own };
  const isOver = counts.Waiting + counts.Running === 0;
  return {
    ...row,
    own,
    device_group,
    device_name: '',
    status: rollUp(counts),
    started: earliest(children.map(({ started }) => started)),
    ended: isOver ? latest(children.map(({ ended }) => ended)) : null,
    stop_asked: latest(children.map(({ stop_asked }) => stop_asked)),
    attempt: children.reduce((most, { attempt }) => Math.max(most, attempt), 1),
    exit_code: null,
    reason: '',
    result: isOver ? summaryOf(counts) : '',
    verdict: null,
    verdict_because: '',
    judged: children.some(({ status, verdict }) => verdict !== null && verdict !== status) ? 1 : 0,
    waiting: counts.Waiting,
    running: counts.Running,
    succeeded: counts.Succeeded,
    failed: counts.Failed,
    cancelled: counts.Cancelled,
    interrupted: counts.Interrupted,
  };
}

/** The states under which a list finds a job that is seen in part; job-states.ts has them for all its children. */
export function statesOf({ status, verdict, own }: JobRow): string[] {
  if (!own) return [verdict ?? status];
  const states = Object.keys(own.verdicts);
  const shown = states.length > 1 ? states.filter((state) => state !== 'Succeeded') : states;
  return status === 'Waiting' || status === 'Running' ? [...shown, status] : shown;
}

// ---- What reaches outside --------------------------------------------------------------------------------------------

/** What a change of a job does to the children on deleted devices: nothing, or it changes their records too. */
export type WithDeleted = 'live' | 'records';

/**
 * Whether a parent has children on devices outside the scope. Children on devices that were deleted count if their
 * records would change, unless the parent was submitted to a group of the scope.
 */
export async function reachesOutside(
  db: Reader,
  scope: Scope,
  { seq, device_seq, device_group }: Pick<JobRow, 'seq' | 'device_seq' | 'device_group'>,
  of: WithDeleted,
): Promise<boolean> {
  if (!scope.groups || device_seq !== null) return false;
  const countsDeleted = of === 'records' && !(device_group !== null && isInScope(scope, device_group));
  const own = inGroups(db.dialect, scope, 'v.grp');
  const outside = await db.get(
    `SELECT 1 FROM jobs c LEFT JOIN devices v ON v.seq = c.device_seq
     WHERE c.parent_seq = ? AND ${countsDeleted ? '' : 'v.seq IS NOT NULL AND '}NOT (v.seq IS NOT NULL${own.sql}) LIMIT 1`,
    seq,
    ...own.values,
  );
  return outside !== undefined;
}

// ---- Versions --------------------------------------------------------------------------------------------------------

/** What an ETag depends on besides the data: the groups, and which devices are in them. '' for everything. */
export const scopeVersion = async (db: Pick<Database, 'version'>, scope: Scope): Promise<string> =>
  scope.groups ? `-${groupsKey(scope)}-${await db.version(DEVICES_MOVED)}` : '';
