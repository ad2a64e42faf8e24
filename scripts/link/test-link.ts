// A service of two nodes, an agent and the network between them in one process, for tests of the rules of the link: the
// service's delivery, its store and the agent's queue are the real ones; what runs jobs, the wire and the disk are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import {
  LINK_VERSION,
  readAgentMessage,
  readServiceMessage,
  type AgentMessage,
  type ServiceMessage,
} from '#/contract/agent-link.ts';
import { JobFolder } from '../../agent/job-folder.ts';
import { JobRunner } from '../../agent/job-runner.ts';
import { Spool } from '../../agent/spool.ts';
import type { AgentConnection } from '../../server/agents/agent-connection.ts';
import { SocketConnection } from '../../server/agents/socket-connection.ts';
import type { LinkListener } from '../../server/agents/link.ts';
import type { Actor } from '../../server/store/caller.ts';
import { openKeyRotation, type KeyRotation } from '../../server/agents/key-rotation.ts';
import { openAudit } from '../../server/store/audit.ts';
import type { Database } from '../../server/store/database.ts';
import { insertDevice } from '../../server/store/devices.ts';
import { hashSecret } from '../../server/store/ids.ts';
import { refreshParents, type TouchedParents } from '../../server/store/job-moves.ts';
import { insertJob } from '../../server/store/job-submissions.ts';
import { assignedDevicesOf, jobById, type JobRow } from '../../server/store/jobs.ts';
import { wholeAccount } from '../../server/store/scope.ts';
import { openDatabase } from '../../server/store/sqlite.ts';
import { Delivery } from '../../server/jobs/delivery.ts';
import { openJobEnds, type JobEnds } from '../../server/jobs/job-ends.ts';

/** `low`: nothing new fits, but the space that a job reserved is there. `full`: nothing at all can be written. */
export type Disk = 'free' | 'low' | 'full';

/** One connection, which each side may lose at another time. */
interface Line {
  node: number;
  agentOpen: boolean;
  serviceOpen: boolean;
  connection: AgentConnection;
  toService: AgentMessage[];
  toAgent: ServiceMessage[];
  /** What arrived, to arrive once more. */
  heard: AgentMessage[];
  told: ServiceMessage[];
}

interface Node {
  live: AgentConnection | undefined;
  listener: LinkListener | undefined;
  syncAgents: (deviceSeqs: number[]) => void;
}

interface RunningJob {
  folder: JobFolder;
  done: () => void;
}

export interface JobRecord {
  id: string;
  row: JobRow | undefined;
  /** How often its command was started on the device. */
  starts: number;
  /** How the command ended on the device, if it ran. */
  ranTo: 'end' | 'stop' | undefined;
}

const ACCOUNT = 1;
const CALLER: Actor = { account: { id: ACCOUNT, email: 'a@example.com' }, actor: 'token:1', address: '' };
const FOLLOWER_TURN_MS = 500;
const now = () => Date.now();

/** Calls `check`, which may throw, before the method. */
function limit(prototype: object, method: string, check: () => void): void {
  const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
  mock.method(prototype as Record<string, typeof original>, method, function (this: unknown, ...args: unknown[]) {
    check();
    return Reflect.apply(original, this, args);
  });
}

type Handled = Parameters<LinkListener['message']>[1];
const isOfJobs = (message: AgentMessage): message is Extract<AgentMessage, Handled> =>
  ['started', 'output', 'ended', 'facts'].includes(message.type);

export class TestLink {
  readonly #db: Database = openDatabase(':memory:');
  readonly #data = mkdtempSync(path.join(tmpdir(), 'muster-link-'));
  readonly #nodes: Node[] = [];
  readonly #keyRotation: KeyRotation;
  readonly #ends: JobEnds;
  #device = { seq: 0, id: '', key: '' };
  #disk: Disk = 'free';
  readonly #running = new Map<string, RunningJob>();
  readonly #jobs: Pick<JobRecord, 'id' | 'starts' | 'ranTo'>[] = [];
  readonly #deleting = new Set<string>();
  readonly #lines: Line[] = [];
  #agent: { spool: Spool; runner: JobRunner } | undefined;
  /** All messages, as they were sent. */
  readonly sent: (AgentMessage | ServiceMessage)[] = [];

