// Commands are really run, by the system's own sh, with curl alone and with wget alone, in an almost empty PATH.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tar } from '#/contract/test-tar.ts';
import type { TestEntry } from '#/contract/test-tar.ts';
import { artifactCommand, shellQuote } from './artifact-command.ts';
import type { CommandSource } from './artifact-command.ts';

const home = mkdtempSync(path.join(tmpdir(), "muster command's-"));
const temporary = path.join(home, 'tmp');
const cwd = path.join(home, 'cwd');
after(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  for (const folder of [temporary, cwd]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
});

let served: Buffer | undefined;
let url = '';
const server = createServer((_request, response) => {
  response.writeHead(served ? 200 : 403).end(served ?? 'refused');
});
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/download/a1?expires=9&token=t`;
});
after(() => server.close());

const where = (tool: string) => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

/** A PATH of the named tools only. */
function pathOf(...tools: string[]): string {
  const folder = mkdtempSync(path.join(home, 'bin-'));
  for (const tool of [...tools, 'sh', 'cat', 'chmod', 'gzip', 'mkdir', 'mktemp', 'mv', 'rm', 'tar', 'ls']) {
    const found = where(tool);
    if (found) symlinkSync(found, path.join(folder, tool));
  }
  return folder;
}
const fetchers = ['curl', 'wget'].filter((tool) => where(tool) !== undefined);
const usual = process.env['PATH'] ?? '';

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}
function run(command: string, { tools = usual, env = {}, shell = '/bin/sh' } = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, ['-c', command], {
      cwd,
      env: { PATH: tools, HOME: home, TMPDIR: temporary, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function source(bytes: Buffer, more: Partial<CommandSource> = {}): CommandSource {
  served = bytes;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name: 'app.tar.gz', sha256, isScript: false, destination: '', runCommand: '', folder: '', ...more };
}
const packed = (body: string, folder = '', ...others: TestEntry[]) =>
  source(gzipSync(tar({ path: path.posix.join(folder, 'update.sh'), body, mode: 0o644 }, ...others)), { folder });
const script = (more: Partial<CommandSource> = {}) =>
  source(Buffer.from('#!/bin/sh\necho "ran $0 with $# of $1"\nexit 5\n'), {
    name: 'x.sh',
    isScript: true,
    destination: path.join(home, 'to'),
    runCommand: './x.sh one',
    ...more,
  });

test('the machine has something to fetch with', () => assert.notDeepEqual(fetchers, []));

for (const tool of fetchers)
  test(`with only ${tool}: a tar.gz is unpacked, run inside its folder, and removed`, async () => {
    const artifact = packed('cat data; cat "$PWD/data"; exit 7\n', 'my app', { path: 'my app/data', body: 'inside\n' });
    for (const checker of ['sha256sum', 'openssl', '']) {
      const ran = await run(artifactCommand(artifact, url), { tools: pathOf(tool, ...(checker ? [checker] : [])) });
      assert.deepEqual(ran, { code: 7, stdout: 'inside\ninside\n', stderr: '' });
      assert.deepEqual(readdirSync(temporary), []);
    }
  });

for (const tool of fetchers)
  test(`with only ${tool}: a script goes to its folder, made when missing, and its command runs there`, async () => {
    const destination = path.join(home, `to-${tool}`, 'deep');
    const ran = await run(artifactCommand(script({ destination }), url), { tools: pathOf(tool, 'sha256sum') });
    assert.deepEqual(ran, { code: 5, stdout: 'ran ./x.sh with 1 of one\n', stderr: '' });
    assert.deepEqual(readdirSync(destination), ['x.sh']);
    assert.equal(statSync(path.join(destination, 'x.sh')).mode & 0o111, 0o111);
    assert.deepEqual(readdirSync(temporary), []);
  });

test('a shebang decides who runs update.sh, and without one sh does', async () => {
  assert.equal((await run(artifactCommand(packed('#!/bin/cat\nshown\n'), url))).stdout, '#!/bin/cat\nshown\n');
  assert.equal((await run(artifactCommand(packed('echo plain\n'), url))).stdout, 'plain\n');
});

test('the exit code is the one of what was run, 0 included', async () => {
  assert.equal((await run(artifactCommand(packed('exit 0\n'), url))).code, 0);
  assert.equal((await run(artifactCommand(packed('kill -9 $$\n'), url))).code, 137);
  assert.equal((await run(artifactCommand(script({ runCommand: 'false' }), url))).code, 1);
});

test('it leaves the shell around it as it was', async () => {
  const ran = await run(`${artifactCommand(packed('exit 3\n'), url)}; echo "after $? in $PWD"; type fail`);
  assert.match(ran.stdout, new RegExp(`^after 3 in ${cwd}\n`));
  assert.notEqual(ran.code, 0);
});

test('names, folders and commands are words, never code', async () => {
  const canary = path.join(home, 'pwned');
  const evil = [
    `$(touch '${canary}')`,
    `\`touch '${canary}'\``,
    `'; touch '${canary}'; '`,
    `" ; touch "${canary}`,
    `a\ntouch '${canary}'\n`,
    `it's "quoted" \\ $HOME * ? ; & | < > #!`,
    '-rf',
    ' leading and trailing ',
  ];
  for (const value of evil) {
    const flat = value.replaceAll('/', '_');
    const tarred = await run(
      artifactCommand(
        { ...packed('echo ok; cat data\n', flat, { path: `${flat}/data`, body: 'd\n' }), name: value },
        url,
      ),
    );
    assert.deepEqual(tarred, { code: 0, stdout: 'ok\nd\n', stderr: '' }, value);

    const destination = path.join(home, 'evil', flat);
    const scripted = await run(artifactCommand(script({ name: flat, destination, runCommand: 'ls -A' }), url));
    assert.deepEqual(scripted, { code: 0, stdout: `${flat}\n`, stderr: '' }, value);
    assert.ok(statSync(path.join(destination, flat)).isFile());
  }
  assert.ok(!existsSync(canary));
  assert.equal((await run(`printf %s ${shellQuote(evil.join('|'))}`)).stdout, evil.join('|'));
});

