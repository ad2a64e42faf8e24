// Adds jobs: for one device, for several devices as children of a parent, and as further attempts of such children.
import type { JobStatus } from '#/contract/jobs.ts';
import { newId } from './ids.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { refreshParents, touched } from './job-moves.ts';
import type { TouchedParents } from './job-moves.ts';
import type { Scope } from './scope.ts';

export interface Target {
  seq: number;
  id: string;
  name: string;
}

/** What a job runs, the same on all its devices. */
export interface Submission {
  accountId: number;
  name: string;
  artifactId: string | null;
  workflowId: string | null;
  /** The name of its outcome rules. */
  ruleName: string;
  /** The version of the artifact. */
  artifactVersion: string | null;
  /** The Command that users see, for the job with this id. */
  command: (jobId: string) => string;
  created: number;
}

const INSERT = `INSERT INTO jobs (id, account_id, device_seq, device_id, device_name, device_group, tag_id,
  name, artifact_id, workflow_id, rule_name, artifact_version, command, status, created)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'Waiting', ?)`;

interface JobTarget {
  device?: Target;
  group?: string;
  tag?: string;
}

async function insert(
  tx: Tx,
  submission: Submission,
  { device, group, tag }: JobTarget,
): Promise<{ id: string; seq: number }> {
  const id = newId();
  const seq = await insertRow(
    tx,
    INSERT,
    id,
    submission.accountId,
    device?.seq ?? null,
    device?.id ?? '',
    device?.name ?? '',
    group ?? null,
    tag ?? null,
    submission.name,
    submission.artifactId,
    submission.workflowId,
    submission.ruleName,
    submission.artifactVersion,
    submission.command(id),
    submission.created,
  );
  return { id, seq };
}

/** Adds a job to one device. */
export const insertJob = async (tx: Tx, submission: Submission, device: Target): Promise<string> =>
  (await insert(tx, submission, { device })).id;

/** Adds a parent with a child for each device. `selectedBy` is the group or tag that selected them, if any. */
export async function insertParent(
  tx: Tx,
  submission: Submission,
  devices: Target[],
  selectedBy: { group?: string; tag?: string },
): Promise<string> {
  const parent = await insert(tx, submission, selectedBy);
  await tx.run('INSERT INTO job_counts (job_seq, waiting) VALUES (?, ?)', parent.seq, devices.length);
  await insertChildren(
    tx,
    parent.seq,
    submission,
    devices.map(({ seq }) => ({ device: seq, attempt: 1 })),
  );
  return parent.id;
}

/**
 * Rows per statement: a statement for each row is slow, above all on PostgreSQL, and all other writes wait meanwhile.
 */
const BATCH = 1_000;

const INSERT_CHILDREN = perDialect((sql) => {
  const number = (name: string) => `CAST(${sql.field('w.value', name)} AS BIGINT)`;
  return `INSERT INTO jobs (id, account_id, parent_seq, device_seq, device_id, device_name, attempt,
      name, artifact_id, workflow_id, status, created)
    SELECT ${sql.field('w.value', 'id')}, p.account_id, p.seq, d.seq, d.id, d.name, ${number('attempt')},
      CAST(? AS TEXT), p.artifact_id, p.workflow_id, 'Waiting', CAST(? AS BIGINT)
    FROM ${sql.list('w')} JOIN devices d ON d.seq = ${number('device')} JOIN jobs p ON p.seq = ? ORDER BY w.key`;
});

interface Child {
  /** The device's `seq`. */
  device: number;
  attempt: number;
}

/** Adds children to a parent, in this order; the caller updates its counts. */
async function insertChildren(
  tx: Tx,
  parentSeq: number,
  { name, created }: Pick<Submission, 'name' | 'created'>,
  children: Child[],
): Promise<void> {
  for (let from = 0; from < children.length; from += BATCH) {
    const batch = children.slice(from, from + BATCH).map((child) => ({ id: newId(), ...child }));
    await tx.run(INSERT_CHILDREN(tx), name, created, JSON.stringify(batch), parentSeq);
  }
}

// ---- Further attempts ----------------------------------------------------------------------------------------------

interface SingleJob {
  seq: number;
  device_name: string;
  name: string;
  status: JobStatus;
  created: number;
  started: number | null;
}

