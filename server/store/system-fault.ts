// Faults of the machine: a full, broken or read-only disk, or too many open files. Each becomes an error that says what
// to do, and a throttled line in the log.
import { log, logThrottled } from '../operation/log.ts';
import { StoreError, Unavailable } from './errors.ts';

/** SQLite's primary result codes for faults of the disk, the file or another program. */
export const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;

/** SQLite's primary result code of an error; undefined for any other error. */
export const sqliteCode = (cause: unknown): number | undefined =>
  cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;

/** The system's code of an error, like ENOSPC. */
export const systemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;

/** Whether a write failed for lack of space. */
export const isFull = (cause: unknown): boolean =>
  sqliteCode(cause) === SQLITE.FULL || systemCode(cause) === 'ENOSPC' || systemCode(cause) === 'EDQUOT';

const unavailable = (message: string, detail: string, retryAfterSeconds: number, cause?: unknown) =>
  new Unavailable(message, detail, { retryAfterSeconds, cause });

/** The error for requests that need space on a full disk. */
export const diskFull = (cause?: unknown): Unavailable =>
  unavailable(
    'The disk of the service is full',
    'Nothing was changed. Delete jobs or artifacts, or free space on the disk that holds DATA_DIR, then try again.',
    60,
    cause,
  );

/** The same if there is not even space for a deletion. */
export const diskFullForGood = (): Unavailable =>
  unavailable(
    'The disk of the service is full',
    'Nothing was changed. The operator should free space on the disk that holds DATA_DIR and restart the service.',
    60,
  );

/** The error for changes on a read-only disk. */
export const diskReadOnly = (cause?: unknown): Unavailable =>
  unavailable(
    'The disk of the service is read-only',
    'Nothing was changed. The operator should make the disk that holds DATA_DIR writable and restart the service.',
    60,
    cause,
  );

/** Describes a fault of the machine; undefined for any other error. */
export function systemFault(cause: unknown): Unavailable | undefined {
  if (isFull(cause)) return diskFull(cause);
  const sqlite = sqliteCode(cause);
  const system = systemCode(cause);
  if (sqlite === SQLITE.READONLY || system === 'EROFS') return diskReadOnly(cause);
  if (sqlite === SQLITE.BUSY)
    return unavailable(
      'The database is in use by another program',
      'Nothing was changed. Try again in a moment.',
      5,
      cause,
    );
  if (sqlite === SQLITE.CORRUPT || sqlite === SQLITE.NOTADB)
    return unavailable(
      'The database of the service is damaged',
      'Nothing was changed. The operator should stop the service and restore a backup of DATA_DIR.',
      60,
      cause,
    );
  if (system === 'EMFILE' || system === 'ENFILE')
    return unavailable(
      'The service has too many files and connections open',
      'Try again in a moment. The operator should raise its limit of open files (ulimit -n, or LimitNOFILE of systemd).',
      5,
      cause,
    );
  if (sqlite === SQLITE.IOERR || sqlite === SQLITE.CANTOPEN || system === 'EIO')
    return unavailable(
      'The service cannot use its disk',
      'Nothing was changed. The operator should look at the disk that holds DATA_DIR.',
      5,
      cause,
    );
  return undefined;
}

/**
 * Logs a failure in a part of the service. A fault of the machine is one line, at most once a minute; anything else is
 * a bug and is logged with its stack.
 */
export function logFault(where: string, cause: unknown): void {
  const fault = cause instanceof StoreError ? cause : systemFault(cause);
  if (!fault) return log.error(where, cause);
  const reason = fault.cause instanceof Error ? fault.cause.message : undefined;
  logThrottled(`${where}: ${fault.message}`, 'error', `${where}: ${fault.message}.`, { reason });
}

/** Logs a warning for the operator, with the cause if it is known. */
export const reportFault = (message: string, cause?: unknown): void =>
  cause === undefined ? log.warn(message) : logFault(message, cause);
