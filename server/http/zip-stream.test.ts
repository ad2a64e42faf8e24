// The ZIP as a stream: no more is read than the client takes, and nothing goes on without it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { zipStream } from './zip-stream.ts';
import type { ZipFile } from './zip-stream.ts';

const NOW = new Date('2026-11-23T10:00:00Z');

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

/** Files of 10 kB without an end, and what was asked of them. */
function endless() {
  const asked = { files: 0, isOver: false };
  const files = async function* (): AsyncGenerator<ZipFile> {
    try {
      for (;;) yield { name: `file-${++asked.files}`, content: pieces('x'.repeat(1_000), 'y'.repeat(9_000)) };
    } finally {
      asked.isOver = true;
    }
  };
  return { asked, files: files() };
}

/** Waits until nothing is asked for any more. */
async function idle(asked: { files: number }): Promise<number> {
  for (let before = -1; before !== asked.files;) {
    before = asked.files;
    for (let turns = 0; turns < 200; turns++) await turn();
  }
  return asked.files;
}

test('files are read as far as the client has taken the ZIP', async () => {
  const { asked, files } = endless();
  const stream = zipStream(files, NOW);
  // Compressed, one has about 100 bytes; the stream itself holds two times 64 kB at most.
  const first = await idle(asked);
  assert.ok(first < 2_000, `${first} files were read ahead`);
  for (let taken = 0; taken < 100_000;) {
    const piece = stream.read() as Buffer | null;
    if (piece) taken += piece.length;
    else await turn();
  }
  assert.ok((await idle(asked)) > first);
  stream.destroy();
});

test('a client that leaves ends the reading, also in the middle of a file', async () => {
  const { asked, files } = endless();
  const stream = zipStream(files, NOW).on('error', () => {});
  await idle(asked);
  stream.destroy();
  await until('the end of the files', () => asked.isOver);

  const within = { isOver: false };
  const content = async function* () {
    try {
      for (;;) yield Buffer.alloc(5_000, String(Math.random()));
    } finally {
      within.isOver = true;
    }
  };
  const large = zipStream(
    (async function* () {
      yield { name: 'large', content: content() };
    })(),
    NOW,
  ).on('error', () => {});
  for (let taken = 0; taken === 0; await turn()) taken += (large.read() as Buffer | null)?.length ?? 0;
  large.destroy();
  await until('the end of the file', () => within.isOver);
});

test('a file that cannot be read ends the ZIP with its error', async () => {
  for (const begin of ['short', 'x'.repeat(10_000)]) {
    const content = async function* () {
      yield Buffer.from(begin);
      throw new Error('unreadable');
    };
    const files = (async function* () {
      yield { name: 'a', content: content() };
    })();
    await assert.rejects(buffer(zipStream(files, NOW)), /unreadable/);
  }
});

test('small, large and empty files are all there, in their order', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-zip-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const sizes = [12, 0, 20_000, 4_096, 300, 100_000];
  const files = (async function* () {
    for (const [number, size] of sizes.entries())
      yield { name: `größe/${number}`, content: pieces('ab'.repeat(size / 4), 'c'.repeat(size / 2)) };
  })();
  writeFileSync(path.join(folder, 'a.zip'), await buffer(zipStream(files, NOW)));
  const script =
    'import zipfile; z = zipfile.ZipFile("a.zip"); print(z.testzip(), [(i.filename, i.file_size) for i in z.infolist()])';
  const read = spawnSync('python3', ['-c', script], { cwd: folder, encoding: 'utf8' });
  if (read.error) return t.skip('there is no python3');
  const names = sizes.map((size, number) => `('größe/${number}', ${size})`);
  assert.equal(read.stdout.trim(), `None [${names.join(', ')}]`, read.stderr);
});
