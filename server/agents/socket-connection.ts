// The connection of an agent that opened a WebSocket.
import type { WebSocket } from 'ws';
import type { ServiceMessage } from '#/contract/agent-link.ts';
import { AgentConnection } from './agent-connection.ts';
import type { Frame } from './inbound-throttle.ts';

/** How long an agent has to confirm that the connection is closing. */
const CLOSED_TIMEOUT_MS = 1000;
/** Most unsent bytes for an agent that reads slowly. */
const MAX_UNREAD = 16 * 1024 * 1024;
const terminate = (socket: WebSocket) => socket.terminate();

/** RFC 6455, section 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;

export class SocketConnection extends AgentConnection {
  readonly socket: WebSocket;
  /** Frames that wait for inbound-throttle.ts. */
  backlog: Frame[] = [];

  constructor(socket: WebSocket, device: { seq: number; id: string; name: string }, keyHash: Uint8Array) {
    super(device, keyHash);
    this.socket = socket;
  }

  override send(message: ServiceMessage): void {
    if (this.closing || this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.closeIfUnread();
  }

  /** Closes the connection of an agent that does not read, so that it cannot fill the memory of the service. */
  closeIfUnread(): void {
    if (this.socket.bufferedAmount > MAX_UNREAD) this.socket.terminate();
  }

  override sendAway(reason: string): void {
    this.sentAway = true;
    this.close(this.greeted ? GOING_AWAY : NORMAL, reason);
  }

  /** Closes it, within a second even if the agent does not answer. */
  override close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.socket.close(code, reason);
    setTimeout(terminate, CLOSED_TIMEOUT_MS, this.socket).unref();
  }
}
