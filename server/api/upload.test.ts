// Uploads whose sender leaves: they end, and leave no file behind.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { emptyArriving, receiveFile } from '../store/artifact-files.ts';
import type { ArtifactFiles } from '../store/artifact-files.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { readUpload } from './upload.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'muster-upload-left-'));
emptyArriving(folder);
after(() => rmSync(folder, { recursive: true }));
const arriving = () => readdirSync(path.join(folder, 'artifacts/arriving'));
const files = {
  receive: (bytes, limit) => receiveFile(folder, bytes, limit),
  discard: async ({ file }) => rmSync(file, { force: true }),
} as Pick<ArtifactFiles, 'receive' | 'discard'> as ArtifactFiles;

/** A request that has arrived whole, and of which not all is read yet when its connection closes. */
function arrived(body: string) {
  const stream = new PassThrough();
  stream.on('error', () => {});
  stream.write(body);
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '1000' };
  return { stream, incoming: Object.assign(stream, { headers, complete: true }) as unknown as IncomingMessage };
}
const MB = 1024 * 1024;
const CRLF = Buffer.from('\r\n');
const rules = { accountId: 1, most: 100_000, fields: [], giveUp: new AbortController().signal };
const BODY = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.sh"\r\n\r\nthe beginning';

test('a sender that leaves before its upload is read', async () => {
  const { stream, incoming } = arrived(BODY);
  const admit = async () => {
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
  };
  await assert.rejects(readUpload(incoming, files, { ...rules, admit }), /cut off/);
  assert.deepEqual(arriving(), []);
});

test('a sender that leaves while its upload is read', async () => {
  const { stream, incoming } = arrived(BODY);
  const read = assert.rejects(readUpload(incoming, files, rules), /cut off/);
  await until('the file to be begun', () => arriving().length === 1);
  stream.destroy();
  await read;
  assert.deepEqual(arriving(), []);
});

/** Sends the beginning of an upload, and goes on with nothing until it is answered; the answer. */
async function sendBeginning(service: TestService, length: string, pieces: number): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  const over = once(socket, 'close');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
  socket.on('error', () => {});
  const isChunked = length.includes('chunked');
  const send = (bytes: Buffer) =>
    socket.write(isChunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]) : bytes);
  socket.write(
    `POST /v1/artifact HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`,
  );
  send(Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'));
  for (let sent = 0; sent < pieces; sent += 1) send(Buffer.alloc(MB, 'x'));
  await until('the end of the answer', () => answer.includes('\r\n\r\n'));
  socket.destroy();
  await over;
  return answer;
}

test('an upload over the limit is refused by its length at once, and without a length at the limit', async () => {
  const service = await startTestService();
  try {
    const announced = await sendBeginning(service, `Content-Length: ${150 * MB}`, 0);
    assert.match(announced, /^HTTP\/1\.1 413 /);
    assert.match(announced, /\r\nConnection: close\r\n/i);

    const endless = await sendBeginning(service, 'Transfer-Encoding: chunked', 10);
    assert.match(endless, /^HTTP\/1\.1 413 /);

    // A client that sends before it reads sees why.
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(30 * MB)]), 'large');
    const response = await service.call('POST', '/v1/artifact', form);
    assert.equal(response.status, 413);
    assert.match(await response.text(), /smaller than 10 MB/);
    assert.equal((await service.call('GET', '/v1/artifact')).status, 200);
  } finally {
    await service.end();
  }
});
