// What is said about archives that would, and would not, work on a device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArchive } from './archive-check.ts';
import { inChunks, tar } from './test-tar.ts';
import type { TestEntry } from './test-tar.ts';

const SCRIPT = '#!/bin/sh\necho done\n';
const update: TestEntry = { path: 'update.sh', mode: 0o755, body: SCRIPT };

async function said(level: string, ...entries: TestEntry[]) {
  const findings = await checkArchive(inChunks(tar(...entries)), (bytes) => `${bytes} bytes`);
  return findings.filter((finding) => finding.level === level).map(({ text }) => text);
}
const errors = (...entries: TestEntry[]) => said('error', ...entries);
const warnings = (...entries: TestEntry[]) => said('warning', ...entries);

test('update.sh at the root or in the one top folder', async () => {
  assert.deepEqual(await said('ok', update), [
    'One file, 2048 bytes unpacked',
    'update.sh is at the root',
    'update.sh runs with /bin/sh',
  ]);
  const folder = [
    { path: './app_1.0/', type: '5' },
    { ...update, path: './app_1.0/update.sh' },
  ];
  assert.deepEqual(await errors(...folder), []);
  assert.ok((await said('ok', ...folder)).includes('update.sh is in app_1.0/'));
  // One at the root wins over those in folders, as on the device.
  assert.deepEqual(await errors(update, { ...update, path: 'a/update.sh' }, { ...update, path: 'b/update.sh' }), []);
});

test('no update.sh that a device would find', async () => {
  assert.match((await errors({ path: 'install.sh' }))[0] ?? '', /There is no update\.sh in the archive$/);
  assert.match((await errors({ path: 'Update.SH' }))[0] ?? '', /only Update\.SH/);
  assert.match((await errors({ ...update, path: 'a/b/update.sh' }))[0] ?? '', /too deep, at a\/b\/update\.sh/);
  assert.match(
    (await errors({ ...update, path: 'a/update.sh' }, { ...update, path: 'b/update.sh' }))[0] ?? '',
    /Several folders/,
  );
  assert.match((await errors({ path: 'update.sh/', type: '5' }))[0] ?? '', /no update\.sh/);
  assert.equal((await errors()).length, 1);
});

test('an update.sh that would not run as meant is a warning, with the mend', async () => {
  assert.deepEqual(await warnings({ ...update, mode: 0o644 }), ['update.sh is not executable']);
  assert.match((await warnings({ ...update, body: 'echo done\n' }))[0] ?? '', /no interpreter line/);
  assert.match((await warnings({ ...update, body: '#!/bin/sh\r\necho\r\n' }))[0] ?? '', /Windows line ends/);
  assert.match((await warnings({ ...update, body: '' }))[0] ?? '', /empty/);
  assert.match((await warnings(update, { path: '._update.sh' }))[0] ?? '', /hidden files of macOS/);
});

test('what reaches outside the archive is refused', async () => {
  for (const path of ['../x', '/etc/passwd', 'a/../../x', 'a/..'])
    assert.match((await errors(update, { path }))[0] ?? '', /outside the archive/, path);
  for (const target of ['/etc/passwd', '../x', 'a/../../../x', ''])
    assert.match((await errors(update, { path: 'link', type: '2', target }))[0] ?? '', /leads out/, target);
  assert.deepEqual(await errors(update, { path: 'a/link', type: '2', target: '../update.sh' }), []);
  assert.match((await errors(update, { path: 'hard', type: '1', target: '/etc/passwd' }))[0] ?? '', /hard link/);
  assert.deepEqual(await errors(update, { path: 'hard', type: '1', target: 'update.sh' }), []);
});

test('an entry through a link is refused, before or after it', async () => {
  const link = { path: 'bin', type: '2', target: '.' };
  const through = { path: 'bin/tool' };
  for (const entries of [
    [link, through],
    [through, link],
  ])
    assert.match((await errors(update, ...entries))[0] ?? '', /unpacked through bin/);
});

test('devices, setuid programs and doubles are refused', async () => {
  assert.match((await errors(update, { path: 'dev', type: '3' }))[0] ?? '', /special file/);
  assert.match((await errors(update, { path: 'fifo', type: '6' }))[0] ?? '', /special file/);
  assert.match((await errors(update, { path: 'su', mode: 0o4755 }))[0] ?? '', /setuid/);
  assert.match((await errors(update, { path: 'a' }, { path: 'a', type: '2', target: 'update.sh' }))[0] ?? '', /twice/);
  assert.deepEqual(await errors(update, update), []);
});

test('many faults are counted, not listed', async () => {
  const found = await errors(update, ...Array.from({ length: 30 }, (_, index) => ({ path: `../${index}` })));
  assert.equal(found.length, 6);
  assert.equal(found[5], '25 more entries with such faults');
});

test('a fault in the middle is told with what was found before it', async () => {
  const archive = tar({ path: '/etc/x' }, { ...update, body: 'x'.repeat(3000) });
  const findings = await checkArchive(inChunks(archive.subarray(0, 2000)), String);
  assert.deepEqual(
    findings.map(({ text }) => text.replace(/:.*/, '')),
    ["/etc/x would be unpacked outside the archive's own folder", 'The archive ends in the middle of an entry'],
  );
});

test('a command that is suggested holds names only as quoted words', async () => {
  const findings = await checkArchive(inChunks(tar(update, { path: "x; rm -rf '~'", mode: 0o4755 })), String);
  assert.ok(findings.some(({ mend }) => mend?.includes(String.raw`chmod ug-s 'x; rm -rf '\''~'\''', then`)));
});
