// Outcome rules by name, and the verdicts that they produce. A job is judged when it has ended and again when its rules
// change: triggers and `saveRules` add it to `to_judge`, and the transaction that stores its verdict removes it.
import type { JobStatus } from '#/contract/jobs.ts';
import { MOST_RULE_SETS } from '#/contract/limits.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { Rule } from '#/contract/rules.ts';
import type { Database, Reader, Tx } from './database.ts';
import { noteVersionsOfAll } from './device-versions.ts';
import { perDialect } from './dialect.ts';
import { requireRoom } from './room.ts';

/** The way in which this version reads patterns: as they are written. Rules that an earlier version saved have none. */
export const READING = 2;
export type StoredRule = Rule & { Reading?: number };

export interface RuleSetRow {
  account_id: number;
  name: string;
  rules: StoredRule[];
  version: number;
  changed_by: string;
  changed: number;
}
type StoredSet = Omit<RuleSetRow, 'rules'> & { rules: string };
const parsed = (row: StoredSet): RuleSetRow => ({ ...row, rules: JSON.parse(row.rules) as StoredRule[] });

/** Sorted by name. */
export const ruleSetsOf = async (db: Reader, accountId: number): Promise<RuleSetRow[]> =>
  (await db.all<StoredSet>('SELECT * FROM outcome_rules WHERE account_id = ? ORDER BY name', accountId)).map(parsed);

/** Replaces the rules of a name, and queues its jobs to be judged again. */
export async function saveRules(tx: Tx, set: Omit<RuleSetRow, 'version'>): Promise<void> {
  const { account_id: account, name, rules, changed_by: by, changed: at } = set;
  if (rules.length === 0) await tx.run('DELETE FROM outcome_rules WHERE account_id = ? AND name = ?', account, name);
  else {
    if (!(await tx.get('SELECT 1 FROM outcome_rules WHERE account_id = ? AND name = ?', account, name)))
      await requireRoom(
        tx,
        {
          most: MOST_RULE_SETS,
          what: 'artifacts and commands with outcome rules',
          remedy: 'Remove the rules of one that is no longer needed first.',
        },
        'outcome_rules WHERE account_id = ?',
        account,
      );
    await tx.run(
      `INSERT INTO outcome_rules (account_id, name, rules, version, changed_by, changed) VALUES (?1, ?2, ?3, ?5, ?4, ?5)
       ON CONFLICT (account_id, name) DO UPDATE SET
         rules = excluded.rules, version = CASE WHEN outcome_rules.version < ?5 THEN ?5 ELSE outcome_rules.version + 1 END,
         changed_by = excluded.changed_by, changed = excluded.changed`,
      account,
      name,
      JSON.stringify(rules),
      by,
      at,
    );
  }
  await tx.run(
    `INSERT INTO to_judge (job_seq) SELECT seq FROM jobs
     WHERE account_id = ? AND rule_name = ? AND parent_seq IS NULL ON CONFLICT DO NOTHING`,
    account,
    name,
  );
}

// ---- Names of jobs -------------------------------------------------------------------------------------------------

/** Jobs per transaction. */
const NAMED_AT_ONCE = 500;

/**
 * Gives jobs from earlier versions a rule name, derived from the artifact or workflow that they ran if that still
 * exists, and records the versions that they deployed. Returns the number of jobs.
 */
export const nameJobs = (db: Database): Promise<number> =>
  db.write(
    async (tx) => {
      const rows = await tx.all<{
        seq: number;
        job: string;
        artifact: string | null;
        version: string;
        workflow: string | null;
      }>(
        `SELECT j.seq, j.name AS job, a.name AS artifact, a.version, w.name AS workflow FROM jobs j
         LEFT JOIN artifacts a ON a.id = j.artifact_id LEFT JOIN workflows w ON w.id = j.workflow_id
         WHERE j.rule_name IS NULL AND j.parent_seq IS NULL ORDER BY j.seq LIMIT ?`,
        NAMED_AT_ONCE,
      );
      for (const { seq, job, artifact, version, workflow } of rows)
        await tx.run(
          'UPDATE jobs SET rule_name = ? WHERE seq = ?',
          artifact === null ? (workflow ?? job) : ruleNameOf(artifact, version),
          seq,
        );
      await noteVersionsOfAll(
        tx,
        rows.map(({ seq }) => seq),
      );
      return rows.length;
    },
    { patient: true },
  );

