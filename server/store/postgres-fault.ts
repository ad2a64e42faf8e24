// Faults of PostgreSQL and of the network to it: one sentence for the operator at startup, one error for clients later.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
import { ConfigError } from '../config-error.ts';
import { placeOf } from '../database-url.ts';
import { certificateFault } from './certificate-fault.ts';
import { InvalidInput, Unavailable } from './errors.ts';
import { systemCode } from './system-fault.ts';

/** The connection of the units of work was lost. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** Whether the commit had been sent, so that nobody knows if it took place. */
  readonly isUncertain: boolean;

  constructor(cause: unknown, isUncertain: boolean) {
    super(cause instanceof Error ? cause.message : 'The connection to PostgreSQL was lost', { cause });
    this.isUncertain = isUncertain;
  }
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** System error codes for a server that cannot be reached or has gone away. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** Errors that `pg` itself reports have no code. */
const PG_MESSAGES = /^Connection terminated|not queryable|timeout exceeded when trying to connect|timeout expired/;
/** The error of `pg` when `query_timeout` expires. */
const NO_ANSWER = /^Query read timeout/;

/** Whether the connection was lost or never established. */
export function isConnectionLost(cause: unknown): boolean {
  if (cause instanceof ConnectionLost) return true;
  const code = systemCode(cause);
  if (code === undefined)
    return cause instanceof Error && (PG_MESSAGES.test(cause.message) || NO_ANSWER.test(cause.message));
  // 57P01 to 57P05, 25P03 and 25P04: the server or the session was ended; class 08: the connection failed.
  return UNREACHABLE.has(code) || /^(08|57P|25P0[34])/.test(code);
}

const unavailable = (message: string, detail: string, retryAfterSeconds: number, cause: unknown) =>
  new Unavailable(message, detail, { retryAfterSeconds, cause });

/** The error for a text with U+0000, or with a lone surrogate in a list. */
const textRefused = (cause?: unknown) =>
  new InvalidInput('A text holds a character that cannot be stored', 'Remove the NUL character (U+0000) from it.', {
    cause,
  });

/** PostgreSQL refuses U+0000 in texts: clients get a clear error before the statement is sent. */
export function requireStorable(value: unknown): void {
  if (typeof value === 'string' && value.includes('\u0000')) throw textRefused();
}

/** Describes a fault of PostgreSQL for clients; undefined for any other error. */
export function postgresFault(cause: unknown): InvalidInput | Unavailable | undefined {
  if (cause instanceof ConnectionLost && cause.isUncertain)
    return unavailable(
      'The connection to the database was lost',
      'Whether the change was stored is not known: look before you send it again.',
      5,
      cause,
    );
  if (isConnectionLost(cause) && cause instanceof Error && NO_ANSWER.test(cause.message))
    return unavailable('The database does not answer', 'Nothing was changed. Try again in a moment.', 5, cause);
  if (isConnectionLost(cause))
    return unavailable('The database cannot be reached', 'Nothing was changed. Try again in a moment.', 5, cause);
  const code = systemCode(cause);
  if (code === undefined || !SQLSTATE.test(code)) return undefined;
  if (code === '22021' || code === '22P05') return textRefused(cause);
  if (code === '53100')
    return unavailable(
      'The disk of the database is full',
      'Nothing was changed. The operator should free space on the disk of PostgreSQL.',
      60,
      cause,
    );
  if (code === '25006')
    return unavailable(
      'The database is read-only',
      'Nothing was changed. The operator should set DATABASE_URL to the primary server.',
      60,
      cause,
    );
  if (code === '55P03')
    return unavailable(
      'The database is locked',
      'Nothing was changed: another session of PostgreSQL holds a lock for a long time. Try again in a moment.',
      5,
      cause,
    );
  if (code === '57014')
    return unavailable(
      'The database took too long',
      'It was stopped, and nothing was changed. Try again later, or ask for less at a time.',
      5,
      cause,
    );
  // Class 53: out of memory or connections; class 40: a conflict with another session.
  if (/^(53|40)/.test(code))
    return unavailable('The database is overloaded', 'Nothing was changed. Try again in a moment.', 5, cause);
  return undefined;
}

/** Describes why the service cannot start with this database. */
export function startFault(cause: unknown, url: URL): unknown {
  if (cause instanceof ConfigError) return cause;
  const place = `DATABASE_URL is ${placeOf(url)}, but`;
  const why = cause instanceof Error ? cause.message || String(systemCode(cause)) : String(cause);
  const code = systemCode(cause) ?? '';
  const fault = (text: string) => Object.assign(new ConfigError(`${place} ${text}`), { cause });
  if (code === '28P01' || code === '28000') return fault(`the server refuses that user and password (${why}).`);
  if (code === '3D000') return fault('there is no such database: create it with CREATE DATABASE.');
  if (code === '42501') return fault(`that user may not create tables in it (${why}): make the user its owner.`);
  if (code === '53300') return fault('the server has no connection left: raise max_connections.');
  if (isConnectionLost(cause)) return fault(`the server cannot be reached (${code || why}).`);
  const certificate = certificateFault(cause);
  if (certificate !== undefined) return fault(`the certificate of the server ${certificate}.`);
  if (/SSL|certificate/i.test(why)) return fault(`the connection is not encrypted as it should be (${why}).`);
  if (SQLSTATE.test(code)) return fault(`the server refuses it (${why}).`);
  return cause;
}
