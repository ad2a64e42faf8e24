// One agent's connection as the rest of the service sees it. There may be ten thousand, so it holds little and makes
// no functions of its own.
import type { WebSocket } from 'ws';
import type { ServiceMessage } from '#/contract/agent-link.ts';

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
  /** Called once it ended or the connection did. */
  whenOver: (() => void)[];
}

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
  /** When it was last heard, by a clock that nobody sets. */
  heard = performance.now();
  job: HandedJob | undefined;
  /** Ids of the jobs that it had on disk when it said hello. */
  held: ReadonlySet<string> = NONE;
  /** What is remembered here may not be what is stored: nothing it says counts until it comes back. */
  unsound = false;

  constructor(socket: WebSocket, device: { seq: number; id: string; name: string }) {
    this.socket = socket;
    this.deviceSeq = device.seq;
    this.deviceId = device.id;
    this.name = device.name;
  }

  send(message: ServiceMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }
}
