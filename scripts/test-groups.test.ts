// Unit tests that share a process: whose results are whose, and that nothing gets lost or stays unnoticed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Tally } from './tally.ts';
import { groupsOf } from './test-groups.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** In a process of its own, because Node runs no tests within tests. */
const RUN = `import path from 'node:path';
import { runGroup } from '../../scripts/test-groups.ts';
const { tally, failed, unfinished } = await runGroup(process.argv.slice(2));
process.stdout.write(JSON.stringify({
  tally,
  failed: failed.map(({ data }) => [path.basename(data.file ?? ''), data.name]),
  unfinished: unfinished.map((file) => path.basename(file)),
}));`;

interface Told {
  tally: Tally;
  /** The files and names of tests. */
  failed: [string, string][];
  unfinished: string[];
}

/** Runs files with these texts in one process. */
function grouped(texts: Record<string, string>): Told {
  mkdirSync(path.join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(path.join(ROOT, '.cache/grouped-'));
  try {
    const files = Object.entries(texts).map(([name, text]) => {
      const file = path.join(folder, name);
      writeFileSync(file, `import { mock, test, before, after, beforeEach } from 'node:test';\n${text}`);
      return path.relative(ROOT, file);
    });
    writeFileSync(path.join(folder, 'run.mjs'), RUN);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const ran = spawnSync(process.execPath, [path.join(folder, 'run.mjs'), ...files], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    assert.equal(ran.status, 0, ran.stderr);
    return JSON.parse(ran.stdout) as Told;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('mocks, globals and the environment of one file are not there for the next, and hooks are those of their file', () => {
  const { tally, failed } = grouped({
    'a.test.ts': `
      mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
      mock.method(console, 'log', () => {});
      process.env['OF_A'] = '1';
      globalThis.fetch = undefined;
      globalThis.ofA = 1;
      let begun = 0;
      before(async () => { await null; begun = 1; });
      beforeEach(() => { globalThis.each = (globalThis.each ?? 0) + 1; });
      test('its own hooks', async (t) => {
        if (begun !== 1 || globalThis.each !== 1) throw new Error('hooks');
        await t.test('nested', () => {});
      });
    `,
    'b.test.ts': `
      import assert from 'node:assert';
      test('nothing of the other', async () => {
        assert.ok(Date.now() > 1_000_000 && typeof fetch === 'function');
        assert.deepEqual([process.env['OF_A'], globalThis.ofA, globalThis.each], [undefined, undefined, undefined]);
        await new Promise((done) => setTimeout(done, 1));
      });
    `,
  });
  assert.deepEqual([tally, failed], [{ passed: 3, failed: 0 }, []]);
});

test('what fails is told with its file: a test, a skipped one, a hook, a file that does not load or holds no test', () => {
  const { tally, failed } = grouped({
    'fails.test.ts': `test('wrong', () => { throw new Error('no'); });\ntest('right', () => {});`,
    'skips.test.ts': `test('skipped', { skip: true }, () => {});`,
    'hook.test.ts': `after(() => { throw new Error('no'); });\ntest('fine', () => {});`,
    'broken.test.ts': `import './gone.ts';`,
    'empty.test.ts': `void before;`,
  });
  assert.deepEqual(tally, { passed: 2, failed: 5 });
  assert.deepEqual(
    failed.map(([file]) => file),
    ['fails.test.ts', 'skips.test.ts', 'hook.test.ts', 'broken.test.ts', 'empty.test.ts'],
  );
  const names = failed.map(([, name]) => name);
  assert.deepEqual([names[0], names[1], ...names.slice(3)], ['wrong', 'skipped', 'it loads', 'it holds a test']);
});

test('a file that ends the process takes its neighbours with it, which counts', () => {
  const { tally, unfinished } = grouped({
    'fine.test.ts': `test('fine', () => {});`,
    'ends.test.ts': `test('ends', () => process.exit(0));`,
    'after.test.ts': `test('never', () => {});`,
  });
  // What its runner had not yet passed on is lost with it.
  assert.deepEqual(unfinished.slice(-2), ['ends.test.ts', 'after.test.ts']);
  assert.ok(tally.failed >= 2);
});

test('what changes the process has one of its own; others share one by ten, none twice', () => {
  const files = Array.from({ length: 25 }, (_, n) => `${n}.test.ts`);
  const textOf = (file: string) =>
    file === '7.test.ts' ? "process.env['A'] = '1';" : "if (process.env['A'] === '1');";
  const groups = groupsOf(files, textOf);
  assert.deepEqual(groups.flat().toSorted(), files.toSorted());
  assert.deepEqual(
    groups.map(({ length }) => length),
    [1, 10, 10, 4],
  );
});
