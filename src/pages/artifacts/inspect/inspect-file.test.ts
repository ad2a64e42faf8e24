// A chosen file, from its bytes to the findings about it.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { gzip, tar } from '#/contract/test-tar.ts';
import { refuses } from './finding.ts';
import { inspect, readChosen } from './inspect-file.ts';
import type { ArtifactType } from './guess.ts';

const archive = await gzip(tar({ path: 'update.sh', mode: 0o755, body: '#!/bin/sh\n' }));
const chosen = (name: string, bytes: Uint8Array<ArrayBuffer> | string) => readChosen(new File([bytes], name));

async function findings(name: string, bytes: Uint8Array<ArrayBuffer> | string, type?: ArtifactType) {
  const file = await chosen(name, bytes);
  return (await inspect({ ...file, type: type ?? file.type }, ARTIFACT_BYTES_LIMIT)).findings;
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
  assert.equal(
    await texts('a.py', '#!/usr/bin/env python3\n'),
    'a.py runs with /usr/bin/env python3\n23 bytes, under the limit of 10 MB',
  );
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

test('a tar.gz as a script is reported, not refused', async () => {
  const found = await findings('a.tar.gz', archive, 'script');
  assert.match(found[0]?.text ?? '', /not unpacked/);
  assert.equal(refuses(found), false);
});

test('what is found besides: the tree, how update.sh begins, SHA-256', async () => {
  const { tree, script, sha256 } = await inspect(await chosen('a.tgz', archive), ARTIFACT_BYTES_LIMIT);
  assert.deepEqual(
    tree?.map(({ path }) => path),
    ['update.sh'],
  );
  assert.deepEqual(script, { name: 'update.sh', text: '#!/bin/sh\n', cut: false });
  assert.equal(sha256, createHash('sha256').update(archive).digest('hex'));
  const long = await inspect(await chosen('a.sh', `#!/bin/sh\n${'# more\n'.repeat(5000)}`), ARTIFACT_BYTES_LIMIT);
  assert.deepEqual([long.script?.text.length, long.script?.cut], [8192, true]);
});

test('a file that cannot be read says so', async () => {
  const broken = {
    name: 'folder',
    size: 4096,
    arrayBuffer: () => Promise.reject(new Error('NotFoundError')),
  } as unknown as File;
  await assert.rejects(readChosen(broken), /folder cannot be read/);
});

test('a file that is too large for memory is inspected in pieces, up to the limit of the account', async () => {
  const large = await gzip(
    tar({ path: 'update.sh', mode: 0o755, body: '#!/bin/sh\n' }, { path: 'data', body: randomBytes(11_000_000) }),
  );
  const file = await chosen('large.tar.gz', large);
  assert.ok(file.size > ARTIFACT_BYTES_LIMIT);
  const { findings: found, sha256, tree } = await inspect(file, 4 * ARTIFACT_BYTES_LIMIT);
  assert.deepEqual(
    found.filter(({ level }) => level !== 'ok'),
    [],
  );
  assert.equal(sha256, createHash('sha256').update(large).digest('hex'));
  assert.equal(tree?.length, 2);
  assert.match((await inspect(file, ARTIFACT_BYTES_LIMIT)).findings[0]?.text ?? '', /must be smaller than 10 MB/);
});
