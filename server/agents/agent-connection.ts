// One agent's connection for the rest of the service. There may be ten thousand, so it is small and creates no
// closures.
import type { WebSocket } from 'ws';
import type { SelfUpdate, ServiceMessage } from '#/contract/agent-link.ts';
import type { OutputRun } from '../store/output-order.ts';
import type { Frame } from './inbound-throttle.ts';

/** The unfinished job that was sent to an agent. */
export interface AssignedJob {
  seq: number;
  id: string;
  parentSeq: number | null;
  started: number | null;
  created: number;
  /** Whether it deploys an artifact. */
  isDeployment: boolean;
  status: 'Waiting' | 'Running';
  /** Bytes stored of each stream. */
  stdout: number;
  stderr: number;
  /** The output run that is being stored: see store/output-order.ts. */
  run: OutputRun;
}

/** How long an agent has to confirm that the connection is closing. */
const CLOSED_TIMEOUT_MS = 1000;
/** Most unsent bytes for an agent that reads slowly. */
const MAX_UNREAD = 16 * 1024 * 1024;
const terminate = (socket: WebSocket) => socket.terminate();

const NONE: ReadonlySet<string> = new Set();

/** RFC 6455, section 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;

export class AgentConnection {
  readonly socket: WebSocket;
  readonly deviceSeq: number;
  readonly deviceId: string;
  readonly name: string;
  /** Set by `hello`: the agent's data folder, and the address that it uses. */
  journal = '';
  server = '';
  greeted = false;
  /** The key that it connected with; needed only until its session begins. */
  keyHash: Uint8Array | undefined;
  /** Number of its session in the table of devices; 0 until that begins. */
  session = 0;
  agentVersion = '';
  /** The destinations that it lets the service ask for. */
  allowsTunnels = '';
  /** What its hello reported about updates. */
  selfUpdate: SelfUpdate | undefined;
  /** When anything last arrived, by the monotonic clock. */
  lastSeen = performance.now();
  job: AssignedJob | undefined;
  /** Ids of the jobs that it had on disk at its hello. */
  held: ReadonlySet<string> = NONE;
  /** For inbound-throttle.ts: the credit and its time, the frames that wait, and the bytes that are not stored yet. */
  credit = 0;
  creditedAt = Number.NEGATIVE_INFINITY;
  backlog: Frame[] = [];
  unstored = 0;
  /** The connection is closing: what still arrives is ignored. */
  closing = false;
  /** The service ends the connection because it stops or drains; the agent is expected back. */
  sentAway = false;

  constructor(socket: WebSocket, device: { seq: number; id: string; name: string }, keyHash: Uint8Array) {
    this.socket = socket;
    this.keyHash = keyHash;
    this.deviceSeq = device.seq;
    this.deviceId = device.id;
    this.name = device.name;
  }

  send(message: ServiceMessage): void {
    if (this.closing || this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.closeIfUnread();
  }

  /** Closes the connection of an agent that does not read, so that it cannot fill the memory of the service. */
  closeIfUnread(): void {
    if (this.socket.bufferedAmount > MAX_UNREAD) this.socket.terminate();
  }

  sendAway(reason: string): void {
    this.sentAway = true;
    this.close(this.greeted ? GOING_AWAY : NORMAL, reason);
  }

  /** Closes it, within a second even if the agent does not answer. */
  close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.socket.close(code, reason);
    setTimeout(terminate, CLOSED_TIMEOUT_MS, this.socket).unref();
  }
}
