// The agents of the month that has passed: each has its own connection and speaks the protocol of the real agent, but a
// script says how its jobs go, because nobody can wait for them.
import { once } from 'node:events';
import { arch, platform, release } from 'node:os';
import { WebSocket } from 'ws';
import { LINK_PATH, LINK_VERSION, readServiceMessage } from '#/contract/agent-link.ts';
import type { AgentMessage, Run } from '#/contract/agent-link.ts';
import { ALLOWS_NONE } from '#/contract/tunnel-allowance.ts';
import { AGENT_VERSION } from '../../agent/version.ts';
import type { DemoDevice } from './fleet.ts';
import type { SteppedService } from './stepped-service.ts';

/** How a job goes on a device. */
export interface Scripted {
  seconds: number;
  exitCode: number;
  stdout: string;
  stderr?: string;
}
/** `nth`: how often the device has run this before, from 0. */
export type Script = (device: DemoDevice, command: string, nth: number) => Scripted;

interface RunningJob {
  id: string;
  start: number;
  end: number;
  goes: Scripted;
}

/** Pings while the month passes, which the service expects in real time. */
const PING_EVERY_MS = 10_000;
/** From the submission to the start of the command: it fetches its file first. */
const LONGEST_START_MS = 9_000;

class ScriptedAgent {
  readonly device: DemoDevice;
  readonly #script: Script;
  readonly #service: SteppedService;
  readonly #ran = new Map<string, number>();
  #socket: WebSocket | undefined;
  #job: RunningJob | undefined;
  #welcomed: (() => void) | undefined;
  #settled: (() => void) | undefined;

  constructor(device: DemoDevice, script: Script, service: SteppedService) {
    this.device = device;
    this.#script = script;
    this.#service = service;
  }

  get isOnline(): boolean {
    return this.#socket !== undefined;
  }

  /** When its running job ends, if it is connected and has one. */
  get ends(): number | undefined {
    return this.#socket && this.#job?.end;
  }

  async connect(): Promise<void> {
    const url = this.#service.address.replace(/^http/, 'ws') + LINK_PATH;
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${this.device.key}` },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('message', (frame: Buffer) => this.#receive(frame.toString()));
    // A close follows.
    socket.on('error', () => {});
    socket.on('close', (code, reason) => {
      if (this.#socket === socket)
        throw new Error(`${this.device.name} lost its connection: ${code} ${String(reason)}`);
    });
    await once(socket, 'open');
    const welcome = new Promise<void>((resolve) => (this.#welcomed = resolve));
    this.#say({
      type: 'hello',
      version: LINK_VERSION,
      journal: `month-${this.device.id}`,
      server: this.#service.service.url,
      agentVersion: AGENT_VERSION,
      os: `${platform()} ${release()}`.slice(0, 255),
      arch: arch(),
      hostname: this.device.name,
      localAddr: this.device.address,
      localPort: '443',
      jobs: this.#job ? [this.#job.id] : [],
      allowsTunnels: ALLOWS_NONE,
    });
    await welcome;
  }

  async disconnect(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.close();
    await once(socket, 'close');
  }

  /** The service ends the connection, and that is no loss. */
  release(): void {
    this.#socket = undefined;
  }

  ping(): void {
    // It may still be connecting.
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  /** Tells how the job went that has ended by now, and waits until that is stored. */
  async report(now: number): Promise<void> {
    const job = this.#job;
    if (!this.#socket || !job || job.end > now) return;
    const { id, start, end, goes } = job;
    const settled = new Promise<void>((resolve) => (this.#settled = resolve));
    this.#say({ type: 'started', job: id, ago: now - start });
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = goes[stream] ?? '';
      if (text !== '')
        this.#say({ type: 'output', job: id, stream, offset: 0, data: Buffer.from(text).toString('base64') });
    }
    const times = { startedAgo: now - start, endedAgo: now - end };
    this.#say({ type: 'ended', job: id, outcome: 'exited', exitCode: goes.exitCode, ...times });
    await settled;
  }

  #say(message: AgentMessage): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #receive(frame: string): void {
    const message = readServiceMessage(frame);
    if (message?.type === 'welcome') this.#welcomed?.();
    else if (message?.type === 'run') this.#begin(message);
    else if (message?.type === 'settled' && message.job === this.#job?.id) {
      this.#job = undefined;
      this.#settled?.();
    }
  }

  #begin({ job, command }: Run): void {
    if (this.#job?.id === job) return;
    // The part of the command that is not the same for each job is its address.
    const what = command.replace(/\?[^'"\s]*/g, '');
    const nth = this.#ran.get(what) ?? 0;
    this.#ran.set(what, nth + 1);
    const goes = this.#script(this.device, command, nth);
    const start = this.#service.now() + 1_000 + Math.round(this.device.chance() * LONGEST_START_MS);
    this.#job = { id: job, start, end: start + Math.round(goes.seconds * 1_000), goes };
  }
}

export class ScriptedAgents {
  readonly #service: SteppedService;
  readonly #script: Script;
  readonly #agents = new Map<string, ScriptedAgent>();
  readonly #pings: NodeJS.Timeout;

  constructor(service: SteppedService, script: Script) {
    this.#service = service;
    this.#script = script;
    this.#pings = setInterval(() => {
      for (const agent of this.#agents.values()) agent.ping();
    }, PING_EVERY_MS).unref();
  }

  isOnline(device: DemoDevice): boolean {
    return this.#agents.get(device.id)?.isOnline ?? false;
  }

  async connect(devices: readonly DemoDevice[]): Promise<void> {
    await Promise.all(
      devices.map(async (device) => {
        const agent = this.#agents.get(device.id) ?? new ScriptedAgent(device, this.#script, this.#service);
        this.#agents.set(device.id, agent);
        if (!agent.isOnline) await agent.connect();
      }),
    );
  }

  async disconnect(devices: readonly DemoDevice[]): Promise<void> {
    await Promise.all(devices.map(async (device) => this.#agents.get(device.id)?.disconnect()));
    // The service hears of a closed connection a little later than its agent.
    const online = [...this.#agents.values()].filter(({ isOnline }) => isOnline).length;
    while ([...this.#service.service.context.link.all()].length > online)
      await new Promise((resolve) => setImmediate(resolve));
  }

  /** When the next job ends. */
  next(): number | undefined {
    let next: number | undefined;
    for (const { ends } of this.#agents.values())
      if (ends !== undefined && (next === undefined || ends < next)) next = ends;
    return next;
  }

  async report(): Promise<boolean> {
    const now = this.#service.now();
    const due = [...this.#agents.values()].filter(({ ends = Infinity }) => ends <= now);
    await Promise.all(due.map((agent) => agent.report(now)));
    return due.length > 0;
  }

  /** The service may stop. */
  release(): void {
    clearInterval(this.#pings);
    for (const agent of this.#agents.values()) agent.release();
  }
}
