// Installs the packages of the lockfile when they are not there. Every npm script passes through here on any Node from
// 20 on with nothing installed yet, so this is plain JavaScript on Node's own modules, and its "nothing to do" is cheap.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// npm writes this list of what it installed as its last step, so it also tells an interrupted installation from a whole one.
const INSTALLED = 'node_modules/.package-lock.json';
const LOCK_REFRESH_MS = 1_000;
const LOCK_ABANDONED_MS = 10_000;

/**
 * The first package that is not installed as the lockfile says, or undefined when all are. Optional packages may be
 * absent (they are for other platforms); so may development packages when `withDev` is false, which lets a production
 * image made by `npm ci --omit=dev` start as it is.
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

/** Installs what the lockfile says unless it is there. Only one process installs; others wait for it and then look again. */
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

/** Runs `npm ci`, quiet unless it fails, and answers with a sentence about the failure if there was one. */
function npmCi(root) {
  // The npm that runs us, if one does: another may be first in the PATH.
  const self = process.env['npm_execpath'];
  const bySelf = self !== undefined && basename(self) === 'npm-cli.js' && existsSync(self);
  const [command, first] = bySelf ? [process.execPath, [self]] : ['npm', []];
  // Vite builds the dashboard at the first start, and the pinned Node is an optional package: NODE_ENV=production or a
  // setting of the user must not leave them out. Some tools ask for a newer Node than this machine's; they get it.
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

/** A file kept fresh by its owner, so that one left by a killed process is recognised on any machine and after a reboot. */
async function takeLock(file) {
  mkdirSync(join(file, '..'), { recursive: true });
  for (let said = false; ; await delay(200)) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(file)) discard(file);
    else if (!said) process.stderr.write('Another command is installing packages; waiting for it …\n');
    said = true;
  }
  const refresh = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Someone cleaned the folder; the worst that follows is a second installation after this one.
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

/** Takes an abandoned lock away under a name of our own first: of two waiters only one gets it, and neither a fresh one. */
function discard(file) {
  const taken = `${file}.${process.pid}`;
  try {
    renameSync(file, taken);
    if (isAbandoned(taken)) rmSync(taken, { force: true });
    else renameSync(taken, file);
  } catch {
    // Another waiter was quicker.
  }
}
