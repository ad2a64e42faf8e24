// Starts every npm script: `node scripts/run.mjs <file.ts> [arguments]`. It installs what is missing, finds the Node of
// this project, and runs the TypeScript file as a child process with the same terminal, signals and exit code. It must
// run on any Node from 20 on, in a clone without packages.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, missingPackage } from './install.mjs';

const MINIMUM = [24, 14]; // "#/…" entries in the imports of package.json are understood from here on
const WITHOUT_DEV_PACKAGES = new Set([
  'scripts/start.ts',
  'scripts/build.ts',
  'scripts/runtimes.ts',
  'agent/main.ts',
  'server/token.ts',
  'server/account.ts',
]);

/**
 * npm starts scripts in the project's folder, also with --prefix or from a folder below. The file names that these are given
 * are the caller's, while DATA_DIR is relative to the project.
 */
const TAKE_FILES = new Set(['server/backup.ts', 'server/restore.ts']);
const callerFolder = process.env['INIT_CWD'] ?? process.cwd();

/** Objects of a moment may fill 32 MB until they are collected, instead of 128 MB: a long export would fill them all. */
const SERVICE_FLAGS = ['--max-semi-space-size=16'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedPackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const [file, ...given] = process.argv.slice(2);
const args = TAKE_FILES.has(file)
  ? given.map((word) => (word.startsWith('-') ? word : resolve(callerFolder, word)))
  : given;

try {
  if (!file) throw new Error('Usage: node scripts/run.mjs <file.ts> [arguments]');
  const withDev = !WITHOUT_DEV_PACKAGES.has(file);
  if (!nodes()[0] && !pinnedExists()) throw new Error(tooOld());
  await install(root, () => !nodes()[0] || missingPackage(root, withDev) !== undefined);
  await launch(nodes());
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The Node binaries to try, best first. The package is used by path, because npm 10 does not link it into .bin. */
function nodes() {
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const pinned = join(root, 'node_modules', pinnedPackage, 'bin', binary);
  const [major, minor] = process.versions.node.split('.').map(Number);
  const ownWillDo = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
  return [...(existsSync(pinned) ? [pinned] : []), ...(ownWillDo ? [process.execPath] : [])];
}

/** Whether npm has the pinned Node for this platform; without it the machine's own must be new enough. */
function pinnedExists() {
  return pinnedPackage in JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies;
}

function tooOld() {
  return (
    `Muster needs Node ${MINIMUM.join('.')} or newer on ${process.platform}-${process.arch}; this one is ` +
    `${process.versions.node}. Install it from https://nodejs.org/ and run the same command again.`
  );
}

async function launch([node, ...others]) {
  if (!node) throw new Error(tooOld());
  const env = { ...process.env };
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[pathName] = [dirname(node), join(root, 'node_modules', '.bin'), env[pathName]].filter(Boolean).join(delimiter);

  const flags = file === 'scripts/start.ts' ? SERVICE_FLAGS : [];
  // All paths of the agent are the caller's.
  const cwd = file === 'agent/main.ts' ? callerFolder : undefined;
  const child = spawn(node, [...flags, join(root, file), ...args], { stdio: 'inherit', env, cwd });
  const stopForwarding = forwardSignals(child);
  const [code, signal, error] = await new Promise((done) => {
    child.on('error', (failure) => done([1, null, failure]));
    child.on('exit', (exitCode, exitSignal) => done([exitCode, exitSignal]));
  });
  stopForwarding();
  // The pinned binary is built against glibc; elsewhere (Alpine) it cannot start, and another Node is used.
  if (error) return launch(others);
  if (signal && process.platform !== 'win32') process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

/**
 * Forwards signals. Ctrl+C in a terminal reaches the child directly, and a second copy would mean "stop at once", so
 * in a terminal only TERM is forwarded. A signal to npm may end at the shell between npm and this process (dash
 * remains as a process of its own): the end of that shell counts as TERM, or the service would continue unnoticed.
 */
function forwardSignals(child) {
  const fromTerminal = process.stdin.isTTY === true;
  let asked = false;
  const handlers = ['SIGINT', 'SIGHUP', 'SIGTERM'].map((name) => {
    const handler = () => {
      asked = true;
      if (!fromTerminal || name === 'SIGTERM') child.kill(name);
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (asked || !process.env['npm_lifecycle_event'] || process.ppid === parent) return;
    asked = true;
    child.kill('SIGTERM');
  }, 500);
  return () => {
    clearInterval(watch);
    handlers.forEach((off) => off());
  };
}
