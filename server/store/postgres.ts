// PostgreSQL as the database. Reads use a pool; units of work use one separate connection, so that an exhausted pool
// cannot block them.
//
// Every writing transaction takes the same advisory lock first, so transactions commit in the order of their sequence
// numbers, as with SQLite. A reader that has seen a number never misses a lower one that commits later, so cursors,
// versions and "since" queries skip nothing.
//
// A commit whose answer was lost may have taken place. Its units are rejected with an error that says so.
import { Pool } from 'pg';
import type { Client, QueryConfig } from 'pg';
import { logThrottled } from '../operation/log.ts';
import type { Database, Reader, SqlValue, Tx } from './database.ts';
import { postgresDialect } from './dialect.ts';
import { directConnection, readingConnection } from './postgres-connection.ts';
import { ConnectionLost, isConnectionLost, postgresFault, startFault } from './postgres-fault.ts';
import { migrationsOf } from './postgres-migrate.ts';
import { openSession } from './postgres-session.ts';
import { statementOf } from './postgres-sql.ts';
import { SCHEMA_VERSION } from './upgrades.ts';
import { bumpVersions, versionOf } from './versions.ts';
import { IDLE_PROCESSES, openWatch } from './postgres-watch.ts';
import { openWriteQueue } from './write-queue.ts';

/** The number of connections for reads. */
const POOL_SIZE = 8;
/** The advisory lock of all writing transactions; "muster" in hexadecimal. */
export const WRITE_LOCK = 0x6d7573746572;
const BEGIN = `BEGIN; SELECT pg_advisory_xact_lock(${WRITE_LOCK})`;

/** Tells the other nodes to check these devices again, within the transaction that named them. */
export type Announce = (tx: Tx, deviceSeqs: number[]) => Promise<void>;

export interface PostgresDatabase extends Database {
  /**
   * Runs one statement on a separate connection, where it waits neither for units of work nor for the writers' lock.
   * Not for tables that report changes or have versions.
   */
  direct<T>(sql: string, ...args: SqlValue[]): Promise<T[]>;
  announceBy(how: Announce): void;
  /** Calls back when the server stops answering, and when it answers again. */
  onReach(listener: (isReachable: boolean) => void): void;
}

