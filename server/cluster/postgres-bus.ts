// The bus without another server: LISTEN on one channel per node, and NOTIFY as part of the unit of work.
// https://www.postgresql.org/docs/current/sql-notify.html
import { Client, escapeIdentifier } from 'pg';
import { placeOf } from '../database-url.ts';
import type { Bus, BusOptions } from './bus.ts';
import { DEFAULT_PACE, keepConnected } from './bus-connection.ts';
import type { Connection } from './bus-connection.ts';
import { deliver, payloadsOf } from './bus-payload.ts';

const channelOf = (node: string) => `muster_${node}`;

export interface PostgresBusOptions extends BusOptions {
  /** Of the server itself: behind a pooler that shares sessions, LISTEN gets nothing. */
  url: URL;
}

/** Listens before it resolves, or as soon as the server can be reached. */
export async function openPostgresBus({ url, pace = DEFAULT_PACE, ...options }: PostgresBusOptions): Promise<Bus> {
  const connect = async (signal: AbortSignal): Promise<Connection> => {
    const client = new Client({
      connectionString: url.href,
      connectionTimeoutMillis: pace.connectMs,
      keepAlive: true,
      application_name: 'muster bus',
    });
    const destroy = () => void client.connection.stream.destroy();
    const ended = new Promise<unknown>((resolve) => client.on('error', resolve).on('end', () => resolve(undefined)));
    client.on('notification', ({ payload = '' }) => deliver(payload, options));
    // A server may accept the connection and then not answer.
    const gaveUp = setTimeout(destroy, pace.connectMs);
    signal.addEventListener('abort', destroy);
    try {
      await client.connect();
      await client.query(`LISTEN ${escapeIdentifier(channelOf(options.node))}`);
    } catch (cause) {
      destroy();
      throw cause;
    } finally {
      clearTimeout(gaveUp);
      signal.removeEventListener('abort', destroy);
    }
    return { ended, destroy, check: () => client.query('SELECT 1'), end: () => client.end() };
  };
  const connection = await keepConnected({
    server: `PostgreSQL at ${placeOf(url)}`,
    checkMs: pace.checkMs,
    connect,
    reconnected: options.missed,
  });
  return {
    send: async (tx, node, deviceSeqs) => {
      if (deviceSeqs.length === 0) return;
      await tx.run(
        "SELECT pg_notify(?, payload) FROM unnest(string_to_array(?, ' ')) AS payload",
        channelOf(node),
        payloadsOf(deviceSeqs).join(' '),
      );
    },
    isConnected: () => connection.current() !== undefined,
    close: () => connection.close(),
  };
}
