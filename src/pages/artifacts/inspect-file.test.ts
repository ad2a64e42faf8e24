// A chosen file, from its bytes to what is said about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { refuses } from './finding.ts';
import { inspect, readChosen, sha256Of } from './inspect-file.ts';
import type { ArtifactType } from './guess.ts';
import { gzip, tar } from './test-tar.ts';

const archive = await gzip(tar({ path: 'update.sh', mode: 0o755, body: '#!/bin/sh\n' }));
const chosen = (name: string, bytes: Uint8Array<ArrayBuffer> | string) => readChosen(new File([bytes], name));

async function findings(name: string, bytes: Uint8Array<ArrayBuffer> | string, type?: ArtifactType) {
  const file = await chosen(name, bytes);
  return inspect(file, type ?? file.type, new AbortController().signal);
}
const texts = async (...file: Parameters<typeof findings>) =>
  (await findings(...file)).map(({ text }) => text).join('\n');

test('a good archive and a good script', async () => {
  assert.equal((await chosen('a.tgz', archive)).type, 'tar.gz');
  assert.deepEqual(
    (await findings('a.tgz', archive)).filter(({ level }) => level !== 'ok'),
    [],
  );
  assert.equal((await chosen('a.sh', '#!/bin/sh\n')).type, 'script');
  assert.equal(await texts('a.sh', '#!/usr/bin/env python3\n'), 'a.sh runs with /usr/bin/env python3');
});

test('sizes: empty, just under the limit, at the limit', async () => {
  assert.match(await texts('a.sh', ''), /is empty/);
  const limit = 10 * 1024 * 1024;
  const zeros = new Uint8Array(limit);
  assert.equal(refuses(await findings('a.bin', zeros.subarray(1))), false);
  assert.match(await texts('a.bin', zeros), /must be smaller than/);
  assert.equal((await chosen('a.bin', zeros)).size, limit);
});

test('not a tar.gz, though it is to be uploaded as one', async () => {
  assert.match(await texts('a.sh', '#!/bin/sh\n', 'tar.gz'), /does not begin as gzip/);
  assert.match(await texts('a.zip', 'PK\u0003\u0004', 'tar.gz'), /is a zip file/);
  assert.match(
    await texts('a.gz', await gzip(new TextEncoder().encode('just text'.repeat(100)))),
    /damaged header|cut off/,
  );
});

test('a tar.gz as a script is told, not refused', async () => {
  const found = await findings('a.tar.gz', archive, 'script');
  assert.match(found[0]?.text ?? '', /nothing unpacks/);
  assert.equal(refuses(found), false);
});

test('damaged compression: cut off, altered, more behind it', async () => {
  assert.match(await texts('a.tgz', archive.slice(0, -4)), /damaged or cut off/);
  assert.match(
    await texts(
      'a.tgz',
      archive.map((byte, at) => (at === archive.length - 6 ? byte ^ 1 : byte)),
    ),
    /damaged or cut off/,
  );
  assert.match(await texts('a.tgz', new Uint8Array([...archive, 1, 2, 3])), /more behind it/);
});

test('a gzip bomb ends at the limit, soon', async () => {
  // A file of 600 MB of zeros: one packed megabyte again and again.
  const options = { finishFlush: constants.Z_FULL_FLUSH };
  const gzipHeader = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
  const tarHeader = deflateRawSync(tar({ path: 'zeros', size: 600 * 1024 * 1024 }).subarray(0, 512), options);
  const megabyte = deflateRawSync(new Uint8Array(1024 * 1024), options);
  const bomb = Buffer.concat([Buffer.from(gzipHeader), tarHeader, ...Array<Buffer>(600).fill(megabyte)]);
  assert.match(await texts('bomb.tar.gz', new Uint8Array(bomb)), /unpacks to more than 512 MB/);
});

test('an inspection can be given up', async () => {
  const file = await chosen('a.tgz', archive);
  await assert.rejects(inspect(file, 'tar.gz', AbortSignal.abort()), { name: 'AbortError' });
});

test('a file that cannot be read says so', async () => {
  const broken = {
    name: 'folder',
    size: 4096,
    arrayBuffer: () => Promise.reject(new Error('NotFoundError')),
  } as unknown as File;
  await assert.rejects(readChosen(broken), /folder cannot be read\. If it is a folder, pack it/);
});

test('SHA-256', async () => {
  assert.equal(
    await sha256Of(new TextEncoder().encode('abc')),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
