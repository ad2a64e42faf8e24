// What tests of every folder share, end-to-end tests and chaos included: programs of ours as processes of their own, and
// waiting without fixed delays.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = path.join(import.meta.dirname, '..');

/** Waits until the probe gives something; the error names what was missing. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  patience = 45_000,
): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await sleep(10);
  }
}

const running = new Set<TestProcess>();

/** For `after`: ends what a failed test left running. */
export async function endProcesses(): Promise<void> {
  for (const each of running) await each.end('SIGKILL');
}

interface Options {
  /** Beside PATH and where Node keeps what it has compiled; nothing else is inherited. */
  env?: NodeJS.ProcessEnv;
  stdio?: StdioOptions;
}

/** A program of this project that runs as a process. Files are named from the project's folder. */
export class TestProcess {
  readonly child: ChildProcess;
  /** All it has printed, stdout and stderr as they came. */
  printed = '';
  /** The same by lines. */
  readonly lines: string[] = [];
  /** Its exit code, once it has ended and all it printed is read. */
  readonly ended: Promise<number | null>;
  #waiting: { pattern: RegExp; found: (match: RegExpExecArray) => void }[] = [];

  constructor(args: string[], { env = {}, stdio = ['ignore', 'pipe', 'pipe'] }: Options = {}) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH, NODE_COMPILE_CACHE, ...env }, stdio });
    running.add(this);
    this.ended = once(this.child, 'close').then(([code]) => {
      running.delete(this);
      return code as number | null;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (!stream) continue;
      stream.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
      createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  #hear(line: string): void {
    this.lines.push(line);
    this.#waiting = this.#waiting.filter(({ pattern, found }) => {
      const match = pattern.exec(line);
      if (match) found(match);
      return !match;
    });
  }

  /** The first line that fits, printed already or still to come; fails when the program ends without it. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    for (const said of this.lines) {
      const match = pattern.exec(said);
      if (match) return match;
    }
    return new Promise((found, fail) => {
      this.#waiting.push({ pattern, found });
      void this.ended.then((code) =>
        fail(
          new Error(
            `${this.child.spawnargs.join(' ')} ended with ${code} and never printed ${pattern}:\n${this.printed}`,
          ),
        ),
      );
    });
  }

  /** Ends it and waits until it is gone; gives its exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.ended;
  }
}
