// Commands are really run, by the system's own sh, with curl alone and with wget alone, in an almost empty PATH.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tar } from '#/contract/test-tar.ts';
import { artifactCommand, shellQuote } from './artifact-command.ts';
import { CommandTest, FETCHERS, SHELLS } from '../test-command.ts';

const at = new CommandTest();
const { home, temporary, cwd } = at;
const { packed, script, run, pathOf } = {
  packed: at.packed.bind(at),
  script: at.script.bind(at),
  run: at.run.bind(at),
  pathOf: at.pathOf.bind(at),
};
const usual = process.env['PATH'] ?? '';
after(() => at.remove());
beforeEach(() => at.clear());

let url = '';
const server = createServer((_request, response) => {
  response.writeHead(at.served ? 200 : 403).end(at.served ?? 'refused');
});
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/download/a1?expires=9&token=t`;
});
after(() => server.close());

test('the machine has something to fetch with', () => assert.notDeepEqual(FETCHERS, []));

for (const tool of FETCHERS)
  test(`with only ${tool}: a tar.gz is unpacked, run inside its folder, and removed`, async () => {
    const artifact = packed('cat data; cat "$PWD/data"; exit 7\n', 'my app', { path: 'my app/data', body: 'inside\n' });
    for (const checker of ['sha256sum', 'openssl']) {
      const ran = await run(artifactCommand(artifact, url), { tools: pathOf(tool, checker) });
      assert.deepEqual(ran, { code: 7, stdout: 'inside\ninside\n', stderr: '' });
      assert.deepEqual(readdirSync(temporary), []);
    }
  });

for (const tool of FETCHERS)
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

for (const tool of FETCHERS)
  test(`with only ${tool}: nothing runs when the download fails or the bytes are others`, async () => {
    const tools = pathOf(tool, 'sha256sum');
    for (const artifact of [
      packed('echo ran\n'),
      script({ destination: path.join(home, 'failed'), runCommand: 'echo ran' }),
    ]) {
      const command = artifactCommand(artifact, url);
      at.served = undefined;
      const refused = await run(command, { tools });
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, new RegExp(`Cannot download ${artifact.name} from http://127\\.0\\.0\\.1:`));
      assert.doesNotMatch(refused.stderr, /token/);
      at.served = gzipSync(tar({ path: 'update.sh', body: 'echo other\n' }));
      const changed = await run(command, { tools });
      assert.deepEqual([changed.code, changed.stdout], [1, '']);
      assert.match(changed.stderr, /arrived changed/);
    }
    assert.deepEqual(readdirSync(temporary), []);
    assert.deepEqual(readdirSync(path.join(home, 'failed')), []);
  });

for (const shell of SHELLS)
  test(`in ${shell.join(' ')}: without a program that computes a hash nothing runs`, async () => {
    const tools = pathOf('curl', 'wget');
    for (const make of [() => packed('echo ran\n'), () => script({ runCommand: 'echo ran' })]) {
      const ran = await run(artifactCommand(make(), url), { tools, shell });
      // Some builds of BusyBox have their own sha256sum, whatever the PATH says.
      if (shell[0] === 'busybox' && ran.code === 0) continue;
      assert.deepEqual([ran.code, ran.stdout], [1, '']);
      assert.match(ran.stderr, /no program that computes a SHA-256 .*cannot be checked\. Nothing was run/);
    }
    assert.deepEqual(readdirSync(temporary), []);
  });

test('where the agent offers a program that checks, it decides, and what it says is shown', async () => {
  const tools = pathOf('curl', 'wget');
  const check = path.join(home, 'check');
  writeFileSync(check, 'echo "$1 $2 $4" >&2; cat "$3" >/dev/null && exit "$CODE"\n');
  for (const make of [() => packed('echo ran\n'), () => script({ runCommand: 'echo ran' })]) {
    const artifact = make();
    const env = { MUSTER_CHECK: check, CODE: '0' };
    const asked = `${artifact.sha256} ${artifact.isScript ? 'script' : 'tar.gz'} ${artifact.name}\n`;
    const command = artifactCommand(artifact, url);
    assert.deepEqual(await run(command, { tools, env }), { code: 0, stdout: 'ran\n', stderr: asked });
    const refused = await run(command, { tools, env: { ...env, CODE: '1' } });
    assert.deepEqual(refused, { code: 1, stdout: '', stderr: `${asked}Nothing was run.\n` });
  }
});

test('without curl and wget it says so, unless the agent offers a program of its own', async () => {
  const tools = pathOf('sha256sum');
  const none = await run(artifactCommand(packed('echo ran\n'), url), { tools });
  assert.deepEqual(none, { code: 1, stdout: '', stderr: 'This device has neither curl nor wget.\n' });
  const helper = path.join(home, 'fetch');
  const file = path.join(home, 'bytes');
  const artifact = packed('echo ran\n');
  writeFileSync(file, at.served ?? '');
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

test('without room for the artifact and what is unpacked from it, nothing is downloaded', async () => {
  const artifact = { ...packed('echo ran\n'), sizeBytes: 3_000, unpackedBytes: 5_000 };
  const tools = pathOf(...FETCHERS, 'sha256sum');
  const withDf = (output: string) => {
    writeFileSync(path.join(tools, 'df'), `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`, { mode: 0o755 });
    return run(artifactCommand(artifact, url), { tools });
  };
  const head = 'Filesystem 1024-blocks Used Available Capacity Mounted on';
  const full = await withDf(`${head}\n/dev/sda1 1000 993 7 99% /`);
  assert.equal(full.code, 1);
  assert.match(
    full.stderr,
    /^Disk full on the device: no space for app\.tar\.gz in \/.*\. It needs 8 kB, and 7 kB are free\.\n$/,
  );
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal((await withDf(`${head}\n/dev/sda1 1000 992 8 99% /`)).stdout, 'ran\n');
  // Where df prints something else, the download tells.
  for (const output of ['', `${head}\n/dev/my disk 1000 993 7 99% /`])
    assert.equal((await withDf(output)).stdout, 'ran\n');
});
