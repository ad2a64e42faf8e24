// The one place that starts programs for tests, end-to-end tests, chaos and benchmarks: it keeps their output for the
// message of a failure, stops them, and leaves none behind when the test itself is killed.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = path.join(import.meta.dirname, '..');
const END_WITH_PARENT = new URL('test-end-with-parent.ts', import.meta.url).href;
/** Only a program that hangs takes as long as this to print a line or to stop. */
const LINE_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;

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
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${what}`);
    await sleep(10);
  }
}

/** A port that is free now, for what has to be named before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const running = new Set<TestProcess>();
process.on('exit', () => {
  for (const each of running) each.child.kill('SIGKILL');
});

/** For `after`: ends what a failed test left running. */
export async function endProcesses(): Promise<void> {
  for (const each of running) await each.end('SIGKILL');
}

interface Options {
  /** Beside PATH and where Node keeps what it has compiled; nothing else is inherited. */
  env?: NodeJS.ProcessEnv;
  /** Of stdin, stdout and stderr. */
  stdio?: Extract<StdioOptions, unknown[]>;
  /** Another program than Node, with the folder and the user that it runs in and as. */
  command?: string;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** In a process group of its own, as a line of a shell is. */
  detached?: boolean;
}

/** A program that runs as a process: one of this project's files in Node, named from the project's folder, or another. */
export class TestProcess {
  readonly child: ChildProcess;
  /** All it has printed, stdout and stderr as they came. */
  printed = '';
  /** The same by lines. */
  readonly lines: string[] = [];
  /** Its exit code, once it has ended and all it printed is read. */
  readonly ended: Promise<number | null>;
  #waiting: { pattern: RegExp; found: (match: RegExpExecArray) => void }[] = [];

  constructor(args: string[], { env = {}, stdio = ['ignore', 'pipe', 'pipe'], command, ...options }: Options = {}) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    // A Node program has a channel to this process, which closes when this process is killed.
    const [program, programArgs, channels] =
      command === undefined
        ? [process.execPath, ['--import', END_WITH_PARENT, ...args], [...stdio, 'ipc' as const]]
        : [command, args, stdio];
    this.child = spawn(program, programArgs, {
      cwd: ROOT,
      ...options,
      env: { PATH, NODE_COMPILE_CACHE, ...env },
      stdio: channels,
    });
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
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (what: string) =>
      reject(new Error(`${this.child.spawnargs.join(' ')} ${what} ${pattern}:\n${this.printed}`));
    this.#waiting.push({ pattern, found: resolve });
    void this.ended.then((code) => fail(`ended with ${code} and never printed`));
    const limit = setTimeout(() => fail(`runs, but has not printed within ${LINE_LIMIT_MS / 1000} s`), LINE_LIMIT_MS);
    return promise.finally(() => clearTimeout(limit));
  }

  /** Ends it and waits until it is gone, which it must be a while after any other signal; gives its exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    const limit = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    return this.ended.finally(() => clearTimeout(limit));
  }
}

interface Start {
  env?: NodeJS.ProcessEnv;
  /** Modules that Node loads before the service. */
  imports?: string[];
}

/** The service as its operator runs it. However often it ends, it starts again on the same folder and the same ports. */
export class ServiceProcess {
  url = '';
  readonly env: NodeJS.ProcessEnv;
  /** The process of the last start. */
  program: TestProcess | undefined;
  readonly #runs: TestProcess[] = [];
  readonly #imports: string[];

  /** Without ports in its environment, its first start takes free ones, which it keeps. */
  constructor(env: NodeJS.ProcessEnv, imports: string[] = []) {
    this.env = { HOST: '127.0.0.1', PORT: '0', TUNNEL_PORT: '0', ...env };
    this.#imports = imports;
    if (this.env['PORT'] !== '0') this.url = `http://127.0.0.1:${this.env['PORT']}`;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** What all its processes have printed. */
  get printed(): string {
    return this.#runs.map(({ printed }) => printed).join('');
  }

  /** Starts it, and waits until it answers. */
  async start(start: Start = {}): Promise<TestProcess> {
    const program = this.launch(start);
    await program.line(/^Data:/);
    const said = (pattern: RegExp) => pattern.exec(program.printed)?.[1];
    this.url ||= said(/running at (http\S+)/) ?? '';
    this.env['PORT'] = String(this.port);
    // A gateway to another service has no port for tunnels.
    this.env['TUNNEL_PORT'] = said(/^Tunnels: .* port (\d+)$/m) ?? this.env['TUNNEL_PORT'];
    return program;
  }

  /** The same without waiting. */
  launch({ env = {}, imports = [] }: Start = {}): TestProcess {
    const preloaded = [...this.#imports, ...imports].flatMap((module) => ['--import', module]);
    this.program = new TestProcess([...preloaded, 'server/main.ts'], { env: { ...this.env, ...env } });
    this.#runs.push(this.program);
    return this.program;
  }

  /** Stops it in order; SIGKILL is the crash. */
  async end(signal?: NodeJS.Signals): Promise<void> {
    await this.program?.end(signal);
  }

  /** A request with the account's token; `body` is sent as JSON unless it is a form. */
  call(method: string, at: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + at, {
      method,
      headers: {
        Authorization: `Bearer ${this.env['AUTH_TOKEN']}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  }
}
