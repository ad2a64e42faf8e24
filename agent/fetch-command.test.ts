// The download program for devices without curl and wget, against servers that break the connection.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { download } from './fetch-command.ts';
import { jobPrograms } from './supervise.ts';
import { testFolder, type TestFolder } from './test-folder.ts';

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256));
let at: TestFolder;
let url = '';
let file = '';
let asked: (string | undefined)[] = [];
let answer: (request: IncomingMessage, response: ServerResponse, from: number) => void;
const server = createServer((request, response) => {
  const { range } = request.headers;
  asked.push(range);
  answer(request, response, Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0));
});
before(async () => {
  at = testFolder();
  file = path.join(at.data, 'file');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/there?a=b&c`;
});
after(() => {
  server.close();
  at.remove();
});
beforeEach(() => {
  asked = [];
});

const noPause = () => Promise.resolve();
/** Sends the requested part, but at most `longest` bytes before the connection is cut. */
const part = (response: ServerResponse, from: number, longest = Infinity, etag = '"one"') => {
  const whole = { ETag: etag, 'Content-Length': BYTES.length - from };
  const range = { 'Content-Range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` };
  response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...whole, ...range } : whole);
  if (BYTES.length - from <= longest) response.end(BYTES.subarray(from));
  else response.write(BYTES.subarray(from, from + longest), () => response.destroy());
};

test('the program downloads a file byte by byte, and fails with a reason', async () => {
  const main = path.join(import.meta.dirname, 'main.ts');
  const { MUSTER_FETCH } = jobPrograms(path.join(at.data, "it's here"), [process.execPath, main]);
  const run = (...args: string[]): Promise<{ code: number; stderr: string }> =>
    new Promise((resolve) => {
      execFile(MUSTER_FETCH, args, (error, _stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stderr }),
      );
    });
  answer = (request, response) =>
    request.url === '/there?a=b&c' ? part(response, 0) : response.writeHead(404).end('no');
  assert.deepEqual(await run(url, file), { code: 0, stderr: '' });
  assert.deepEqual(readFileSync(file), BYTES);
  const missing = await run(new URL('/gone', url).href, path.join(at.data, 'none'));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /answered 404/);
  assert.equal((await run()).code, 1);
});

test('a download that is cut off goes on where it stopped', async () => {
  answer = (_request, response, from) => part(response, from, 100_000);
  await download(url, file, { pause: noPause });
  assert.deepEqual(readFileSync(file), BYTES);
  assert.equal(asked[0], undefined);
  assert.ok(asked.length > 1 && asked.slice(1).every((range) => range !== undefined));
});

test('an answer that trickles without an end is given up, and goes on where it stopped', async () => {
  answer = (_request, response, from) => {
    if (asked.length > 1) return part(response, from);
    response.writeHead(200, { ETag: '"one"', 'Content-Length': BYTES.length });
    let sent = 0;
    const trickle = setInterval(() => response.write(BYTES.subarray(sent, ++sent)), 10);
    response.on('close', () => clearInterval(trickle));
  };
  await download(url, file, { pause: noPause, attemptMs: 200 });
  assert.deepEqual(readFileSync(file), BYTES);
  assert.match(asked[1] ?? '', /^bytes=\d+-$/);
  assert.equal(asked.length, 2);
});

test('where the file became another in between, or cannot be had in parts, it begins anew', async () => {
  let count = 0;
  answer = (request, response, from) => {
    count += 1;
    assert.ok(from === 0 || request.headers['if-range'] === '"one"');
    part(response, 0, count === 1 ? 100_000 : Infinity, count === 1 ? '"one"' : '"two"');
  };
  await download(url, file, { pause: noPause });
  assert.deepEqual(readFileSync(file), BYTES);
});

test('an answer that is final ends it at once; a service that is away or overloaded is asked again with longer pauses', async () => {
  answer = (_request, response) => response.writeHead(403).end();
  await assert.rejects(download(url, file, { pause: noPause }), /answered 403/);
  assert.equal(asked.length, 1);

  const pauses: number[] = [];
  answer = (_request, response, from) => {
    if (asked.length === 2) response.destroy();
    else if (asked.length < 5) response.writeHead(asked.length % 2 ? 503 : 429).end();
    else part(response, from);
  };
  asked = [];
  await download(url, file, { pause: (longest) => Promise.resolve(pauses.push(longest)) });
  assert.deepEqual(readFileSync(file), BYTES);
  assert.deepEqual(pauses, [2000, 4000, 8000, 16_000]);
  asked = [];
  pauses.length = 0;
  answer = (_request, response) => response.destroy();
  await assert.rejects(
    download(url, file, { pause: (longest) => Promise.resolve(pauses.push(longest)) }),
    /tried 12 times/,
  );
  assert.equal(Math.max(...pauses), 30_000);
});

test('a full disk ends it at once and is called that', async (context) => {
  try {
    statSync('/dev/full');
  } catch {
    return context.skip('this system has no /dev/full');
  }
  answer = (_request, response, from) => part(response, from);
  await assert.rejects(download(url, '/dev/full', { pause: noPause }), /Disk full on the device: no space in \/dev/);
  assert.equal(asked.length, 1);
});

test('a file for which the disk has no room is not even begun', async () => {
  answer = (_request, response) => response.writeHead(200, { 'Content-Length': 2 ** 52 }).write('x');
  await assert.rejects(
    download(url, file, { pause: noPause }),
    /^Error: Disk full on the device: no space in .*\. It needs \d+ kB, and \d+ kB are free\.$/,
  );
  assert.deepEqual([asked.length, statSync(file).size], [1, 0]);
});