/** Puts a single job under a new parent, as its first attempt. */
export async function adoptJob(
  tx: Tx,
  submission: Submission,
  { seq, device_name, name, status, created, started }: SingleJob,
): Promise<{ id: string; seq: number }> {
  const parent = await insert(tx, { ...submission, name, created }, {});
  await tx.run('UPDATE jobs SET device_name = ?, started = ? WHERE seq = ?', device_name, started, parent.seq);
  await tx.run(`INSERT INTO job_counts (job_seq, ${status.toLowerCase()}) VALUES (?, 1)`, parent.seq);
  await tx.run('UPDATE jobs SET parent_seq = ? WHERE seq = ?', parent.seq, seq);
  return parent;
}

/** The last attempt of a device. */
export interface LastAttempt {
  seq: number;
  attempt: number;
  status: JobStatus;
}

/** The last attempts of all devices of a parent, by the device's `seq`. */
export async function lastAttempts(db: Reader, parentSeq: number): Promise<Map<number, LastAttempt>> {
  const rows = await db.all<LastAttempt & { device_seq: number }>(
    'SELECT seq, device_seq, attempt, status FROM jobs WHERE parent_seq = ? AND superseded = 0',
    parentSeq,
  );
  return new Map(rows.map((row) => [row.device_seq, row]));
}

const SUPERSEDE = perDialect(
  (sql) => `UPDATE jobs SET superseded = 1 WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

/** Adds another attempt for each of these devices of a parent; their `last` attempts have ended. */
export async function insertAttempts(
  tx: Tx,
  parentSeq: number,
  submission: Pick<Submission, 'name' | 'created'>,
  targets: { device: Target; last: LastAttempt }[],
): Promise<void> {
  const parents: TouchedParents = new Map();
  const { moved } = touched(parents, parentSeq);
  for (const { last } of targets) {
    moved[last.status] -= 1;
    moved.Waiting += 1;
  }
  await tx.run(SUPERSEDE(tx), JSON.stringify(targets.map(({ last }) => last.seq)));
  const children = targets.map(({ device, last }) => ({ device: device.seq, attempt: last.attempt + 1 }));
  await insertChildren(tx, parentSeq, submission, children);
  const highest = children.reduce((most, { attempt }) => Math.max(most, attempt), 1);
  await tx.run(
    // An earlier request to stop does not apply to the new attempts.
    'UPDATE jobs SET stop_asked = NULL, attempt = CASE WHEN attempt < ?1 THEN ?1 ELSE attempt END WHERE seq = ?2',
    highest,
    parentSeq,
  );
  await refreshParents(tx, parents);
}

// ---- Targets -------------------------------------------------------------------------------------------------------

export const devicesOfGroup = (db: Reader, accountId: number, group: string): Promise<Target[]> =>
  db.all<Target>('SELECT seq, id, name FROM devices WHERE account_id = ? AND grp = ? ORDER BY seq', accountId, group);

export const devicesOfTag = (db: Reader, accountId: number, tagId: string): Promise<Target[]> =>
  db.all<Target>(
    `SELECT d.seq, d.id, d.name FROM device_tags t CROSS JOIN devices d
     WHERE t.tag_id = ? AND d.seq = t.device_seq AND d.account_id = ? ORDER BY t.device_seq`,
    tagId,
    accountId,
  );

const DEVICES_OF_LIST = perDialect(
  (sql) => `SELECT seq, id, name FROM devices WHERE +account_id = ? AND id IN (SELECT w.value FROM ${sql.list('w')})
    ORDER BY seq`,
);

/** Which of these ids are devices of the account. */
export const devicesOfList = (db: Reader, accountId: number, ids: readonly string[]): Promise<Target[]> =>
  db.all<Target>(DEVICES_OF_LIST(db), accountId, JSON.stringify(ids));

const DEVICES_IN_SCOPE = perDialect(
  (sql) => `SELECT seq FROM devices WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})
    AND grp IN (SELECT value FROM ${sql.list('own')})`,
);

/** Those of these devices that are in the scope, in the same order. */
export async function devicesInScope<Device extends { seq: number }>(
  db: Reader,
  { groups }: Scope,
  devices: Device[],
): Promise<Device[]> {
  if (!groups || devices.length === 0) return devices;
  const seqs = JSON.stringify(devices.map(({ seq }) => seq));
  const rows = await db.all<{ seq: number }>(DEVICES_IN_SCOPE(db), seqs, JSON.stringify(groups));
  const own = new Set(rows.map(({ seq }) => seq));
  return devices.filter(({ seq }) => own.has(seq));
}
