// Tar archives of various programs, and malformed ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TarFault, readable, tarEntries, type TarEntry } from './tar-entries.ts';
import { gnuLong, inChunks, pax, tar, tarEntry } from './test-tar.ts';

const MOST = 1024 * 1024;

async function entriesOf(archive: Uint8Array, keep: (path: string) => number = () => 0, maxBytes = MOST, chunk = 700) {
  const entries: TarEntry[] = [];
  for await (const entry of tarEntries(inChunks(archive, chunk), { maxBytes, keep })) entries.push(entry);
  return entries;
}
const pathsOf = async (archive: Uint8Array) => (await entriesOf(archive)).map(({ path }) => path);
const fault = (archive: Uint8Array, message: RegExp, maxBytes?: number) =>
  assert.rejects(
    entriesOf(archive, undefined, maxBytes),
    (error) => error instanceof TarFault && message.test(error.message),
  );

test('kinds, modes, sizes and the requested beginning of a file', async () => {
  const archive = tar(
    { path: 'app/', type: '5', mode: 0o755 },
    { path: 'app/update.sh', mode: 0o755, body: '#!/bin/sh\necho done\n' },
    { path: 'app/data', body: 'x'.repeat(2000) },
    { path: 'app/current', type: '2', target: 'data' },
  );
  const keep = (path: string) => (path.endsWith('.sh') ? 9 : 0);
  for (const chunk of [1, 511, 512, 700, 100_000]) {
    const entries = await entriesOf(archive, keep, MOST, chunk);
    assert.deepEqual(
      entries.map(({ kind, path, target, mode, size, head }) => [
        kind,
        path,
        target,
        mode,
        size,
        new TextDecoder().decode(head),
      ]),
      [
        ['folder', 'app/', '', 0o755, 0, ''],
        ['file', 'app/update.sh', '', 0o755, 20, '#!/bin/sh'],
        ['file', 'app/data', '', 0o644, 2000, ''],
        ['symbolic link', 'app/current', 'data', 0o644, 0, ''],
      ],
    );
  }
});

test('long names: GNU, pax and the prefix of POSIX', async () => {
  const long = `${'folder/'.repeat(30)}update.sh`;
  assert.deepEqual(await pathsOf(tar(gnuLong('L', long), { path: 'cut' }, { path: 'next' })), [long, 'next']);
  assert.deepEqual(await pathsOf(tar(pax({ path: long }), { path: 'cut' }, { path: 'next' })), [long, 'next']);
  assert.deepEqual(await pathsOf(tar({ path: 'update.sh', prefix: 'a/b' })), ['a/b/update.sh']);
  const [link] = await entriesOf(tar(gnuLong('K', long), { path: 'link', type: '2', target: 'cut' }));
  assert.equal(link?.target, long);
});

test('pax: UTF-8 bytes are kept, and its size counts', async () => {
  const [entry] = await entriesOf(
    tar(pax({ path: 'größe', size: '600' }), tarEntry({ path: 'x', body: 'y'.repeat(600), size: 0 })),
  );
  assert.equal(readable(entry?.path ?? ''), 'größe');
  assert.equal(entry?.size, 600);
});

test("git's global comment is accepted; a global header that changes entries is refused", async () => {
  assert.deepEqual(await pathsOf(tar(pax({ comment: 'abc' }, 'g'), { path: 'a' })), ['a']);
  await fault(tar(pax({ path: 'b' }, 'g'), { path: 'a' }), /damaged/);
});

test('the tar of Unix v7 marks a folder by its name; later formats have a type for it', async () => {
  const kinds = async (...entries: Parameters<typeof tar>) =>
    (await entriesOf(tar(...entries))).map(({ kind }) => kind);
  assert.deepEqual(await kinds({ path: 'd/', type: '\0', magic: '' }, { path: 'f', type: '\0', magic: '' }), [
    'folder',
    'file',
  ]);
  assert.deepEqual(await kinds({ path: 'd/', type: '\0' }, { path: 'd/' }, { path: 'd/', type: '5' }), [
    'file',
    'file',
    'folder',
  ]);
});

test('an archive may end without its empty blocks', async () => {
  assert.deepEqual(await pathsOf(tarEntry({ path: 'a', body: 'text' })), ['a']);
});

test('archives that are cut off, damaged or ambiguous are refused', async () => {
  const good = tar({ path: 'a', body: 'x'.repeat(1500) });
  await fault(good.subarray(0, 1000), /cut off/);
  await fault(good.subarray(0, 300), /cut off/);
  await fault(
    good.map((byte, at) => (at === 3 ? 65 : byte)),
    /damaged/,
  );
  await fault(tar(new Uint8Array(512), { path: 'a' }), /damaged/);
  await fault(tar(gnuLong('L', 'a'), gnuLong('L', 'b'), { path: 'c' }), /damaged/);
  await fault(tar(gnuLong('L', 'a'), pax({ path: 'b' }), { path: 'c' }), /damaged/);
  await fault(tar(gnuLong('L', 'a')).subarray(0, 1024), /damaged/);
  await fault(tar({ path: 'link', type: '2', target: 'x', body: 'contents' }), /damaged/);
  await fault(tar(pax({ 'GNU.sparse.major': '1' }), { path: 'a' }), /sparse/);
  await fault(tar({ path: 'x', type: 'x', size: 2_000_000 }), /damaged/);
});

test('reading stops at the size limit', async () => {
  await fault(tar({ path: 'zeros', body: new Uint8Array(40_000) }), /unpacks to more than/, 20_000);
  // Also after the archive's end.
  const padded = new Uint8Array(40_000);
  padded.set(tar({ path: 'a' }));
  await fault(padded, /unpacks to more than/, 20_000);
});

test('names cannot affect the line in which they are shown', () => {
  assert.equal(readable('a\nb\u0007'), 'a‹U+000A›b‹U+0007›');
  assert.equal(readable('x'.repeat(500)).length, 200);
});
