// ZIP files as other programs read them, and as ours reads anything that claims to be one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 as nodeCrc } from 'node:zlib';
import { test } from 'node:test';
import { crc32 } from './crc32.ts';
import { ZipError, readZipEntries, readZipText } from './zip-read.ts';
import { ZipWriter } from './zip-write.ts';

const MB = 1024 * 1024;

async function zipOf(files: Record<string, string>): Promise<Blob> {
  const zip = new ZipWriter(new Date(2026, 10, 21, 18, 38, 4));
  for (const [name, text] of Object.entries(files)) await zip.add(name, text);
  return zip.finish();
}

test('the checksum is that of zlib, in one go or in pieces', () => {
  const bytes = new TextEncoder().encode('grüße, 123456789');
  assert.equal(crc32(bytes), nodeCrc(bytes));
  assert.equal(crc32(bytes.subarray(5), crc32(bytes.subarray(0, 5))), nodeCrc(bytes));
});

test('what was written is read again, in any script and of any length', async () => {
  const files = {
    'a/job.json': '{"a":1}',
    'a/größe – 测试.txt': 'x\n'.repeat(MB),
    'a/empty.txt': '',
    'a/pieces.txt': 'onetwo',
  };
  const writer = new ZipWriter();
  for (const [name, text] of Object.entries(files).slice(0, 3)) await writer.add(name, text);
  await writer.add(
    'a/pieces.txt',
    (async function* () {
      yield 'one';
      yield 'two';
    })(),
  );
  const zip = writer.finish();
  assert.ok(zip.size < MB / 10, 'it is compressed');
  const entries = await readZipEntries(zip);
  assert.deepEqual(
    entries.map(({ name }) => name),
    Object.keys(files),
  );
  for (const entry of entries)
    assert.equal(await readZipText(zip, entry, 3 * MB), files[entry.name as keyof typeof files]);
});

test('other programs take it', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-zip-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'a.zip');
  writeFileSync(
    file,
    Buffer.from(await (await zipOf({ 'jobs/1/log.txt': 'hello\n', 'jobs/1/ä.txt': 'ö' })).arrayBuffer()),
  );
  const python = spawnSync('python3', ['-m', 'zipfile', '-e', file, folder]);
  const unzip = python.error || python.status !== 0 ? spawnSync('unzip', ['-q', file, '-d', folder]) : python;
  if (unzip.error) return t.skip('neither python3 nor unzip is here');
  assert.equal(unzip.status, 0, String(unzip.stderr));
  assert.equal(readFileSync(path.join(folder, 'jobs/1/log.txt'), 'utf8'), 'hello\n');
  assert.equal(readFileSync(path.join(folder, 'jobs/1/ä.txt'), 'utf8'), 'ö');
});

test('more entries than the plain records can count', async () => {
  const zip = new ZipWriter();
  const count = 65_600;
  for (let each = 0; each < count; each++) await zip.add(`${each}.txt`, '');
  const entries = await readZipEntries(zip.finish());
  assert.equal(entries.length, count);
  assert.equal(entries.at(-1)?.name, `${count - 1}.txt`);
});

test('what is no ZIP, or a damaged one, is refused with a word', async () => {
  const refuses = (file: Blob) => assert.rejects(readZipEntries(file), ZipError);
  await refuses(new Blob([]));
  await refuses(new Blob(['{"no": "zip"}']));
  const zip = new Uint8Array(await (await zipOf({ 'a.txt': 'hello hello hello hello' })).arrayBuffer());
  await refuses(new Blob([zip.slice(40)]));
  const changed = zip.slice();
  changed[36] = (changed[36] ?? 0) ^ 0xff;
  const [entry] = await readZipEntries(new Blob([changed]));
  assert.ok(entry);
  await assert.rejects(readZipText(new Blob([changed]), entry, MB), ZipError);
});

test('an entry that grows beyond what it says, or beyond the limit, is refused', async () => {
  const zip = await zipOf({ 'bomb.json': '0'.repeat(10 * MB) });
  const [entry] = await readZipEntries(zip);
  assert.ok(entry);
  await assert.rejects(readZipText(zip, entry, MB), /larger than/);
  await assert.rejects(readZipText(zip, { ...entry, size: 100 }, MB), /damaged/);
});
