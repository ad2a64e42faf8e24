// The paged list of single jobs and parents, newest first. Each condition has an index in the order of the list, or a
// short list of jobs. A page scans the condition with the fewest jobs and checks them against the other conditions, up
// to a limit for each page.
import type { Reader } from './database.ts';
import { fold } from '#/contract/fold.ts';
import { jobsOfList } from './jobs.ts';
import type { JobRow } from './jobs.ts';
import { isOwnTopJob, statesOf, topJobsInScope } from './job-scope.ts';
import type { NameIndex } from './name-index.ts';
import type { Scope } from './scope.ts';

export interface JobFilter {
  /** Statuses and verdicts of the job or of any of its devices; an empty list matches all. */
  states: readonly string[];
  /** Part of its name, or its id. */
  name: string;
  /** The seq of a device that it, or one of its children, runs on. */
  deviceSeq?: number;
  group?: string;
  tagId?: string;
  /** The artifacts that it deploys one of. */
  artifactIds?: readonly string[];
  /** Matches jobs that wait, run, or have changed state since this time. */
  movedSince?: number;
  archived: boolean;
}

export interface JobPage {
  rows: JobRow[];
  /** The seq below which the next page starts; undefined at the end. */
  next: number | undefined;
}

/** The seqs below `before` that a condition selects, in descending order. */
type Source = (before: number, limit: number) => Promise<number[]>;

/** The most jobs scanned for one page. The page then ends with what was found, and another one follows. */
const MAX_SCANNED = 2_000;
const SCAN_BATCH = 500;
const MIN_SCANNED = 50;
/** Counting the jobs of a condition stops here. */
const MAX_COUNTED = 1_000;

export async function jobPage(
  db: Reader,
  names: NameIndex,
  scope: Scope,
  filter: JobFilter,
  { before, limit }: { before: number; limit: number },
): Promise<JobPage> {
  const { accountId } = scope;
  const among =
    filter.deviceSeq === undefined ? await topJobsInScope(db, scope) : await jobsOfDevice(db, filter.deviceSeq);
  const { searched, fitsOwn } = scope.groups ? narrowed(filter) : { searched: filter, fitsOwn: undefined };
  const source = await smallestSource(await sourcesOf(db, { names, accountId, filter: searched, among }), before);
  const check = openCheck(db, accountId, searched);
  const isAmong = among && new Set(among);
  const part = fold(filter.name);
  const fits = ({ seq, id, name }: ScannedJob) =>
    (isAmong?.has(seq) ?? true) && (part === '' || id === part || fold(name).includes(part));
  const fitting = async (candidates: readonly number[]) => {
    const found = (await check(candidates)).filter(fits).map(({ seq }) => seq);
    if (!fitsOwn) return new Set(found);
    return new Set((await jobsOfList(db, scope, found)).filter(fitsOwn).map(({ seq }) => seq));
  };

  const seqs: number[] = [];
  let next: number | undefined = before;
  for (let scanned = 0; next !== undefined && seqs.length < limit && scanned < MAX_SCANNED;) {
    const size = Math.min(SCAN_BATCH, Math.max(limit, MIN_SCANNED));
    const candidates = await source(next, size);
    const fit = await fitting(candidates);
    const found = candidates.filter((seq) => fit.has(seq)).slice(0, limit - seqs.length);
    seqs.push(...found);
    scanned += candidates.length;
    const last = seqs.length === limit ? found.at(-1) : candidates.at(-1);
    next = candidates.length < size && last === candidates.at(-1) ? undefined : last;
  }
  return { rows: (await jobsOfList(db, scope, seqs)).toReversed(), next };
}

/**
 * What the database can search for a role that is limited to groups, and a check of the rest: the stored states and times
 * of a parent are those of all its devices.
 */
function narrowed({ states, movedSince, ...searched }: JobFilter): {
  searched: JobFilter;
  fitsOwn: ((row: JobRow) => boolean) | undefined;
} {
  const fitsOwn = (row: JobRow) =>
    (states.length === 0 || statesOf(row).some((state) => states.includes(state))) &&
    (movedSince === undefined || (row.ended ?? Infinity) >= movedSince);
  const isSearched = states.length === 0 && movedSince === undefined;
  return { searched: { ...searched, states: [] }, fitsOwn: isSearched ? undefined : fitsOwn };
}

interface ScannedJob {
  seq: number;
  id: string;
  name: string;
}

/** Reads which of these jobs meet all conditions except those for name and device. */
function openCheck(
  db: Reader,
  accountId: number,
  filter: JobFilter,
): (seqs: readonly number[]) => Promise<ScannedJob[]> {
  const { states, group, tagId, artifactIds, movedSince, archived } = filter;
  const conditions = ['j.account_id = ?', 'j.parent_seq IS NULL', `j.archived IS ${archived ? 'NOT NULL' : 'NULL'}`];
  const values: (string | number)[] = [accountId];
  const add = (sql: string, ...more: (string | number)[]) => {
    conditions.push(sql);
    values.push(...more);
  };
  if (group !== undefined) add('j.device_group = ?', group);
  if (tagId !== undefined) add('j.tag_id = ?', tagId);
  if (artifactIds !== undefined) add(`j.artifact_id IN (${artifactIds.map(() => '?').join(', ')})`, ...artifactIds);
  if (movedSince !== undefined) add(`(j.status IN ('Waiting', 'Running') OR ${CHANGED} >= ?)`, movedSince);
  if (states.length > 0)
    add(
      `EXISTS (SELECT 1 FROM job_states s WHERE s.account_id = j.account_id AND s.archived = ${archived ? 1 : 0}
         AND s.state IN (${states.map(() => '?').join(', ')}) AND s.job_seq = j.seq)`,
      ...states,
    );
  const sql = `SELECT j.seq, j.id, j.name FROM ${db.dialect.list('w')} CROSS JOIN jobs j
    WHERE j.seq = CAST(w.value AS BIGINT) AND ${conditions.join(' AND ')}`;
  return (seqs) => db.all<ScannedJob>(sql, JSON.stringify(seqs), ...values);
}

