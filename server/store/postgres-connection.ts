// Settings of connections to PostgreSQL and their time limits: a lock that is not released, a statement that does not
// end and a server that does not answer become errors, so that nothing waits forever. DATABASE_URL may set other limits
// (`?lock_timeout=30000`, in milliseconds).
// https://www.postgresql.org/docs/current/runtime-config-client.html
import type { ClientConfig, QueryConfig } from 'pg';
import { ROW_TYPES } from './postgres-sql.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** The limit for a statement: a large listing takes seconds. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** The client's limit for any answer, also to a commit, which the server itself does not limit. */
const ANSWER_TIMEOUT_MS = 75_000;
/** A service that stalls in the middle of a transaction loses its locks after this time. */
const IDLE_TIMEOUT_MS = 10_000;
/** Longer than the idle limit, so that the lock of a stalled service is released before this wait ends. */
const LOCK_TIMEOUT_MS = 15_000;
/** Less than the longest delay that a timer supports. */
const DAY_MS = 86_400_000;

/** The connection for reads. */
export const readingConnection = (url: URL): ClientConfig => ({
  connectionString: url.href,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  types: ROW_TYPES,
  application_name: 'muster',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
});

/** Well within the lease of a node: if one connection does not answer, another attempt is still in time. */
const DIRECT_TIMEOUT_MS = 4_000;

/** The connection for statements that must not wait. */
export const directConnection = (url: URL): ClientConfig => ({
  ...readingConnection(url),
  connectionTimeoutMillis: DIRECT_TIMEOUT_MS,
  statement_timeout: DIRECT_TIMEOUT_MS,
  lock_timeout: DIRECT_TIMEOUT_MS,
  query_timeout: DIRECT_TIMEOUT_MS,
});

/** The connection for units of work. */
export const writingConnection = (url: URL): ClientConfig => ({
  ...readingConnection(url),
  idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
  // A statement is sent without waiting for the answer to the previous one.
  pipeline: true,
});

/** Upgrades, and waiting for another service's upgrade, run without the server's limits. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
export const NO_TIME_LIMIT = LIMITS.map((name) => `SET ${name} = 0`).join('; ');
export const USUAL_TIME_LIMIT = LIMITS.map((name) => `RESET ${name}`).join('; ');

/** The same for the client's limit: a statement that may take as long as it needs. */
export const longStatement = (text: string): QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: DAY_MS,
});
