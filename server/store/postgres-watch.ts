// Notices connections to PostgreSQL that are dead though nobody closed them: a network that drops packets gives no sign, so a
// statement would wait for its own limit of a minute and more. One probe a second answers two questions.
//
// Does the server answer at all? After a few seconds without an answer it counts as out of reach: every connection is closed,
// which ends whatever waits on it, and reads and writes fail at once until the server answers again.
//
// Does it still work on what the others wait for? A connection that gets no byte, while the server says that it has nothing
// to do for it, has lost the statement or its answer. That connection alone is closed; long statements go on.
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { log } from '../operation/log.ts';
import { ConnectionLost } from './postgres-fault.ts';

export interface Watch {
  /** Closes this connection when the server is out of reach. */
  add(client: Client): void;
  /** This connection waits for an answer: it is closed if that is lost. Call the result when the answer is there. */
  wait(client: Client): () => void;
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
/** Looks without a byte before the server is asked about a connection. */
const QUIET_LOOKS = 4;
/** Its answer may be on the way when the server is asked once. */
const CONFIRMED = 2;

/** Which of these processes of the server have nothing to do, or wait until their answer is taken. */
export const IDLE_PROCESSES = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
  AND (state LIKE 'idle%' OR (state = 'active' AND wait_event = 'ClientWrite'))`;

interface Waiting {
  statements: number;
  bytes: number;
  quietLooks: number;
  idleAnswers: number;
}

const bytesOf = (client: Client) => (client.connection.stream as Socket).bytesRead;
/** Of the server, which tells it when the connection begins. */
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
  /** Connections that have not got a byte for some looks. Looks are counted, because this process may stand still itself. */
  const quietClients = () =>
    [...waiting].filter(([client, state]) => {
      const bytes = bytesOf(client);
      if (bytes === state.bytes) state.quietLooks += 1;
      else Object.assign(state, { bytes, quietLooks: 0, idleAnswers: 0 });
      return state.quietLooks >= QUIET_LOOKS;
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
  const look = () => {
    const now = performance.now();
    // While this process itself stood still, nobody could hear an answer.
    silentMs += Math.min(now - lastLook, 2 * PROBE_EVERY_MS);
    lastLook = now;
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
  const timer = setInterval(look, PROBE_EVERY_MS).unref();

  return {
    add: (client) => {
      clients.add(client);
      client.once('end', () => clients.delete(client));
    },
    wait: (client) => {
      const state = waiting.get(client) ?? { statements: 0, bytes: bytesOf(client), quietLooks: 0, idleAnswers: 0 };
      waiting.set(client, state);
      state.statements += 1;
      return () => {
        state.statements -= 1;
        if (state.statements === 0) waiting.delete(client);
      };
    },
    requireReach: () => {
      if (!isReachable) throw new ConnectionLost(undefined, false);
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  };
}
