// Programs of tests: what they print and how they end, also when the test is killed.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { endProcesses, TestProcess, until } from './test-process.ts';

afterEach(endProcesses);

const run = (code: string) => new TestProcess(['--input-type=module', '--eval', code]);

test('a program that ends without the line says so, with all that it printed', async () => {
  const program = run('console.log("one"); console.error("no space left"); process.exitCode = 3');
  await assert.rejects(program.line(/ready/), /ended with 3 and never printed .*ready[^]*no space left/);
});

test('a program without anything to do ends by itself', async () => {
  assert.equal(await run('console.log("done")').ended, 0);
});

test('a program ends with the process that started it, even if that was killed', async () => {
  const child = `import { TestProcess } from ${JSON.stringify(new URL('test-process.ts', import.meta.url).href)};
    const program = new TestProcess(['--input-type=module', '--eval', 'console.log("up"); setInterval(() => {}, 1000)']);
    await program.line(/up/);
    console.log('child', program.child.pid);`;
  const parent = run(child);
  const pid = Number((await parent.line(/child (\d+)/))[1]);
  process.kill(pid, 0);
  await parent.end('SIGKILL');
  await until('the end of the child', () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
});
