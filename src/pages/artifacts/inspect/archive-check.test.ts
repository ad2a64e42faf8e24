// The findings about archives that would, and would not, work on a device. What must never get there is in a table that
// the service is tested with too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE_ARCHIVES, SEVERAL_MEMBERS } from '#/contract/hostile-archives.ts';
import { inChunks, tar, type TestEntry } from '#/contract/test-tar.ts';
import { checkArchive } from './archive-check.ts';
import { refuses } from './finding.ts';
import { inspect } from './inspect-file.ts';

const SCRIPT = '#!/bin/sh\necho done\n';
const update: TestEntry = { path: 'update.sh', mode: 0o755, body: SCRIPT };

const check = (archive: Uint8Array, packed = archive.length) =>
  checkArchive(inChunks(archive), packed, (bytes) => `${bytes} bytes`);
async function textsOf(level: string, ...entries: TestEntry[]) {
  const { findings } = await check(tar(...entries));
  return findings.filter((finding) => finding.level === level).map(({ text }) => text);
}
const errors = (...entries: TestEntry[]) => textsOf('error', ...entries);
const warnings = (...entries: TestEntry[]) => textsOf('warning', ...entries);

const inspectBytes = (archive: Uint8Array<ArrayBuffer>) =>
  inspect({ name: 'x.tar.gz', type: 'tar.gz', size: archive.length, content: new Blob([archive]) }, archive.length + 1);

for (const { name, says, bytes } of HOSTILE_ARCHIVES)
  test(`refused: ${name}`, async () => {
    const { findings } = await inspectBytes(await bytes());
    assert.ok(refuses(findings));
    assert.match(
      findings
        .filter(({ level }) => level === 'error')
        .map(({ text, fix }) => `${text}. ${fix}`)
        .join('\n'),
      says,
    );
  });

for (const { name, bytes } of SEVERAL_MEMBERS)
  test(`accepted: ${name}`, async () => {
    const { findings, script } = await inspectBytes(await bytes());
    assert.equal(refuses(findings), false);
    assert.equal(script?.text, SCRIPT);
  });

test('update.sh at the root or in the one top folder', async () => {
  assert.deepEqual(await textsOf('ok', update), [
    'One file, 2048 bytes unpacked',
    'update.sh is at the root',
    'update.sh runs with /bin/sh',
  ]);
  const folder = [
    { path: './app_1.0/', type: '5' },
    { ...update, path: './app_1.0//update.sh' },
  ];
  assert.deepEqual(await errors(...folder), []);
  assert.ok((await textsOf('ok', ...folder)).includes('update.sh is in app_1.0/'));
  // One at the root wins over those in folders, as on the device, wherever it is in the archive.
  const bad = { ...update, body: 'echo\r\n' };
  assert.deepEqual(await errors({ ...bad, path: 'a/update.sh' }, update, { ...bad, path: 'b/update.sh' }), []);
});

test('an update.sh that no device could run is refused, with the fix', async () => {
  assert.match((await errors({ ...update, body: '#!/bin/sh\r\necho\r\n' }))[0] ?? '', /Windows line ends/);
  assert.match((await errors({ ...update, body: '\uFEFF#!/bin/sh\n' }))[0] ?? '', /byte order mark/);
  assert.match((await errors({ ...update, body: '' }))[0] ?? '', /empty/);
  assert.match((await errors({ ...update, body: 'a\0b' }))[0] ?? '', /binary data/);
});

test('what may go wrong is a warning', async () => {
  assert.deepEqual(await warnings({ ...update, mode: 0o644 }), ['update.sh is not executable']);
  assert.match((await warnings({ ...update, body: 'echo done\n' }))[0] ?? '', /no interpreter line/);
  assert.match((await warnings(update, { path: '._update.sh' }))[0] ?? '', /macOS metadata files/);
  assert.match((await warnings(update, { path: 'a\u202Eb' }))[0] ?? '', /invisible characters: a‹U\+202E›b$/);
  const zeros = tar(update, { path: 'zeros', body: new Uint8Array(9 * 1024 * 1024) });
  const { findings } = await check(zeros, 9_000);
  assert.ok(findings.some(({ level, text }) => level === 'warning' && /times its size/.test(text)));
});

test('a folder that only root could fill on a device with BusyBox or toybox is a warning', async () => {
  const folder = (path: string, mode: number): TestEntry => ({ path, type: '5', mode });
  const locked = [/^Its owner may not write to the folder a\/ro, which has something in it$/];
  for (const [mode, inside, expected] of [
    [0o555, 'a/ro/file', locked],
    [0o655, 'a/ro/deep/file', locked],
    [0o755, 'a/ro/file', []],
    [0o555, 'a/rover', []],
  ] as const) {
    const found = await warnings(update, folder('a/', 0o755), folder('a/ro/', mode), { path: inside });
    assert.equal(found.length, expected.length, inside);
    for (const [index, text] of expected.entries()) assert.match(found[index] ?? '', text);
  }
  // What comes before its folder is unpacked before that is locked.
  assert.deepEqual(await warnings(update, { path: 'a/ro/file' }, folder('a/ro/', 0o555)), []);
  const { findings } = await check(tar(update, folder('-ro/', 0o555), { path: '-ro/file' }));
  assert.match(
    findings.find(({ level }) => level === 'warning')?.fix ?? '',
    /as root\. Run: chmod u\+wx '?\.\/-ro'?, then/,
  );
});

test('links that stay inside are fine', async () => {
  assert.deepEqual(await errors(update, { path: 'a/link', type: '2', target: '../update.sh' }), []);
  assert.deepEqual(await errors(update, { path: 'hard', type: '1', target: 'update.sh' }), []);
  assert.deepEqual(await errors(update, update), []);
});

test('what is refused counts for nothing', async () => {
  const { findings, update: script } = await check(tar({ ...update, path: '../update.sh' }));
  assert.deepEqual(
    findings.filter(({ level }) => level === 'error').map(({ text }) => text),
    [
      'The archive holds "../update.sh", which leads out of the archive\'s own folder',
      'The archive holds no update.sh',
    ],
  );
  assert.equal(script, undefined);
});

test('many faults are counted, not listed; what is refused is marked in the tree', async () => {
  const archive = tar(update, ...Array.from({ length: 30 }, (_, index) => ({ path: `../${index}` })));
  const { findings, entries } = await check(archive);
  const found = findings.filter(({ level }) => level === 'error');
  assert.equal(found.length, 6);
  assert.equal(found[5]?.text, '25 more entries with this problem');
  assert.equal(entries.filter(({ refused }) => refused).length, 30);
});

test('a fault in the middle is reported with what was found before it', async () => {
  const archive = tar({ path: '/etc/x' }, { ...update, body: 'x'.repeat(3000) });
  const { findings } = await check(archive.subarray(0, 2000));
  assert.deepEqual(
    findings.map(({ text }) => text.replace(/:.*/, '')),
    ['The archive holds "/etc/x", an absolute path', 'The archive ends in the middle of an entry'],
  );
});

test('a command that is suggested holds names only as quoted words', async () => {
  const { findings } = await check(tar({ ...update, path: "x; rm -rf '~'/update.sh", mode: 0o644 }));
  assert.ok(findings.some(({ fix }) => fix?.includes(String.raw`chmod +x 'x; rm -rf '\''~'\''/update.sh', then`)));
});
