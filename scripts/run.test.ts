// The launcher as npm uses it: copied into an empty project, with a replacement for npm that only records its
// arguments. (.ci/run shows that the real npm installs the real lockfile in a clean clone.)
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

const NPM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
if (existsSync('npm-must-fail')) process.exit(9);
await new Promise((done) => setTimeout(done, 300));
mkdirSync('node_modules/needed', { recursive: true });
mkdirSync('node_modules/dev-only', { recursive: true });
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(([, { optional }]) => !optional);
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }));
`;
const LOCK = {
  '': {},
  'node_modules/needed': { version: '1.0.0' },
  'node_modules/dev-only': { version: '1.0.0', dev: true },
  'node_modules/other-platform': { version: '1.0.0', optional: true },
};

describe('scripts/run.mjs', () => {
  let root = '';
  const started: ChildProcess[] = [];
  const lock = (packages: object) =>
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const npmRuns = () =>
    existsSync(join(root, 'npm.log')) ? readFileSync(join(root, 'npm.log'), 'utf8').trim().split('\n') : [];

  function start(...args: string[]): ChildProcess {
    const env = {
      ...process.env,
      INIT_CWD: join(root, 'elsewhere'),
      npm_execpath: join(root, 'npm/npm-cli.js'),
      npm_lifecycle_event: undefined,
    };
    const child = spawn(process.execPath, [join(root, 'scripts/run.mjs'), ...args], { cwd: root, env });
    started.push(child);
    return child;
  }
  async function outcome(
    child: ChildProcess,
  ): Promise<{ code: number | null; signal: string | null; out: string; err: string }> {
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => (out += String(chunk)));
    child.stderr?.on('data', (chunk) => (err += String(chunk)));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { code, signal, out, err };
  }

  async function ready(child: ChildProcess): Promise<void> {
    assert.ok(child.stdout);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(String(first), 'ready\n');
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'run-'));
    for (const folder of ['scripts', 'npm', 'server', 'agent', 'elsewhere']) mkdirSync(join(root, folder));
    for (const file of ['run.mjs', 'install.mjs']) cpSync(join(import.meta.dirname, file), join(root, 'scripts', file));
    writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', optionalDependencies: {} }));
    writeFileSync(join(root, 'npm/npm-cli.js'), NPM);
    writeFileSync(
      join(root, 'scripts/say.ts'),
      `const code: number = Number(process.argv[2]); console.log('said', ...process.argv.slice(3)); process.exitCode = code;`,
    );
    writeFileSync(
      join(root, 'scripts/wait.ts'),
      `for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => { console.log(name); process.exit(5); });
       setInterval(() => {}, 1000); console.log('ready');`,
    );
    lock(LOCK);
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  test('installs once, then says nothing of its own and passes arguments and the exit code', async () => {
    const first = await outcome(start('scripts/say.ts', '0'));
    assert.equal(first.code, 0, first.err);
    assert.match(first.err, /Installing packages/);
    assert.deepEqual(await outcome(start('scripts/say.ts', '3', 'a b', '*')), {
      code: 3,
      signal: null,
      out: 'said a b *\n',
      err: '',
    });
    assert.equal(npmRuns().length, 1);
    assert.match(npmRuns()[0] ?? '', /^ci --include=dev --include=optional /);
  });

  test('the service starts with a limit for short-lived objects, other scripts with that of Node', async () => {
    for (const [file, flags] of [
      ['start.ts', '--max-semi-space-size=16'],
      ['flags.ts', ''],
    ] as const) {
      writeFileSync(join(root, 'scripts', file), 'console.log(process.execArgv.join(" "));');
      assert.equal((await outcome(start(`scripts/${file}`))).out.trim(), flags);
    }
  });

  test('files that a backup, a restore and the agent are given are the caller’s, not the project’s', async () => {
    const print = 'console.log(process.cwd(), ...process.argv.slice(2));';
    for (const file of ['server/backup.ts', 'server/restore.ts', 'agent/main.ts', 'server/token.ts'])
      writeFileSync(join(root, file), print);
    const said = async (file: string) => (await outcome(start(file, '--yes', 'rel.tar'))).out.trim();
    const elsewhere = join(root, 'elsewhere');
    for (const file of ['server/backup.ts', 'server/restore.ts'])
      assert.equal(await said(file), `${root} --yes ${join(elsewhere, 'rel.tar')}`);
    assert.equal(await said('agent/main.ts'), `${elsewhere} --yes rel.tar`);
    assert.equal(await said('server/token.ts'), `${root} --yes rel.tar`);
  });

  test('installs again when the lockfile has another version or a package folder is gone', async () => {
    await outcome(start('scripts/say.ts', '0'));
    lock({ ...LOCK, 'node_modules/needed': { version: '1.0.1' } });
    await outcome(start('scripts/say.ts', '0'));
    assert.equal(npmRuns().length, 2);
    rmSync(join(root, 'node_modules/needed'), { recursive: true });
    await outcome(start('scripts/say.ts', '0'));
    assert.equal(npmRuns().length, 3);
  });

  test('two at once install once, and both run', async () => {
    const both = await Promise.all([start('scripts/say.ts', '0'), start('scripts/say.ts', '0')].map(outcome));
    assert.deepEqual(
      both.map(({ code, out }) => ({ code, out })),
      [
        { code: 0, out: 'said\n' },
        { code: 0, out: 'said\n' },
      ],
    );
    assert.equal(npmRuns().length, 1);
  });

  test('takes over from an installation that was killed', async () => {
    mkdirSync(join(root, '.cache'));
    writeFileSync(join(root, '.cache/install.lock'), '1\n');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(root, '.cache/install.lock'), longAgo, longAgo);
    assert.equal((await outcome(start('scripts/say.ts', '0'))).code, 0);
    assert.equal(existsSync(join(root, '.cache/install.lock')), false);
  });

  test('says what to do when the installation fails, and runs nothing', async () => {
    writeFileSync(join(root, 'npm-must-fail'), '');
    const { code, out, err } = await outcome(start('scripts/say.ts', '0'));
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(err, /npm ci failed \(exit code 9\)\.\nPut right what npm says/);
  });

  test('starts the service without the development packages, but not the tests', async () => {
    cpSync(join(root, 'scripts/say.ts'), join(root, 'scripts/start.ts'));
    mkdirSync(join(root, 'node_modules/needed'), { recursive: true });
    const packages = { 'node_modules/needed': LOCK['node_modules/needed'] };
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    await outcome(start('scripts/start.ts', '0'));
    assert.equal(npmRuns().length, 0);
    await outcome(start('scripts/say.ts', '0'));
    assert.equal(npmRuns().length, 1);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} reaches the program once, and its own exit code comes back`, async () => {
      const child = start('scripts/wait.ts');
      const ended = outcome(child);
      await ready(child);
      child.kill(signal);
      const { code, out } = await ended;
      assert.equal(code, 5);
      assert.equal(out, `ready\n${signal}\n`);
    });
  }

  test('ends the program when the shell that npm put in between is killed', { timeout: 20_000 }, async () => {
    lock({});
    // Two commands, so that no shell replaces itself by the first.
    const command = `"${process.execPath}" scripts/run.mjs scripts/wait.ts; true`;
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const shell = spawn('sh', ['-c', command], { cwd: root, env });
    const ended = outcome(shell);
    await ready(shell);
    shell.kill('SIGTERM');
    // The pipes close when the program itself has ended.
    assert.equal((await ended).out, 'ready\nSIGTERM\n');
  });

  test('ends by the signal that ended the program', async () => {
    writeFileSync(join(root, 'scripts/die.ts'), `process.kill(process.pid, 'SIGKILL');`);
    assert.equal((await outcome(start('scripts/die.ts'))).signal, 'SIGKILL');
  });
});
