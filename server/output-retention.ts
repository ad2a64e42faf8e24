// Limits of stored job output: JOB_OUTPUT_MB and JOB_OUTPUT_DAYS. Output of the jobs that ended first is removed first;
// the job remains and says so. In the first hour after a start, only announced removals happen.
import { printIsoTime, printSqlTime } from '#/contract/timestamps.ts';
import type { Account } from '#/contract/account.ts';
import type { Clock } from './clock.ts';
import { log } from './operation/log.ts';
import type { Database } from './store/database.ts';
import { accountsWithOutput, outputBytes, outputEndedBefore, removeOldestOutput } from './store/output-usage.ts';

type Usage = Pick<Account, 'OutputBytesUsed' | 'OutputBytesLimit' | 'OutputDays' | 'OutputRemoval'>;

export interface OutputRetention {
  /** The usage fields of the account. */
  usage(accountId: number): Promise<Usage>;
  /** Removes output that is due. */
  sweep(): Promise<void>;
}

interface RetentionOptions {
  db: Database;
  clock: Pick<Clock, 'now' | 'onSet'>;
  limitBytes: number;
  /** Undefined: output never becomes too old. */
  days: number | undefined;
  /** Whether nothing can be removed. */
  readOnly: boolean;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Removal goes below the limit by this share, so that the next bytes do not start it again. */
const DOWN_TO = 0.95;

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
const jobs = (count: number) => (count === 1 ? '1 job' : `${count} jobs`);

export async function openOutputRetention(options: RetentionOptions): Promise<OutputRetention> {
  const { db, clock, limitBytes, days, readOnly } = options;
  const { now } = clock;
  // From this time on the limits apply to everything from before the start, hour by hour.
  let nextHour = now() + HOUR_MS;
  let grace = true;
  const atStart = new Map<number, number>();
  for (const accountId of await accountsWithOutput(db)) atStart.set(accountId, await outputBytes(db, accountId));
  const ageOf = (at: number) => (days === undefined ? Number.NEGATIVE_INFINITY : at - days * DAY_MS);

  const removal = async (accountId: number): Promise<Usage['OutputRemoval']> => {
    const Time = printIsoTime(new Date(nextHour));
    const old = await outputEndedBefore(db, accountId, ageOf(nextHour));
    if (old.jobs > 0) return { Time, Jobs: old.jobs, Bytes: old.bytes, Because: 'JOB_OUTPUT_DAYS' };
    const over = (await outputBytes(db, accountId)) - limitBytes;
    if (over > 0) return { Time, Bytes: over, Because: 'JOB_OUTPUT_MB' };
    return undefined;
  };

  const announce = async () => {
    for (const accountId of await accountsWithOutput(db)) {
      const next = await removal(accountId);
      if (!next) continue;
      const what = next.Jobs === undefined ? 'the oldest output of jobs' : `the output of ${jobs(next.Jobs)}`;
      const why = next.Because === 'JOB_OUTPUT_DAYS' ? `${days} days` : megabytes(limitBytes);
      log.info(
        `From ${printSqlTime(new Date(nextHour))} UTC on ${what} will be removed (${megabytes(next.Bytes)}): ${next.Because} allows ${why}.`,
      );
    }
  };

  /** Removes the oldest output until nothing is due, a little in each transaction. */
  const remove = async (accountId: number, due: { before: number } | { downTo: number }, because: string) => {
    const sum = { jobs: 0, bytes: 0 };
    for (;;) {
      const removed = await db.write((tx) => removeOldestOutput(tx, accountId, due, { at: now(), because }), {
        essential: true,
      });
      if (removed.jobs === 0) break;
      sum.jobs += removed.jobs;
      sum.bytes += removed.bytes;
    }
    if (sum.jobs > 0)
      log.info(
        `Removed the output of ${jobs(sum.jobs)} (${megabytes(sum.bytes)}): ${because}. The jobs are still there.`,
      );
  };

  const sweep = async () => {
    const at = now();
    const isHour = at >= nextHour;
    if (isHour) {
      grace = false;
      nextHour = at + HOUR_MS;
    }
    for (const accountId of await accountsWithOutput(db)) {
      if (isHour && days !== undefined)
        await remove(accountId, { before: ageOf(at) }, `older than ${days} days (JOB_OUTPUT_DAYS)`);
      const limit = grace ? Math.max(limitBytes, atStart.get(accountId) ?? 0) : limitBytes;
      if ((await outputBytes(db, accountId)) > limit)
        await remove(
          accountId,
          { downTo: limit * DOWN_TO },
          `the limit of ${megabytes(limitBytes)} was reached (JOB_OUTPUT_MB)`,
        );
    }
    if (isHour) await announce();
  };

  // By a clock that is years ahead all output is old: there is an hour to correct it.
  clock.onSet(() => void (nextHour = now() + HOUR_MS));
  if (!readOnly) await announce();

  return {
    usage: async (accountId) => ({
      OutputBytesUsed: await outputBytes(db, accountId),
      OutputBytesLimit: limitBytes,
      OutputDays: days,
      OutputRemoval: await removal(accountId),
    }),
    sweep,
  };
}