  private constructor() {
    const parts = { db: this.#db, audit: openAudit(now), now };
    this.#ends = openJobEnds(parts);
    this.#keyRotation = openKeyRotation(parts);
  }

  /** Time stands still outside `settle`; `fillDisk` decides what the agent can write. */
  static async open(): Promise<TestLink> {
    const link = new TestLink();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    await link.#db.write(async (tx) => {
      await tx.run(
        "INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@example.com', 9, 0, 0)",
      );
      const draft = { DeviceName: 'device', DeviceGroup: '' };
      link.#device = await insertDevice(tx, ACCOUNT, draft, now());
    });
    link.#db.onSyncAgents((seqs) => link.#nodes.forEach((node) => node.syncAgents(seqs)));
    for (const method of ['takeLock', 'askToCancel', 'writeEnd', 'replaceByEnd'])
      limit(JobFolder.prototype, method, () => link.#write('low'));
    limit(Spool.prototype, 'accept', () => link.#write('free'));
    limit(Spool.prototype, 'settle', () => link.#write('low'));
    link.restartNode(0);
    link.restartNode(1);
    link.restartAgent();
    return link;
  }

  async close(): Promise<void> {
    this.#agent?.runner.stop();
    mock.restoreAll();
    mock.timers.reset();
    await this.#db.close();
    rmSync(this.#data, { recursive: true, force: true });
  }

  #write(needs: 'free' | 'low'): void {
    if (this.#disk === 'full' || (this.#disk === 'low' && needs === 'free'))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  }

  // ---- What may happen ------------------------------------------------------------------------------------------------

  fillDisk(disk: Disk): void {
    this.#disk = disk;
  }

  async submit(): Promise<void> {
    const submission = {
      accountId: ACCOUNT,
      name: 'job',
      artifactId: null,
      artifactVersion: null,
      workflowId: null,
      ruleName: '',
      command: () => 'true',
      created: now(),
    };
    const { seq, id } = this.#device;
    const job = await this.#db.write(async (tx) => {
      tx.syncAgents(seq);
      return insertJob(tx, submission, { seq, id, name: 'device' });
    });
    this.#jobs.push({ id: job, starts: 0, ranTo: undefined });
    await this.#idle();
  }

  /** A person stops the job. */
  async stop(index: number): Promise<void> {
    await this.#change(index, async (tx, row, assigned, parents) => {
      await this.#ends.stopIn(tx, CALLER, row, assigned, parents);
    });
  }

  /** A person deletes the job: at once, or after a second call if an agent has it under way. */
  async remove(index: number): Promise<void> {
    const job = this.#jobs[index]?.id ?? '';
    await this.#change(index, async (tx, row, assigned, parents) => {
      if (this.#deleting.has(job)) await this.#ends.removeStoppedIn(tx, CALLER, row, parents);
      else if (!(await this.#ends.removeIn(tx, CALLER, row, assigned, parents))) this.#deleting.add(job);
    });
  }

  /** The agent connects to this node. */
  dial(node: number): void {
    if (this.#lines.some((line) => line.agentOpen)) return;
    const line: Line = {
      node,
      agentOpen: true,
      serviceOpen: true,
      connection: this.#connect(() => line),
      toService: [],
      toAgent: [],
      heard: [],
      told: [],
    };
    this.#lines.push(line);
    this.#say({
      type: 'hello',
      version: LINK_VERSION,
      journal: this.#agent?.spool.journal ?? '',
      server: 'http://service',
      agentVersion: '1',
      os: '',
      arch: '',
      hostname: '',
      localAddr: '',
      localPort: '',
      jobs: this.#agent?.runner.unsettled() ?? [],
    });
  }

  /** The agent loses its connection; what it sent before may still arrive. */
  agentLoses(): void {
    for (const line of this.#lines) {
      if (!line.agentOpen) continue;
      line.agentOpen = false;
      line.toAgent = [];
      this.#agent?.runner.disconnected();
    }
  }

