// Which version of each artifact runs on which device: the last success on the device, written in the transaction in
// which a job succeeds. A device runs its jobs in the order of their seq, so the highest seq is the last.
import type { Reader, Tx } from './database.ts';
import { perDialect, type Dialect } from './dialect.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** `j` is the job of a device; `t` is the top job, which says what is deployed. */
const TOP = 'JOIN jobs t ON t.seq = coalesce(j.parent_seq, j.seq)';
const SUCCESS = `j.ended IS NOT NULL AND coalesce(j.verdict, j.status) = 'Succeeded'
  AND NOT EXISTS (SELECT 1 FROM to_judge WHERE job_seq = j.seq)`;

/** Writes the last success of each device and artifact among these jobs, unless a later one is known. */
const note = (jobs: string, where = '') => `
  INSERT INTO device_versions (device_seq, artifact_name, account_id, version, at, job_seq, job_id)
  SELECT device_seq, name, account_id, version, ended, seq, id FROM (
    SELECT j.device_seq, t.rule_name AS name, j.account_id, t.artifact_version AS version, j.ended, j.seq, j.id,
      row_number() OVER (PARTITION BY j.device_seq, t.rule_name ORDER BY j.seq DESC) AS place
    FROM ${jobs} ${TOP} JOIN devices d ON d.seq = j.device_seq
    WHERE t.artifact_version IS NOT NULL AND t.rule_name IS NOT NULL AND ${SUCCESS} ${where}) AS successes
  WHERE place = 1
  ON CONFLICT (device_seq, artifact_name) DO UPDATE SET
    version = excluded.version, at = excluded.at, job_seq = excluded.job_seq, job_id = excluded.job_id
    WHERE excluded.job_seq >= device_versions.job_seq`;

const listed = (sql: Dialect, column: string) =>
  `${sql.list('w')} JOIN jobs j ON j.${column} = CAST(w.value AS BIGINT)`;
const NOTE = perDialect((sql) => note(listed(sql, 'seq')));
const NOTE_CHILDREN = perDialect((sql) => note(listed(sql, 'parent_seq')));
const NOTE_OTHERS = perDialect((sql) =>
  note(
    `${sql.list('w')} JOIN jobs j ON j.device_seq = CAST(${sql.field('w.value', 'device_seq')} AS BIGINT)`,
    `AND t.rule_name = ${sql.field('w.value', 'artifact_name')}`,
  ),
);
const FORGET = perDialect(
  (sql) => `DELETE FROM device_versions WHERE (device_seq, artifact_name, job_seq) IN (
    SELECT j.device_seq, t.rule_name, j.seq FROM ${listed(sql, 'seq')} ${TOP}
    WHERE coalesce(j.verdict, j.status) <> 'Succeeded') RETURNING device_seq, artifact_name`,
);

/** Records the versions that ended jobs deployed. Jobs that are not judged yet are left to `correctVersions`. */
export async function noteVersions(tx: Tx, jobSeqs: readonly number[]): Promise<void> {
  if (jobSeqs.length > 0) await tx.run(NOTE(tx), JSON.stringify(jobSeqs));
}

/** The same for top jobs and their children. */
export async function noteVersionsOfAll(tx: Tx, topSeqs: readonly number[]): Promise<void> {
  await noteVersions(tx, topSeqs);
  await tx.run(NOTE_CHILDREN(tx), JSON.stringify(topSeqs));
}

/**
 * Corrects the versions after jobs were judged: a job that no longer counts as a success gives way to the success
 * before it.
 */
export async function correctVersions(tx: Tx, jobSeqs: readonly number[]): Promise<void> {
  const lost = await tx.all<{ device_seq: number; artifact_name: string }>(FORGET(tx), JSON.stringify(jobSeqs));
  if (lost.length > 0) await tx.run(NOTE_OTHERS(tx), JSON.stringify(lost));
  await noteVersions(tx, jobSeqs);
}

// ---- Reading -------------------------------------------------------------------------------------------------------

