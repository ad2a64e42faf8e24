// The agent that is examined: a command that is started for a device, killed, and started again on the same folder.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TestProcess } from '../test-process.ts';

export interface AgentOptions {
  /** Program and arguments, with {url}, {key}, {keyfile} and {dir} in them. */
  command: string[];
  url: string;
  key: string;
  /** A folder for this agent alone. */
  folder: string;
  /** More of its environment. */
  env?: Record<string, string>;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** A process of its own view of the files can be given another id of the boot; usually this needs root. */
const CAN_CHANGE_BOOT =
  spawnSync('unshare', ['-m', 'sh', '-c', `mount --bind /proc/uptime ${BOOT_ID}`], { stdio: 'ignore' }).status === 0;

export class AgentUnderTest {
  program: TestProcess | undefined;
  /** Setting it gives the agent another key at its next start. */
  key: string;
  /** The key that was put into the file; the agent may have stored another one there since. */
  #givenKey = '';
  readonly #options: AgentOptions;
  #bootFile: string | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.key = options.key;
    mkdirSync(this.dir, { recursive: true });
  }

  get dir(): string {
    return path.join(this.#options.folder, 'data');
  }

  start(): void {
    const { command, url, folder } = this.#options;
    const keyfile = path.join(folder, 'key');
    if (this.#givenKey !== this.key) writeFileSync(keyfile, `${this.key}\n`, { mode: 0o600 });
    this.#givenKey = this.key;
    const values: Record<string, string> = { url, key: this.key, keyfile, dir: this.dir };
    const own = command.map((part) =>
      part.replaceAll(/\{(url|key|keyfile|dir)\}/g, (_, name: string) => values[name] ?? ''),
    );
    const inBoot = this.#bootFile
      ? ['unshare', '-m', 'sh', '-c', `mount --bind "$0" ${BOOT_ID} && exec "$@"`, this.#bootFile]
      : [];
    const [program = '', ...args] = [...inBoot, ...own];
    const env = { HOME: folder, TMPDIR: folder, LC_ALL: 'C', ...this.#options.env };
    this.program = new TestProcess(args, { command: program, detached: true, env });
    this.program.child.on('error', () => {});
  }

  get isRunning(): boolean {
    return this.program !== undefined && !this.program.hasEnded;
  }

  /** kill -9 of the agent. What it started in groups of their own goes on. */
  async kill(): Promise<void> {
    const { program } = this;
    if (!program) return;
    try {
      process.kill(-(program.child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
    await program.end('SIGKILL');
  }

  /** As if the power failed: nothing that the agent started is left, and the next start is in another boot. */
  async reboot(): Promise<void> {
    for (let left = this.#processes(); left.length > 0; left = this.#processes())
      for (const pid of left)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
    await this.kill();
    if (!CAN_CHANGE_BOOT) return;
    this.#bootFile = path.join(this.#options.folder, 'boot_id');
    writeFileSync(this.#bootFile, `${randomUUID()}\n`);
  }

  /** Command lines of its processes and those of its jobs that contain this text. */
  commandLines(text = ''): string[] {
    return this.#processes()
      .map((pid) => readProc(pid, 'cmdline').replaceAll('\0', ' '))
      .filter((line) => line.includes(text));
  }

  /** Processes that name its folder, by their command line, environment or working folder; and their children. */
  #processes(): number[] {
    const { folder } = this.#options;
    const parents = new Map<number, number>();
    const own = new Set<number>();
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) continue;
      const stat = readProc(pid, 'stat');
      const [state = '', parent = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') continue;
      parents.set(pid, Number(parent));
      if (`${readProc(pid, 'cmdline')}\0${readProc(pid, 'environ')}`.includes(folder)) own.add(pid);
    }
    for (let before = -1; before !== own.size;) {
      before = own.size;
      for (const [pid, parent] of parents) if (own.has(parent)) own.add(pid);
    }
    return [...own];
  }
}

/** Empty for a process that has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
