// The steps that `npm run check` and `npm test` are made of. Each prints one line when all is well and everything it has
// to say when it is not, and answers with a count taken from what the tools report to machines, never from their prose.
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { ensureBrowser } from './browser.ts';
import { buildIfStale, requireBudget } from './dist.ts';
import { sum, tallyOfNode, tallyOfPlaywright, type NodeCounts, type PlaywrightReport, type Tally } from './tally.ts';
import { TEST_LIMIT_MS, groupsOf, runGroup, startsSomething, type Results } from './test-groups.ts';

const root = dirname(import.meta.dirname);
/** Files of unit tests. */
export const UNIT_TESTS = globSync('{src,server,agent,scripts}/**/*.test.ts', { cwd: root }).toSorted();
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
/** The unit tests that `npm test` leaves to `--rest`. */
export const isForRest = (file: string): boolean => startsSomething(textOf(file));
/** Files of component tests. */
export const COMPONENT_TESTS = globSync('src/**/*.test.tsx', { cwd: root }).toSorted();
// Each test file, service and agent is a Node of its own: what one has compiled, the next need not compile again.
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache', 'compiled');
const PASSED: Tally = { passed: 1, failed: 0 };
const FAILED: Tally = { passed: 0, failed: 1 };

interface Outcome extends Tally {
  /** What to show when something failed. */
  output: string;
}

/** Types, lint, format and unused code. A failing one doesn't keep the others from running; each counts as one. */
export async function staticChecks(): Promise<Tally> {
  const checks = [
    ['Types', 'tsc', '-b'],
    ['Lint', 'oxlint', '--deny-warnings'],
    ['Format', 'oxfmt', '--check'],
    ['Unused code', 'knip', '--no-progress'],
  ] as const;
  const tallies: Tally[] = [];
  for (const [name, command, ...args] of checks) tallies.push(await step(name, () => tool(command, args)));
  return sum(tallies);
}

/** The unit tests of the given files. */
export function unitTests(files: readonly string[]): Promise<Tally> {
  return step('Unit tests', async () => {
    const waiting = groupsOf(files, textOf);
    const done: Results[] = [];
    const worker = async () => {
      for (let group = waiting.shift(); group; group = waiting.shift()) done.push(await runGroup(group));
    };
    // Of two cores, a third is free while tests wait for processes and timers.
    await Promise.all([worker(), worker(), worker()]);
    const lost = done
      .flatMap(({ unfinished }) => unfinished)
      .map((file) => `✖ ${file} did not reach its end: its process ended, or was silent for too long\n`);
    const failures = await reportOf(done.flatMap(({ failed }) => failed));
    const logs = await reportOf(done.flatMap(({ printed }) => printed));
    for (const [line] of logs.matchAll(/^Left out, .*$/gm)) process.stdout.write(`${line}\n`);
    // What failed comes before the logs of every test, which are long.
    return { ...sum(done.map(({ tally }) => tally)), output: `${lost.join('')}${failures}\n${logs}` };
  });
}

/** The component tests of the given files, in one process. */
export function componentTests(files: readonly string[]): Promise<Tally> {
  return step('Component tests', async () => {
    const failures: TestEvent[] = [];
    let counts: NodeCounts = { tests: 0, passed: 0 };
    const timeout = TEST_LIMIT_MS * files.length;
    const events = run({
      files: ['scripts/components/run.ts'],
      argv: [...files],
      execArgv: ['--test-force-exit'], // what a page caches would hold the process for minutes
      cwd: root,
      timeout,
    });
    for await (const event of events as AsyncIterable<TestEvent>) {
      if (event.type === 'test:summary' && event.data.file === undefined) counts = event.data.counts;
      if (event.type === 'test:fail' || event.type === 'test:stderr') failures.push(event);
    }
    return { ...tallyOfNode(counts), output: await reportOf(failures) };
  });
}

const reportOf = (events: Iterable<TestEvent> | AsyncIterable<TestEvent>): Promise<string> =>
  text(Readable.from(events).compose<Readable>(new spec()));

/** The end-to-end tests in a browser, after what they need: a browser, and a build that matches the sources. */
export async function endToEndTests(args: string[]): Promise<Tally> {
  const ready = await step('Browser and build', async () => {
    ensureBrowser();
    await buildIfStale();
    requireBudget();
    return { ...PASSED, output: '' };
  });
  if (ready.failed > 0) return ready;

  process.stdout.write('\nEnd-to-end tests\n');
  const reportFile = join(root, '.cache', `e2e-${process.pid}.json`);
  mkdirSync(dirname(reportFile), { recursive: true });
  try {
    const cli = createRequire(import.meta.url).resolve('@playwright/test/cli');
    const child = spawn(process.execPath, [cli, 'test', ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: reportFile },
    });
    const code = await new Promise<number | null>((done) => child.on('exit', done));
    const counted = tallyOfPlaywright(JSON.parse(readFileSync(reportFile, 'utf8')) as PlaywrightReport);
    // Ended badly without a failing test: the runner itself failed.
    return code !== 0 && counted.failed === 0 ? sum([counted, FAILED]) : counted;
  } catch (error) {
    process.stdout.write(`Playwright left no report: ${String(error)}\n`);
    return FAILED;
  } finally {
    rmSync(reportFile, { force: true });
  }
}

async function step(name: string, work: () => Promise<Outcome>): Promise<Tally> {
  const begun = performance.now();
  const { passed, failed, output } = await work().catch((error: unknown) => ({ ...FAILED, output: String(error) }));
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const count = passed + failed === 1 ? (failed ? 'failed' : 'ok') : `${passed} passed, ${failed} failed`;
  process.stdout.write(`${failed ? '✖' : '✔'} ${name}: ${count} (${seconds} s)\n`);
  if (failed) process.stdout.write(`${output.trimEnd()}\n\n`);
  return { passed, failed };
}

/** Runs a tool of node_modules/.bin, which scripts/run.mjs put into the PATH. */
function tool(command: string, args: string[]): Promise<Outcome> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  return new Promise((done) => {
    child.on('error', (error) => done({ ...FAILED, output: `${command} could not be started: ${error.message}` }));
    child.on('close', (code) => done({ ...(code === 0 ? PASSED : FAILED), output }));
  });
}
