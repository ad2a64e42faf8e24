// The one connection to PostgreSQL on which units of work run: opened at startup, and reopened with growing pauses
// after it was lost.
import { Client } from 'pg';
import { log } from '../operation/log.ts';
import { placeOf } from '../database-url.ts';
import { longStatement, NO_TIME_LIMIT, USUAL_TIME_LIMIT, writingConnection } from './postgres-connection.ts';
import { ConnectionLost } from './postgres-fault.ts';
import { migratePostgres, requireFinishedDatabase, requireServer } from './postgres-migrate.ts';

export interface SessionOptions {
  url: URL;
  /** Begins a transaction and takes the writers' lock. */
  begin: string;
  /** Called with each connection before it is used. */
  opened?: (client: Client) => void;
}

export interface Session {
  /** The connection; throws while there is none. */
  client(): Promise<Client>;
  isAlive(client: Client): boolean;
  /** Abandons a failed connection and opens another. */
  drop(client: Client): void;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** Connects, checks the server, and upgrades the tables. */
export async function openSession({ url, begin, opened: announce }: SessionOptions): Promise<Session> {
  const where = placeOf(url);

  const connect = async (): Promise<Client> => {
    const opened = new Client(writingConnection(url));
    opened.on('error', () => drop(opened));
    opened.on('end', () => drop(opened));
    announce?.(opened);
    await opened.connect();
    try {
      await prepare(opened);
    } catch (cause) {
      await opened.end().catch(() => {});
      throw cause;
    }
    return opened;
  };
  const prepare = async (opened: Client) => {
    await requireServer(opened, where);
    // Checked before waiting for the writers' lock, which a running restore holds.
    await requireFinishedDatabase(opened, where);
    await opened.query(NO_TIME_LIMIT);
    await opened.query(longStatement(begin));
    try {
      await migratePostgres(opened, where);
      await opened.query('COMMIT');
      await opened.query(USUAL_TIME_LIMIT);
    } catch (cause) {
      await opened.query('ROLLBACK').catch(() => {});
      throw cause;
    }
  };

  let alive: Client | undefined;
  let opening: Promise<Client> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const reopen = (pause: number) => {
    opening = connect().then(
      async (opened) => {
        opening = undefined;
        if (isClosed) await opened.end();
        else {
          alive = opened;
          log.info('Connected to PostgreSQL again.');
        }
        return opened;
      },
      (cause: unknown) => {
        opening = undefined;
        log.warn(`PostgreSQL cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`);
        if (!isClosed) timer = setTimeout(() => reopen(Math.min(pause * 2, LONGEST_PAUSE_MS)), pause);
        throw new ConnectionLost(cause, false);
      },
    );
    opening.catch(() => {});
  };
  const drop = (client: Client) => {
    if (client !== alive) return;
    alive = undefined;
    client.end().catch(() => {});
    if (isClosed) return;
    log.warn('The connection to PostgreSQL was lost.');
    reopen(FIRST_PAUSE_MS);
  };

  alive = await connect();
  return {
    client: async () => alive ?? opening ?? Promise.reject(new ConnectionLost(undefined, false)),
    isAlive: (client) => client === alive,
    drop,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await opening?.catch(() => {});
      await alive?.end().catch(() => {});
    },
  };
}
