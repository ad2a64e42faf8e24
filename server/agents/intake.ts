// Limits how fast messages of agents are processed. Each connection has a rate in bytes and messages; what exceeds it
// waits, its socket is paused meanwhile, and nothing is dropped. Waiting connections take turns with each other and
// with all other work, so that no device can delay the others.
import type { AgentConnection } from './agent-connection.ts';

/** The cost of a message besides its bytes: a small one takes as long to read as a large one. */
export const MESSAGE_COST = 2_500;
/** Rate per millisecond, and burst after a pause: 20,000 messages or about 40 MB per second. */
const CREDIT_PER_MS = 50_000;
const MAX_CREDIT = 1_000_000;
/** Most bytes of one connection that may wait for the disk. */
const MAX_UNSTORED = 2_000_000;
/** Time between two turns of the waiting connections, and most that they send in one turn together. */
const TURN_MS = 10;
const MAX_IN_TURN = 1_000_000;

export type FrameKind = 'message' | 'ping' | 'pong';

export interface Frame {
  kind: FrameKind;
  bytes: Buffer;
}

interface IntakeOptions {
  receive: (connection: AgentConnection, frame: Frame) => void;
  /** Milliseconds of the monotonic clock. */
  now?: () => number;
  later?: (turn: () => void) => void;
}

export class Intake {
  readonly #receive: IntakeOptions['receive'];
  readonly #now: () => number;
  readonly #later: (turn: () => void) => void;
  /** Paused connections, in the order of their turns. */
  readonly #paused = new Set<AgentConnection>();

  constructor({
    receive,
    now = () => performance.now(),
    later = (turn) => void setTimeout(turn, TURN_MS),
  }: IntakeOptions) {
    this.#receive = receive;
    this.#now = now;
    this.#later = later;
  }

  /** Handles a message now or at its turn. The messages of one connection stay in order. */
  take(connection: AgentConnection, frame: Frame): void {
    if (!this.#paused.has(connection)) {
      if (this.#mayTake(connection)) return void this.#spend(connection, frame);
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
  drop(connection: AgentConnection): void {
    this.#paused.delete(connection);
    connection.backlog = [];
  }

  #pause(connection: AgentConnection): void {
    connection.socket.pause();
    if (this.#paused.size === 0) this.#later(() => this.#turn());
    this.#paused.add(connection);
  }

  #mayTake(connection: AgentConnection): boolean {
    const now = this.#now();
    connection.credit = Math.min(MAX_CREDIT, connection.credit + (now - connection.creditedAt) * CREDIT_PER_MS);
    connection.creditedAt = now;
    return connection.credit > 0 && connection.unstored <= MAX_UNSTORED;
  }

  #spend(connection: AgentConnection, frame: Frame): number {
    const cost = frame.bytes.length + MESSAGE_COST;
    connection.credit -= cost;
    this.#receive(connection, frame);
    return cost;
  }

  #turn(): void {
    let left = MAX_IN_TURN;
    const waiting = [...this.#paused];
    for (const connection of waiting) {
      if (left <= 0) break;
      const { backlog } = connection;
      let taken = 0;
      while (left > 0 && !connection.closing && this.#mayTake(connection)) {
        const frame = backlog[taken];
        if (!frame) break;
        taken += 1;
        left -= this.#spend(connection, frame);
      }
      backlog.splice(0, taken);
      // It had its turn: the others come first now. A closing one stays paused until it is dropped.
      this.#paused.delete(connection);
      if (connection.closing) continue;
      if (backlog.length === 0 && this.#mayTake(connection)) connection.socket.resume();
      else this.#paused.add(connection);
    }
    if (this.#paused.size > 0) this.#later(() => this.#turn());
  }
}
