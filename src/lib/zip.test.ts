// ZIP files as other programs read them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 as nodeCrc } from 'node:zlib';
import { test } from 'node:test';
import { crc32 } from './crc32.ts';
import { ZipWriter } from './zip-write.ts';

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
