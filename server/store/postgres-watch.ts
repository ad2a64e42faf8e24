// Detects connections to PostgreSQL that are dead although nobody closed them: a network that drops packets gives no
// sign, so a statement would wait for its own limit of over a minute. One probe a second answers two questions.
//
// Does the server answer at all? After a few seconds without an answer it counts as unreachable: every connection is
// closed, which ends whatever waits on it, and reads and writes fail immediately until the server answers again.
//
// Is it still working on the statements that others wait for? If a connection receives nothing while the server reports
// it as idle, the statement or its answer was lost. Only that connection is closed; long statements continue.
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { log } from '../operation/log.ts';
import { ConnectionLost } from './postgres-fault.ts';

export interface Watch {
  /** Closes this connection when the server becomes unreachable. */
  add(client: Client): void;
  /**
   * Call this when the connection starts to wait for an answer, so that it is closed if the answer is lost. Call the
   * result when the answer has arrived.
   */
  wait(client: Client): () => void;
  /** Throws while the server is unreachable. */
  requireReachable(): void;
  /** Calls back when the server becomes unreachable, and when it answers again. */
  onChange(listener: (isReachable: boolean) => void): void;
  close(): void;
}

const PROBE_EVERY_MS = 1_000;
/**
 * Longer than a probe waits for its answer, so that one lost connection is not mistaken for a lost server. Much shorter
 * than the lease of a node, so that its agents have left before the other nodes consider it dead.
 */
const LOST_AFTER_MS = 7_000;
/** Checks without a received byte before the server is asked about a connection. */
const QUIET_CHECKS = 4;
/** The server is asked twice, because the answer may already be on its way the first time. */
const CONFIRMED = 2;

/** Which of these server processes are idle, or wait for the client to read their answer. */
export const IDLE_PROCESSES = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
  AND (state LIKE 'idle%' OR (state = 'active' AND wait_event = 'ClientWrite'))`;

interface Waiting {
  statements: number;
  bytes: number;
  quietChecks: number;
  idleAnswers: number;
}

const bytesOf = (client: Client) => (client.connection.stream as Socket).bytesRead;
/** The server's process id, which it sends when the connection is established. */
const processOf = (client: Client & { processID?: number }) => client.processID ?? 0;

/**
 * @param probe asks the server, on a connection that waits for nothing else, and resolves to the processes among these
 *   that are idle
 */
export function openWatch(probe: (processes: number[]) => Promise<number[]>): Watch {
  const clients = new Set<Client>();
  const waiting = new Map<Client, Waiting>();
  const listeners: ((isReachable: boolean) => void)[] = [];
  let isReachable = true;
  let silentMs = 0;
  let lastCheck = performance.now();
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
  /**
   * Connections that have received nothing for some checks. It counts checks instead of time, because this process
   * itself may have been suspended.
   */
  const quietClients = () =>
    [...waiting].filter(([client, state]) => {
      const bytes = bytesOf(client);
      if (bytes === state.bytes) state.quietChecks += 1;
      else Object.assign(state, { bytes, quietChecks: 0, idleAnswers: 0 });
      return state.quietChecks >= QUIET_CHECKS;
    });
  const closeLost = (asked: [Client, Waiting][], idle: number[]) => {
    for (const [client, state] of asked) {
      state.idleAnswers = idle.includes(processOf(client)) ? state.idleAnswers + 1 : 0;
      const isAnswered = waiting.get(client) !== state || bytesOf(client) !== state.bytes;
      if (isAnswered || state.idleAnswers < CONFIRMED) continue;
      log.warn('A connection to PostgreSQL lost an answer: it is closed.');
      client.connection.stream.destroy();
    }
  };
  const check = () => {
    const now = performance.now();
    // Time during which this process was suspended counts little: it could not have received an answer.
    silentMs += Math.min(now - lastCheck, 2 * PROBE_EVERY_MS);
    lastCheck = now;
    if (isReachable && silentMs >= LOST_AFTER_MS) change(false);
    const quiet = quietClients();
    probing ??= probe(quiet.map(([client]) => processOf(client)))
      .then(
        (idle) => {
          silentMs = 0;
          if (!isReachable) change(true);
          closeLost(quiet, idle);
        },
        () => {},
      )
      .finally(() => (probing = undefined));
  };
  const timer = setInterval(check, PROBE_EVERY_MS).unref();

  return {
    add: (client) => {
      clients.add(client);
      client.once('end', () => clients.delete(client));
    },
    wait: (client) => {
      const state = waiting.get(client) ?? { statements: 0, bytes: bytesOf(client), quietChecks: 0, idleAnswers: 0 };
      waiting.set(client, state);
      state.statements += 1;
      return () => {
        state.statements -= 1;
        if (state.statements === 0) waiting.delete(client);
      };
    },
    requireReachable: () => {
      if (!isReachable) throw new ConnectionLost(undefined, false);
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  };
}
