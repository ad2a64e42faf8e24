// The service as its operator runs it, in a process that can be killed, whose clock can be moved, and whose output is
// stored: under no fault may it print a stack trace.
import { setTimeout as sleep } from 'node:timers/promises';
import { TestProcess, until } from '../test-process.ts';

const START_MS = 60_000;

export class ServiceProcess {
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #runs: TestProcess[] = [];

  constructor(port: number, env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.env = { PORT: String(port), TUNNEL_PORT: '0', SIGNIN_LIMIT: '1000', ...env };
  }

  get printed(): string {
    return this.#runs.map(({ printed }) => printed).join('');
  }

  /** Stack traces in its output. */
  get traces(): string[] {
    return this.printed.split('\n').filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  }

  /** Starts it and waits until it answers; rejects with its output if it ends instead. */
  async start(): Promise<void> {
    const run = new TestProcess(['--import', './scripts/chaos/shifted-clock.ts', 'server/main.ts'], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#runs.push(run);
    await until(
      'the service to answer',
      async () => {
        if (run.hasEnded) throw new Error(`The service ended:\n${run.printed}`);
        const answer = await fetch(`${this.url}/v1/account`).catch(() => undefined);
        await answer?.arrayBuffer();
        return answer !== undefined;
      },
      START_MS,
    );
  }

  /** Ends it and waits for that. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.#runs.at(-1)?.end(signal);
  }

  /** Stops it from running, as a suspended virtual machine: its connections stay open, and it notices nothing. */
  async pause(milliseconds: number): Promise<void> {
    const child = this.#runs.at(-1)?.child;
    child?.kill('SIGSTOP');
    try {
      await sleep(milliseconds);
    } finally {
      child?.kill('SIGCONT');
    }
  }

  moveClock(clockOffset: number): void {
    const child = this.#runs.at(-1)?.child;
    if (child?.connected) child.send({ clockOffset });
  }
}
