// The ZIP as a stream: no more is read than the client takes, and nothing goes on without it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
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
  const zip = zipStream(files, NOW);
  assert.equal(await idle(asked), 0);
  await zip.next();
  // A file has 100 to 300 bytes in the ZIP, and a block about 64 kB.
  const first = await idle(asked);
  assert.ok(first < 1_000, `${first} files were read ahead`);
  await zip.next();
  assert.ok((await idle(asked)) > first);
  await zip.return(undefined);
});

test('a client that leaves ends the reading, also in the middle of a file', async () => {
  const { asked, files } = endless();
  const zip = zipStream(files, NOW);
  await zip.next();
  await zip.return(undefined);
  assert.ok(asked.isOver);

  const within = { isOver: false };
  const content = async function* () {
    try {
      for (;;) yield randomBytes(5_000);
    } finally {
      within.isOver = true;
    }
  };
  const large = zipStream(
    (async function* () {
      yield { name: 'large', content: content() };
    })(),
    NOW,
  );
  await large.next();
  assert.ok(!within.isOver);
  await large.return(undefined);
  assert.ok(within.isOver);
});

test('others have their turn while a client takes everything at once', async () => {
  const { files } = endless();
  const zip = zipStream(files, NOW);
  let isOver = false;
  setTimeout(() => (isOver = true), 1);
  for await (const _ of zip) if (isOver) break;
});

test('a file that cannot be read ends the ZIP with its error', async () => {
  for (const begin of ['short', 'x'.repeat(100_000)]) {
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

/** What Python finds in a ZIP after so many other bytes; undefined without Python. */
function readByPython(t: TestContext, zip: Buffer, script: string, before = 0): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-zip-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'a.zip');
  const at = openSync(file, 'w');
  writeSync(at, zip, 0, zip.length, before);
  closeSync(at);
  const { error, stdout, stderr } = spawnSync(
    'python3',
    ['-c', `import zipfile; z = zipfile.ZipFile("a.zip"); ${script}`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (error) {
    t.skip('there is no python3');
    return undefined;
  }
  return stdout.trim() || stderr;
}

async function* filesOf(sizes: readonly number[]): AsyncGenerator<ZipFile> {
  for (const [number, size] of sizes.entries())
    yield { name: `größe/${number}`, content: pieces('ab'.repeat(size / 4), 'c'.repeat(size / 2)) };
}

const LIST = 'print(z.testzip(), [(i.filename, i.file_size) for i in z.infolist()])';
const listOf = (sizes: readonly number[]) =>
  `None [${sizes.map((size, number) => `('größe/${number}', ${size})`).join(', ')}]`;

test('small, large and empty files are all there, in their order', async (t) => {
  const sizes = [12, 0, 20_000, 65_536, 300, 1_000_000];
  const found = readByPython(t, await buffer(zipStream(filesOf(sizes), NOW)), LIST);
  if (found !== undefined) assert.equal(found, listOf(sizes));
});

test('what cannot be compressed comes back as it was, with its time and permissions', async (t) => {
  const bytes = randomBytes(200_000);
  const files = (async function* () {
    yield {
      name: 'a',
      content: (async function* () {
        yield bytes;
      })(),
    };
  })();
  const script =
    'import hashlib; i = z.infolist()[0]; print(hashlib.sha256(z.read("a")).hexdigest(), i.date_time[:5], oct(i.external_attr >> 16))';
  const found = readByPython(t, await buffer(zipStream(files, NOW)), script);
  const time = [NOW.getFullYear(), NOW.getMonth() + 1, NOW.getDate(), NOW.getHours(), NOW.getMinutes()].join(', ');
  if (found !== undefined) assert.equal(found, `${hash('sha256', bytes)} (${time}) 0o100644`);
});

test('more files than a ZIP without ZIP64 can count are all there', async (t) => {
  const many = 65_600;
  const files = (async function* () {
    for (let number = 0; number < many; number++) yield { name: String(number), content: pieces() };
  })();
  const found = readByPython(t, await buffer(zipStream(files, NOW)), 'print(len(z.infolist()), z.namelist()[-1])');
  if (found !== undefined) assert.equal(found, `${many} ${many - 1}`);
});

test('files beyond 4 GB are found', async (t) => {
  const before = 5_000_000_000;
  const sizes = [12, 100_000];
  const found = readByPython(t, await buffer(zipStream(filesOf(sizes), NOW, before)), LIST, before);
  if (found !== undefined) assert.equal(found, listOf(sizes));
});
