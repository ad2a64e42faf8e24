// What may and may not be uploaded as a tar.gz. The archives are made by hand, and by the system's own tar.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Problem } from './problem.ts';
import { checkTarball } from './tarball.ts';
import { paxBody, tarball, tarEntry } from './test-tarball.ts';
import type { TestEntry } from './test-tarball.ts';

const home = mkdtempSync(path.join(tmpdir(), 'muster-tarball-'));
after(() => rmSync(home, { recursive: true, force: true }));

const file = path.join(home, 'upload');
const check = (bytes: Buffer) => {
  writeFileSync(file, bytes);
  return checkTarball(file);
};
const update: TestEntry = { path: 'update.sh', body: 'echo hi\n', mode: 0o755 };

async function refusal(...entries: (TestEntry | Buffer)[]): Promise<string> {
  return refusalOf(tarball(...entries));
}
async function refusalOf(bytes: Buffer): Promise<string> {
  try {
    await check(bytes);
  } catch (cause) {
    assert.ok(cause instanceof Problem, String(cause));
    assert.equal(cause.status, 400);
    assert.equal(cause.errors?.[0]?.field, 'file');
    return cause.detail ?? '';
  }
  throw new Error('the archive was accepted');
}

test('update.sh is found at the root and in one top folder, with and without "./"', async () => {
  assert.equal(await check(tarball(update)), '');
  assert.equal(await check(tarball({ path: './', type: '5' }, { ...update, path: './update.sh' })), '');
  assert.equal(await check(tarball({ ...update, path: 'my app_1.0/update.sh' })), 'my app_1.0');
  assert.equal(
    await check(tarball({ path: './übung', type: '5' }, { ...update, path: './übung//update.sh' })),
    'übung',
  );
  assert.equal(await check(tarball({ path: 'README', body: 'x' }, { ...update, path: 'app/update.sh' })), 'app');
  assert.equal(await check(tarball(update, { ...update, path: 'app/update.sh' })), '', 'the root comes first');
});

test('no update.sh, several, or one that is a folder or too deep is refused', async () => {
  assert.match(await refusal({ path: 'install.sh', body: 'x' }), /no update\.sh/);
  assert.match(await refusal({ path: 'update.sh/', type: '5' }), /no update\.sh/);
  assert.match(await refusal({ ...update, path: 'a/b/update.sh' }), /no update\.sh/);
  assert.match(
    await refusal({ ...update, path: 'a/update.sh' }, { ...update, path: 'b/update.sh' }),
    /several.*a\/update\.sh/,
  );
  assert.match(await refusal(), /no update\.sh/);
});

test('what would be written outside is refused by name', async () => {
  assert.match(await refusal(update, { path: '../evil', body: 'x' }), /"\.\.\/evil", which leads out/);
  assert.match(await refusal(update, { path: 'a/../../evil', body: 'x' }), /leads out/);
  assert.match(await refusal(update, { path: '/etc/passwd', body: 'x' }), /"\/etc\/passwd", an absolute path/);
  assert.match(await refusal(update, { path: 'etc/evil', prefix: '/', body: 'x' }), /absolute/);
  const long = `../${'a'.repeat(150)}`;
  assert.match(
    await refusal(update, { path: '././@LongLink', type: 'L', body: `${long}\0` }, { path: 'short' }),
    /leads out/,
  );
  assert.match(
    await refusal(update, { path: 'pax', type: 'x', body: paxBody({ path: '../evil' }) }, { path: 'short' }),
    /leads out/,
  );
});

test('links that lead out are refused, in every disguise', async () => {
  const link = (from: string, target: string): TestEntry => ({ path: from, type: '2', target });
  assert.match(await refusal(update, link('a', '/etc')), /"a", a link to the absolute path "\/etc"/);
  assert.match(await refusal(update, link('a', '..')), /"a", a link that leads out/);
  assert.match(await refusal(update, link('d/a', '../../x')), /leads out/);
  assert.match(await refusal(update, link('d/up', '..'), link('c', 'd/up/../..')), /"c", a link that leads out/);
  assert.match(await refusal(update, link('d/up', '..'), link('c', 'd/up/..')), /"c", a link that leads out/);
  assert.match(await refusal(update, link('a', '')), /link to nothing/);
  assert.match(await refusal(update, link('a', 'b'), { path: 'a/x', body: 'x' }), /through "a", a symbolic link/);
  assert.match(await refusal(update, { path: 'a/x', body: 'x' }, link('a', 'b')), /through "a"/);
  assert.match(await refusal(update, link('a', 'b'), { path: 'a', body: 'x' }), /"a" twice/);
  assert.match(await refusal(update, link('a', 'b'), link('a', 'c')), /"a" twice/);
  assert.match(await refusal(update, { path: 'h', type: '1', target: '../../etc/passwd' }), /leads out/);
  assert.match(await refusal(update, { path: 'h', type: '1', target: 'missing' }), /hard link to "missing"/);
  assert.match(await refusal(update, link('s', 'b'), { path: 'h', type: '1', target: 's' }), /hard link/);
  const target = `${'x/'.repeat(60)}../..`;
  assert.match(
    await refusal(update, { path: '././@LongLink', type: 'K', body: `${target}\0` }, link('a', 'short')),
    /leads out/,
  );
});