  /** The service loses all connections. */
  serviceLoses(): void {
    for (const line of this.#lines) this.#lose(line);
  }

  /** Some messages of one direction arrive, on the oldest connection that still carries any. */
  async deliver(to: 'service' | 'agent', count: number): Promise<void> {
    if (to === 'service') {
      const line = this.#lines.find(({ serviceOpen, toService }) => serviceOpen && toService.length > 0);
      for (const message of line?.toService.splice(0, count) ?? []) if (line) this.#toService(line, message);
    } else {
      const line = this.#lines.find(({ agentOpen, toAgent }) => agentOpen && toAgent.length > 0);
      for (const message of line?.toAgent.splice(0, count) ?? []) if (line?.agentOpen) this.#toAgent(line, message);
    }
    await this.#idle();
  }

  /** A message that arrived on the open connection arrives again. */
  async repeat(to: 'service' | 'agent', which: number): Promise<void> {
    const line = this.#lines.find(({ agentOpen }) => agentOpen);
    if (!line) return;
    const earlier = line[to === 'service' ? 'heard' : 'told'];
    const message = earlier[which % Math.max(1, earlier.length)];
    if (!message) return;
    if (to === 'agent') this.#toAgent(line, message as ServiceMessage);
    else if (message.type !== 'hello' && line.serviceOpen) this.#toService(line, message as AgentMessage);
    await this.#idle();
  }

  restartNode(index: number): void {
    for (const line of this.#lines) if (line.node === index) this.#lose(line);
    const node: Node = { live: undefined, listener: undefined, syncAgents: () => {} };
    this.#nodes[index] = node;
    void new Delivery({
      db: this.#db,
      now,
      timeLimitSeconds: 60,
      outputLimit: 1000,
      agentUpdates: { stateOf: () => ({ update: '', problem: '', text: '' }), sendSigner: () => {}, send: () => {} },
      keyRotation: this.#keyRotation,
      commandFor: async (_tx, { command }) => ({ command }),
      link: {
        listen: (listener) => void (node.listener = listener),
        of: () => node.live,
        all: () => (node.live ? [node.live] : []),
        end: (connection) => connection.close(4000, ''),
        reconnectMs: () => 0,
      },
      cluster: {
        id: `node-${index}`,
        onSyncAgents: (listener) => void (node.syncAgents = listener),
        syncAgentsAt: async (tx, _node, seqs) => tx.syncAgents(...seqs),
      },
    });
  }

  /** Jobs run in processes of their own and go on. */
  restartAgent(): void {
    this.agentLoses();
    this.#agent?.runner.stop();
    const spool = new Spool(this.#data);
    const runner = new JobRunner({
      spool,
      log: () => {},
      send: (message) => {
        if (runner === this.#agent?.runner) this.#say(message);
      },
      launch: (folder) => this.#launch(folder),
    });
    this.#agent = { spool, runner };
  }

  /** The command of a job that runs exits by itself, as far as its end can be stored. */
  finish(): void {
    for (const [job] of this.#running) this.#end(job, 'end');
  }

  // ---- The device -----------------------------------------------------------------------------------------------------

  #launch(folder: JobFolder): Promise<string | undefined> {
    try {
      if (!folder.takeLock()) return Promise.resolve('');
    } catch (error) {
      return Promise.resolve(String(error));
    }
    const job = path.basename(folder.folder);
    for (const record of this.#jobs) if (record.id === job) record.starts += 1;
    folder.writeBegun(now());
    return new Promise((resolve) => this.#running.set(job, { folder, done: () => resolve('') }));
  }

  #end(job: string, how: 'end' | 'stop'): void {
    const found = this.#running.get(job);
    try {
      found?.folder.writeEnd({
        outcome: how === 'end' ? 'exited' : 'cancelled',
        ...(how === 'end' ? { exitCode: 0 } : { reason: 'Stopped on request.' }),
        endedAt: now(),
      });
    } catch {
      return; // Tried again with space.
    }
    this.#running.delete(job);
    for (const record of this.#jobs) if (record.id === job) record.ranTo = how;
    found?.done();
  }

  // ---- The wire -------------------------------------------------------------------------------------------------------

  #say(message: AgentMessage): void {
    this.sent.push(message);
    const line = this.#lines.find(({ agentOpen }) => agentOpen);
    if (line?.serviceOpen) line.toService.push(message);
  }

  #connect(lineOf: () => Line): AgentConnection {
    const socket = {
      OPEN: 1,
      readyState: 1,
      bufferedAmount: 0,
      terminate: () => {},
      close: () => this.#lose(lineOf()),
      send: (frame: string) => {
        const message = readServiceMessage(frame);
        const line = lineOf();
        if (!message || !line.serviceOpen) return;
        this.sent.push(message);
        if (line.agentOpen) line.toAgent.push(message);
      },
    };
    const { seq, id, key } = this.#device;
    return new SocketConnection(socket as never, { seq, id, name: 'device' }, hashSecret(key));
  }

  #lose(line: Line): void {
    if (!line.serviceOpen) return;
    line.serviceOpen = false;
    line.connection.closing = true;
    line.toService = [];
    const node = this.#nodes[line.node];
    if (node?.live !== line.connection) return;
    node.live = undefined;
    node.listener?.closed(line.connection);
  }

  #toService(line: Line, sent: AgentMessage): void {
    const message = readAgentMessage(JSON.stringify(sent));
    const node = this.#nodes[line.node];
    if (!message || !node || !line.serviceOpen) return;
    line.heard.push(message);
    if (message.type === 'hello') {
      const older = node.live;
      node.live = line.connection;
      line.connection.greeted = true;
      line.connection.journal = message.journal;
      line.connection.server = message.server;
      older?.close(4000, '');
      node.listener?.hello(line.connection, message);
    } else if (node.live === line.connection && isOfJobs(message)) node.listener?.message(line.connection, message);
  }

  #toAgent(line: Line, message: ServiceMessage): void {
    line.told.push(message);
    const runner = this.#agent?.runner;
    if (message.type === 'run') runner?.run(message);
    else if (message.type === 'stored') runner?.stored(message.job, message.have);
    else if (message.type === 'cancel') runner?.cancel(message.job);
    else if (message.type === 'settled') runner?.settled(message.job);
  }

  /** Until the service has stored what it received, and the agent has looked at its jobs. */
  async #idle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      await this.#db.write(() => {});
    }
    for (const [job, { folder }] of this.#running) if (folder.cancelAsked()) this.#end(job, 'stop');
    mock.timers.tick(FOLLOWER_TURN_MS);
    await new Promise(setImmediate);
  }

