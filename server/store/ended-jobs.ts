// How many jobs on devices ended in each hour or day, and how.
import type { Reader } from './database.ts';
import { isOwnDevice, type Scope } from './scope.ts';
import type { Span } from './state-history.ts';

export interface EndedJobs {
  /** When the hour or day began. */
  at: number;
  /** The verdict of its outcome rules; where there is none, its status. */
  outcome: string;
  jobs: number;
}

/** Ended from `from` on and before `to`; parents do not count, their children do. `length`: of each part, in milliseconds. */
export function endedJobs(db: Reader, scope: Scope, { from, to }: Span, length: number): Promise<EndedJobs[]> {
  const own = isOwnDevice(db.dialect, scope, { seq: 'jobs.device_seq' });
  return db.all<EndedJobs>(
    `SELECT at, outcome, count(*) AS jobs FROM (
       SELECT ended - ended % ? AS at, coalesce(verdict, status) AS outcome
       FROM jobs ${db.dialect.indexedBy('jobs_ended')}
       WHERE account_id = ? AND ended >= ? AND ended < ? AND device_seq IS NOT NULL AND ended IS NOT NULL${own.sql}
     ) AS each GROUP BY at, outcome ORDER BY at`,
    length,
    scope.accountId,
    from,
    to,
    ...own.values,
  );
}
