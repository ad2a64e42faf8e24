// Replaces this agent by the program that the service publishes: fetches and checks it, waits until no job runs, swaps
// the two and ends. `muster-agent run` starts the new one, and returns to the old one if that does not reach the
// service (server/api/install.sh).
//
// In the folder of the installation:
//   agent.mjs                the program; agent.new.mjs during the download
//   previous/agent.mjs       the one before it
//   trial                    version and hash of a program that has not reached the service yet
//   connected                exists while the service is connected
//   update-failed            version and hash of a program that failed, and why
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  AGENT_PATH,
  type AgentMessage,
  type FailedUpdate,
  type SelfUpdate,
  type Update,
} from '#/contract/agent-link.ts';
import { writeDurably } from './durable.ts';
import { download } from './fetch-command.ts';
import { AGENT_VERSION } from './version.ts';

const NOT_INSTALLED =
  'It was not installed by install.sh. Update it where it was started (in a clone: git pull, npm ci), then start it again.';
const MAX_PROGRAM_BYTES = 50 * 1024 * 1024;
const ANSWER_TIMEOUT_MS = 30_000;

export interface UpdaterOptions {
  program: string;
  /** The folder of the installation; undefined if nothing would start the new program. */
  install: string | undefined;
  server: string;
}

/** What an update needs from the rest of the agent. */
export interface UpdaterHost {
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
  /** Starts no more jobs and resolves when none runs; calls `waiting` if one does. */
  hold: (waiting: () => void) => Promise<void>;
  release: () => void;
  /** Ends this process so that it is started again. */
  restart: () => void;
}

export class Updater {
  readonly #options: UpdaterOptions;
  readonly #host: UpdaterHost;
  readonly #build: string;
  #underWay: 'waiting' | 'installing' | undefined;
  #failed: FailedUpdate | undefined;

  constructor(options: UpdaterOptions, host: UpdaterHost) {
    this.#options = options;
    this.#host = host;
    this.#build = path.basename(options.program) === 'agent.mjs' ? digestOf(readFileSync(options.program)) : '';
    this.#failed = options.install === undefined ? undefined : readFailure(options.install);
  }

  /** The state to send in `hello`. */
  state(): SelfUpdate {
    return {
      build: this.#build,
      unable: this.#unable(),
      ...(this.#underWay && { underWay: this.#underWay }),
      ...(this.#failed && { failed: this.#failed }),
    };
  }

  /** The service is connected: after an update, this proves that the new program works. */
  connected(): void {
    this.#mark(() => writeDurably(this.#file('connected'), `${AGENT_VERSION}\n`));
  }

  lost(): void {
    this.#mark(() => rmSync(this.#file('connected'), { force: true }));
  }

  async begin(update: Update): Promise<void> {
    if (this.#underWay) return this.#report(this.#underWay);
    const { log, hold, release, restart } = this.#host;
    const { version, sha256 } = update;
    try {
      const unable = this.#unable();
      if (unable !== '') throw new Error(unable);
      this.#failed = undefined;
      rmSync(this.#file('update-failed'), { force: true });
      this.#report('installing');
      log(`Updating from ${AGENT_VERSION} to ${version}.`);
      await this.#fetch(update);
      await hold(() => this.#report('waiting'));
      this.#report('installing');
      this.#swap(update);
    } catch (error) {
      const reason = textOf(error).slice(0, 1000);
      this.#underWay = undefined;
      this.#failed = { version, sha256, reason, wentBack: false };
      log(`The update to ${version} failed: ${reason}`);
      this.#host.send({ type: 'update-state', state: 'failed', failed: this.#failed });
      release();
      return;
    }
    restart();
  }

  #file(name: string): string {
    return path.join(this.#options.install ?? '', name);
  }

  #unable(): string {
    const { install } = this.#options;
    if (install === undefined) return NOT_INSTALLED;
    try {
      accessSync(install, constants.W_OK);
      return '';
    } catch (error) {
      return `It cannot write to its folder ${install}: ${textOf(error)}`.slice(0, 500);
    }
  }

  #report(state: 'waiting' | 'installing'): void {
    this.#underWay = state;
    this.#host.send({ type: 'update-state', state });
  }

  /** Fetches the program under another name, and checks that it is the announced one and runs here. */
  async #fetch({ version, sha256, size }: Update): Promise<void> {
    const url = `${this.#options.server}${AGENT_PATH}`;
    if (size > MAX_PROGRAM_BYTES) throw new Error(`the program of version ${version} is too large (${size} bytes)`);
    const file = this.#file('agent.new.mjs');
    await download(url, file);
    const bytes = readFileSync(file);
    const found = digestOf(bytes);
    if (found !== sha256)
      throw new Error(
        `what ${url} answered is not the program that the service announced (${bytes.length} bytes, SHA-256 ${found.slice(0, 12)}…, expected ${sha256.slice(0, 12)}…)`,
      );
    writeDurably(file, bytes);
    const { DEVICE_KEY: _secret, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, [file, '--version'], { timeout: ANSWER_TIMEOUT_MS, env });
    const { stdout } = await run.catch((error: unknown) => {
      throw new Error(`the new program does not run under Node ${process.version}: ${firstLine(error)}`);
    });
    if (stdout.trim() === '') throw new Error('the new program does not print its version');
  }

  #swap({ version, sha256 }: Update): void {
    rmSync(this.#file('previous'), { recursive: true, force: true });
    mkdirSync(this.#file('previous'), { mode: 0o700 });
    writeDurably(this.#file('previous/agent.mjs'), readFileSync(this.#file('agent.mjs')));
    // Written first: a start before the rename tries the old program, which passes.
    writeDurably(this.#file('trial'), `${version}\n${sha256}\n`);
    renameSync(this.#file('agent.new.mjs'), this.#file('agent.mjs'));
  }

  #mark(write: () => void): void {
    if (this.#options.install === undefined) return;
    try {
      write();
    } catch (error) {
      this.#host.log(`Could not write to ${this.#options.install}: ${textOf(error)}`);
    }
  }
}

const textOf = (error: unknown): string => (error as Error).message;
const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The line of a failed program's output that names an error, else the first. */
function firstLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  const lines = (stderr || message).split('\n').map((line) => line.trim());
  return lines.find((line) => /Error\b/.test(line)) ?? lines.find(Boolean) ?? message;
}

/** Written by `muster-agent run`: version, hash and reason, a line each. */
function readFailure(install: string): FailedUpdate | undefined {
  try {
    const [version = '', sha256 = '', ...reason] = readFileSync(path.join(install, 'update-failed'), 'utf8')
      .trim()
      .split('\n');
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    return { version: version.slice(0, 255), sha256, reason: reason.join(' ').slice(0, 1000), wentBack: true };
  } catch {
    return undefined;
  }
}
