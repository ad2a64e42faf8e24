// Node.js for devices that have none, in runtimes/: for each platform one file with gzip, which any device can unpack. The
// version and the bytes are those of the lockfile. A package that npm has installed here is packed as it is; that of
// another platform is fetched by npm first.
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { runtimeName } from '#/contract/agent-link.ts';

const root = dirname(import.meta.dirname);
const folder = join(root, 'runtimes');
export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const;
export type Platform = (typeof PLATFORMS)[number];

interface Locked {
  version: string;
  integrity: string;
}

function locked(platform: Platform): Locked {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const found = packages[`node_modules/node-${platform}`];
  if (!found) throw new Error(`package-lock.json does not name node-${platform}.`);
  return found;
}

/** The version that devices get. */
export const runtimeVersion = (): string => locked('linux-x64').version;

const nameOf = (platform: Platform) => runtimeName(locked(platform).version, platform);
const installed = (platform: Platform) => join(root, 'node_modules', `node-${platform}`, 'bin/node');

export const isPacked = (platform: Platform): boolean => existsSync(join(folder, nameOf(platform)));

/** Packs what npm has installed for this machine, unless that was done before. */
export async function packInstalled(): Promise<void> {
  for (const platform of PLATFORMS) {
    const { version } = locked(platform);
    const manifest = join(root, 'node_modules', `node-${platform}`, 'package.json');
    if (isPacked(platform) || !existsSync(installed(platform))) continue;
    // While an installation is stale, its package may be of another version.
    const found = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string };
    if (found.version === version) await pack(platform, installed(platform));
  }
}

/** Gets the package of another platform from npm's registry, compares it with the lockfile and packs its program. */
export async function fetchRuntime(platform: Platform): Promise<void> {
  const { version, integrity } = locked(platform);
  const work = join(root, '.cache', `runtime-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    await run(npm(), ['pack', `node-${platform}@${version}`, '--pack-destination', work, '--loglevel=error']);
    const archive = join(work, readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '');
    const found = `sha512-${hash('sha512', readFileSync(archive), 'base64')}`;
    if (found !== integrity)
      throw new Error(
        `npm's node-${platform}@${version} is not the one of package-lock.json (${found}, not ${integrity}).`,
      );
    await run(['tar'], ['-xzf', archive, '-C', work, 'package/bin/node']);
    await pack(platform, join(work, 'package/bin/node'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The same bytes on every machine of one version: a device may ask one node for the hash, and another for the file. */
async function pack(platform: Platform, program: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, nameOf(platform));
  const draft = `${file}.${process.pid}`;
  try {
    await pipeline(createReadStream(program), createGzip({ level: 6 }), createWriteStream(draft, { flush: true }));
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  for (const name of readdirSync(folder))
    if (name.startsWith('node-') && name.endsWith(`-${platform}.gz`) && name !== basename(file))
      rmSync(join(folder, name));
}

/** The npm that runs this script, if there is one: another may be first in the PATH. */
function npm(): string[] {
  const self = process.env['npm_execpath'];
  return self !== undefined && basename(self) === 'npm-cli.js' && existsSync(self) ? [process.execPath, self] : ['npm'];
}

function run([program = '', ...first]: string[], args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const shell = program === 'npm' && process.platform === 'win32';
    const child = spawn(program, [...first, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell });
    child.on('error', (error) => reject(new Error(`Could not start ${program}: ${error.message}`)));
    child.on('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args[0]} failed (${signal ?? `exit code ${code}`}).`)),
    );
  });
}
