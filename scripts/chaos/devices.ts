// The devices of a chaos run: real agents in processes of their own that are killed and restarted, and agents with
// another protocol version, which must be refused without harm.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LINK_VERSION } from '#/contract/agent-link.ts';
import { FakeAgent, spawnAgent } from '../../server/test-agents.ts';
import { until, type TestProcess } from '../test-process.ts';

interface DeviceOptions {
  id: string;
  key: string;
  server: string;
  folder: string;
  /** A local address to which the agent opens a tunnel. */
  tunnel?: string;
  /** For its jobs. */
  env?: NodeJS.ProcessEnv;
}

export class Device {
  readonly id: string;
  readonly folder: string;
  readonly #server: string;
  readonly #key: string;
  readonly #tunnel: string | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #agent: TestProcess | undefined;

  constructor({ id, key, server, folder, tunnel, env = {} }: DeviceOptions) {
    this.id = id;
    this.#key = key;
    this.#server = server;
    this.#tunnel = tunnel;
    this.#env = env;
    this.folder = path.join(folder, id);
  }

  /** The file to which each job of this device adds its id. */
  get effects(): string {
    return path.join(this.folder, 'effects');
  }

  start(): void {
    const tunnel = this.#tunnel === undefined ? [] : ['--tunnel', this.#tunnel, '--allow-tunnels', 'loopback'];
    this.#agent = spawnAgent(['--server', this.#server, '--key', this.#key, ...tunnel], this.folder, {
      ...this.#env,
      EFFECTS: this.effects,
    });
  }

  /** kill -9 of the agent; a running job continues in its supervisor. */
  async kill(): Promise<void> {
    await this.#agent?.end('SIGKILL');
  }

  /** kill -9 of the agent and of the supervisor of its job. */
  async cutPower(): Promise<void> {
    await this.kill();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        if (line.includes('supervise\0') && line.includes(this.folder)) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended in the meantime.
      }
  }
}

/** Sends a hello with an older or newer protocol version; true if it was refused with a reason. */
export async function isRefused(server: string, key: string, version: 'older' | 'newer'): Promise<boolean> {
  const agent = await FakeAgent.connect(server, key, { version: LINK_VERSION + (version === 'newer' ? 1 : -1) });
  const closed = await until('the refusal', () => agent.closed, 10_000).catch(() => undefined);
  return closed !== undefined && closed.reason.includes('update');
}

/** A folder below the system's temporary one, and a function to remove it. */
export async function temporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'muster-chaos-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
