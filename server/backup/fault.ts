// Describes why a data location cannot be read or written, as one sentence for the operator.
import { ConfigError } from '../config-error.ts';
import { isFull, SQLITE, sqliteCode, systemCode } from '../store/system-fault.ts';
import { isConnectionLost } from '../store/postgres-fault.ts';
import { S3Fault } from '../store/s3-fault.ts';

/** Describes faults of disks, databases and stores; returns all other errors, which are bugs. */
export function placeFault(cause: unknown, address: string): unknown {
  if (cause instanceof ConfigError || !(cause instanceof Error)) return cause;
  const fault = (why: string) => Object.assign(new ConfigError(`${address} ${why}.`), { cause });
  const { message } = cause;
  const code = systemCode(cause) ?? '';
  if (cause instanceof S3Fault) return fault(`cannot be used: the store ${cause.reason}`);
  if (isFull(cause) || code === '53100') return fault(`is full (${message}): free space on its disk`);
  if (sqliteCode(cause) === SQLITE.READONLY || code === 'EROFS' || code === '25006')
    return fault(`is read-only (${message}): make it writable`);
  if (sqliteCode(cause) === SQLITE.CORRUPT || sqliteCode(cause) === SQLITE.NOTADB)
    return fault(`is damaged (${message}): restore a backup of it first`);
  if (sqliteCode(cause) !== undefined) return fault(`cannot be used (${message})`);
  if (isConnectionLost(cause) || message === 'Query read timeout')
    return fault(`cannot be reached any longer (${code || message})`);
  if (/^[0-9A-Z]{5}$/.test(code)) return fault(`refuses it (${message})`);
  if (/^E[A-Z]+$/.test(code)) return fault(`cannot be used (${code})`);
  return cause;
}

/** Runs something at a location, and describes its faults. */
export async function at<T>(address: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw placeFault(cause, address);
  }
}
