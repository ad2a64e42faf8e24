// Watches whether PostgreSQL answers at all. A network that drops packets gives no sign of itself, so each statement would
// wait for its own time limit of a minute and more. After a few seconds without an answer the server counts as out of
// reach: every connection is closed, which ends whatever waits on it, and reads and writes fail at once until the server
// answers again.
import type { Client } from 'pg';
import { log } from '../operation/log.ts';
import { ConnectionLost } from './postgres-fault.ts';

export interface Watch {
  /** Closes this connection when the server is out of reach. */
  add(client: Client): void;
  /** Throws while the server is out of reach. */
  requireReach(): void;
  /** Calls back when the server gets out of reach, and when it answers again. */
  onChange(listener: (isReachable: boolean) => void): void;
  close(): void;
}

const PROBE_EVERY_MS = 1_000;
/**
 * Longer than a probe waits for its answer, so that one lost connection is not taken for a lost server; and so much
 * less than the lease of a node that its agents have left before the other nodes take it for dead.
 */
const LOST_AFTER_MS = 7_000;

/** @param probe resolves when the server has answered, on a connection that waits for nothing else */
export function openWatch(probe: () => Promise<unknown>): Watch {
  const clients = new Set<Client>();
  const listeners: ((isReachable: boolean) => void)[] = [];
  let isReachable = true;
  let silentMs = 0;
  let lastLook = performance.now();
  let probing: Promise<void> | undefined;

  const change = (to: boolean) => {
    isReachable = to;
    if (to) log.info('PostgreSQL answers again.');
    else {
      log.error(
        `PostgreSQL has not answered for ${LOST_AFTER_MS / 1000} seconds: requests get a 503, and agents are sent away, until it does.`,
      );
      for (const client of clients) client.connection.stream.destroy();
    }
    for (const listener of listeners) listener(to);
  };
  const look = () => {
    const now = performance.now();
    // While this process itself stood still, nobody could hear an answer.
    silentMs += Math.min(now - lastLook, 2 * PROBE_EVERY_MS);
    lastLook = now;
    if (isReachable && silentMs >= LOST_AFTER_MS) change(false);
    probing ??= probe()
      .then(
        () => {
          silentMs = 0;
          if (!isReachable) change(true);
        },
        () => {},
      )
      .finally(() => (probing = undefined));
  };
  const timer = setInterval(look, PROBE_EVERY_MS).unref();

  return {
    add: (client) => {
      clients.add(client);
      client.once('end', () => clients.delete(client));
    },
    requireReach: () => {
      if (!isReachable) throw new ConnectionLost(undefined, false);
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  };
}