/** Opens the database, and creates or upgrades its tables. */
export async function openPostgres(url: URL): Promise<PostgresDatabase> {
  const pool = new Pool({ ...readingConnection(url), max: POOL_SIZE });
  const directPool = new Pool({ ...directConnection(url), max: 1 });
  const watch = openWatch(async (processes) => {
    const { rows } = await directPool.query<{ pid: number }>(IDLE_PROCESSES, [processes]);
    return rows.map(({ pid }) => pid);
  });
  const session = await openSession({ url, begin: BEGIN, opened: (client) => watch.add(client) }).catch(
    async (cause: unknown) => {
      watch.close();
      await directPool.end();
      throw startFault(cause, url);
    },
  );
  for (const each of [pool, directPool]) {
    each.on('connect', (client) => watch.add(client as unknown as Client));
    // An idle connection failed; the pools open others.
    each.on('error', (cause) =>
      logThrottled('pool', 'warn', 'PostgreSQL ended a connection.', { reason: cause.message }),
    );
  }
  // Each user of a pooled connection sends one statement.
  const answered = new Map<unknown, () => void>();
  pool.on('acquire', (taken) => answered.set(taken, watch.wait(taken as unknown as Client)));
  pool.on('release', (_, taken) => answered.get(taken)?.());
  const read = async <T>(sql: string, args: SqlValue[], by = pool): Promise<T[]> => {
    try {
      if (by === pool) watch.requireReachable();
      return (await by.query(statementOf(sql, args))).rows as T[];
    } catch (cause) {
      throw postgresFault(cause) ?? cause;
    }
  };

  const asError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)));
  let client: Client | undefined;
  /** Whether a transaction is open. */
  let isOpen = false;
  /**
   * Nothing was done since the transaction or the savepoint began, so a unit can be rolled back without another
   * savepoint.
   */
  let isFresh = false;
  let hasSavepoint = false;
  let announce: Announce | undefined;
  /** The error of a statement, which a unit may have caught; PostgreSQL then refuses all further statements. */
  let failed: Error | undefined;

  const lost = (cause: unknown, isUncertain = false): ConnectionLost => {
    isOpen = false;
    if (client) session.drop(client);
    client = undefined;
    return new ConnectionLost(cause, isUncertain);
  };
  const send = async (query: QueryConfig | string) => {
    if (!client) throw new ConnectionLost(undefined, false);
    const done = watch.wait(client);
    try {
      return await client.query(query);
    } catch (cause) {
      throw isConnectionLost(cause) ? lost(cause) : cause;
    } finally {
      done();
    }
  };
  /**
   * Sends a statement without waiting for its answer: on a pipelined connection, the next statement fails if this one
   * does.
   */
  const post = (sql: string) => {
    send(sql).catch((cause: unknown) => (failed ??= asError(cause)));
  };
  const statement = async (sql: string, args: SqlValue[]) => {
    const query = statementOf(sql, args);
    try {
      return await send(query);
    } catch (cause) {
      // PostgreSQL refuses every statement after the first one that failed.
      throw (failed ??= asError(cause));
    }
  };
  /** Whether another session still held the lock when the last transaction tried to begin. */
  let isBlocked = false;
  const begin = (): Promise<Error | undefined> => {
    isOpen = true;
    isFresh = true;
    hasSavepoint = false;
    return send(BEGIN).then(
      () => {
        isBlocked = false;
        return undefined;
      },
      (cause: unknown) => {
        isBlocked = true;
        return (failed ??= asError(cause));
      },
    );
  };
  const rollback = async () => {
    if (!isOpen) return;
    isOpen = false;
    await send('ROLLBACK').catch(() => {});
  };

  const queue = openWriteQueue({
    dialect: postgresDialect,
    get: async <T>(sql: string, ...args: SqlValue[]) => (await statement(sql, args)).rows[0] as T | undefined,
    all: async <T>(sql: string, ...args: SqlValue[]) => (await statement(sql, args)).rows as T[],
    run: async (sql, ...args) => ({ changes: (await statement(sql, args)).rowCount ?? 0 }),
    begin: async () => {
      watch.requireReachable();
      client = await session.client();
      failed = undefined;
      const wasBlocked = isBlocked;
      const begun = begin();
      // Usually the first statement follows immediately. But while the lock is held, each queued unit would wait for it
      // in vain, and the last one many times as long.
      const fault = wasBlocked ? await begun : undefined;
      if (fault === undefined) return true;
      await rollback();
      throw fault;
    },
    save: async () => {
      if (isFresh) return;
      post(hasSavepoint ? 'RELEASE unit; SAVEPOINT unit' : 'SAVEPOINT unit');
      hasSavepoint = true;
      isFresh = true;
    },
    release: async () => {
      if (failed !== undefined) throw failed;
      isFresh = false;
    },
    undo: async () => {
      failed = undefined;
      if (hasSavepoint) {
        post('ROLLBACK TO unit');
        isFresh = true;
      } else {
        post('ROLLBACK');
        if (isBlocked) isOpen = false;
        else void begin();
      }
    },
    commit: async () => {
      if (failed !== undefined) throw failed;
      if (!client || !session.isAlive(client)) throw lost(undefined);
      const done = watch.wait(client);
      try {
        const { command } = await client.query('COMMIT');
        isOpen = false;
        if (command !== 'COMMIT') throw failed ?? new TypeError('PostgreSQL rolled back a transaction');
      } catch (cause) {
        if (!isConnectionLost(cause)) throw cause;
        throw lost(cause, true);
      } finally {
        done();
      }
    },
    rollback,
    beforeCommit: async (tx, { names, deviceSeqs }) => {
      await bumpVersions(tx, names);
      if (deviceSeqs.size > 0) await announce?.(tx, [...deviceSeqs]);
    },
    isInTransaction: () => isOpen && client !== undefined && session.isAlive(client),
    describeError: (cause) => postgresFault(cause) ?? cause,
  });

  const reader: Reader = {
    dialect: postgresDialect,
    get: async <T>(sql: string, ...args: SqlValue[]) => (await read<T>(sql, args))[0],
    all: (sql, ...args) => read(sql, args),
  };
  let isClosed = false;
  return {
    ...reader,
    direct: (sql, ...args) => read(sql, args, directPool),
    write: queue.write,
    waiting: queue.waiting,
    // An export cannot evict anything here: the cache is the server's.
    openReader: () => ({ ...reader, close: () => {} }),
    version: (...names) => versionOf(reader, names),
    onSyncAgents: queue.onSyncAgents,
    announceBy: (how) => {
      announce = how;
    },
    onReach: (listener) => watch.onChange(listener),
    migrations: async () => {
      watch.requireReachable();
      return { at: await migrationsOf(pool), steps: SCHEMA_VERSION };
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      watch.close();
      await queue.end();
      await session.close();
      await pool.end();
      await directPool.end();
    },
  };
}
