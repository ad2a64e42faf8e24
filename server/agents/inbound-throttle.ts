// Limits how fast the messages of agents are processed. Each connection may send so many bytes and messages a second.
// What exceeds that waits, and its socket is paused meanwhile; nothing is dropped. Waiting connections are served in
// rounds, with pauses for all other work in between, so that no device delays the others.
import type { AgentConnection } from './agent-connection.ts';
import type { SocketConnection } from './socket-connection.ts';

/** The cost of a message besides its bytes: a small one takes as long to read as a large one. */
export const MESSAGE_COST = 2_500;
/** Credit per millisecond, and the most that a pause saves up: 20,000 messages or about 40 MB per second. */
const CREDIT_PER_MS = 50_000;
const MAX_CREDIT = 1_000_000;
/** Most bytes of one connection that may wait for the disk. */
const MAX_UNSTORED = 2_000_000;
/** Time between two rounds, and the most that all waiting connections together send in one. */
const ROUND_EVERY_MS = 10;
const MAX_PER_ROUND = 1_000_000;

export type FrameKind = 'message' | 'ping' | 'pong';

export interface Frame {
  kind: FrameKind;
  bytes: Buffer;
}

interface ThrottleOptions {
  receive: (connection: SocketConnection, frame: Frame) => void;
  /** Milliseconds of the monotonic clock. */
  now?: () => number;
  /** Schedules the next round. */
  later?: (round: () => void) => void;
}

/** Whether the agent may send something now; `now` is of the monotonic clock. */
export function hasCredit(connection: AgentConnection, now: number): boolean {
  connection.credit = Math.min(MAX_CREDIT, connection.credit + (now - connection.creditedAt) * CREDIT_PER_MS);
  connection.creditedAt = now;
  return connection.credit > 0 && connection.unstored <= MAX_UNSTORED;
}

export class InboundThrottle {
  readonly #receive: ThrottleOptions['receive'];
  readonly #now: () => number;
  readonly #later: (round: () => void) => void;
  /** Paused connections, the one that was served longest ago first. */
  readonly #paused = new Set<SocketConnection>();

  constructor({
    receive,
    now = () => performance.now(),
    later = (round) => void setTimeout(round, ROUND_EVERY_MS),
  }: ThrottleOptions) {
    this.#receive = receive;
    this.#now = now;
    this.#later = later;
  }

  /** Handles a message now or in a later round. The messages of one connection stay in order. */
  accept(connection: SocketConnection, frame: Frame): void {
    if (!this.#paused.has(connection)) {
      if (this.#hasCredit(connection)) return void this.#spend(connection, frame);
      this.#pause(connection);
    }
    const { backlog } = connection;
    // Of several pings only the last is answered (RFC 6455, 5.5.3).
    if (frame.kind !== 'message' && backlog.at(-1)?.kind === frame.kind) {
      connection.credit -= MESSAGE_COST;
      backlog.pop();
    }
    backlog.push(frame);
  }

  /** Drops the backlog of a closed connection. */
  drop(connection: SocketConnection): void {
    this.#paused.delete(connection);
    connection.backlog = [];
  }

  #pause(connection: SocketConnection): void {
    connection.socket.pause();
    if (this.#paused.size === 0) this.#later(() => this.#serveRound());
    this.#paused.add(connection);
  }

  #hasCredit(connection: SocketConnection): boolean {
    return hasCredit(connection, this.#now());
  }

  #spend(connection: SocketConnection, frame: Frame): number {
    const cost = frame.bytes.length + MESSAGE_COST;
    connection.credit -= cost;
    this.#receive(connection, frame);
    return cost;
  }

  #serveRound(): void {
    let left = MAX_PER_ROUND;
    const waiting = [...this.#paused];
    for (const connection of waiting) {
      if (left <= 0) break;
      const { backlog } = connection;
      let handled = 0;
      while (left > 0 && !connection.closing && this.#hasCredit(connection)) {
        const frame = backlog[handled];
        if (!frame) break;
        handled += 1;
        left -= this.#spend(connection, frame);
      }
      backlog.splice(0, handled);
      // It goes to the end of the line. A connection that is closing stays paused until it is dropped.
      this.#paused.delete(connection);
      if (connection.closing) continue;
      if (backlog.length === 0 && this.#hasCredit(connection)) connection.socket.resume();
      else this.#paused.add(connection);
    }
    if (this.#paused.size > 0) this.#later(() => this.#serveRound());
  }
}
