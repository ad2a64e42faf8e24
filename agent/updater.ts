// Updates this agent to the program that the service publishes: verifies the service's signature, downloads and
// verifies the program, waits until no job is running, swaps the programs and exits. `muster-agent run` starts the new
// one, and goes back to the old one if the new one does not reach the service (server/api/install.sh). A Node.js that
// install.sh brought along is renewed with it.
//
// The verified bytes stay in memory, and these are written in the end: a file that others could change between its
// check and its use is never trusted (CVE-2020-25860).
//
// In the folder of the installation: agent.mjs the program incoming/ for the download and what is about to take its
// place previous/agent.mjs the one before it, with the trust.json that it had trial version and hash of a program that
// has not reached the service yet connected exists while the service is connected update-failed version and hash of a
// program that failed, and why
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  AGENT_PATH,
  type AgentMessage,
  type FailedUpdate,
  type SelfUpdate,
  type Signed,
  type SignedRuntime,
  type Signer,
  type Update,
} from '#/contract/agent-link.ts';
import { syncFolder, writeDurably } from './durable.ts';
import { broughtVersion, fetchRuntime, keepRuntimes, placeRuntime, nameNode } from './brought-runtime.ts';
import { download } from './fetch-command.ts';
import { TRUST_FILE, UpdateTrust } from './update-trust.ts';
import { AGENT_VERSION } from './version.ts';

const NOT_INSTALLED =
  'It was not installed by install.sh. Update it where it was started (in a clone: git pull, npm ci), then start it again.';
const INSTALL_AGAIN = 'Run install.sh on the device again.';
const NO_KEY = `It does not know the key that its service signs updates with, and over plain http it cannot learn it. ${INSTALL_AGAIN}`;
const MAX_PROGRAM_BYTES = 50 * 1024 * 1024;
const ANSWER_TIMEOUT_MS = 30_000;

export interface UpdaterOptions {
  program: string;
  /** The installation folder; undefined if nothing would start the new program. */
  install: string | undefined;
  server: string;
  /** The device's key at the moment. */
  key: () => string;
  /** The agent's data folder. */
  data: string;
  /** The Node.js that runs this agent. */
  node?: string;
}

/** A program that the service has signed. */
interface Program {
  version: string;
  sha256: string;
  size: number;
  sequence: number;
  /** The Node.js to run it, if this agent's was brought along and the service has another one. */
  runtime: SignedRuntime | undefined;
}

/** The parts of the agent that an update needs. */
export interface UpdaterHost {
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
  /** Stops starting jobs, and resolves when none is running; calls `waiting` if one is. */
  hold: (waiting: () => void) => Promise<void>;
  release: () => void;
  /** Ends this process, so that it is restarted. */
  restart: () => void;
}

export class Updater {
  readonly #options: UpdaterOptions;
  readonly #host: UpdaterHost;
  readonly #build: string;
  readonly #trust: UpdateTrust;
  /** A signed downgrade order contains this nonce, so that it is valid only for this process. */
  readonly #nonce = randomBytes(16).toString('hex');
  #lastLogged = '';
  #underWay: 'waiting' | 'installing' | undefined;
  #failed: FailedUpdate | undefined;

  constructor(options: UpdaterOptions, host: UpdaterHost) {
    this.#options = options;
    this.#host = host;
    this.#build = path.basename(options.program) === 'agent.mjs' ? digestOf(readFileSync(options.program)) : '';
    this.#failed = options.install === undefined ? undefined : readFailure(options.install);
    this.#trust = new UpdateTrust(options.data);
  }

