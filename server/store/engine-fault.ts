// Whether it is the database that failed, or only what was to be stored.
import { Unavailable } from './errors.ts';
import { postgresFault } from './postgres-fault.ts';
import { systemFault } from './system-fault.ts';

/** A full disk, a lock, a lost connection: any other write would have failed too. */
export const isEngineFault = (cause: unknown): boolean =>
  cause instanceof Unavailable || systemFault(cause) !== undefined || postgresFault(cause) instanceof Unavailable;
