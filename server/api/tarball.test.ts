// Which tar.gz uploads are accepted. The archives are built here, and by the system's own tar.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { HOSTILE_ARCHIVES, SEVERAL_MEMBERS } from '#/contract/hostile-archives.ts';
import { gzip, pax, tar } from '#/contract/test-tar.ts';
import type { TestEntry } from '#/contract/test-tar.ts';
import { Problem } from '../http/problem.ts';
import { checkTarball } from './tarball.ts';

const home = mkdtempSync(path.join(tmpdir(), 'muster-tarball-'));
after(() => rmSync(home, { recursive: true, force: true }));

const file = path.join(home, 'upload');
const check = async (bytes: Uint8Array) => {
  writeFileSync(file, bytes);
  return (await checkTarball(file)).folder;
};
const tarball = (...entries: (TestEntry | Uint8Array)[]) => gzip(tar(...entries));
const update: TestEntry = { path: 'update.sh', body: 'echo hi\n', mode: 0o755 };

async function refusalOf(bytes: Uint8Array): Promise<string> {
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
  assert.equal(await check(await tarball(update)), '');
  assert.equal(await check(await tarball({ path: './', type: '5' }, { ...update, path: './update.sh' })), '');
  assert.equal(await check(await tarball({ ...update, path: 'my app_1.0/update.sh' })), 'my app_1.0');
  assert.equal(
    await check(await tarball({ path: './übung', type: '5' }, { ...update, path: './übung//update.sh' })),
    'übung',
  );
  assert.equal(await check(await tarball({ path: 'README', body: 'x' }, { ...update, path: 'app/update.sh' })), 'app');
  assert.equal(await check(await tarball(update, { ...update, path: 'app/update.sh' })), '', 'the root comes first');
});

for (const { name, says, bytes } of HOSTILE_ARCHIVES)
  test(`refused: ${name}`, async () => {
    assert.match(await refusalOf(await bytes()), says);
  });

for (const { name, bytes } of SEVERAL_MEMBERS)
  test(`accepted: ${name}`, async () => assert.equal(await check(await bytes()), ''));

test('links that stay inside are fine', async () => {
  const link = (from: string, target: string): TestEntry => ({ path: from, type: '2', target });
  await check(
    await tarball(update, link('current', 'releases/7'), link('a/b/up', '../../update.sh'), link('a/self', './x')),
  );
  await check(await tarball(update, { path: 'copy', type: '1', target: './update.sh' }));
});

test("git's comment is no fault", async () => {
  await check(await tarball(pax({ comment: 'abc123' }, 'g'), update));
});

test('a file that is no tar.gz is refused as such', async () => {
  assert.match(await refusalOf(Buffer.from('#!/bin/sh\necho hi\n')), /not a tar\.gz/);
  assert.match(await refusalOf(Buffer.from([0x1f])), /not a tar\.gz/);
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
    assert.equal((await checkTarball(file)).folder, top, format);
    execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', source, '.']);
    assert.equal((await checkTarball(file)).folder, '', format);
  }
});