  /** The state to send in `hello`. `isPrivate` means that nobody can be in between on this connection. */
  state(isPrivate: boolean): SelfUpdate {
    const { key, sequence } = this.#trust;
    return {
      build: this.#build,
      unable: this.#unable() || (key === '' && !isPrivate ? NO_KEY : ''),
      trust: { key, sequence, nonce: this.#nonce },
      ...(this.#underWay && { underWay: this.#underWay }),
      ...(this.#failed && { failed: this.#failed }),
    };
  }

  /** Records that the service is connected, which after an update proves that the new program works. */
  connected(): void {
    this.#mark(() => writeDurably(this.#file('connected'), `${AGENT_VERSION}\n`));
  }

  lost(): void {
    this.#mark(() => rmSync(this.#file('connected'), { force: true }));
  }

  /**
   * Learns the service's key if nobody can be in between, or follows the changes from the known key to the current one.
   */
  followSigner(signer: Signer, isPrivate: boolean): void {
    if (this.#unable() !== '') return;
    try {
      if (this.#trust.key !== '') this.#trust.follow(signer);
      else if (isPrivate) this.#trust.learn(signer.key);
      else return this.#logOnce(NO_KEY);
      if (this.#trust.key !== signer.key)
        return this.#logOnce(`Its service signs updates with another key. ${INSTALL_AGAIN}`);
      if (!signer.published) return;
      const { Sha256, Sequence } = this.#trust.open('agent', signer.published);
      if (Sha256 === this.#build && Sequence > this.#trust.sequence) this.#trust.setSequence(Sequence);
    } catch (error) {
      this.#logOnce(textOf(error));
    }
  }

  async begin(update: Update): Promise<void> {
    if (this.#underWay) return this.#report(this.#underWay);
    const { log, hold, release, restart } = this.#host;
    const { version, sha256 } = update;
    try {
      const unable = this.#unable();
      if (unable !== '') throw new Error(unable);
      const program = this.#check(update);
      this.#failed = undefined;
      rmSync(this.#file('update-failed'), { force: true });
      this.#report('installing');
      log(`Updating from ${AGENT_VERSION} to ${program.version}.`);
      const node = program.runtime && (await this.#fetchRuntime(program.runtime));
      const bytes = await this.#fetch(program, node);
      await hold(() => this.#report('waiting'));
      this.#report('installing');
      this.#swap(program, bytes);
    } catch (error) {
      const reason = textOf(error).slice(0, 1000);
      this.#underWay = undefined;
      this.#failed = { version, sha256, reason, wentBack: false };
      log(`The update to ${version} failed: ${reason}`);
      this.#host.send({ type: 'update-state', state: 'failed', failed: this.#failed });
      release();
      return;
    } finally {
      if (this.#options.install !== undefined) rmSync(this.#file('incoming'), { recursive: true, force: true });
    }
    restart();
  }

  #file(name: string): string {
    return path.join(this.#options.install ?? '', name);
  }

  #unable(): string {
    const { install } = this.#options;
    if (install === undefined) return NOT_INSTALLED;
    if (this.#trust.fault !== '') return `${this.#trust.fault}. ${INSTALL_AGAIN}`.slice(0, 500);
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

  /** Logs each reason only once, because it recurs with every connection. */
  #logOnce(why: string): void {
    if (why !== this.#lastLogged) this.#host.log(`Updates cannot be verified: ${why}`);
    this.#lastLogged = why;
  }

  /** The program that the service has signed; throws if this device must not install it. */
  #check({ signed, order }: Update): Program {
    if (!signed) throw new Error('the service does not sign its updates: upgrade it, or run install.sh on the device');
    if (this.#trust.key === '') throw new Error(NO_KEY);
    try {
      const { Sha256, Size, Version, Sequence, Runtimes } = this.#trust.open('agent', signed);
      if (Sequence < this.#trust.sequence && !(order && this.#isOrdered(order, Sequence)))
        throw new Error(
          `its Sequence ${Sequence} is older than ${this.#trust.sequence}, which ran here already. An Admin can order it for this device, and "muster-agent back" on the device goes back to the program before`,
        );
      if (Size > MAX_PROGRAM_BYTES) throw new Error(`it is too large (${Size} bytes)`);
      return {
        version: Version,
        sha256: Sha256,
        size: Size,
        sequence: Sequence,
        runtime: this.#otherRuntime(Runtimes),
      };
    } catch (error) {
      throw new Error(`it was refused: ${textOf(error)}`, { cause: error });
    }
  }

  #isOrdered(signed: Signed, sequence: number): boolean {
    const order = this.#trust.open('order', signed);
    const isMine = order.DeviceKeySha256 === digestOf(Buffer.from(this.#options.key())) && order.Nonce === this.#nonce;
    if (!isMine || order.Sequence !== sequence)
      throw new Error('the order to go back is for another device, another Sequence, or was given before');
    return true;
  }

  get #node(): string {
    return this.#options.node ?? process.execPath;
  }

  /** The service's Node.js for this device, if its present one is from the service, too, and of another version. */
  #otherRuntime(runtimes: SignedRuntime[] = []): SignedRuntime | undefined {
    const present = broughtVersion(this.#file('.'), this.#node);
    const platform = `${process.platform}-${process.arch}`;
    return runtimes.find(
      ({ Platform, Version }) => present !== undefined && Platform === platform && Version !== present,
    );
  }

  /** Returns the file of the unpacked program. */
  async #fetchRuntime(runtime: SignedRuntime): Promise<string> {
    this.#emptyIncoming();
    return fetchRuntime(this.#options.server, runtime, this.#file('incoming'));
  }

  /** Downloads the program, and checks its bytes and that it runs here. */
  async #fetch({ version, sha256, size }: Program, node = this.#node): Promise<Buffer> {
    const url = `${this.#options.server}${AGENT_PATH}`;
    if (node === this.#node) this.#emptyIncoming();
    const file = this.#file('incoming/download');
    await download(url, file, { limit: size });
    const bytes = readFileSync(file);
    const found = digestOf(bytes);
    if (bytes.length !== size || found !== sha256)
      throw new Error(
        `what ${url} answered is not the program that the service announced (${bytes.length} bytes, SHA-256 ${found.slice(0, 12)}…, expected ${size} bytes, ${sha256.slice(0, 12)}…)`,
      );
    const trial = this.#file('incoming/trial.mjs');
    writeNew(trial, bytes);
    const { DEVICE_KEY: _secret, ...env } = process.env;
    const run = promisify(execFile)(node, [trial, '--version'], { timeout: ANSWER_TIMEOUT_MS, env });
    const { stdout } = await run.catch((error: unknown) => {
      throw new Error(`the new program does not run under its Node.js: ${firstLine(error)}`);
    });
    if (stdout.trim() === '') throw new Error(`the new program ${version} does not print its version`);
    return bytes;
  }

  /** Recreates the folder, so that a link in its place is never followed. */
  #emptyIncoming(): void {
    rmSync(this.#file('incoming'), { recursive: true, force: true });
    mkdirSync(this.#file('incoming'), { mode: 0o700 });
  }

  #swap({ version, sha256, sequence, runtime }: Program, bytes: Buffer): void {
    rmSync(this.#file('previous'), { recursive: true, force: true });
    mkdirSync(this.#file('previous'), { mode: 0o700 });
    writeDurably(this.#file('previous/agent.mjs'), readFileSync(this.#file('agent.mjs')));
    writeDurably(this.#file(`previous/${TRUST_FILE}`), readFileSync(path.join(this.#options.data, TRUST_FILE)));
    if (runtime) writeDurably(this.#file('previous/settings.sh'), readFileSync(this.#file('settings.sh')));
    const node = runtime && placeRuntime(this.#file('.'), runtime.Version);
    // Written only after the wait for jobs, which may have changed any file; only these bytes were verified.
    this.#emptyIncoming();
    const file = this.#file('incoming/agent.mjs');
    writeNew(file, bytes);
    // Written before the rename: if the agent starts in between, the trial runs the old program and passes.
    writeDurably(this.#file('trial'), `${version}\n${sha256}\n`);
    this.#trust.setSequence(sequence);
    if (node !== undefined) nameNode(this.#file('settings.sh'), node);
    renameSync(file, this.#file('agent.mjs'));
    syncFolder(this.#file('.'));
    if (runtime) keepRuntimes(this.#file('.'), [runtime.Version, broughtVersion(this.#file('.'), this.#node)]);
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

/** Writes a new file; throws if anything exists at this path, including a link. */
function writeNew(file: string, bytes: Buffer): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The line of a failed program's output that names an error, or else the first line. */
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
