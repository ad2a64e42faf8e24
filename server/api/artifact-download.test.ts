// Downloads of a Command from servers that refuse, break off and come back, with each shell and each download program
// of this machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { artifactCommand } from '../jobs/artifact-command.ts';
import { CommandTest, FETCHERS, SHELLS, where } from '../test-command.ts';

const at = new CommandTest();
after(() => at.remove());

let url = '';
/** The requested ranges, one for each request. */
let asked: (string | undefined)[] = [];
let answer: (response: ServerResponse, from: number, request: IncomingMessage) => void;
const server = createServer((request, response) => {
  asked.push(request.headers.range);
  answer(response, Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0), request);
});
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/download/a1?expires=9&token=t`;
});
after(() => server.close());
beforeEach(() => {
  at.clear();
  asked = [];
});

/** The artifact from this byte on, cut off after `most` bytes. */
function send(response: ServerResponse, from: number, most = Infinity): void {
  const bytes = at.served ?? Buffer.alloc(0);
  if (from >= bytes.length) return void response.writeHead(416).end();
  response.writeHead(from > 0 ? 206 : 200, {
    'Content-Length': bytes.length - from,
    ...(from > 0 && { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
  if (bytes.length - from <= most) response.end(bytes.subarray(from));
  else response.write(bytes.subarray(from, from + most), () => setTimeout(() => response.destroy(), 20));
}

/** A PATH with one download program and a `sleep` that only records the pauses between tries. */
function pathWith(tool: string): { tools: string; pauses: string } {
  const folder = at.pathOf(tool === 'busybox' ? '' : tool, 'sha256sum');
  const pauses = path.join(folder, 'pauses');
  const front = path.join(folder, 'front');
  mkdirSync(front);
  // What ends a wget that takes too long prints nothing, and really sleeps.
  const isWatch = `[ "$(${where('readlink')} /proc/$$/fd/1)" = /dev/null ]`;
  const note = `echo "$1" >>'${pauses.replaceAll("'", `'\\''`)}'`;
  writeFileSync(path.join(front, 'sleep'), `#!/bin/sh\n${isWatch} && exec ${where('sleep')} "$1"\n${note}\n`, {
    mode: 0o755,
  });
  if (tool === 'busybox')
    writeFileSync(path.join(front, 'wget'), `#!/bin/sh\nexec ${where('busybox')} wget "$@"\n`, { mode: 0o755 });
  return { tools: `${front}:${folder}`, pauses };
}
const fetchers = where('busybox') === undefined ? FETCHERS : [...FETCHERS, 'busybox'];
/** 200 kB that cannot be compressed, and an update.sh. */
const large = () =>
  at.packed('echo ran\n', '', {
    path: 'noise',
    body: Uint8Array.from({ length: 200_000 }, () => Math.floor(Math.random() * 256)),
  });

for (const tool of fetchers) {
  for (const shell of SHELLS)
    test(`${tool} in ${shell.join(' ')}: a download that is cut off goes on where it stopped`, async () => {
      const { tools } = pathWith(tool);
      const command = artifactCommand(large(), url);
      answer = (response, from) => send(response, from, 60_000);
      assert.deepEqual(await at.run(command, { tools, shell }), { code: 0, stdout: 'ran\n', stderr: '' });
      const partial = asked.filter((range) => range !== undefined && range !== 'bytes=0-');
      assert.ok(partial.length >= 3, `asked for ${asked.join(', ')}`);
    });

  test(`${tool}: a service that is away, busy or cannot send parts is asked again`, async () => {
    const { tools } = pathWith(tool);
    const command = artifactCommand(large(), url);
    answer = (response) => {
      if (asked.length === 1) response.destroy();
      else if (asked.length === 2) response.writeHead(503).end();
      else if (asked.length === 3) response.writeHead(429).end();
      else send(response, 0, asked.length === 4 ? 60_000 : Infinity);
    };
    assert.deepEqual(await at.run(command, { tools }), { code: 0, stdout: 'ran\n', stderr: '' });
  });

  test(`${tool}: an answer that is final ends it at once, with what to do`, async () => {
    const { tools, pauses } = pathWith(tool);
    const command = artifactCommand(large(), url);
    for (const [status, says] of [
      [403, /answered 403\. The link in this Command has expired.*deploy again/],
      [404, /answered 404\. The artifact was deleted: upload it again/],
      [451, /answered 451/],
    ] as const) {
      asked = [];
      answer = (response) => response.writeHead(status).end();
      const ran = await at.run(command, { tools });
      assert.deepEqual([ran.code, ran.stdout, asked.length], [1, '', 1]);
      assert.match(ran.stderr, says);
    }
    assert.ok(!existsSync(pauses));
  });
}

for (const tool of fetchers)
  test(`${tool}: it is given up after a number of tries, with growing pauses, and never shows the token`, async () => {
    const { tools, pauses } = pathWith(tool);
    const command = artifactCommand(large(), url);
    answer = (response) => response.destroy();
    const ran = await at.run(command, { tools });
    assert.deepEqual([ran.code, ran.stdout], [1, '']);
    assert.match(ran.stderr, /Cannot download app\.tar\.gz from http:[^ ]+: it did not answer in 12 tries\. Check/);
    assert.doesNotMatch(ran.stderr, /token/);
    const slept = execFileSync('cat', [pauses], { encoding: 'utf8' }).trim().split('\n').map(Number);
    assert.equal(slept.length, 11);
    assert.ok((slept[0] ?? 9) <= 2 && slept.slice(-5).every((pause) => pause >= 30 && pause <= 60));
    assert.deepEqual(readdirSync(at.temporary), []);
  });

test('a full disk is called that, at once: while fetching, unpacking, and putting a script in place', async (context) => {
  const small = (size: string, command: string) => {
    // A separate disk, where this machine allows it.
    const mount = `mount -t tmpfs -o size=${size} none "$TMPDIR" && exec sh -c "$COMMAND"`;
    return at.run(`exec unshare -rm sh -c '${mount}'`, { env: { COMMAND: command } });
  };
  if ((await small('1m', 'exit 0')).code !== 0) return context.skip('a small disk cannot be mounted here');
  answer = (response, from) => send(response, from);
  const full = /Disk full on the device: no space (for|to unpack) (app\.tar\.gz|x\.sh) in /;
  for (const tool of FETCHERS) {
    asked = [];
    const { tools } = pathWith(tool);
    const command = `PATH='${tools.replaceAll("'", `'\\''`)}'; ${artifactCommand(large(), url)}`;
    const fetching = await small('100k', command);
    assert.deepEqual([fetching.code, fetching.stdout, asked.length], [1, '', 1]);
    assert.match(fetching.stderr, full);
  }
  const unpacking = await small('300k', artifactCommand(large(), url));
  assert.equal(unpacking.code, 1);
  assert.match(unpacking.stderr, full);
  const destination = path.join(at.temporary, 'to');
  const script = at.source(Buffer.alloc(200_000, '#'), {
    name: 'x.sh',
    isScript: true,
    destination,
    runCommand: 'true',
  });
  const placing = await small('300k', artifactCommand(script, url));
  assert.equal(placing.code, 1);
  assert.match(placing.stderr, full);
});