const CHANGED = 'coalesce(ended, started, created)';

// ---- Where to look ---------------------------------------------------------------------------------------------------

/** The condition with the fewest jobs, without counting further than it is worth. */
async function smallestSource(sources: readonly Source[], before: number): Promise<Source> {
  let best: { source: Source; count: number } | undefined;
  for (const source of sources) {
    if (sources.length === 1) return source;
    const { length: count } = await source(before, MAX_COUNTED);
    if (!best || count < best.count) best = { source, count };
    if (count < MIN_SCANNED) break;
  }
  return best?.source ?? listed([]);
}

interface Search {
  names: NameIndex;
  accountId: number;
  filter: JobFilter;
  /** The jobs of a device, or all jobs in the scope. */
  among: readonly number[] | undefined;
}

async function sourcesOf(db: Reader, { names, accountId, filter, among }: Search): Promise<Source[]> {
  const { states, name, group, tagId, artifactIds, movedSince, archived } = filter;
  const seqs = async (sql: string, ...args: (string | number)[]) =>
    (await db.all<{ seq: number }>(sql, ...args)).map(({ seq }) => seq);
  const inState =
    (state: string): Source =>
    (before, limit) =>
      seqs(
        `SELECT job_seq AS seq FROM job_states WHERE account_id = ? AND archived = ? AND state = ? AND job_seq < ?
         ORDER BY job_seq DESC LIMIT ?`,
        accountId,
        archived ? 1 : 0,
        state,
        before,
        limit,
      );
  const withValue =
    (column: 'device_group' | 'tag_id' | 'artifact_id', value: string): Source =>
    (before, limit) =>
      seqs(
        `SELECT seq FROM jobs WHERE account_id = ? AND parent_seq IS NULL AND ${column} = ? AND seq < ?
         ORDER BY seq DESC LIMIT ?`,
        accountId,
        value,
        before,
        limit,
      );
  const found: Source[] = [];
  if (among !== undefined) found.push(listed(among));
  if (name !== '') {
    const part = fold(name);
    const withId = await seqs('SELECT seq FROM jobs WHERE id = ? AND account_id = ?', part, accountId);
    found.push(merged([(before, limit) => names.find(accountId, [part], { before, limit }), listed(withId)]));
  }
  if (artifactIds !== undefined) found.push(merged(artifactIds.map((id) => withValue('artifact_id', id))));
  if (tagId !== undefined) found.push(withValue('tag_id', tagId));
  if (group !== undefined) found.push(withValue('device_group', group));
  if (states.length > 0) found.push(merged(states.map(inState)));
  if (movedSince !== undefined) {
    const recent = await seqs(
      `SELECT seq FROM jobs WHERE account_id = ? AND parent_seq IS NULL AND ${CHANGED} >= ? LIMIT ?`,
      accountId,
      movedSince,
      MAX_COUNTED,
    );
    // If there are many, the newest jobs are mostly among them, and this condition narrows nothing down.
    if (recent.length < MAX_COUNTED) found.push(merged([inState('Waiting'), inState('Running'), listed(recent)]));
  }
  if (found.length > 0) return found;
  return [
    (before, limit) =>
      seqs(
        `SELECT seq FROM jobs ${db.dialect.indexedBy(archived ? 'jobs_in_archive' : 'jobs_top')}
         WHERE account_id = ? AND parent_seq IS NULL AND archived IS ${archived ? 'NOT NULL' : 'NULL'} AND seq < ? ORDER BY seq DESC LIMIT ?`,
        accountId,
        before,
        limit,
      ),
  ];
}

const descending = (seqs: Iterable<number>) => [...new Set(seqs)].toSorted((one, other) => other - one);

function listed(seqs: readonly number[]): Source {
  const all = descending(seqs);
  return async (before, limit) => all.filter((seq) => seq < before).slice(0, limit);
}

const merged =
  (sources: readonly Source[]): Source =>
  async (before, limit) => {
    const seqs: number[] = [];
    for (const source of sources) seqs.push(...(await source(before, limit)));
    return descending(seqs).slice(0, limit);
  };

/** Single jobs on a device, and the parents of its other jobs. */
const jobsOfDevice = async (db: Reader, deviceSeq: number): Promise<number[]> =>
  (
    await db.all<{ seq: number }>(
      'SELECT DISTINCT coalesce(parent_seq, seq) AS seq FROM jobs WHERE device_seq = ?',
      deviceSeq,
    )
  ).map(({ seq }) => seq);

/** The number of jobs in the list without conditions. */
export async function countJobs(db: Reader, scope: Scope): Promise<number> {
  const own = isOwnTopJob(db.dialect, scope, 'jobs');
  const row = await db.get<{ count: number }>(
    `SELECT count(*) AS count FROM jobs ${db.dialect.indexedBy('jobs_top')}
     WHERE account_id = ? AND parent_seq IS NULL AND archived IS NULL${own.sql}`,
    scope.accountId,
    ...own.values,
  );
  return row?.count ?? 0;
}
