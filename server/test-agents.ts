// Agents for tests of the service: the real program in a process of its own, and a scripted one.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';
import { LINK_PATH, LINK_VERSION, readServiceMessage } from '#/contract/agent-link.ts';
import type { AgentMessage, Hello, ServiceMessage } from '#/contract/agent-link.ts';
import { TestProcess, until } from '../scripts/test-process.ts';

/** Starts the agent program as a person would. */
export const spawnAgent = (args: string[], data: string, env: NodeJS.ProcessEnv = {}): TestProcess =>
  new TestProcess(['agent/main.ts', '--data', data, ...args], { env });

/** A folder for an agent or for what jobs write; call `remove` after the test. */
export function scratch(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-test-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }) };
}

/** Speaks the agent's side of the link; remembers the messages it received. */
export class FakeAgent {
  readonly socket: WebSocket;
  readonly received: ServiceMessage[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly #url: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.socket = new WebSocket(url.replace(/^http/, 'ws') + LINK_PATH, {
      headers: { Authorization: `Bearer ${key}` },
    });
    this.socket.on('message', (frame: Buffer) => {
      const message = readServiceMessage(frame.toString());
      if (message) this.received.push(message);
    });
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    this.socket.on('error', () => {});
  }

  /** Connects and says hello. */
  static async connect(url: string, key: string, hello: Partial<Hello> = {}): Promise<FakeAgent> {
    const agent = new FakeAgent(url, key);
    await once(agent.socket, 'open');
    agent.hello(hello);
    return agent;
  }

  hello(hello: Partial<Hello> = {}): void {
    this.say({
      type: 'hello',
      version: LINK_VERSION,
      journal: 'journal-1',
      server: this.#url,
      agentVersion: '9.9.9',
      os: 'testos 1',
      arch: 'z80',
      hostname: 'fake',
      localAddr: '10.0.0.7',
      localPort: '4711',
      jobs: [],
      ...hello,
    });
  }

  say(message: AgentMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  /** The first message of a type that no earlier call returned. */
  async receive<Type extends ServiceMessage['type']>(type: Type): Promise<Extract<ServiceMessage, { type: Type }>> {
    const message = await until(`"${type}" from the service`, () =>
      this.received.find((received) => received.type === type),
    );
    this.received.splice(this.received.indexOf(message), 1);
    return message as Extract<ServiceMessage, { type: Type }>;
  }

  /** Runs a whole job. */
  finish(job: string, exitCode = 0, stdout = ''): void {
    this.say({ type: 'started', job, ago: 0 });
    if (stdout)
      this.say({ type: 'output', job, stream: 'stdout', offset: 0, data: Buffer.from(stdout).toString('base64') });
    this.say({ type: 'ended', job, outcome: 'exited', exitCode, endedAgo: 0 });
  }

  async end(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.socket.close();
    await once(this.socket, 'close');
  }
}
