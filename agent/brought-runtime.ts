// The Node.js that install.sh brought along, because the device had none: runtime/<version>/node in the folder of the
// installation, named in settings.sh there. An update of the agent replaces it if the service has another version.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { RUNTIMES_PATH, runtimeName, type SignedRuntime } from '#/contract/agent-link.ts';
import { syncFolder, writeDurably } from './durable.ts';
import { download } from './fetch-command.ts';
import { quote } from './supervise.ts';

const FOLDER = 'runtime';
const TRIAL_MS = 30_000;

const real = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file; // it was deleted while it runs
  }
};

/** The version of this program, if it was brought along; undefined for a Node.js of the device itself. */
export function broughtVersion(install: string, node: string): string | undefined {
  const [version, name, ...more] = path.relative(path.join(real(install), FOLDER), real(node)).split(path.sep);
  return version !== '..' && name === 'node' && more.length === 0 ? version : undefined;
}

/** Downloads it into an empty folder, checks its hash, unpacks it and sees that it runs. Returns its file. */
export async function fetchRuntime(server: string, runtime: SignedRuntime, folder: string): Promise<string> {
  const { Platform, Version, Sha256, Size } = runtime;
  const url = `${server}${RUNTIMES_PATH}/${runtimeName(Version, Platform)}`;
  const packed = path.join(folder, 'node.gz');
  const node = path.join(folder, 'node');
  await download(url, packed, { limit: Size });
  const hash = createHash('sha256');
  await pipeline(createReadStream(packed), hash);
  const found = hash.digest('hex');
  if (found !== Sha256)
    throw new Error(
      `what ${url} answered is not the Node.js that the service announced (SHA-256 ${found.slice(0, 12)}…, expected ${Sha256.slice(0, 12)}…)`,
    );
  await pipeline(
    createReadStream(packed),
    createGunzip(),
    createWriteStream(node, { flags: 'wx', mode: 0o700, flush: true }),
  );
  rmSync(packed);
  const { stdout } = await promisify(execFile)(node, ['--version'], { timeout: TRIAL_MS }).catch((error: unknown) => {
    throw new Error(`the Node.js ${Version} of the service does not run here: ${(error as Error).message}`);
  });
  if (stdout.trim() !== `v${Version}`)
    throw new Error(`the Node.js ${Version} of the service says that it is ${stdout.trim()}`);
  return node;
}

/** Moves it from incoming/ to its place, and returns that. */
export function placeRuntime(install: string, version: string): string {
  const folder = path.join(install, FOLDER, version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const node = path.join(folder, 'node');
  renameSync(path.join(install, 'incoming/node'), node);
  syncFolder(folder);
  syncFolder(path.dirname(folder));
  return node;
}

/** `muster-agent` starts the agent with what settings.sh names. */
export function nameNode(settings: string, node: string): void {
  const text = readFileSync(settings, 'utf8');
  writeDurably(
    settings,
    text.replace(/^node=.*$/m, () => `node=${quote(node)}`),
  );
}

/** Removes the versions that neither the agent nor the one before it uses. */
export function keepRuntimes(install: string, versions: (string | undefined)[]): void {
  for (const name of readdirSync(path.join(install, FOLDER)))
    if (!versions.includes(name)) rmSync(path.join(install, FOLDER, name), { recursive: true, force: true });
}
