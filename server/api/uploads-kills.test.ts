// Resumable uploads over crashes of the service, and at several nodes with an S3 store.
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Artifact } from '#/contract/artifacts.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestS3 } from '../store/test-s3.ts';
import type { TestS3 } from '../store/test-s3.ts';
import { onPostgres } from '../store/test-database.ts';
import { engineOfTests, killableService } from '../test-killable.ts';
import type { KillableService } from '../test-killable.ts';
import { tusClient } from '../test-tus.ts';

const MB = 1024 * 1024;
const SCRIPT = { filename: 'x.sh', version: '1', type: 'script', destination: '/tmp', command: './x.sh' };
const TOKEN = 'test-token-of-a-killable-service';

let folder: string;
let service: KillableService;
let s3: TestS3;
let engine: Awaited<ReturnType<typeof engineOfTests>>;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-uploads-'));
  engine = await engineOfTests();
  s3 = await startTestS3();
  service = await killableService(folder, { ...engine.env, ...s3.env, ARTIFACT_MAX_MB: '64' });
});
after(async () => {
  await service.stop();
  await s3.end();
  await engine.drop();
  rmSync(folder, { recursive: true, force: true });
});
const tus = () => tusClient(service.url, TOKEN);
const sha256Of = async (id: string | undefined) =>
  ((await (await service.call('GET', `/v1/artifact/${id}`)).json()) as Artifact & { Sha256: string }).Sha256;

test('killed while bytes arrive, it goes on behind the last piece', async () => {
  const bytes = randomBytes(30 * MB);
  const at = await tus().begin(bytes.length, SCRIPT);
  tus().hang(at, 0, bytes.length, bytes.subarray(0, 20 * MB));
  await until('two pieces to be stored', () => s3.names().filter((name) => name.startsWith('uploads/')).length >= 2);
  await service.kill();
  await service.start();
  const have = await tus().offset(at);
  assert.ok(have >= 8 * MB && have <= 20 * MB, String(have));
  const done = await tus().patch(at, have, bytes.subarray(have));
  assert.equal(done.status, 204, done.text);
  assert.equal(await sha256Of(done.header('muster-artifact')), hash('sha256', bytes));
  await until('the pieces to be removed', () => s3.names().every((name) => !name.startsWith('uploads/')));
  assert.equal(s3.multipart.size, 0);
});

test('killed before the artifact is recorded, it is made when somebody asks', async () => {
  const bytes = randomBytes(MB);
  await service.stop();
  const killed = await service.start('UPDATE uploads SET artifact_id');
  const at = await tus().begin(bytes.length, SCRIPT);
  await assert.rejects(tus().patch(at, 0, bytes));
  await killed.ended;
  await service.start();
  const id = (await tus().ask('HEAD', at)).header('muster-artifact');
  assert.equal(await sha256Of(id), hash('sha256', bytes));
  assert.equal((await tus().ask('HEAD', at)).header('muster-artifact'), id);
});

// Two nodes need a database that both can use.
if (onPostgres)
  test('an upload that one node began goes on at another, and of two requests at once only one counts', async () => {
    const other = await killableService(folder, { ...engine.env, ...s3.env, ARTIFACT_MAX_MB: '64' });
    try {
      const bytes = randomBytes(20 * MB);
      const at = await tus().begin(bytes.length, SCRIPT);
      assert.equal((await tus().patch(at, 0, bytes.subarray(0, 3 * MB))).status, 204);
      const there = tusClient(other.url, TOKEN);
      assert.equal(await there.offset(at), 3 * MB);
      const both = await Promise.all(
        [tus(), there].map((node) => node.patch(at, 3 * MB, bytes.subarray(3 * MB, 10 * MB))),
      );
      assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([204, 409]));
      const done = await there.patch(at, 10 * MB, bytes.subarray(10 * MB));
      const id = done.header('muster-artifact');
      assert.equal(await sha256Of(id), hash('sha256', bytes));
      assert.equal((await tus().ask('HEAD', at)).header('muster-artifact'), id);
    } finally {
      await other.stop();
    }
  });
