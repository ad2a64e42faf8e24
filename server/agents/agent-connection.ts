// One agent's connection for the rest of the service, whichever way it speaks: a WebSocket (socket-connection.ts) or a
// session of HTTP requests (http-connection.ts). There may be ten thousand, so it is small and creates no closures.
import type { SelfUpdate, ServiceMessage } from '#/contract/agent-link.ts';
import type { OutputRun } from '../store/output-order.ts';

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

const NONE: ReadonlySet<string> = new Set();

export abstract class AgentConnection {
  readonly deviceSeq: number;
  readonly deviceId: string;
  readonly name: string;
  /** Set by `hello`: the agent's data folder, and the address that it uses. */
  journal = '';
  server = '';
  greeted = false;
  /** The key that it connected with; needed only until its session begins. */
  keyHash: Uint8Array | undefined;
  /** The key that it was sent in this session, and has not used yet. */
  newKey: string | undefined;
  /** Number of its session in the table of devices; 0 until that begins. */
  session = 0;
  agentVersion = '';
  /** The destinations that it lets the service ask for. */
  allowsTunnels = '';
  /** What its hello reported about updates. */
  selfUpdate: SelfUpdate | undefined;
  /** When anything last arrived, by the monotonic clock. */
  lastSeen = performance.now();
  /** The job that it was assigned, as the database has it. Never changed in place: `draft` takes its place. */
  job: AssignedJob | undefined;
  /** The same with the changes of units of work that are not durable yet. */
  draft: AssignedJob | undefined;
  /** Ids of the jobs that it had on disk at its hello. */
  held: ReadonlySet<string> = NONE;
  /** What it may send at the moment (inbound-throttle.ts), since when, and the bytes that are not stored yet. */
  credit = 0;
  creditedAt = Number.NEGATIVE_INFINITY;
  unstored = 0;
  /** The connection is closing: what still arrives is ignored. */
  closing = false;
  /** The service ends the connection because it stops or drains; the agent is expected back. */
  sentAway = false;

  constructor(device: { seq: number; id: string; name: string }, keyHash: Uint8Array) {
    this.keyHash = keyHash;
    this.deviceSeq = device.seq;
    this.deviceId = device.id;
    this.name = device.name;
  }

  /** The agent uses its new key from now on. */
  useNewKey(): void {
    this.newKey = undefined;
  }

  abstract send(message: ServiceMessage): void;
  /** Ends it; `code` is one of CLOSE, or of RFC 6455. What still arrives is ignored. */
  abstract close(code: number, reason: string): void;
  /** Ends it because this node stops or drains. */
  abstract sendAway(reason: string): void;
}
