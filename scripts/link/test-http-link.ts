// A service of two nodes and an agent that speaks HTTP, in one process, for tests of the rules: the service's delivery,
// its sessions and its store are the real ones; the agent, its disk and the wire are not.
import { AGENT_HTTP_PATH } from '#/contract/agent-http.ts';
import { openHttpLink, type AgentRequest, type HttpLink } from '../../server/agents/http-link.ts';
import { openLink, type Link } from '../../server/agents/link.ts';
import { Delivery } from '../../server/jobs/delivery.ts';
import { openJobEnds, type JobEnds } from '../../server/jobs/job-ends.ts';
import { Problem } from '../../server/http/problem.ts';
import type { Actor } from '../../server/store/caller.ts';
import { openKeyRotation } from '../../server/agents/key-rotation.ts';
import { openAudit } from '../../server/store/audit.ts';
import type { Database, Tx } from '../../server/store/database.ts';
import { insertDevice } from '../../server/store/devices.ts';
import { refreshParents, type TouchedParents } from '../../server/store/job-moves.ts';
import { readOutput } from '../../server/store/job-output.ts';
import { insertJob } from '../../server/store/job-submissions.ts';
import { assignedDevicesOf, jobById, type JobRow } from '../../server/store/jobs.ts';
import { wholeAccount } from '../../server/store/scope.ts';
import { openDatabase } from '../../server/store/sqlite.ts';

interface Node {
  id: string;
  link: Link;
  httpLink: HttpLink;
  syncAgents: (deviceSeqs: number[]) => void;
}

/** A job on the agent's disk, whose command may run. */
interface Held {
  state: 'spooled' | 'running' | 'ended';
  /** The query of its end. */
  end: string;
  printed: string;
  /** How much of that the service has, as far as the agent knows. */
  sent: number;
}

interface Asked {
  method: string;
  path: string;
  query?: string;
  body?: string;
  session?: string | undefined;
}

const ACCOUNT = 1;
const CALLER: Actor = { account: { id: ACCOUNT, email: 'a@example.com' }, actor: 'token:1', address: '' };
const PIECE = 4;
/** Shorter than a session stays without a request. */
const REQUEST_MS = 1_000;
const now = () => Date.now();

export class TestHttpLink {
  readonly #db: Database = openDatabase(':memory:');
  readonly #nodes: Node[] = [];
  readonly #keyRotation = openKeyRotation({ db: this.#db, audit: openAudit(now), now });
  readonly #ends: JobEnds = openJobEnds({ db: this.#db, audit: openAudit(now), now });
  #device = { seq: 0, id: '', key: '' };
  #time = 0;
  #starts = 0;
  readonly #jobs: { id: string; starts: number; ranTo: 'end' | 'stop' | undefined; printed: string }[] = [];
  readonly #deleting = new Set<string>();
  readonly #disk = new Map<string, Held>();
  #session: string | undefined;
  #turn = 0;
  #late: Asked | undefined;

