// A connection to PostgreSQL for a move. It has the lock of all writing transactions for as long as it lasts: nothing
// else writes to the database, and a service that starts waits for the end of the move.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, types } from 'pg';
import type { CustomTypesConfig } from 'pg';
import { ConfigError } from '../config-error.ts';
import { placeOf } from '../database-url.ts';
import { NO_TIME_LIMIT } from '../store/postgres-connection.ts';
import { requireServer } from '../store/postgres-migrate.ts';
import { startFault } from '../store/postgres-fault.ts';
import { WRITE_LOCK } from '../store/postgres.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** The slowest single statement counts or commits a whole table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** A service that just ended needs a moment until its sessions are gone. */
const PATIENCE_MS = 5_000;
const POLL_MS = 100;

const PARSERS: Record<number, (text: string) => unknown> = {
  // Like the service's own: true is 1.
  16: (text) => (text === 't' ? 1 : 0),
  20: BigInt,
};
const EXACT_TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => PARSERS[oid] ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
};

/** `setting` is where the address comes from, for errors. */
export async function openMoveSession(url: URL, setting: string): Promise<Client> {
  const where = placeOf(url);
  const client = new Client({
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: EXACT_TYPES,
    application_name: 'muster',
  });
  // The next statement fails with it.
  client.on('error', () => {});
  try {
    await client.connect();
    await requireServer(client, where);
    // A server may end sessions and statements that take long.
    await client.query(NO_TIME_LIMIT);
    const deadline = performance.now() + PATIENCE_MS;
    while (await isInUse(client)) {
      if (performance.now() > deadline)
        throw new ConfigError(`A Muster service, or another move, is using ${where}: stop it first.`);
      await sleep(POLL_MS);
    }
    return client;
  } catch (cause) {
    await client.end().catch(() => {});
    throw startFault(cause, url, setting);
  }
}

/** Whether a session of another program of Muster is there, whatever it does; if not, takes the lock. */
async function isInUse(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ others: bigint }>(
    `SELECT count(*) AS others FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'muster' AND pid <> pg_backend_pid()`,
  );
  if (rows[0]?.others !== 0n) return true;
  const lock = await client.query<{ free: number }>('SELECT pg_try_advisory_lock($1) AS free', [WRITE_LOCK]);
  return lock.rows[0]?.free !== 1;
}
