// Delivers jobs from the queue to devices, and stores what comes back. Each device works on at most one job: its oldest
// unfinished one, which is assigned to one data folder ("journal") of its agent and offered again at every hello.
// Messages from agents are handled in batches, and answered only after the transaction is durable. docs/agent-protocol.md
// has the rules.
import { CLOSE } from '#/contract/agent-link.ts';
import type { Ended, Facts, Hello, Stream } from '#/contract/agent-link.ts';
import type { AgentUpdates } from './agent-updates.ts';
import { whyKeyFixed, type KeyRotation } from '../agents/key-rotation.ts';
import type { AgentConnection, AssignedJob } from '../agents/agent-connection.ts';
import { log } from '../operation/log.ts';
import type { JobMessage, Link } from '../agents/link.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Database, Tx } from '../store/database.ts';
import { beginSession, noteAskedUpdate, sessionsOf, setAgentState } from '../store/devices.ts';
import type { SessionRow } from '../store/devices.ts';
import { reportDigest, storeFacts } from '../store/facts.ts';
import { noteVersions } from '../store/device-versions.ts';
import { moveJob, refreshParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { isUnfinished, stateOf } from '../store/jobs.ts';
import { assignNext, forget, NOT_STARTED } from './assignment.ts';
import type { AssignmentOptions } from './assignment.ts';
import { ArrivedOutput } from './arrived-output.ts';
import { beginning, reasonOf, statusOf } from './outcome.ts';
import { MessageBatcher } from './message-batcher.ts';
import type { Received } from './message-batcher.ts';

export interface DeliveryOptions extends AssignmentOptions {
  db: Database;
  link: Pick<Link, 'of' | 'all' | 'listen' | 'end' | 'reconnectMs'>;
  cluster: Pick<Cluster, 'id' | 'onSyncAgents' | 'syncAgentsAt'>;
  agentUpdates: Pick<AgentUpdates, 'stateOf' | 'sendSigner' | 'send'>;
  keyRotation: Pick<KeyRotation, 'send' | 'use'>;
}

/** One unit of work, with what it has changed so far. */
interface Unit {
  tx: Tx;
  /** Parents to refresh at its end. */
  parents: TouchedParents;
  /** Jobs that deployed an artifact successfully. */
  deployed: number[];
  /** Output that has not been written yet. */
  output: ArrivedOutput;
  /** Connections whose output is confirmed at the end. */
  confirmed: Set<AgentConnection>;
  /** Devices whose agents were connected to another node before, by that node. */
  moved: Map<string, number[]>;
  /** The last reports of facts, by device. */
  facts: Map<number, Facts>;
  /** The job whose end, including its start time, is in this unit, by connection. */
  ending: Map<AgentConnection, string>;
}

const NO_KEY = new Uint8Array();
/** Agents may exceed the limit by the mark that they write where they cut a stream. */
const MARK_ALLOWANCE = 4096;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #batcher: MessageBatcher;
  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#batcher = new MessageBatcher(options.db, (tx, batch) => this.#store(tx, batch));
    options.link.listen({
      hello: (connection, message) => this.#batcher.add({ connection, message }),
      message: (connection, message, handled) => this.#batcher.add({ connection, message, handled }),
      closed: (connection) => {
        connection.job = undefined;
        connection.draft = undefined;
      },
    });
    options.cluster.onSyncAgents((deviceSeqs) => {
      for (const seq of deviceSeqs) {
        const connection = options.link.of(seq);
        // Nothing is sent to an agent until its hello is stored.
        if (connection && connection.session > 0) this.#batcher.add({ connection });
      }
    });
  }

  /** Shifts the times of assigned jobs after the clock was set, as is done in the database. */
  moveTimes(by: number): void {
    for (const { job, draft } of this.#options.link.all())
      for (const each of new Set([job, draft])) {
        if (!each) continue;
        each.created += by;
        each.run.at += by;
        if (each.started !== null) each.started += by;
      }
  }

  /**
   * Handles a batch. What it changes in memory counts from the commit on, and is taken back if the batch cannot be stored: its
   * messages can be handled again.
   */
  async #store(tx: Tx, batch: Received[]): Promise<void> {
    const before = new Map(
      batch.map(({ connection }) => {
        const { session, keyHash, draft } = connection;
        return [connection, { session, keyHash, draft }];
      }),
    );
    const stored = new Map<AgentConnection, AssignedJob | undefined>();
    // Before what is sent after the commit.
    tx.afterCommit(() => {
      for (const [connection, job] of stored) connection.job = job;
    });
    for (const [connection, { draft }] of before) if (draft) connection.draft = { ...draft, run: { ...draft.run } };
    try {
      await this.#handleAll(tx, batch);
    } catch (cause) {
      for (const [connection, state] of before) Object.assign(connection, state);
      throw cause;
    }
    for (const connection of before.keys()) stored.set(connection, connection.draft);
  }

  async #handleAll(tx: Tx, batch: Received[]): Promise<void> {
    const unit: Unit = {
      tx,
      parents: new Map(),
      deployed: [],
      output: new ArrivedOutput(),
      confirmed: new Set(),
      moved: new Map(),
      facts: new Map(),
      ending: new Map(),
    };
    for (const { connection, message } of batch)
      if (message?.type === 'ended' && message.startedAgo !== undefined) unit.ending.set(connection, message.job);
    const sessions = await sessionsOf(tx, new Set(batch.map(({ connection }) => connection.deviceSeq)));
    // In parallel, so that the statements of all agents go to PostgreSQL together.
    const done = await Promise.allSettled(
      [...Map.groupBy(batch, ({ connection }) => connection).values()].map(async (own) => {
        for (const received of own) await this.#handle(unit, received, sessions.get(received.connection.deviceSeq));
      }),
    );
    const failed = done.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    await unit.output.write(tx);
    await refreshParents(tx, unit.parents);
    await noteVersions(tx, unit.deployed);
    for (const [seq, { facts, problems }] of unit.facts)
      await storeFacts(tx, seq, facts, this.#options.now(), problems);
    for (const connection of unit.confirmed) this.#confirm(tx, connection);
    for (const [node, seqs] of unit.moved) if (node !== '') await this.#options.cluster.syncAgentsAt(tx, node, seqs);
  }

  async #handle(unit: Unit, { connection, message }: Received, device: SessionRow | undefined): Promise<void> {
    // The connection is closing, or a newer one of the same device has replaced it.
    if (this.#options.link.of(connection.deviceSeq) !== connection || connection.closing) return;
    if (message?.type === 'hello') await this.#greet(unit, connection, message, device);
    // The session may have started in this unit, after the sessions were read.
    else if (!device || device.session > connection.session)
      unit.tx.afterCommit(() => this.#endSession(connection, device));
    else if (message?.type === 'facts') unit.facts.set(connection.deviceSeq, message);
    else if (message) await this.#receive(unit, connection, message);
    else await this.#sendChanges(unit, connection, device);
  }

  /** The device was deleted or has another key, or its agent is now connected to another node. */
  #endSession(connection: AgentConnection, device: SessionRow | undefined): void {
    const { cluster, link } = this.#options;
    // Only on a deleted device is the running job of no further use.
    if (!device && connection.job) connection.send({ type: 'cancel', job: connection.job.id });
    link.end(connection, !device ? 'deleted' : device.node === cluster.id ? 'rekeyed' : 'replaced');
  }

  /** Sends a connected agent what changed for it in the database. */
  async #sendChanges(unit: Unit, connection: AgentConnection, device: SessionRow): Promise<void> {
    const { tx } = unit;
    if (device.update_asked !== '') {
      await noteAskedUpdate(tx, device.seq);
      tx.afterCommit(() => this.#options.agentUpdates.send(connection, device.update_asked));
    }
    if (device.rotation_asked !== null) await this.#options.keyRotation.send(tx, connection);
    else if (connection.newKey !== undefined) tx.afterCommit(() => connection.useNewKey());
    const { draft: job } = connection;
    if (!job) return assignNext(unit, connection, this.#options);
    const state = await stateOf(tx, job.seq);
    if (!state || state.stop_asked !== null) tx.afterCommit(() => connection.send({ type: 'cancel', job: job.id }));
  }

  async #greet(unit: Unit, connection: AgentConnection, hello: Hello, before: SessionRow | undefined): Promise<void> {
    const { tx } = unit;
    const at = this.#options.now();
    const { deviceSeq: seq, keyHash = NO_KEY } = connection;
    const isRotating = before !== undefined && before.rotation_asked !== null;
    // It may come with the key that it was sent before.
    if (isRotating) await this.#options.keyRotation.use(tx, seq, keyHash);
    const session = await beginSession(
      tx,
      { seq, keyHash, node: this.#options.cluster.id },
      {
        addr: hello.localAddr,
        port: hello.localPort,
        version: hello.agentVersion,
        os: hello.os,
        arch: hello.arch,
        hostname: hello.hostname,
        tunnelsAllowed: hello.allowsTunnels ?? '',
        keyFixed: whyKeyFixed(hello),
        at,
      },
    );
    if (session === undefined) return tx.afterCommit(() => this.#options.link.end(connection, 'rekeyed'));
    connection.session = session;
    connection.keyHash = undefined;
    await setAgentState(tx, seq, this.#options.agentUpdates.stateOf(hello), at);
    if (before && before.node !== this.#options.cluster.id)
      unit.moved.set(before.node, [...(unit.moved.get(before.node) ?? []), seq]);
    const facts = await reportDigest(tx, seq);
    tx.afterCommit(() =>
      connection.send({
        type: 'welcome',
        version: hello.version,
        device: connection.deviceId,
        name: connection.name,
        reconnectMs: this.#options.link.reconnectMs(),
        facts,
      }),
    );
    tx.afterCommit(() => this.#options.agentUpdates.sendSigner(connection));
    if (isRotating) await this.#options.keyRotation.send(tx, connection);
    for (const text of hello.setAside ?? [])
      tx.afterCommit(() => log.warn(`agent: ${text}`, { device: connection.deviceId }));
    for (const job of hello.jobs) if (!(await isUnfinished(tx, connection.deviceSeq, job))) forget(tx, connection, job);
    if (hello.jobs.length > 0) connection.held = new Set(hello.jobs);
    await assignNext(unit, connection, this.#options);
  }

  async #receive(unit: Unit, connection: AgentConnection, message: JobMessage): Promise<void> {
    const { draft: job } = connection;
    if (job?.id !== message.job) {
      // The job was deleted, or its end is already stored. It is not cancelled again: an agent that does not have the
      // job would answer with `ended`, and so on forever.
      if (message.type === 'ended' && !(await isUnfinished(unit.tx, connection.deviceSeq, message.job)))
        unit.tx.afterCommit(() => connection.send({ type: 'settled', job: message.job }));
      return;
    }
    // A job that also ends in this unit need not become Running: its end includes the start time.
    if (message.type === 'started' && unit.ending.get(connection) === job.id) return;
    if (message.type === 'taken') await this.#take(unit, connection, job);
    else if (message.type === 'started') await this.#start(unit, job, message.ago);
    else if (message.type === 'output') this.#addOutput(unit, connection, job, message);
    else await this.#end(unit, connection, job, message);
  }

  /** The job is on the device's disk. It runs from now on, unless it was stopped or deleted meanwhile. */
  async #take(unit: Unit, connection: AgentConnection, job: AssignedJob): Promise<void> {
    const { tx, parents } = unit;
    const state = await stateOf(tx, job.seq);
    if (state && state.stop_asked === null) return this.#start(unit, job, 0);
    // If it was taken before, it may run already: its end is what the agent reports after this.
    if (job.status === 'Running') return tx.afterCommit(() => connection.send({ type: 'cancel', job: job.id }));
    const end = { ended: this.#options.now(), reason: NOT_STARTED, result: NOT_STARTED };
    if (state) await moveJob(tx, job, 'Cancelled', end, parents);
    connection.draft = undefined;
    tx.afterCommit(() => connection.send({ type: 'settled', job: job.id }));
    await assignNext(unit, connection, this.#options);
  }

  async #start({ tx, parents }: Unit, job: AssignedJob, ago: number): Promise<void> {
    if (job.status === 'Running') return;
    const started = this.#past(job, ago);
    if (!(await moveJob(tx, job, 'Running', { started }, parents))) return;
    job.status = 'Running';
    job.started = started;
  }

  /** The time that a device reported as `ago`, but not before the job was submitted. */
  #past(job: AssignedJob, ago: number): number {
    const now = this.#options.now();
    return Math.max(Math.min(now, job.created), now - ago);
  }

  #addOutput(
    { output, confirmed }: Unit,
    connection: AgentConnection,
    job: AssignedJob,
    { stream, offset, data }: { stream: Stream; offset: number; data: string },
  ): void {
    const bytes = Buffer.from(data, 'base64');
    const known = job[stream] - offset;
    const end = offset + bytes.length;
    if (known < 0 || end > this.#options.outputLimit + MARK_ALLOWANCE)
      return connection.close(CLOSE.protocol, 'Output that does not fit what is stored');
    if (known < bytes.length) output.add(job, stream, bytes.subarray(known), this.#options.now());
    confirmed.add(connection);
  }

  #confirm(tx: Tx, connection: AgentConnection): void {
    const { draft: job } = connection;
    if (!job) return;
    const { id, stdout, stderr } = job;
    tx.afterCommit(() => connection.send({ type: 'stored', job: id, have: { stdout, stderr } }));
  }

  async #end(unit: Unit, connection: AgentConnection, job: AssignedJob, message: Ended): Promise<void> {
    const { tx, parents } = unit;
    await unit.output.writeOf(tx, job);
    const ended = this.#past(job, message.endedAgo);
    const started = message.startedAgo === undefined ? undefined : this.#past(job, message.startedAgo);
    const status = statusOf(message);
    const hasMoved = await moveJob(
      tx,
      job,
      status,
      {
        ended: Math.max(ended, job.started ?? started ?? 0),
        ...(started !== undefined && { started }),
        exitCode: message.exitCode,
        reason: reasonOf(message),
        result: await beginning(tx, job, reasonOf(message)),
      },
      parents,
    );
    if (hasMoved && status === 'Succeeded' && job.isDeployment) unit.deployed.push(job.seq);
    connection.draft = undefined;
    tx.afterCommit(() => connection.send({ type: 'settled', job: job.id }));
    await assignNext(unit, connection, this.#options);
  }
}