  static async open(): Promise<TestHttpLink> {
    const link = new TestHttpLink();
    await link.#db.write(async (tx) => {
      await tx.run(
        "INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@example.com', 9, 0, 0)",
      );
      link.#device = await insertDevice(tx, ACCOUNT, { DeviceName: 'device', DeviceGroup: '' }, now());
    });
    link.#db.onSyncAgents((seqs) => link.#nodes.forEach((node) => node.syncAgents(seqs)));
    link.restartNode(0);
    link.restartNode(1);
    return link;
  }

  async close(): Promise<void> {
    for (const { link, httpLink } of this.#nodes) {
      httpLink.close();
      await link.close();
    }
    await this.#idle();
    await this.#db.close();
  }

  // ---- What may happen ------------------------------------------------------------------------------------------------

  async submit(): Promise<void> {
    const { seq, id } = this.#device;
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
    const job = await this.#db.write(async (tx) => {
      tx.syncAgents(seq);
      return insertJob(tx, submission, { seq, id, name: 'device' });
    });
    this.#jobs.push({ id: job, starts: 0, ranTo: undefined, printed: '' });
    await this.#idle();
  }

  async stop(index: number): Promise<void> {
    await this.#change(index, async (tx, row, assigned, parents) => {
      await this.#ends.stopIn(tx, CALLER, row, assigned, parents);
    });
  }

  /** Deletes the job: at once, or after a second call if an agent has it under way. */
  async remove(index: number): Promise<void> {
    const job = this.#jobs[index]?.id ?? '';
    await this.#change(index, async (tx, row, assigned, parents) => {
      if (this.#deleting.has(job)) await this.#ends.removeStoppedIn(tx, CALLER, row, parents);
      else if (!(await this.#ends.removeIn(tx, CALLER, row, assigned, parents))) this.#deleting.add(job);
    });
  }

  /** A node is another one after its restart, and knows no session. */
  restartNode(index: number): void {
    const before = this.#nodes[index];
    before?.httpLink.close();
    void before?.link.close();
    this.#starts += 1;
    const id = `node-${this.#starts}`;
    const link = openLink({ db: this.#db, node: id, now });
    const node: Node = {
      id,
      link,
      syncAgents: () => {},
      httpLink: openHttpLink({
        db: this.#db,
        node: id,
        link,
        keyRotation: this.#keyRotation,
        publicUrl: () => 'http://service',
        steady: () => this.#time,
        forward: async (holder, device, request) =>
          this.#nodes.find((each) => each.id === holder)?.httpLink.answerForNode(device, request),
      }),
    };
    this.#nodes[index] = node;
    void new Delivery({
      db: this.#db,
      now,
      timeLimitSeconds: 60,
      outputLimit: 1000,
      agentUpdates: { stateOf: () => ({ update: '', problem: '', text: '' }), sendSigner: () => {}, send: () => {} },
      keyRotation: this.#keyRotation,
      commandFor: async (_tx, { command }) => ({ command }),
      link,
      cluster: {
        id,
        onSyncAgents: (listener) => void (node.syncAgents = listener),
        syncAgentsAt: async (tx, _node, seqs) => tx.syncAgents(...seqs),
      },
    });
  }

  /** The agent starts anew; its disk and what runs are there still. */
  killAgent(): void {
    this.#session = undefined;
  }

  passTime(): void {
    this.#time += 10 * REQUEST_MS;
  }

  /** Commands that run print the rest and exit. */
  finish(): void {
    for (const [job, held] of this.#disk) if (held.state === 'running') this.#end(job, held, 'end');
  }

  /** The agent's next request, and what happens to it; `late`: first an earlier one arrives once more. */
  async request({ fate, node, late }: { fate: string; node: number; late: boolean }): Promise<void> {
    if (late && this.#late) await this.#send(node, this.#late);
    const asked = this.#nextRequest();
    // A hello is sent once: the client of an agent does not repeat it by itself.
    if (asked.path !== '/hello') this.#late = asked;
    if (fate === 'lost') return;
    let answer = await this.#send(node, asked);
    if (fate === 'twice' && asked.path !== '/hello') answer = await this.#send(1 - node, asked);
    if (fate !== 'answer lost') this.#receive(asked, answer);
    await this.#idle();
  }

  /** Until the agent has nothing to report and the service nothing for it, for as long as anything is repeated. */
  async settle(): Promise<void> {
    for (let quiet = 0, rounds = 0; quiet < 14; rounds++) {
      if (rounds > 400) throw new Error(`no end: ${JSON.stringify([...this.#disk])}`);
      const asked = this.#nextRequest();
      const answer = await this.#send(rounds % 2, asked);
      quiet = asked.path === '/next' && answer.status === 204 ? quiet + 1 : 0;
      this.#receive(asked, answer);
      await this.#idle();
    }
  }

  // ---- The agent ------------------------------------------------------------------------------------------------------

  #nextRequest(): Asked {
    if (this.#session === undefined) {
      const jobs = [...this.#disk.keys()].map((job) => `job=${job}\n`).join('');
      return { method: 'POST', path: '/hello', body: `agent=1\n${jobs}` };
    }
    const session = this.#session;
    this.#turn += 1;
    const reports = [...this.#disk].flatMap(([job, held]): Asked[] => {
      const at = `/job/${job}`;
      if (held.state === 'spooled') return [{ method: 'POST', path: `${at}/taken`, session }];
      if (held.sent < held.printed.length) {
        const body = held.printed.slice(held.sent, held.sent + PIECE);
        return [{ method: 'PUT', path: `${at}/output`, query: `stream=stdout&offset=${held.sent}`, body, session }];
      }
      return held.state === 'ended' ? [{ method: 'POST', path: `${at}/ended`, query: held.end, session }] : [];
    });
    const [report] = reports;
    if (report && this.#turn % 3 !== 0) return report;
    const running = [...this.#disk].find(([, { state }]) => state === 'running')?.[0];
    const query = `wait=0${running === undefined ? '' : `&running=${running}`}`;
    return { method: 'GET', path: '/next', query, session };
  }

  #receive({ path }: Asked, { status, text }: { status: number; text: string }): void {
    if (text.startsWith('replaced')) throw new Error('The agent was replaced, and there is no other one');
    if (text.startsWith('hello')) this.#session = undefined;
    const [, job = ''] = /^\/job\/([^/]+)/.exec(path) ?? [];
    const held = this.#disk.get(job);
    const offset = /^next (\d+)/.exec(text)?.[1];
    if (offset !== undefined && held) held.sent = Number(offset);
    if (status !== 200) return;
    if (path === '/hello') this.#session = /^session (\d+)/.exec(text)?.[1];
    else if (path === '/next') this.#take(text);
    else if (text === 'run' && held?.state === 'spooled') this.#start(job, held);
    else if (text === 'drop' && held?.state === 'spooled') this.#disk.delete(job);
    else if (text === 'ok') this.#disk.delete(job);
  }

  #take(text: string): void {
    const [, what, job = ''] = /^(job|stop) (\S+)/.exec(text) ?? [];
    const held = this.#disk.get(job);
    if (what === 'job' && !held) this.#disk.set(job, { state: 'spooled', end: '', printed: '', sent: 0 });
    if (what !== 'stop') return;
    if (held?.state === 'running') this.#end(job, held, 'stop');
    else if (held?.state !== 'ended') this.#disk.set(job, { state: 'ended', end: 'how=stopped', printed: '', sent: 0 });
  }

  #start(job: string, held: Held): void {
    held.state = 'running';
    held.printed = `begin ${job} `;
    for (const record of this.#jobs) if (record.id === job) record.starts += 1;
  }

  #end(job: string, held: Held, how: 'end' | 'stop'): void {
    held.state = 'ended';
    held.end = how === 'end' ? 'exit=0' : 'how=stopped';
    if (how === 'end') held.printed += 'and end';
    for (const record of this.#jobs)
      if (record.id === job) Object.assign(record, { ranTo: how, printed: held.printed });
  }

  // ---- The wire -------------------------------------------------------------------------------------------------------

  async #send(index: number, { method, path, query = '', body = '', session }: Asked) {
    this.#time += REQUEST_MS;
    const request: AgentRequest = {
      method,
      path,
      query: new URLSearchParams(query),
      session,
      body: () => Promise.resolve(Buffer.from(body)),
      whenGone: () => {},
    };
    try {
      const answer = await this.#nodes[index]?.httpLink.answer(this.#device.key, request);
      return answer ?? { status: 503, text: '' };
    } catch (cause) {
      if (cause instanceof Problem)
        throw new Error(`${AGENT_HTTP_PATH}${path}: ${cause.status} ${cause.detail}`, { cause });
      throw cause;
    }
  }

  /** Until the service has stored what it received. */
  async #idle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      await this.#db.write(() => {});
    }
  }

  async #change(
    index: number,
    change: (tx: Tx, row: JobRow, assigned: number[], parents: TouchedParents) => Promise<void>,
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

  /** The jobs, with what the service has of each. */
  async records() {
    return Promise.all(
      this.#jobs.map(async (job) => {
        const row = await jobById(this.#db, wholeAccount(ACCOUNT), job.id).catch(() => undefined);
        return { ...job, row };
      }),
    );
  }

  async outputOf(seq: number): Promise<string> {
    return (await readOutput(this.#db, seq, 'stdout')).toString();
  }

  /** Jobs that the agent's disk still has. */
  left(): string[] {
    return [...this.#disk.keys()];
  }
}
