// A copy of the working tree for mutations, so that the tree itself is never touched.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Longest run of one test file. A mutation may make it wait for ever, which counts as noticed. */
const FILE_LIMIT_MS = 240_000;

export type TestResult = 'passed' | 'failed' | 'timed out';

export interface Checkout {
  folder: string;
  /** Runs one test file in it, to its first failure. */
  test(file: string, env?: NodeJS.ProcessEnv): Promise<{ result: TestResult; failed?: string; output: string }>;
  remove(): void;
}

/** Copies the tracked and the new files of `root`; installed packages are shared. */
export function copyCheckout(root: string): Checkout {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listed.status !== 0) throw new Error(`git could not list the files of ${root}: ${listed.stderr}`);
  const base = mkdtempSync(path.join(tmpdir(), 'muster-mutations-'));
  // A PostgreSQL that a test starts as root runs as another user.
  chmodSync(base, 0o755);
  const folder = path.join(base, 'checkout');
  for (const file of listed.stdout.split('\0').filter(Boolean)) {
    const from = path.join(root, file);
    if (!existsSync(from)) continue;
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    copyFileSync(from, path.join(folder, file));
  }
  for (const packages of ['node_modules', 'scripts/engines/node_modules'])
    if (existsSync(path.join(root, packages)))
      symlinkSync(path.join(root, packages), path.join(folder, packages), 'dir');
  return {
    folder,
    test: (file, env = {}) => {
      // One for each run: several may be under way in the same copy. What a killed test leaves behind goes with the copy.
      const temporary = mkdtempSync(path.join(base, 'tmp-'));
      chmodSync(temporary, 0o755);
      return runTest(folder, file, {
        ...process.env,
        PROPERTY_RUNS: '1',
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: path.join(base, 'compiled'),
        // Set by a test runner around this process; with it Node would report to that one instead.
        NODE_TEST_CONTEXT: undefined,
        ...env,
      }).finally(() => endLeftovers(temporary));
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

const running = new Set<number>();
let isStopped = false;

/** Ends all tests that run, with the processes that they started; no other begins. */
export function stopTests(): void {
  isStopped = true;
  for (const group of running) endGroup(group);
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/**
 * Ends what agents of a test started for themselves, such as jobs: they are in no group of ours, and another run of the
 * test would find them. Their environment has the name of the run's temporary folder.
 */
function endLeftovers(temporary: string): void {
  if (!existsSync('/proc/self/environ')) return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(temporary)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has just ended, or belongs to somebody else.
    }
}

async function runTest(cwd: string, file: string, env: NodeJS.ProcessEnv): ReturnType<Checkout['test']> {
  if (isStopped) return { result: 'failed', output: '' };
  // A group of its own: a service that the test leaves running is in it too.
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid;
  if (group === undefined) throw new Error(`The test ${file} could not be started.`);
  running.add(group);
  let output = '';
  let failed: string | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      // What the tests themselves print begins with '#'.
      failed ??= /^\s*not ok \d+ - (.*)\n/m.exec(output)?.[1];
      if (failed !== undefined) endGroup(group);
    });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endGroup(group);
  }, FILE_LIMIT_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  endGroup(group);
  running.delete(group);
  const result: TestResult = isLate ? 'timed out' : code === 0 && failed === undefined ? 'passed' : 'failed';
  return { result, output, ...(failed !== undefined && { failed }) };
}