// ---- What is to be judged ------------------------------------------------------------------------------------------

export interface JobToJudge {
  seq: number;
  account_id: number;
  parent_seq: number | null;
  device_seq: number | null;
  status: JobStatus;
  ended: number | null;
  exit_code: number | null;
  output_bytes: number;
  output_removed: number | null;
  /** The parent's if it has one. */
  rule_name: string;
}

const DUE = `SELECT j.seq, j.account_id, j.parent_seq, j.device_seq, j.status, j.ended, j.exit_code, j.output_bytes,
    j.output_removed, coalesce(p.rule_name, j.rule_name, '') AS rule_name
  FROM to_judge JOIN jobs j ON j.seq = job_seq LEFT JOIN jobs p ON p.seq = j.parent_seq`;

/** Newest first. */
export const jobsToJudge = (db: Reader, limit: number): Promise<JobToJudge[]> =>
  db.all<JobToJudge>(`${DUE} ORDER BY job_seq DESC LIMIT ?`, limit);

/** Replaces a parent in the queue by its children. */
export async function expandParent(tx: Tx, seq: number): Promise<void> {
  await tx.run(
    `INSERT INTO to_judge (job_seq) SELECT seq FROM jobs
     WHERE parent_seq = ? AND ended IS NOT NULL AND status <> 'Cancelled' ON CONFLICT DO NOTHING`,
    seq,
  );
  await tx.run('DELETE FROM to_judge WHERE job_seq = ?', seq);
}

export interface StoredVerdict {
  seq: number;
  verdict: string | null;
  because: string;
  stream: string | null;
  line: number | null;
}

const STORE = perDialect((sql) => {
  const text = (name: string) => sql.field('w.value', name);
  return `UPDATE jobs SET verdict = ${text('verdict')}, verdict_because = ${text('because')},
      verdict_stream = ${text('stream')}, verdict_line = CAST(${text('line')} AS BIGINT)
    FROM ${sql.list('w')} WHERE jobs.seq = CAST(${text('seq')} AS BIGINT)`;
});
const DONE = perDialect(
  (sql) => `DELETE FROM to_judge WHERE job_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);
const TOUCH = perDialect(
  (sql) => `UPDATE jobs SET judged = judged + 1 WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** `parents` are the jobs' parents, whose counts by verdict may have changed. */
export async function storeVerdicts(tx: Tx, verdicts: StoredVerdict[], parents: Iterable<number>): Promise<void> {
  await tx.run(STORE(tx), JSON.stringify(verdicts));
  await tx.run(DONE(tx), JSON.stringify(verdicts.map(({ seq }) => seq)));
  await tx.run(TOUCH(tx), JSON.stringify([...parents]));
}

/** Removes jobs from the queue without a new verdict: their output is gone, so they keep the verdict that they have. */
export const leaveVerdicts = (tx: Tx, seqs: number[]) => tx.run(DONE(tx), JSON.stringify(seqs));

// ---- Counts of a parent --------------------------------------------------------------------------------------------

/** How many children of a parent have a verdict that differs from their status. */
export const shiftedChildren = (
  db: Reader,
  parentSeq: number,
): Promise<{ status: JobStatus; verdict: string; jobs: number }[]> =>
  db.all(
    `SELECT status, verdict, count(*) AS jobs FROM jobs
     WHERE parent_seq = ? AND verdict IS NOT NULL AND verdict <> status AND superseded = 0 GROUP BY status, verdict`,
    parentSeq,
  );
