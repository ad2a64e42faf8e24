// The tool itself, on a small checkout: what it applies and refuses, what counts as noticed, and that the sources stay as
// they are.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../test-process.ts';
import { copyCheckout } from './checkout.ts';
import { mutate } from './mutation.ts';
import { runMutations } from './run-mutations.ts';

const SOURCE = `export const isOld = (years: number) => years >= 18;
export const isKnown = (name: string) => name !== '';
export const isSlow = (name: string) => name === 'slow';
`;
const mutation = (name: string, text: string, instead: string) => ({
  name,
  before: text,
  after: instead,
  area: 'people',
  file: 'people.ts',
});

test('a mutation replaces the one place that it names, and is refused if there is none or several', () => {
  assert.equal(mutate('a < b; c < d;', mutation('m', 'a < b', 'a <= b')), 'a <= b; c < d;');
  // No pattern, neither in the text that is looked for nor in what replaces it.
  assert.equal(mutate('if (a.b) {}', mutation('m', '(a.b)', "($& $1 '$`)")), "if ($& $1 '$`) {}");
  assert.throws(() => mutate('if (axb) {}', mutation('m', '(a.b)', '')), /"m" does not apply: people\.ts has no text/);
  assert.throws(() => mutate('a < b; a < b;', mutation('m', 'a < b', '')), /has 2 times the text "a < b"/);
  assert.throws(() => mutate('a', mutation('m', 'a', 'a')), /changes nothing/);
});

let root: string;
before(() => {
  root = mkdtempSync(path.join(tmpdir(), 'muster-mutated-'));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write('package.json', '{ "type": "module" }');
  write('.gitignore', 'ignored/');
  write('ignored/secret.ts', '');
  write('people.ts', SOURCE);
  const imports = `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n`;
  write(
    'people.test.ts',
    `${imports}import { isOld } from './people.ts';\ntest('old', () => assert.deepEqual([17, 18].map(isOld), [false, true]));\n`,
  );
  write('broken.test.ts', `${imports}test('never', () => assert.fail());\n`);
  assert.equal(spawnSync('git', ['init', '--quiet'], { cwd: root }).status, 0);
});
after(() => rmSync(root, { recursive: true, force: true }));

test('it says what was noticed, what was not, what does not apply and which tests fail by themselves', async () => {
  const reported: string[] = [];
  const results = await runMutations({
    root,
    mutations: [
      mutation('off by one', 'years >= 18', 'years > 18'),
      mutation('everybody is known', "name !== ''", "name !== 'nobody'"),
      mutation('gone', 'years >= 21', 'years > 21'),
      mutation('no syntax', 'years >= 18', 'years >='),
      { ...mutation('no test', 'years >= 18', 'years > 18'), tests: ['gone.test.ts'] },
      { ...mutation('no area', 'years >= 18', 'years > 18'), area: 'animals' },
      { ...mutation('unclear', "name === 'slow'", 'true'), tests: ['broken.test.ts'] },
      { ...mutation('elsewhere', 'years >= 18', 'years > 18'), engine: 'postgres' },
    ],
    areas: { people: ['people.test.ts'] },
    jobs: 2,
    report: ({ mutation: { name } }) => reported.push(name),
  });
  const outcomes = Object.fromEntries(results.map(({ mutation: { name }, outcome }) => [name, outcome]));
  assert.deepEqual(outcomes, {
    'off by one': 'noticed',
    'everybody is known': 'not noticed',
    gone: 'does not apply',
    'no syntax': 'does not apply',
    'no test': 'does not apply',
    'no area': 'does not apply',
    unclear: 'broken',
    elsewhere: 'left out',
  });
  // At once, and not after minutes of tests.
  assert.deepEqual(reported.slice(0, 4), ['gone', 'no syntax', 'no test', 'no area']);
  assert.equal(reported.length, 8);
  const reasons = results.slice(0, 4).map(({ by }) => by);
  assert.match(reasons[0] ?? '', /^"gone" does not apply: people\.ts has no text "years >= 21"/);
  assert.match(reasons[1] ?? '', /^"no syntax" leaves people\.ts without its syntax/);
  assert.match(reasons[2] ?? '', /^"no test" names gone\.test\.ts, which does not exist/);
  assert.match(reasons[3] ?? '', /^"no area" has no tests: there is no area "animals"/);
  assert.equal(readFileSync(path.join(root, 'people.ts'), 'utf8'), SOURCE);
});

test('a run that ends leaves another one of the same copy alone', async () => {
  writeFileSync(
    path.join(root, 'waiting.test.ts'),
    `import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
writeFileSync('begun', '');
test('waits', async () => { while (!existsSync('go')) await setTimeout(10); });
`,
  );
  const copy = copyCheckout(root);
  try {
    const waiting = copy.test('waiting.test.ts');
    await until('the waiting test to begin', () => existsSync(path.join(copy.folder, 'begun')));
    assert.equal((await copy.test('broken.test.ts')).result, 'failed');
    writeFileSync(path.join(copy.folder, 'go'), '');
    assert.equal((await waiting).result, 'passed');
  } finally {
    copy.remove();
  }
});
