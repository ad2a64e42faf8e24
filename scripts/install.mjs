// Installs the packages of the lockfile if they are missing. Every npm script runs this first, on any Node from 20 on
// and possibly without any package, so it is plain JavaScript on Node's own modules, and fast if there is nothing to
// do.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// npm writes this list as the last step of an installation: without it, the installation is incomplete.
const INSTALLED = 'node_modules/.package-lock.json';
const LOCK_REFRESH_MS = 1_000;
const LOCK_ABANDONED_MS = 10_000;

/**
 * The first package that is not installed as in the lockfile, or undefined. Optional packages may be absent (they are
 * for other platforms); so may development packages if `withDev` is false, so that a production image made by `npm ci
 * --omit=dev` starts as it is.
 */
export function missingPackage(root, withDev) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  if (!wanted)
    throw new Error('package-lock.json is missing or damaged: restore it with "git checkout package-lock.json"');
  const installed = packagesOf(join(root, INSTALLED)) ?? {};
  for (const [folder, { version, optional, dev, devOptional }] of Object.entries(wanted)) {
    if (folder === '') continue;
    const have = installed[folder];
    if (have ? have.version === version && existsSync(join(root, folder)) : optional || (dev && !withDev)) continue;
    if (!have && devOptional && !withDev) continue;
    return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  }
  return undefined;
}

/** Installs the lockfile if needed. Only one process installs; others wait for it and then check again. */
export async function install(root, needed) {
  if (!needed()) return;
  const release = await takeLock(join(root, '.cache', 'install.lock'));
  try {
    if (!needed()) return;
    process.stderr.write('Installing packages (npm ci, once) …\n');
    const failure = await npmCi(root);
    if (failure)
      throw new Error(
        `${failure}\nPut right what npm says above (often the network), then run the same command again.`,
      );
  } finally {
    release();
  }
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Runs `npm ci`, quiet unless it fails; returns a sentence about the failure. */
function npmCi(root) {
  // The npm that runs this script, if there is one: another may be first in the PATH.
  const self = process.env['npm_execpath'];
  const bySelf = self !== undefined && basename(self) === 'npm-cli.js' && existsSync(self);
  const [command, first] = bySelf ? [process.execPath, [self]] : ['npm', []];
  // Vite builds the dashboard at the first start, and the pinned Node is an optional package: neither
  // NODE_ENV=production nor a setting of the user may omit them. Some tools require a newer Node than this machine's,
  // which they get.
  const flags = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-engine-strict',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  return new Promise((done) => {
    const child = spawn(command, [...first, ...flags], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: !bySelf && process.platform === 'win32',
    });
    child.on('error', (error) => done(`Could not start npm (${error.message}). Install npm 10 or newer.`));
    child.on('exit', (code, signal) =>
      done(code === 0 ? undefined : `npm ci failed (${signal ?? `exit code ${code}`}).`),
    );
  });
}

/**
 * A file that its owner touches regularly, so that one of a killed process is recognised on any machine and after a
 * reboot.
 */
async function takeLock(file) {
  mkdirSync(join(file, '..'), { recursive: true });
  for (let noted = false; ; await delay(200)) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(file)) discard(file);
    else if (!noted) process.stderr.write('Another command is installing packages; waiting for it …\n');
    noted = true;
  }
  const refresh = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // The folder was cleaned; at worst a second installation follows this one.
    }
  }, LOCK_REFRESH_MS);
  return () => {
    clearInterval(refresh);
    rmSync(file, { force: true });
  };
}

function isAbandoned(file) {
  try {
    return Date.now() - statSync(file).mtimeMs > LOCK_ABANDONED_MS;
  } catch {
    return false;
  }
}

/** Renames an abandoned lock first: only one of two waiting processes succeeds, and none removes a fresh lock. */
function discard(file) {
  const taken = `${file}.${process.pid}`;
  try {
    renameSync(file, taken);
    if (isAbandoned(taken)) rmSync(taken, { force: true });
    else renameSync(taken, file);
  } catch {
    // Another waiting process was faster.
  }
}
