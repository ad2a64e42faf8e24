// Whether the service can serve: the database works, has its tables and accepts a write, the disk has space, and the
// service is not stopping.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FieldError } from './store/errors.ts';
import type { Database } from './store/database.ts';

interface ReadinessOptions {
  db: Database;
  /** The fault of the disk, as a sentence without its subject. */
  diskFault: () => string | undefined;
  /** The same of the store of artifacts. */
  artifactFault: () => Promise<string | undefined>;
  isStopping: () => boolean;
}

/** The checks run at most this often, however often the result is requested. */
const CACHE_MS = 2_000;
/** Together: a database that does not answer keeps no load balancer waiting. */
const CHECK_TIMEOUT_MS = 3_000;
const LATE = `did not answer within ${CHECK_TIMEOUT_MS / 1000} seconds`;

/** The problems that keep it from serving; empty if it is ready. */
export type Readiness = () => Promise<FieldError[]>;

export function openReadiness({ db, diskFault, artifactFault, isStopping }: ReadinessOptions): Readiness {
  const databaseFault = async (): Promise<FieldError | undefined> => {
    try {
      const { at, steps } = await db.migrations();
      if (at !== steps) return { field: 'migrations', message: `are at step ${at} of ${steps}` };
      await db.write((tx) => tx.run("UPDATE settings SET value = value WHERE key = 'clock'"));
      return undefined;
    } catch (cause) {
      return {
        field: 'database',
        message: `takes no write: ${cause instanceof Error ? cause.message : String(cause)}`,
      };
    }
  };
  const storeFault = async (): Promise<FieldError | undefined> => {
    const message = await artifactFault();
    return message === undefined ? undefined : { field: 'artifacts', message };
  };

  const check = async (): Promise<FieldError[]> => {
    const disk = diskFault();
    const others = await Promise.all([
      inTime(databaseFault(), { field: 'database', message: LATE }),
      inTime(storeFault(), { field: 'artifacts', message: LATE }),
    ]);
    const faults = [disk === undefined ? undefined : { field: 'disk', message: disk }, ...others];
    return faults.filter((fault) => fault !== undefined);
  };

  let last: { at: number; faults: Promise<FieldError[]> } | undefined;
  return async () => {
    if (isStopping()) return [{ field: 'service', message: 'is stopping' }];
    const now = performance.now();
    if (!last || now - last.at >= CACHE_MS) last = { at: now, faults: check() };
    return last.faults;
  };
}

async function inTime<Value>(work: Promise<Value>, late: Value): Promise<Value> {
  const over = new AbortController();
  const timeOut = sleep(CHECK_TIMEOUT_MS, late, { signal: over.signal, ref: false }).catch(() => late);
  return Promise.race([work, timeOut]).finally(() => over.abort());
}
