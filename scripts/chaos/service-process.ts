// The service as its operator runs it, in a process that can be killed or suspended and whose clock can be moved.
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../test-process.ts';

const SHIFTED_CLOCK = new URL('shifted-clock.ts', import.meta.url).href;

export class FaultyService extends ServiceProcess {
  constructor(port: number, env: NodeJS.ProcessEnv) {
    super({ PORT: String(port), SIGNIN_LIMIT: '1000', ...env }, [SHIFTED_CLOCK]);
  }

  /** Stack traces in its output: under no fault may it print one. */
  get traces(): string[] {
    return this.printed.split('\n').filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  }

  /** Stops it from running, as a suspended virtual machine: its connections stay open, and it notices nothing. */
  async pause(milliseconds: number): Promise<void> {
    const child = this.program?.child;
    child?.kill('SIGSTOP');
    try {
      await sleep(milliseconds);
    } finally {
      child?.kill('SIGCONT');
    }
  }

  moveClock(clockOffset: number): void {
    const child = this.program?.child;
    if (child?.connected) child.send({ clockOffset });
  }
}
