// `node --test scripts/test-group.ts file.test.ts …`: several files of unit tests in one process, one after the other, because
// starting Node and importing the service takes longer than most of their tests. Each file is a suite of its own name, with its
// own hooks. What it changed for all, such as mocked timers, is undone after it, and what it left open is its failure.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { mock, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { TEST_LIMIT_MS } from './test-groups.ts';

const ROOT = path.join(import.meta.dirname, '..');
const API = new URL('test-group-api.ts', import.meta.url).href;

/** What keeps a process alive; other resources, such as what measures the event loop, end with it. */
const HOLDS = /^(Timeout|Immediate|TCPServerWrap|TCPSocketWrap|PipeServerWrap|UDPWrap|ProcessWrap|Worker|FSEventWrap)$/;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'node:test' && context.parentURL !== API ? API : specifier, context),
});
const { definitionsOf } = await import('./test-group-api.ts');

let isHeld = false;
for (const file of process.argv.slice(2)) {
  const restore = rememberGlobals();
  const open = process.getActiveResourcesInfo();
  const definitions = await definitionsOf(() => import(pathToFileURL(path.join(ROOT, file)).href)).catch(
    (cause: unknown) => [() => void test('it loads', () => assert.ifError(cause))],
  );
  // All tests of some files are for PostgreSQL.
  if (definitions.length === 0 && !/\bonPostgres\b/.test(readFileSync(path.join(ROOT, file), 'utf8')))
    definitions.push(() => void test('it holds a test', () => assert.fail('It has none.')));
  // Some tests wait for timers that would let a process end.
  const alive = setInterval(() => undefined, TEST_LIMIT_MS);
  await suite(file, { timeout: Infinity }, () => {
    for (const define of definitions) define();
  });
  clearInterval(alive);
  mock.reset();
  restore();
  const left = await leftOpen(open);
  if (left.length > 0) {
    isHeld = true;
    await suite(file, () => {
      void test('it leaves nothing open', () => assert.deepEqual(left, []));
    });
  }
}
if (isHeld) {
  // What was left open is told, and would keep the process. The runner sums up at this event, which does not come by itself.
  process.emit('beforeExit', 1);
  setImmediate(() => process.exit(1));
}

/** What holds the process and did not before: agents and servers may take a moment to end. */
async function leftOpen(before: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + TEST_LIMIT_MS / 2;
  for (;;) {
    const left = process.getActiveResourcesInfo().filter((each) => HOLDS.test(each));
    for (const each of before) if (left.includes(each)) left.splice(left.indexOf(each), 1);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(5);
  }
}

/** The returned function gives the environment, the working directory and all globals back. */
function rememberGlobals(): () => void {
  const env = { ...process.env };
  const folder = process.cwd();
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    if (process.cwd() !== folder) process.chdir(folder);
    for (const name of Object.keys(Object.getOwnPropertyDescriptors(globalThis)))
      if (!(name in globals)) Reflect.deleteProperty(globalThis, name);
    for (const [name, descriptor] of Object.entries(globals))
      if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
  };
}
