// Uploads whose sender leaves: they end, and leave no file behind.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { emptyArriving, receiveFile } from '../store/artifact-files.ts';
import type { ArtifactFiles } from '../store/artifact-files.ts';
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
const rules = { most: 100_000, fields: [], giveUp: new AbortController().signal };
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
