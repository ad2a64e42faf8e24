// A disk that is full while an artifact arrives: clear words, nothing left behind, and the next upload succeeds.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, mock, test } from 'node:test';
import type { ProblemBody } from '#/contract/problem.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
/** What all open files have in common: no small disk can be mounted where the tests run. */
let files: FileHandle;
before(async () => {
  service = await startTestService();
  const handle = await open(import.meta.filename);
  files = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
after(() => service.end());
afterEach(() => mock.restoreAll());

function upload(): Promise<Response> {
  const form = new FormData();
  // Longer than a page of the database: it takes up room there, too.
  const fields = { size: '1', version: '1', type: 'script', destination: '/', command: 'x'.repeat(4096) };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File(['#!/bin/sh\n', 'x'.repeat(500_000)], 'x.sh'));
  return service.call('POST', '/v1/artifact', form, { 'Idempotency-Key': 'full-disk' });
}
async function isRefused(words: RegExp) {
  const response = await upload();
  const { title, detail } = (await response.json()) as ProblemBody;
  assert.equal(response.status, 503, title);
  assert.match(`${title}. ${detail}`, words);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.deepEqual(readdirSync(path.join(service.dataDir, 'artifacts')), ['arriving']);
  assert.deepEqual(readdirSync(path.join(service.dataDir, 'artifacts/arriving')), []);
  assert.deepEqual(await (await service.call('GET', '/v1/artifact')).json(), []);
}
const noSpace = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
const FULL = /cannot store the file.*Nothing was kept.*free space on the disk/;

test('while its bytes are written', async () => {
  const write = mock.method(files, 'writeFile', noSpace);
  await isRefused(FULL);
  assert.ok(write.mock.callCount() > 0);
});

test('when they are flushed', async () => {
  const sync = mock.method(files, 'sync', noSpace);
  await isRefused(FULL);
  assert.ok(sync.mock.callCount() > 0);
});

test('when it is noted in the database', async () => {
  const { db } = service.context;
  const { page_count: pages } = db.get<{ page_count: number }>('PRAGMA page_count') ?? { page_count: 0 };
  db.get(`PRAGMA max_page_count = ${pages}`);
  // What is free inside the file goes first.
  for (let room = true; room;)
    room = await db
      .write((tx) => tx.run('INSERT INTO settings VALUES (hex(randomblob(8)), hex(zeroblob(100)))'))
      .then(
        () => true,
        () => false,
      );
  await isRefused(/disk of the service is full.*Nothing was changed/);
  db.get('PRAGMA max_page_count = 1000000');
});

test('and once there is room again, the same order succeeds', async () => {
  assert.equal((await upload()).status, 200);
  assert.equal(readdirSync(path.join(service.dataDir, 'artifacts')).length, 2);
});
