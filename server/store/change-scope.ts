// Which of the things that changed a role that is limited to groups may learn of: those that concern devices which are in
// its groups now.
import type { Reader } from './database.ts';
import { perDialect } from './dialect.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** For the text of statements. */
const LIMITED: Scope = { accountId: 0, groups: [] };

const DEVICES = perDialect(
  (sql) => `SELECT seq FROM devices WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})
    AND +account_id = ?${inGroups(sql, LIMITED, 'grp').sql}`,
);

/** Which of these devices are in a limited scope now. */
export const ownDevices = async (db: Reader, scope: Scope, seqs: Iterable<number>): Promise<Set<number>> =>
  new Set(
    (
      await db.all<{ seq: number }>(
        DEVICES(db),
        JSON.stringify([...seqs]),
        scope.accountId,
        ...inGroups(db.dialect, scope, 'grp').values,
      )
    ).map(({ seq }) => seq),
  );

const JOBS = perDialect(
  (sql) => `SELECT j.id FROM jobs j WHERE j.seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')}) AND (
    EXISTS (SELECT 1 FROM devices d WHERE d.seq = j.device_seq${inGroups(sql, LIMITED, 'd.grp').sql})
    OR EXISTS (SELECT 1 FROM jobs c CROSS JOIN devices d
      WHERE c.parent_seq = j.seq AND d.seq = c.device_seq${inGroups(sql, LIMITED, 'd.grp').sql}))`,
);
const PARENTS = perDialect(
  (sql) => `SELECT DISTINCT p.id FROM ${sql.list('asked')} CROSS JOIN jobs c CROSS JOIN devices d CROSS JOIN jobs p
    WHERE c.seq = CAST(asked.value AS BIGINT) AND d.seq = c.device_seq AND p.seq = c.parent_seq${inGroups(sql, LIMITED, 'd.grp').sql}`,
);

/** The ids of those among these single jobs and parents that concern devices of a limited scope. */
export const ownJobs = async (db: Reader, scope: Scope, seqs: Iterable<number>): Promise<string[]> => {
  const { values } = inGroups(db.dialect, scope, 'd.grp');
  const rows = await db.all<{ id: string }>(JOBS(db), JSON.stringify([...seqs]), ...values, ...values);
  return rows.map(({ id }) => id);
};

/** The ids of the parents of those among these children whose devices are in a limited scope. */
export const ownParents = async (db: Reader, scope: Scope, children: Iterable<number>): Promise<string[]> => {
  const { values } = inGroups(db.dialect, scope, 'd.grp');
  return (await db.all<{ id: string }>(PARENTS(db), JSON.stringify([...children]), ...values)).map(({ id }) => id);
};

// Not EXISTS: PostgreSQL would read all devices of all rollouts at once.
const ROLLOUTS = perDialect(
  (sql) => `SELECT r.id FROM rollouts r JOIN ${sql.list('asked')} ON asked.value = r.id
    WHERE 1 = (SELECT 1 FROM rollout_devices v CROSS JOIN devices d
      WHERE v.rollout_seq = r.seq AND d.id = v.device_id${inGroups(sql, LIMITED, 'd.grp').sql} LIMIT 1)`,
);

/** Those among these rollouts that concern devices of a limited scope. */
export const ownRollouts = async (db: Reader, scope: Scope, ids: Iterable<string>): Promise<string[]> =>
  (
    await db.all<{ id: string }>(ROLLOUTS(db), JSON.stringify([...ids]), ...inGroups(db.dialect, scope, 'd.grp').values)
  ).map(({ id }) => id);
