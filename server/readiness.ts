// Whether the service can serve: the database works, has its tables and accepts a write, the disk has space, and the
// service is not stopping.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FieldError } from './http/problem.ts';
import type { Database } from './store/database.ts';

interface ReadinessOptions {
  db: Database;
  /** The fault of the disk, as a sentence without its subject. */
  diskFault: () => string | undefined;
  /** The same of the store of artifacts. */
  artifactFault: () => Promise<string | undefined>;
  isStopping: () => boolean;
}

/** A write is tried at most this often, however often the result is requested. */
const CACHE_MS = 2_000;
const WRITE_TIMEOUT_MS = 3_000;

/** The problems that keep it from serving; empty if it is ready. */
export type Readiness = () => Promise<FieldError[]>;

export function openReadiness({ db, diskFault, artifactFault, isStopping }: ReadinessOptions): Readiness {
  const check = async (): Promise<FieldError[]> => {
    const faults: FieldError[] = [];
    const fault = (field: string, message: string) => faults.push({ field, message });
    const disk = diskFault();
    if (disk !== undefined) fault('disk', disk);
    const artifacts = artifactFault();
    try {
      const { at, steps } = await db.migrations();
      if (at !== steps) fault('migrations', `are at step ${at} of ${steps}`);
      const late = new AbortController();
      const write = db.write((tx) => tx.run("UPDATE settings SET value = value WHERE key = 'clock'"));
      const timeOut = sleep(WRITE_TIMEOUT_MS, 'late', { signal: late.signal, ref: false }).catch(() => undefined);
      const first = await Promise.race([write, timeOut]).finally(() => late.abort());
      if (first === 'late') fault('database', `took no write within ${WRITE_TIMEOUT_MS / 1000} seconds`);
    } catch (cause) {
      fault('database', `takes no write: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    const store = await artifacts;
    if (store !== undefined) fault('artifacts', store);
    return faults;
  };

  let last: { at: number; faults: Promise<FieldError[]> } | undefined;
  return async () => {
    if (isStopping()) return [{ field: 'service', message: 'is stopping' }];
    const now = performance.now();
    if (!last || now - last.at >= CACHE_MS) last = { at: now, faults: check() };
    return last.faults;
  };
}