test('links that stay inside are fine', async () => {
  const link = (from: string, target: string): TestEntry => ({ path: from, type: '2', target });
  await check(tarball(update, link('current', 'releases/7'), link('a/b/up', '../../update.sh'), link('a/self', './x')));
  await check(tarball(update, { path: 'copy', type: '1', target: './update.sh' }));
});

test('devices, pipes, odd kinds, setuid programs and sparse files are refused', async () => {
  assert.match(await refusal(update, { path: 'dev/sda', type: '4' }), /"dev\/sda", a device/);
  assert.match(await refusal(update, { path: 'null', type: '3' }), /a device/);
  assert.match(await refusal(update, { path: 'p', type: '6' }), /a device or pipe/);
  assert.match(await refusal(update, { path: 'v', type: 'M' }), /unusual kind/);
  assert.match(await refusal(update, { path: 'su', mode: 0o4755, body: 'x' }), /"su", a program/);
  assert.match(await refusal(update, { path: 'sg', mode: 0o2755, body: 'x' }), /setgid/);
  const sparse = paxBody({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'x' });
  assert.match(await refusal(update, { path: 'pax', type: 'x', body: sparse }, { path: 'x' }), /sparse/);
});

test('where readers of tar disagree, the archive is refused', async () => {
  const hidden = tarEntry({ path: '../evil', body: 'x' });
  assert.match(await refusal(update, Buffer.alloc(512), hidden), /damaged/);
  assert.match(await refusal(update, { path: 'l', type: '2', target: 'x', body: 'contents' }), /damaged/);
  assert.match(await refusal(update, { path: 'd/', type: '5', body: 'contents' }), /damaged/);
  const name = { path: 'L', type: 'L', body: 'one\0' };
  assert.match(await refusal(update, name, { ...name, body: 'two\0' }, { path: 'x' }), /damaged/);
  assert.match(
    await refusal(update, name, { path: 'p', type: 'x', body: paxBody({ path: 'two' }) }, { path: 'x' }),
    /damaged/,
  );
  assert.match(
    await refusal(update, { path: 'g', type: 'g', body: paxBody({ path: '../evil' }) }, { path: 'x' }),
    /damaged/,
  );
  await check(tarball({ path: 'g', type: 'g', body: paxBody({ comment: 'abc123' }) }, update));
});

test('what is no tar.gz, damaged or cut off is refused', async () => {
  assert.match(await refusalOf(Buffer.from('#!/bin/sh\necho hi\n')), /not a tar\.gz/);
  assert.match(await refusalOf(Buffer.from([0x1f])), /not a tar\.gz/);
  const good = tarball(update, { path: 'data', body: Buffer.alloc(4000, 7) });
  assert.match(await refusalOf(good.subarray(0, good.length - 12)), /damaged or cut off/);
  const flipped = Buffer.from(good);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 6) ^ 0xff, flipped.length - 6);
  assert.match(await refusalOf(flipped), /damaged or cut off/);
  const tar = gunzipSync(good);
  assert.match(await refusalOf(gzipSync(tar.subarray(0, 3000))), /cut off/);
  tar[520] = 0xff;
  tar[1100] = 0xff;
  assert.match(await refusalOf(gzipSync(tar)), /damaged/);
  assert.match(await refusalOf(gzipSync('just text, compressed'.repeat(100))), /damaged|cut off/);
  assert.match(await refusal(update, { path: 'p', type: 'x', body: '99 path=x\n' }, { path: 'x' }), /damaged/);
});

test('an archive that would fill a device is refused before it is unpacked', async () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const blocks = Array.from({ length: 9 }, (_, index) => tarEntry({ path: `zeros${index}`, body: zeros }));
  assert.match(
    await refusalOf(gzipSync(Buffer.concat([tarEntry(update), ...blocks]), { level: 1 })),
    /more than 512 MiB/,
  );
  const many = Buffer.concat(Array.from({ length: 50_001 }, () => tarEntry({ path: 'same', body: '' })));
  assert.match(await refusal(many), /more than 50,000 entries/);
});

test('what the system tar packs is read, in each of its formats', async () => {
  const top = `release-${'n'.repeat(90)}`;
  const source = path.join(home, 'source', top);
  const deep = path.join(source, 'd'.repeat(120), 'ü'.repeat(60));
  mkdirSync(deep, { recursive: true });
  writeFileSync(path.join(source, 'update.sh'), 'echo hi\n', { mode: 0o755 });
  writeFileSync(path.join(deep, 'data'), 'x'.repeat(3000));
  symlinkSync(`${'d'.repeat(120)}/${'ü'.repeat(60)}/data`, path.join(source, 'latest'));
  for (const format of ['gnu', 'pax']) {
    execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', path.dirname(source), top]);
    assert.equal(await checkTarball(file), top, format);
    execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', source, '.']);
    assert.equal(await checkTarball(file), '', format);
  }
});