test('destinations: relative to the current folder, below the home folder, with a leading dash', async () => {
  await run(artifactCommand(script({ destination: 'here/now' }), url));
  assert.ok(existsSync(path.join(cwd, 'here/now/x.sh')));
  await run(artifactCommand(script({ destination: '-p' }), url), { env: { CDPATH: '/' } });
  assert.ok(existsSync(path.join(cwd, '-p/x.sh')));
  await run(artifactCommand(script({ destination: '~/at home' }), url));
  assert.ok(existsSync(path.join(home, 'at home/x.sh')));
  assert.equal((await run(artifactCommand(script({ destination: '~', runCommand: 'pwd' }), url))).stdout, `${home}\n`);
  assert.match((await run(artifactCommand(script({ runCommand: '-x' }), url))).stderr, /-x.*not found/);
});

test('a script replaces the one before it, and never a folder', async () => {
  const destination = path.join(home, 'again');
  mkdirSync(destination);
  writeFileSync(path.join(destination, 'x.sh'), 'old');
  assert.equal((await run(artifactCommand(script({ destination }), url))).code, 5);
  assert.match(readFileSync(path.join(destination, 'x.sh'), 'utf8'), /ran/);
  rmSync(path.join(destination, 'x.sh'));
  mkdirSync(path.join(destination, 'x.sh'));
  const ran = await run(artifactCommand(script({ destination }), url));
  assert.match(ran.stderr, /x\.sh is a folder/);
  assert.deepEqual(readdirSync(destination), ['x.sh'], 'nothing is left behind');
  writeFileSync(path.join(home, 'a file'), '');
  assert.match(
    (await run(artifactCommand(script({ destination: path.join(home, 'a file') }), url))).stderr,
    /Cannot use the folder/,
  );
});

for (const tool of fetchers)
  test(`with only ${tool}: nothing runs when the download fails or the bytes are others`, async () => {
    const tools = pathOf(tool, 'sha256sum');
    for (const artifact of [
      packed('echo ran\n'),
      script({ destination: path.join(home, 'failed'), runCommand: 'echo ran' }),
    ]) {
      const command = artifactCommand(artifact, url);
      served = undefined;
      const refused = await run(command, { tools });
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, new RegExp(`Cannot download ${artifact.name} from http://127\\.0\\.0\\.1:`));
      assert.doesNotMatch(refused.stderr, /token/);
      served = gzipSync(tar({ path: 'update.sh', body: 'echo other\n' }));
      const changed = await run(command, { tools });
      assert.deepEqual([changed.code, changed.stdout], [1, '']);
      assert.match(changed.stderr, /arrived changed/);
    }
    assert.deepEqual(readdirSync(temporary), []);
    assert.deepEqual(readdirSync(path.join(home, 'failed')), []);
  });

test('without curl and wget it says so, unless the agent offers a program of its own', async () => {
  const tools = pathOf('sha256sum');
  const none = await run(artifactCommand(packed('echo ran\n'), url), { tools });
  assert.deepEqual(none, { code: 1, stdout: '', stderr: 'This device has neither curl nor wget.\n' });
  const helper = path.join(home, 'fetch');
  const file = path.join(home, 'bytes');
  const artifact = packed('echo ran\n');
  writeFileSync(file, served ?? '');
  writeFileSync(helper, `#!/bin/sh\ncat ${shellQuote(file)} >"$2"\n`, { mode: 0o755 });
  const ran = await run(artifactCommand(artifact, url), { tools, env: { MUSTER_FETCH: helper } });
  assert.deepEqual(ran, { code: 0, stdout: 'ran\n', stderr: '' });
});

test('what was unpacked is removed even if it is not writable, or the command is ended from outside', async () => {
  const stubborn = packed(
    'echo hi\n',
    '',
    { path: 'ro/', type: '5', mode: 0o555 },
    { path: 'ro/f', body: 'x', mode: 0o444 },
  );
  assert.equal((await run(artifactCommand(stubborn, url))).code, 0);
  assert.deepEqual(readdirSync(temporary), []);

  const ended = await run(artifactCommand(packed('kill -TERM "$PPID"\n'), url));
  assert.equal(ended.code, 143);
  assert.deepEqual(readdirSync(temporary), []);
});

test('a folder that cannot be executed from does not stop a plain script', async () => {
  const shim = path.join(home, 'no-chmod');
  mkdirSync(shim);
  writeFileSync(path.join(shim, 'chmod'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const ran = await run(artifactCommand(packed('echo by sh\n'), url), { tools: `${shim}:${usual}` });
  assert.deepEqual(ran, { code: 0, stdout: 'by sh\n', stderr: '' });
});
