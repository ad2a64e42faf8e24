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
import { CommandTest, FETCHERS, SHELLS, where } from '../test-command.ts';

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
  for (const shell of SHELLS)
    for (const runCommand of ['-x', '+x'])
      assert.match((await run(artifactCommand(script({ runCommand }), url), { shell })).stderr, /[-+]x.*not found/);
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

// ---- Clients of other systems --------------------------------------------------------------------------------------

/** Begins a client: counts its attempts in $n. */
const COUNT = 'n=$(($(cat "${0%/*}/count" 2>/dev/null) + 1)); echo "$n" >"${0%/*}/count"';
const NO_VERSION = `[ "$1" != --version ] || exit 1; ${COUNT}`;
const WGET2 = `[ "$1" != --version ] || { echo "GNU Wget2 2.0.1 - multithreaded downloader"; exit; }; ${COUNT}`;

/** A PATH whose only client is this script, which finds the artifact in "$WHOLE". A pause takes no time there. */
function withClient(name: string, lines: string): { tools: string; env: Record<string, string> } {
  const tools = pathOf('sha256sum', 'tail', 'head');
  const whole = path.join(tools, 'whole');
  writeFileSync(whole, at.served ?? '');
  rmSync(path.join(tools, 'sleep'));
  writeFileSync(path.join(tools, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(path.join(tools, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return { tools, env: { WHOLE: whole } };
}
const triesOf = (tools: string) => readFileSync(path.join(tools, 'count'), 'utf8').trim();

test('a wget2, which ends with 0 after most errors, tells 403 and 404 from a server that is gone', async () => {
  for (const [status, why] of [
    ['403 Forbidden', /^Cannot download .* it answered 403\. The link in this Command has expired/],
    ['404 Not Found', /^Cannot download .* it answered 404\. The artifact was deleted/],
    ['401 Unauthorized', /^Cannot download .* it answered 401\. Check that this address/],
  ] as const) {
    const artifact = packed('echo ran\n');
    // As version 1.99.1 prints it, unless it is told to be quiet.
    const said = `case " $* " in *" -nv "* | *" -q "*) ;; *) echo "HTTP ERROR response ${status} [$url]" >&2 ;; esac`;
    const client = withClient('wget', `${WGET2}; for url; do :; done; ${said}`);
    const ran = await run(artifactCommand(artifact, url), client);
    assert.deepEqual([ran.code, ran.stdout, triesOf(client.tools)], [1, '', '1']);
    assert.match(ran.stderr, why);
    assert.doesNotMatch(ran.stderr, /token/);
  }
});

test('a 401, of which GNU wget tells only by its exit code, is not tried again', async () => {
  const artifact = packed('echo ran\n');
  const client = withClient('wget', `${NO_VERSION}; echo "Username/Password Authentication Failed." >&2; exit 6`);
  const ran = await run(artifactCommand(artifact, url), client);
  assert.match(ran.stderr, /it answered 401\. Check that this address/);
  assert.equal(triesOf(client.tools), '1');
});

test('a wget2, which ends with 0 after a response that was cut off, is started again', async () => {
  const artifact = packed('echo ran\n');
  const cut = 'head -c 9 "$WHOLE" >artifact; echo "Just got 9 of 99 bytes" >&2; exit 0';
  const client = withClient('wget', `${WGET2}; [ "$n" -gt 2 ] || { ${cut}; }; cat "$WHOLE" >artifact`);
  assert.deepEqual(await run(artifactCommand(artifact, url), client), { code: 0, stdout: 'ran\n', stderr: '' });
  assert.equal(triesOf(client.tools), '3');
});

test("OpenWrt's wget is asked to say which error it met", async () => {
  const artifact = packed('echo ran\n');
  const said = 'case " $* " in *" -q "*) ;; *) echo "HTTP error 403" >&2 ;; esac; exit 8';
  const client = withClient('wget', `${NO_VERSION}; ${said}`);
  writeFileSync(path.join(client.tools, 'uclient-fetch'), '', { mode: 0o755 });
  const ran = await run(artifactCommand(artifact, url), client);
  assert.match(ran.stderr, /it answered 403/);
  assert.equal(triesOf(client.tools), '1');
});

test('a server without ranges, whose whole answer was put behind the first part, is asked again from the start', async () => {
  for (const name of ['curl', 'wget']) {
    const artifact = packed('echo ran\n');
    const client = withClient(
      name,
      `${NO_VERSION}; case $n in 1) head -c 20 "$WHOLE" >artifact; exit 1 ;; esac; cat "$WHOLE" >>artifact`,
    );
    assert.deepEqual(await run(artifactCommand(artifact, url), client), { code: 0, stdout: 'ran\n', stderr: '' }, name);
    assert.equal(triesOf(client.tools), '3', name);
  }
});

test('a first answer of another size is no artifact, and is not asked for again', async () => {
  const artifact = packed('echo ran\n');
  const client = withClient('wget', `${NO_VERSION}; echo "<p>Welcome to our hotel</p>" >artifact`);
  const ran = await run(artifactCommand(artifact, url), client);
  assert.match(ran.stderr, /arrived changed/);
  assert.equal(triesOf(client.tools), '1');
});

test('a response that trickles without an end is given up, and the next attempt goes on', async () => {
  const artifact = packed('echo ran\n');
  const endless = 'head -c 20 "$WHOLE" >artifact; exec tail -f /dev/null';
  const client = withClient(
    'wget',
    `${NO_VERSION}; [ "$n" -gt 1 ] || { ${endless}; }; tail -c +21 "$WHOLE" >>artifact`,
  );
  assert.deepEqual(await run(artifactCommand(artifact, url), client), { code: 0, stdout: 'ran\n', stderr: '' });
  assert.equal(triesOf(client.tools), '2');
  assert.deepEqual(readdirSync(temporary), []);
});

/** `more` of the Command, which compares sizes, with these two numbers. */
const isMore = async (shell: string[], one: string, other: string) => {
  const [more = ''] = /more\(\) \{.*?\}; \}/.exec(artifactCommand(packed(''), url)) ?? [];
  return (await run(`${more}; if more ${one} ${other}; then echo yes; else echo no; fi`, { shell })).stdout;
};
const compares = async (shell: string[]) => {
  for (const [one, other, expected] of [
    ['1', '0', 'yes'],
    ['8', '8', 'no'],
    ['9', '10', 'no'],
    ['999999999', '1000000000', 'no'],
    ['3000000000', '2000000000', 'yes'],
    ['2000000000', '3000000000', 'no'],
    ['10737418240', '4294967297', 'yes'],
    ['4294967297', '10737418240', 'no'],
    ['8192', '3221225472', 'no'],
    ['3221225472', '8192', 'yes'],
  ] as const)
    assert.equal(await isMore(shell, one, other), `${expected}\n`, `${one} > ${other}`);
};
for (const shell of SHELLS) test(`in ${shell.join(' ')}: sizes of files and disks are compared`, () => compares(shell));
/** mksh counts to 2^31. */
const inMksh = (name: string, check: () => Promise<void>) => {
  if (where('mksh') !== undefined) void test(`in mksh: ${name}`, check);
  else console.log(`Left out, because mksh is not installed ("apt install mksh"): ${name}`);
};
inMksh('sizes of files and disks are compared', () => compares(['mksh']));
inMksh('a disk of 3 TB has room', async () => {
  const tools = pathOf(...FETCHERS, 'sha256sum');
  const output = 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 3221225472 0 3221225472 0% /';
  writeFileSync(path.join(tools, 'df'), `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`, { mode: 0o755 });
  const artifact = { ...packed('echo ran\n'), unpackedBytes: 5_000 };
  // Its printf is a program of its own.
  const ran = await run(artifactCommand(artifact, url), { tools: `${tools}:${usual}`, shell: ['mksh'] });
  assert.deepEqual(ran, { code: 0, stdout: 'ran\n', stderr: '' });
});
