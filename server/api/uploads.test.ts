// Resumable uploads by tus: in pieces, cut and continued, refused, given up, and whose they are.
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Artifact } from '#/contract/artifacts.ts';
import { HOSTILE_ARCHIVES } from '#/contract/hostile-archives.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { tar } from '#/contract/test-tar.ts';
import { bodyMemory } from '../http/body-memory.ts';
import { addAccount } from '../store/accounts.ts';
import { addPieces, noteStored } from '../store/uploads.ts';
import type { StoredUpload } from '../store/uploads.ts';
import { until } from '../../scripts/test-process.ts';
import { createToken } from '../store/tokens.ts';
import { metadata, tusClient } from '../test-tus.ts';
import type { TusAnswer, TusClient } from '../test-tus.ts';
import { OPEN_BODY_BYTES } from './upload.ts';
import { startTestService, type TestService } from '../test-service.ts';

const MB = 1024 * 1024;
let service: TestService;
let tus: TusClient;
const open = async (dataDir?: string) => {
  service = await startTestService({ ARTIFACT_MAX_MB: '64', ARTIFACT_QUOTA_MB: '100' }, dataDir);
  tus = tusClient(service.url, service.token ?? '');
};
before(() => open());
after(() => service.end());

const SCRIPT = { filename: 'x.sh', version: '1', type: 'script', destination: '/tmp', command: './x.sh' };
const ARCHIVE = { filename: 'app.tar.gz', version: '1.2', type: 'tar.gz' };
const digest = (bytes: Uint8Array) => hash('sha256', bytes);
const artifact = async (id: string | undefined) =>
  (await (await service.call('GET', `/v1/artifact/${id}`)).json()) as Artifact;
const remove = (id: string | undefined) => service.call('DELETE', `/v1/artifact/${id}`);
const used = async () =>
  ((await (await service.call('GET', '/v1/account')).json()) as Record<string, number>)['ArtifactBytesUsed'];
