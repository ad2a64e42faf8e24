// One agent's connection as the rest of the service sees it. There may be ten thousand, so it holds little and makes
// no functions of its own.
import type { WebSocket } from 'ws';
import type { SelfUpdate, ServiceMessage } from '#/contract/agent-link.ts';
import type { OutputRun } from '../store/output-order.ts';
import type { Frame } from './intake.ts';

/** The job that an agent has been given and has not ended. */
export interface HandedJob {
  seq: number;
  id: string;
  parentSeq: number | null;
  started: number | null;
  created: number;
  status: 'Waiting' | 'Running';
  /** Bytes stored of each stream. */
  stdout: number;
  stderr: number;
  /** The run of output of one stream that is being stored: see store/output-order.ts. */
  run: OutputRun;
  /** Called when it or the connection has ended. */
  whenOver: (() => void)[];
}

/** How long an agent has to answer that the connection is being closed. */
const CLOSED_WITHIN_MS = 1000;
/** Most bytes that wait for an agent to read them. */
const MOST_UNREAD = 16 * 1024 * 1024;
const terminate = (socket: WebSocket) => socket.terminate();

const NONE: ReadonlySet<string> = new Set();

export class AgentConnection {
  readonly socket: WebSocket;
  readonly deviceSeq: number;
  readonly deviceId: string;
  readonly name: string;
  /** Set by `hello`: the agent's data folder, and the address that it dialled. */
  journal = '';
  server = '';
  greeted = false;
  agentVersion = '';
  /** What its hello reported about updating itself. */
  selfUpdate: SelfUpdate | undefined;
  /** When anything last arrived, by the monotonic clock. */
  lastSeen = performance.now();
  job: HandedJob | undefined;
  /** Ids of the jobs that it had on disk when it said hello. */
  held: ReadonlySet<string> = NONE;
  /** What it may send right now, as of when, what waits to be received, and what waits for the disk: see intake.ts. */
  credit = 0;
  creditedAt = Number.NEGATIVE_INFINITY;
  backlog: Frame[] = [];
  unstored = 0;
  /** It is being closed: what still arrives on it is ignored. */
  closing = false;

  constructor(socket: WebSocket, device: { seq: number; id: string; name: string }) {
    this.socket = socket;
    this.deviceSeq = device.seq;
    this.deviceId = device.id;
    this.name = device.name;
  }

  send(message: ServiceMessage): void {
    if (this.closing || this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.endIfDeaf();
  }

  /** Closes the connection of an agent that does not read, so that it cannot fill the memory of the service. */
  endIfDeaf(): void {
    if (this.socket.bufferedAmount > MOST_UNREAD) this.socket.terminate();
  }

  /** Closes it, within a second even if the agent does not answer. */
  close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.socket.close(code, reason);
    setTimeout(terminate, CLOSED_WITHIN_MS, this.socket).unref();
  }
}
