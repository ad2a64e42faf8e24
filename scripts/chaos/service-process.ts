// The service as its operator runs it, in a process that can be killed, whose clock can be moved, and whose output is
// stored: under no fault may it print a stack trace.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { until } from '../../server/test-agents.ts';

const MAIN = path.join(import.meta.dirname, '../../server/main.ts');
const CLOCK = path.join(import.meta.dirname, 'shifted-clock.ts');
const START_MS = 60_000;

export class ServiceProcess {
  readonly url: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #printed = '';

  constructor(port: number, env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { PATH: process.env['PATH'], PORT: String(port), TUNNEL_PORT: '0', SIGNIN_LIMIT: '1000', ...env };
  }

  get printed(): string {
    return this.#printed;
  }

  /** Stack traces in its output. */
  get traces(): string[] {
    return this.#printed.split('\n').filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  }

  /** Starts it and waits until it answers; rejects with its output if it ends instead. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, ['--import', CLOCK, MAIN], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    await until(
      'the service to answer',
      async () => {
        if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${this.#printed}`);
        const answer = await fetch(`${this.url}/v1/account`).catch(() => undefined);
        await answer?.arrayBuffer();
        return answer !== undefined;
      },
      START_MS,
    );
  }

  /** Ends it and waits for that. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    child.kill(signal);
    await gone;
  }

  moveClock(clockOffset: number): void {
    if (this.#child?.connected) this.#child.send({ clockOffset });
  }
}