export interface DeviceVersionRow {
  device_seq: number;
  device_id: string;
  artifact_name: string;
  version: string;
  at: number;
  job_id: string;
}

const COLUMNS = 'v.device_seq, d.id AS device_id, v.artifact_name, v.version, v.at, v.job_id';

/** The versions of one artifact, latest created devices first; `before` is the seq of a device. */
export function versionsOfArtifact(
  db: Reader,
  { scope, artifact, before, limit }: { scope: Scope; artifact: string; before: number; limit: number },
): Promise<DeviceVersionRow[]> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  return db.all<DeviceVersionRow>(
    `SELECT ${COLUMNS} FROM device_versions v JOIN devices d ON d.seq = v.device_seq
     WHERE v.account_id = ? AND v.artifact_name = ? AND v.device_seq < ?${own.sql} ORDER BY v.device_seq DESC LIMIT ?`,
    scope.accountId,
    artifact,
    before,
    ...own.values,
    limit,
  );
}

/** Sorted by the name of the artifact. */
export const versionsOfDevice = (db: Reader, deviceSeq: number): Promise<DeviceVersionRow[]> =>
  db.all<DeviceVersionRow>(
    `SELECT ${COLUMNS} FROM device_versions v JOIN devices d ON d.seq = v.device_seq
     WHERE v.device_seq = ? ORDER BY v.artifact_name`,
    deviceSeq,
  );

const LATEST = perDialect(
  (sql) => `SELECT d.seq AS device_seq, d.id AS device_id, v.artifact_name, v.version
    FROM ${sql.list('asked')} CROSS JOIN devices d LEFT JOIN device_versions v ON v.device_seq = d.seq AND v.job_seq =
      (SELECT max(job_seq) FROM device_versions WHERE device_seq = d.seq)
    WHERE d.id = asked.value AND d.account_id = ?`,
);

/** What was deployed last to each of these devices that is in the scope, nulls where nothing was. */
export function latestVersions(
  db: Reader,
  scope: Scope,
  ids: readonly string[],
): Promise<{ device_seq: number; device_id: string; artifact_name: string | null; version: string | null }[]> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  return db.all(`${LATEST(db)}${own.sql} ORDER BY asked.key`, JSON.stringify(ids), scope.accountId, ...own.values);
}

const OF_JOBS = perDialect(
  (sql) => `SELECT d.seq AS device_seq, d.id AS device_id, v.artifact_name, v.version, v.at, v.job_id
    FROM (SELECT DISTINCT j.device_seq FROM ${listed(sql, 'seq')} ${TOP} WHERE t.rule_name = ?) AS touched
    JOIN devices d ON d.seq = touched.device_seq
    LEFT JOIN device_versions v ON v.device_seq = d.seq AND v.artifact_name = ?
    WHERE d.account_id = ?`,
);

/** Which version of the artifact the devices of these jobs have now; null where they have none. */
export function versionsAfterJobs(
  db: Reader,
  { scope, artifact, jobSeqs }: { scope: Scope; artifact: string; jobSeqs: readonly number[] },
): Promise<(Omit<DeviceVersionRow, 'version'> & { version: string | null })[]> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  const values = [JSON.stringify(jobSeqs), artifact, artifact, scope.accountId, ...own.values];
  return db.all(OF_JOBS(db) + own.sql, ...values);
}

/** How many devices have each version. */
export function countVersions(
  db: Reader,
  scope: Scope,
): Promise<{ artifact_name: string; version: string; devices: number }[]> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  const rows = scope.groups
    ? `devices d CROSS JOIN device_versions v WHERE d.account_id = ?${own.sql} AND v.device_seq = d.seq`
    : 'device_versions WHERE account_id = ?';
  return db.all(
    `SELECT artifact_name, version, count(*) AS devices FROM ${rows}
     GROUP BY artifact_name, version ORDER BY artifact_name, version`,
    scope.accountId,
    ...own.values,
  );
}
