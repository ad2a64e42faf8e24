// Archives that are built: read back by our own reader and by the system's tar, and the same in whatever order they come.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { refuses } from '#/pages/artifacts/inspect/finding.ts';
import { inspect } from '#/pages/artifacts/inspect/inspect-file.ts';
import { packTar, type Source } from './pack-tar.ts';

const MOST = 10_000_000;
const source = (path: string, text = path, runs = false): Source => ({
  path,
  runs,
  content: new Blob([text]),
});
const long = `${'d'.repeat(60)}/${'e'.repeat(60)}/${'f'.repeat(60)}/file`;
const longest = `${'ü'.repeat(90)}/${'n'.repeat(120)}`;
const SOURCES = [
  source('update.sh', '#!/bin/sh\necho done\n', true),
  source('a-b'),
  source('a/x'),
  source('größe 2'),
  source(long),
  source(longest, 'x'.repeat(1000)),
];
const packed = async (sources: Source[]) => {
  const { content } = await packTar('app_1.0', sources, MOST);
  return new Uint8Array((await content?.arrayBuffer()) ?? []);
};

test('the same files give the same bytes, in whatever order they come', async () => {
  const one = await packed(SOURCES);
  const other = await packed(SOURCES.toReversed());
  assert.equal(createHash('sha256').update(one).digest('hex'), createHash('sha256').update(other).digest('hex'));
  assert.deepEqual([...one.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
});

test('our inspector has nothing to say against it', async () => {
  const bytes = await packed(SOURCES);
  const { findings, tree } = await inspect(
    { name: 'a.tar.gz', type: 'tar.gz', size: bytes.length, content: new Blob([bytes]) },
    bytes.length + 1,
  );
  assert.equal(refuses(findings), false);
  assert.ok(findings.some(({ text }) => text === 'update.sh is in app_1.0/'));
  assert.deepEqual(
    tree
      ?.filter(({ kind }) => kind === 'file')
      .map(({ path, mode }) => `${path.slice('app_1.0/'.length)} ${mode}`)
      .sort(),
    SOURCES.map(({ path, runs }) => `${path} ${runs ? 0o755 : 0o644}`).sort(),
  );
});

test("the system's tar reads it as it was meant", async () => {
  const listing = execFileSync('tar', ['-tzvf', '-', '--numeric-owner', '--utc', '--quoting-style=literal'], {
    input: await packed(SOURCES),
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  }).trim();
  const lines = listing.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  assert.ok(lines.every((line) => line.includes(' 0/0 ') && line.includes(' 1980-01-01 00:00 ')));
  assert.ok(lines.includes(`-rwxr-xr-x 0/0 20 1980-01-01 00:00 app_1.0/update.sh`));
  assert.ok(lines.includes(`-rw-r--r-- 0/0 1000 1980-01-01 00:00 app_1.0/${longest}`));
  assert.ok(lines.some((line) => line.endsWith(`app_1.0/${long}`)));
  const names = lines.map((line) => line.split(' 00:00 ')[1] ?? '');
  for (const folder of ['app_1.0/', 'app_1.0/a/']) assert.ok(names.includes(folder));
  assert.ok(names.indexOf('app_1.0/a/') < names.indexOf('app_1.0/a/x'));
});

test('of what gets too large only the size is reported', async () => {
  const random = { ...source('r'), content: new Blob([crypto.getRandomValues(new Uint8Array(60_000))]) };
  const { content, size } = await packTar('a_1', [random], 50_000);
  assert.equal(content, undefined);
  assert.ok(size > 60_000);
});

test('large files are packed whole', async () => {
  const random = randomBytes(40 * 1024 * 1024);
  const { content } = await packTar('a_1', [{ ...source('r'), content: new Blob([random]) }], 2 * random.length);
  const tar = gunzipSync(await (content ?? new Blob()).arrayBuffer());
  // After the headers of the folder and of the file.
  assert.ok(tar.subarray(1024, 1024 + random.length).equals(random));
});

test('a file that can no longer be read is named', async () => {
  const gone = new Blob(['x']);
  gone.stream = () => {
    throw new DOMException('It was removed', 'NotFoundError');
  };
  await assert.rejects(
    packTar('a_1', [{ ...source('dir/gone'), content: gone }], MOST),
    /^Error: dir\/gone cannot be read/,
  );
});
