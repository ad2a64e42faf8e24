// The triggers that maintain job_states, the states under which the list of jobs finds a single job or a parent
// (job-list.ts).
import { trigger } from './schema-text.ts';
import type { Definition } from './schema-text.ts';

const STATES = [
  'Waiting',
  'Running',
  'Succeeded',
  'Failed',
  'Cancelled',
  'Interrupted',
  'RolledBack',
  'NoAnswer',
] as const;

/** Children whose verdict differs from their status. */
const SHIFTED =
  'FROM jobs s WHERE s.parent_seq = c.job_seq AND s.verdict IS NOT NULL AND s.verdict <> s.status AND s.superseded = 0';
const countOf = (state: string): string =>
  state === 'RolledBack' || state === 'NoAnswer'
    ? `(SELECT count(*) ${SHIFTED} AND s.verdict = '${state}')`
    : `(c.${state.toLowerCase()} - (SELECT count(*) ${SHIFTED} AND s.status = '${state}')
        + (SELECT count(*) ${SHIFTED} AND s.verdict = '${state}'))`;
const NOT_SUCCEEDED = STATES.filter((state) => state !== 'Succeeded');

/** A parent is in the state Succeeded when all its devices are, and in any other state as soon as one device is. */
const statesOfParent = (which: string) =>
  STATES.map((state) => {
    const none = (states: readonly string[]) => states.map((each) => `${countOf(each)} = 0`).join(' AND ');
    const condition = `${countOf(state)} > 0${state === 'Succeeded' ? ` AND ${none(NOT_SUCCEEDED)}` : ''}`;
    return `SELECT j.account_id, CASE WHEN j.archived IS NULL THEN 0 ELSE 1 END, '${state}', j.seq
      FROM jobs j JOIN job_counts c ON c.job_seq = j.seq WHERE ${which} AND ${condition}`;
  }).join(' UNION ');

/** `which` is a condition on `j`, a row of jobs. */
const statesOf = (which: string) => `
  SELECT j.account_id, CASE WHEN j.archived IS NULL THEN 0 ELSE 1 END AS archived, coalesce(j.verdict, j.status) AS state, j.seq
    FROM jobs j WHERE ${which} AND (j.device_seq IS NOT NULL OR j.status IN ('Waiting', 'Running')
      OR NOT EXISTS (SELECT 1 FROM job_counts WHERE job_seq = j.seq))
  UNION ${statesOfParent(which)}`;

const add = (which: string) =>
  `INSERT INTO job_states (account_id, archived, state, job_seq) ${statesOf(`j.parent_seq IS NULL AND ${which}`)}`;

const remove = (seq: string, account: string) =>
  `DELETE FROM job_states WHERE account_id = ${account} AND archived IN (0, 1)
     AND state IN (${STATES.map((state) => `'${state}'`).join(', ')}) AND job_seq = ${seq}`;

const refresh = (seq: string, account: string) => `${remove(seq, account)}; ${add(`j.seq = ${seq}`)}`;
const ofCounts = refresh('new.job_seq', '(SELECT account_id FROM jobs WHERE seq = new.job_seq)');

const COLUMNS = ['waiting', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'];
const CHANGED = 'UPDATE OF status, verdict, judged, archived, parent_seq ON jobs';
/** A new job, and a job without children, is in one state. */
const addOwn = `INSERT INTO job_states (account_id, archived, state, job_seq)
  SELECT new.account_id, CASE WHEN new.archived IS NULL THEN 0 ELSE 1 END, coalesce(new.verdict, new.status), new.seq`;
const TRIGGERS = [
  { name: 'state_of_job_added', on: 'INSERT ON jobs', when: 'new.parent_seq IS NULL', run: addOwn },
  {
    name: 'state_of_single_changed',
    on: CHANGED,
    when: 'new.parent_seq IS NULL AND new.device_seq IS NOT NULL',
    run: `${remove('new.seq', 'new.account_id')}; ${addOwn}`,
  },
  {
    name: 'state_of_parent_changed',
    on: CHANGED,
    when: 'new.parent_seq IS NULL AND new.device_seq IS NULL',
    run: refresh('new.seq', 'new.account_id'),
  },
  {
    name: 'state_of_job_adopted',
    on: 'UPDATE OF parent_seq ON jobs',
    when: 'new.parent_seq IS NOT NULL AND old.parent_seq IS NULL',
    run: remove('new.seq', 'new.account_id'),
  },
  {
    name: 'state_of_job_removed',
    on: 'DELETE ON jobs',
    when: 'old.parent_seq IS NULL',
    run: remove('old.seq', 'old.account_id'),
  },
  { name: 'state_of_counts_added', on: 'INSERT ON job_counts', run: ofCounts },
  {
    name: 'state_of_counts_changed',
    on: 'UPDATE ON job_counts',
    // While ten thousand devices end one by one, this is true only a few times.
    when: COLUMNS.map((column) => `(old.${column} = 0) <> (new.${column} = 0)`).join(' OR '),
    run: ofCounts,
  },
];

export const jobStateTriggers = (): Definition[] => TRIGGERS.map(trigger);

/** Fills an empty job_states from the existing jobs. */
export const FILL_JOB_STATES = `${add('1 = 1')};`;