  async #change(
    index: number,
    change: (
      tx: Parameters<Parameters<Database['write']>[0]>[0],
      row: JobRow,
      assigned: number[],
      parents: TouchedParents,
    ) => Promise<void>,
  ): Promise<void> {
    const job = this.#jobs[index]?.id;
    if (job === undefined) return;
    await this.#db.write(async (tx) => {
      const row = await jobById(tx, wholeAccount(ACCOUNT), job).catch(() => undefined);
      if (!row) return;
      const parents: TouchedParents = new Map();
      await change(tx, row, await assignedDevicesOf(tx, row.seq), parents);
      await refreshParents(tx, parents);
    });
    await this.#idle();
  }

  // ---- What it comes to -----------------------------------------------------------------------------------------------

  /** Delivers until nothing was sent for some rounds; false if that does not happen. */
  async settle(rounds = 40): Promise<boolean> {
    let quiet = 0;
    for (let round = 0; round < rounds; round++) {
      const before = this.sent.length;
      await this.deliver('service', Infinity);
      await this.deliver('agent', Infinity);
      const waits = this.#lines.some(
        (line) => (line.serviceOpen && line.toService.length > 0) || (line.agentOpen && line.toAgent.length > 0),
      );
      quiet = this.sent.length === before && !waits ? quiet + 1 : 0;
      if (quiet === 4) return true;
    }
    return false;
  }

  async records(): Promise<JobRecord[]> {
    return Promise.all(
      this.#jobs.map(async (job) => ({
        ...job,
        row: await jobById(this.#db, wholeAccount(ACCOUNT), job.id).catch(() => undefined),
      })),
    );
  }

  /** Jobs that the agent's disk still has. */
  left(): string[] {
    return new Spool(this.#data).unsettled();
  }
}