const problem = ({ status, text }: TusAnswer, expected: number) => {
  assert.equal(status, expected, text);
  return JSON.parse(text) as ProblemBody;
};
/** The folders of uploads whose bytes are stored. */
const heldUploads = () => {
  if (service.s3) return service.stored().filter((name) => name.startsWith('uploads/'));
  const folder = path.join(service.dataDir, 'artifacts/uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
};
/** The bytes that are being received. */
const arriving = () => {
  const folder = path.join(service.dataDir, 'artifacts/arriving');
  return readdirSync(folder).map((name) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
};
const storedUpload = async (at: string) => {
  const upload = await service.context.db.get<StoredUpload>(
    `SELECT seq, id, account_id AS "accountId", metadata, length, received, pieces, artifact_id AS "artifactId"
     FROM uploads WHERE id = ?`,
    at.split('/').at(-1) ?? '',
  );
  assert.ok(upload);
  return upload;
};
const nothingHeld = () => until('the bytes of uploads to be removed', () => heldUploads().length === 0);

test('an archive in three requests becomes an artifact, which the last answer and each HEAD name', async () => {
  const bytes = gzipSync(
    tar({ path: 'app/update.sh', body: 'echo hi\n' }, { path: 'app/data', body: randomBytes(9 * MB) }),
  );
  const at = await tus.begin(bytes.length, ARCHIVE);
  assert.match(at, /^\/v1\/uploads\/[a-z0-9]+$/);
  const begun = await tus.ask('HEAD', at);
  assert.deepEqual(
    ['upload-offset', 'upload-length', 'upload-metadata', 'cache-control', 'tus-resumable'].map((name) =>
      begun.header(name),
    ),
    ['0', String(bytes.length), metadata(ARCHIVE), 'no-store', '1.0.0'],
  );
  const cuts = [0, 100, 4 * MB, bytes.length];
  let last: TusAnswer | undefined;
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    last = await tus.patch(at, from, bytes.subarray(from, cuts[index + 1]));
    assert.deepEqual([last.status, last.header('upload-offset')], [204, String(cuts[index + 1])]);
  }
  const id = last?.header('muster-artifact');
  const { Name, Version, Size, SizeBytes, Sha256, IsScript } = await artifact(id);
  assert.deepEqual(
    { Name, Version, Size, SizeBytes, Sha256, IsScript },
    {
      Name: 'app.tar.gz',
      Version: '1.2',
      Size: bytes.length,
      SizeBytes: bytes.length,
      Sha256: digest(bytes),
      IsScript: false,
    },
  );
  assert.equal((await tus.ask('HEAD', at)).header('muster-artifact'), id);
  // The same last request again, whose answer was lost.
  assert.equal((await tus.patch(at, bytes.length, Buffer.alloc(0))).header('muster-artifact'), id);
  assert.equal(await used(), bytes.length);
  await nothingHeld();
  await remove(id);
});

test('what arrived before the connection broke is kept, and a request that hangs gives way', async () => {
  const bytes = randomBytes(9 * MB);
  const at = await tus.begin(bytes.length, SCRIPT);
  tus.hang(at, 0, bytes.length, bytes.subarray(0, MB)).cut();
  // Each look interrupts the request before it, which stores what it has: nothing, if the look overtook its bytes.
  const have = await until('some bytes to be stored', async () => {
    const hanging = tus.hang(at, 0, bytes.length, bytes.subarray(0, 3 * MB));
    await hanging.sent;
    const stored = await tus.offset(at);
    hanging.cut();
    return stored || undefined;
  });
  const { status, text } = await tus.patch(at, have + 1, bytes.subarray(have + 1));
  assert.match(problem({ status, text, header: () => '' }, 409).detail ?? '', new RegExp(`It has ${have} bytes`));
  problem(await tus.patch(at, have - 1, bytes.subarray(have - 1)), 409);
  const done = await tus.patch(at, have, bytes.subarray(have));
  assert.equal((await artifact(done.header('muster-artifact'))).Sha256, digest(bytes));
  await remove(done.header('muster-artifact'));
});

test('bytes with another checksum are not kept, those with the right one are', async () => {
  const bytes = randomBytes(9 * MB);
  const at = await tus.begin(bytes.length, SCRIPT);
  const sum = (algorithm: string, of: Buffer) => `${algorithm} ${hash(algorithm, of, 'base64')}`;
  const wrong = { 'Upload-Checksum': sum('sha256', bytes.subarray(1)) };
  problem(await tus.patch(at, 0, bytes, wrong), 460);
  // Its space is reserved once: no bytes may be left that do not count.
  assert.deepEqual([heldUploads(), arriving()], [[], []]);
  assert.equal(await tus.offset(at), 0);
  problem(await tus.patch(at, 0, bytes, { 'Upload-Checksum': 'crc32 AAAA' }), 400);
  const first = bytes.subarray(0, MB);
  assert.equal((await tus.patch(at, 0, first, { 'Upload-Checksum': sum('sha1', first) })).status, 204);
  const rest = bytes.subarray(MB);
  const done = await tus.patch(at, MB, rest, { 'Upload-Checksum': sum('sha256', rest) });
  assert.equal((await artifact(done.header('muster-artifact'))).Sha256, digest(bytes));
  await remove(done.header('muster-artifact'));
});

test('a file that the checks refuse is answered with the reason, and removed', async () => {
  for (const { name, says, bytes } of HOSTILE_ARCHIVES.filter((one) => !/more (than|entries)/.test(one.name))) {
    const archive = Buffer.from(await bytes());
    const at = await tus.begin(archive.length, ARCHIVE);
    const { errors } = problem(await tus.patch(at, 0, archive), 400);
    assert.match(errors?.[0]?.message ?? '', says, name);
    assert.equal((await tus.ask('HEAD', at)).status, 404);
  }
  assert.equal(await used(), 0);
  await nothingHeld();
  assert.deepEqual(service.stored(), []);
});

test('wrong metadata and sizes are refused before a byte is sent', async () => {
  const fieldsOf = async (fields: Record<string, string>, length = '5') => {
    const answer = await tus.ask('POST', '/v1/uploads', {
      'Upload-Length': length,
      'Upload-Metadata': metadata(fields),
    });
    return problem(answer, 400).errors?.map(({ field }) => field);
  };
  assert.deepEqual(await fieldsOf({}), ['filename']);
  assert.deepEqual(await fieldsOf({ filename: 'x.sh' }), ['version', 'type']);
  assert.deepEqual(await fieldsOf({ ...SCRIPT, destination: 'tmp' }), ['destination']);
  assert.deepEqual(await fieldsOf({ ...SCRIPT, command: 'a\0b' }), ['command']);
  assert.deepEqual(await fieldsOf({ ...SCRIPT, filename: '..' }), ['filename']);
  assert.deepEqual(await fieldsOf(SCRIPT, '0'), ['Upload-Length']);
  assert.deepEqual(await fieldsOf(SCRIPT, '-1'), ['Upload-Length']);
  const begin = (headers: Record<string, string>) => tus.ask('POST', '/v1/uploads', headers);
  problem(await begin({ 'Upload-Length': '5', 'Upload-Metadata': 'filename not-base64!' }), 400);
  problem(await begin({ 'Upload-Length': '5', 'Upload-Metadata': metadata(SCRIPT), 'Tus-Resumable': '0.2' }), 412);
  const large = await begin({ 'Upload-Length': String(64 * MB), 'Upload-Metadata': metadata(SCRIPT) });
  assert.match(problem(large, 413).detail ?? '', /smaller than 64 MB/);
  const at = await tus.begin(5, SCRIPT);
  problem(await tus.patch(at, 0, Buffer.from('123456')), 413);
  problem(await tus.patch(at, 0, Buffer.from('12'), { 'Content-Type': 'text/plain' }), 415);
  assert.equal(await tus.offset(at), 0);
  assert.equal((await tus.ask('DELETE', at)).status, 204);
});

test('what a request that hangs has sent is on the disk, and not in memory', async () => {
  const each = 7 * MB;
  const bytes = randomBytes(each);
  const hanging = [];
  for (let count = 0; count < 8; count += 1)
    hanging.push(tus.hang(await tus.begin(each + 1, SCRIPT), 0, each + 1, bytes));
  await until('all bytes to be stored', () => arriving().reduce((sum, size) => sum + size, 0) === 8 * each);
  const { db } = service.context;
  const uploads = await db.all<{ id: string }>('SELECT id FROM uploads WHERE expires > 0 AND artifact_id IS NULL');
  for (const { cut } of hanging) cut();
  for (const { id } of uploads) assert.equal((await tus.ask('DELETE', `/v1/uploads/${id}`)).status, 204);
  await nothingHeld();
  assert.deepEqual(arriving(), []);
});

test('of too many uploads at a time, the next of the greediest account comes later', async () => {
  const at = await tus.begin(5, SCRIPT);
  const refused: number[] = [];
  const others = Array.from({ length: 256 }, (_, index) => bodyMemory.open(1, () => refused.push(index)));
  for (const other of others) other.grow(OPEN_BODY_BYTES);
  const later = await tus.patch(at, 0, Buffer.from('12345'));
  assert.match(problem(later, 503).detail ?? '', /Ask for its offset/);
  assert.equal(later.header('retry-after'), '5');
  const form = new FormData();
  for (const [name, value] of Object.entries({
    version: '1',
    type: 'script',
    size: '5',
    destination: '/tmp',
    command: 'a',
  }))
    form.set(name, value);
  form.set('file', new Blob(['12345']), 'x.sh');
  const formLater = await service.call('POST', '/v1/artifact', form);
  assert.deepEqual([formLater.status, formLater.headers.get('retry-after')], [503, '5']);
  const large = await service.call('POST', '/v1/bulk', { padding: 'x'.repeat(MB) });
  assert.deepEqual([large.status, large.headers.get('retry-after')], [503, '5']);
  assert.deepEqual(refused, []);
  // Another account goes first.
  const draft = { name: 'Other', email: 'other@example.com', maxDevices: 1, artifactLimit: MB };
  const { secret } = await service.context.db.write(async (tx) =>
    createToken(tx, await addAccount(tx, draft, Date.now()), 'other', Date.now()),
  );
  const other = tusClient(service.url, secret);
  assert.equal((await other.patch(await other.begin(5, SCRIPT), 0, Buffer.from('12345'))).status, 204);
  assert.deepEqual(refused, [255]);
  for (const share of others) share.end();
  const done = await tus.patch(at, await tus.offset(at), Buffer.from('12345'));
  assert.equal(done.status, 204, done.text);
  await remove(done.header('muster-artifact'));
});

test('bytes that another node overtook do not stay', async () => {
  const at = await tus.begin(5 * MB, SCRIPT);
  const hanging = tus.hang(at, 0, 5 * MB, randomBytes(MB));
  await until('its bytes to arrive', () => arriving().includes(MB));
  const { db } = service.context;
  await db.write(async (tx) => addPieces(tx, await storedUpload(at), [{ name: 'one', sizeBytes: 2 }], Date.now()));
  hanging.cut();
  await until('the request to end', () => service.context.traffic.active === 0);
  assert.deepEqual([heldUploads(), arriving()], [[], []]);
  assert.equal(await tus.offset(at), 2);
  assert.equal((await tus.ask('DELETE', at)).status, 204);
});

test('what the service offers of the protocol', async () => {
  const offers = await tus.ask('OPTIONS', '/v1/uploads');
  assert.deepEqual(
    [
      offers.status,
      ...['tus-version', 'tus-extension', 'tus-max-size', 'tus-checksum-algorithm'].map((name) => offers.header(name)),
    ],
    [204, '1.0.0', 'creation,checksum,termination', String(64 * MB - 1), 'sha256,sha1'],
  );
  const refused = await tus.ask('PUT', '/v1/uploads/abc');
  assert.deepEqual([refused.status, refused.header('allow')], [405, 'HEAD, PATCH, DELETE, POST']);
  assert.equal((await tus.ask('GET', '/v1/uploads/abc')).status, 405);
  const at = await tus.begin(3, SCRIPT);
  assert.equal((await tus.ask('POST', at, { 'X-HTTP-Method-Override': 'DELETE' })).status, 204);
  assert.equal((await tus.ask('HEAD', at)).status, 404);
});

test('what the service does not offer of the protocol is refused, with what to do instead', async () => {
  const begin = { 'Upload-Length': '5', 'Upload-Metadata': metadata(SCRIPT) };
  const refused = async (headers: Record<string, string>, body?: Buffer) =>
    problem(await tus.ask('POST', '/v1/uploads', headers, body), 400);
  // tus-js-client sends these with parallelUploads: 2.
  for (const concat of ['partial', 'final;/v1/uploads/a /v1/uploads/b']) {
    const { detail, errors } = await refused({ ...begin, 'Upload-Concat': concat });
    assert.match(detail ?? '', /parallelUploads: 1/);
    assert.deepEqual(errors, [{ field: 'Upload-Concat', message: 'is not supported here' }]);
  }
  const { 'Upload-Length': _, ...rest } = begin;
  assert.match((await refused({ ...rest, 'Upload-Defer-Length': '1' })).detail ?? '', /uploadLengthDeferred: false/);
  const octets = { 'Content-Type': 'application/offset+octet-stream' };
  const early = await refused({ ...begin, ...octets }, Buffer.from('12345'));
  assert.match(early.detail ?? '', /uploadDataDuringCreation: false/);
  assert.equal(await used(), 0);
});

test('unfinished uploads take their space, until they are ended', async () => {
  const first = await tus.begin(60 * MB, SCRIPT);
  assert.equal(await used(), 60 * MB);
  const full = await tus.ask('POST', '/v1/uploads', {
    'Upload-Length': String(60 * MB),
    'Upload-Metadata': metadata(SCRIPT),
  });
  assert.equal(problem(full, 403).title, 'The artifact storage is full');
  assert.equal((await tus.patch(first, 0, randomBytes(MB))).status, 204);
  assert.equal((await tus.ask('DELETE', first)).status, 204);
  assert.equal((await tus.ask('HEAD', first)).status, 404);
  assert.equal(await used(), 0);
  await nothingHeld();
});

test('a begin that is sent again with its key is one upload', async () => {
  const headers = {
    'Upload-Length': String(60 * MB),
    'Upload-Metadata': metadata(SCRIPT),
    'Idempotency-Key': 'one',
  };
  const made = [await tus.ask('POST', '/v1/uploads', headers), await tus.ask('POST', '/v1/uploads', headers)];
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(made[0]?.header('location'), made[1]?.header('location'));
  problem(await tus.ask('POST', '/v1/uploads', { ...headers, 'Upload-Length': '5' }), 409);
  // Once it has ended, the key begins another.
  await tus.ask('DELETE', made[0]?.header('location') ?? '');
  const anew = (await tus.ask('POST', '/v1/uploads', headers)).header('location') ?? '';
  assert.notEqual(anew, made[0]?.header('location'));
  await tus.ask('DELETE', anew);
});

test('nobody else sees an upload', async () => {
  const { secret } = await service.context.db.write((tx) => createToken(tx, 1, 'another', Date.now()));
  const other = tusClient(service.url, secret);
  const at = await tus.begin(3, SCRIPT);
  assert.equal((await other.ask('HEAD', at)).status, 404);
  problem(await other.patch(at, 0, Buffer.from('abc')), 404);
  problem(await other.ask('DELETE', at), 404);
  assert.equal(await tus.offset(at), 0);
  await tus.ask('DELETE', at);
});

test('an upload ends a day after its last bytes', async () => {
  const at = await tus.begin(3, SCRIPT);
  await tus.patch(at, 0, Buffer.from('a'));
  service.clock.offset += 24 * 60 * 60 * 1000 - 60_000;
  assert.equal(await tus.offset(at), 1);
  await tus.patch(at, 1, Buffer.from('b'));
  service.clock.offset += 24 * 60 * 60 * 1000 + 60_000;
  await until('the upload to be gone', async () => (await tus.ask('HEAD', at)).status === 404);
  await nothingHeld();
  assert.equal(await used(), 0);
});

test('a service that stops stores what has arrived, and goes on after its start', async () => {
  const bytes = randomBytes(9 * MB);
  const at = await tus.begin(bytes.length, SCRIPT);
  tus.hang(at, 0, bytes.length, bytes.subarray(0, 2 * MB));
  await until('the request to arrive', () => service.context.traffic.active > 0);
  const { dataDir } = service;
  await service.close();
  await open(dataDir);
  const have = await tus.offset(at);
  const done = await tus.patch(at, have, bytes.subarray(have));
  assert.equal((await artifact(done.header('muster-artifact'))).Sha256, digest(bytes));
});

test('a request of unknown length brings no more bytes than announced', async () => {
  const at = await tus.begin(5, SCRIPT);
  const answer = await fetch(new URL(at, service.url), {
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${service.token}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': '0',
      'Content-Type': 'application/offset+octet-stream',
    },
    body: new Blob(['123456']).stream(),
    duplex: 'half',
  });
  assert.equal(answer.status, 413);
  assert.equal(await tus.offset(at), 0);
  assert.equal((await tus.ask('DELETE', at)).status, 204);
});

test('of two nodes that add to an upload, or make its artifact, one does', async () => {
  const at = await tus.begin(5, SCRIPT);
  const { db } = service.context;
  const upload = await storedUpload(at);
  const add = (name: string) => db.write((tx) => addPieces(tx, upload, [{ name, sizeBytes: 2 }], Date.now()));
  await add('one');
  await assert.rejects(add('two'), /The upload has changed/);
  const note = (id: string) => db.write((tx) => noteStored(tx, upload, id, Date.now()));
  assert.deepEqual([await note('first'), await note('second')], [undefined, 'first']);
  assert.equal((await tus.ask('DELETE', at)).status, 204);
});
