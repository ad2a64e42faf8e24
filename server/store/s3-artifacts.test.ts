// Artifacts in an S3 store that breaks off, refuses, loses and damages: each fault becomes a plain sentence, and nothing
// wrong is passed on or left behind.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { ConfigError } from '../config-error.ts';
import { FileUnusable, StoreError, Unavailable } from './errors.ts';
import { readS3Config } from '../s3-config.ts';
import type { ArtifactFiles, KnownFile } from './artifact-files.ts';
import { openS3Artifacts } from './s3-artifacts.ts';
import { startTestS3 } from './test-s3.ts';
import type { TestS3 } from './test-s3.ts';

let s3: TestS3;
let dataDir: string;
let known: KnownFile[];
let deleted: Set<string>;
let opened: ArtifactFiles[];
let logged: string[];
beforeEach(async () => {
  s3 = await startTestS3();
  dataDir = mkdtempSync(path.join(tmpdir(), 'muster-s3-'));
  known = [];
  deleted = new Set();
  opened = [];
  logged = [];
  for (const method of ['error', 'log'] as const)
    mock.method(console, method, (...lines: unknown[]) => void logged.push(lines.join(' ')));
});
afterEach(async () => {
  for (const files of opened) await files.close();
  await s3.end();
  rmSync(dataDir, { recursive: true, force: true });
  mock.restoreAll();
  assert.doesNotMatch(logged.join('\n'), /wJalrXUtnFEMI|Signature=/, 'no secret is logged');
});

const FOLDER = 'fleet/artifacts/';
const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

async function open(
  env: Record<string, string> = {},
  instanceId = 'this-one',
  answer = 10_000,
): Promise<ArtifactFiles> {
  const all: Record<string, string> = { ...s3.env, ...env };
  const config = readS3Config((name) => all[name]);
  assert.ok(config);
  const files = await openS3Artifacts({
    store: config,
    dataDir,
    instanceId,
    records: { all: () => known, wasDeleted: (id) => deleted.has(id) },
    times: { answer, upload: answer, pause: 5, sweep: 30, retry: 30 },
  });
  opened.push(files);
  return files;
}
async function store(files: ArtifactFiles, id: string, bytes = BYTES): Promise<KnownFile> {
  const received = await files.receive(Readable.from([bytes]), 1_000_000);
  await files.store(received, id);
  const artifact = { id, name: `${id}.sh`, version: '1', sizeBytes: bytes.length, sha256: received.sha256 };
  known.push(artifact);
  return artifact;
}
const whole = ({ sizeBytes }: KnownFile) => ({ start: 0, end: sizeBytes - 1 });
async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
const read = async (files: ArtifactFiles, artifact: KnownFile, part = whole(artifact)) =>
  bytesOf(await files.read(artifact, part));
/** The first `times` requests of a kind fail. */
const failing = (method: string, times: number, trouble: ReturnType<TestS3['trouble']>) => {
  let left = times;
  s3.trouble = (request) =>
    request.method === method && request.key.endsWith('a1') && left-- > 0 ? trouble : undefined;
};
const fails = (kind: typeof FileUnusable | typeof Unavailable, says: RegExp) => (cause: unknown) => {
  assert.ok(cause instanceof StoreError && cause instanceof kind, String(cause));
  assert.match(`${cause.message}. ${cause.detail}`, says);
  return true;
};

test('bytes are stored under the prefix, read whole and in parts, and removed', async () => {
  const files = await open();
  const artifact = await store(files, 'a1');
  assert.deepEqual(s3.names(), ['a1']);
  assert.deepEqual(await read(files, artifact), BYTES);
  assert.deepEqual(await read(files, artifact, { start: 10, end: 19 }), BYTES.subarray(10, 20));
  await files.requireUsable(artifact);
  assert.equal(files.faultOf(artifact), undefined);
  assert.deepEqual(readdirSync(path.join(dataDir, 'artifacts/arriving')), []);
  await files.remove('a1');
  assert.deepEqual(s3.names(), []);
  await assert.rejects(files.remove('../a1'), TypeError);
});

test('a bucket without prefix, a session token, another region', async () => {
  s3.sessionToken = 'a/session+token==';
  s3.region = 'eu-central-1';
  const env = {
    ARTIFACT_STORE_URL: 's3://test-bucket',
    AWS_REGION: 'eu-central-1',
    AWS_SESSION_TOKEN: s3.sessionToken,
  };
  const files = await open(env);
  assert.deepEqual(await read(files, await store(files, 'a1')), BYTES);
  assert.ok(s3.objects.has('a1'));
});

for (const trouble of ['reset', 'no answer', { status: 503, code: 'SlowDown' }, { status: 500 }] as const)
  test(`a request that fails in passing is tried again: ${JSON.stringify(trouble)}`, async () => {
    const [times, answer] = trouble === 'no answer' ? [1, 400] : [2, undefined];
    const files = await open({}, 'this-one', answer);
    failing('PUT', times, trouble);
    const artifact = await store(files, 'a1');
    failing('GET', times, trouble);
    assert.deepEqual(await read(files, artifact), BYTES);
    failing('DELETE', times, trouble);
    await files.remove('a1');
    await until('it to be gone', () => s3.names().length === 0);
  });

test('an upload that is not durable is refused, and leaves nothing', async () => {
  const files = await open();
  failing('PUT', 3, 'lost answer');
  await assert.rejects(store(files, 'a1'), fails(Unavailable, /does not answer.*check AWS_ENDPOINT_URL/));
  assert.deepEqual(s3.names(), ['a1'], 'the store has it, but nobody was sure');
  await files.close();
  // A crash: the next start knows that its upload never ended.
  await open();
  await until('the leftover to be deleted', () => s3.names().length === 0);
});

test('a download goes on where it was cut off, and ends if that does not help', async () => {
  const files = await open();
  const artifact = await store(files, 'a1');
  s3.asked = [];
  failing('GET', 2, { cutAfter: 100_000 });
  assert.deepEqual(await read(files, artifact), BYTES);
  assert.equal(s3.asked.filter((each) => each.endsWith('a1')).length, 3);
  failing('GET', 2, { cutAfter: 1_000 });
  assert.deepEqual(await read(files, artifact, { start: 5, end: 100_004 }), BYTES.subarray(5, 100_005));
  failing('GET', 9, { cutAfter: 1_000 });
  await assert.rejects(read(files, artifact), fails(Unavailable, /./));
});

test('other bytes than those of the upload never arrive whole', async () => {
  const files = await open();
  const artifact = await store(files, 'a1');
  failing('GET', 1, 'wrong bytes');
  let arrived = 0;
  await assert.rejects(
    async () => {
      for await (const piece of await files.read(artifact, whole(artifact))) arrived += piece.length;
    },
    fails(FileUnusable, /a1\.sh 1 is damaged/),
  );
  assert.ok(arrived < BYTES.length);
  assert.equal(files.faultOf(artifact), 'Damaged');
  // The object itself was right: the next sweep reads it and notices.
  await until('the artifact to be whole again', () => files.faultOf(artifact) === undefined);
  assert.deepEqual(await read(files, artifact), BYTES);

  const small = await store(files, 'small', Buffer.from('small'));
  s3.objects.set(`${FOLDER}small`, { bytes: Buffer.from('smalL'), written: Date.now() });
  await assert.rejects(files.read(small, whole(small)), fails(FileUnusable, /damaged/), 'before anything is sent');
});

test('a missing or cut object is found by a sweep and by a download, logged once, and forgotten when it is back', async () => {
  const files = await open();
  const [gone, cut] = [await store(files, 'a1'), await store(files, 'a2')];
  s3.objects.delete(`${FOLDER}a1`);
  s3.objects.set(`${FOLDER}a2`, { bytes: BYTES.subarray(1), written: Date.now() });
  await assert.rejects(files.read(gone, whole(gone)), fails(FileUnusable, /a1\.sh 1 is missing/));
  await assert.rejects(files.read(cut, whole(cut)), fails(FileUnusable, /a2\.sh 1 is damaged/));
  await assert.rejects(files.read(cut, { start: 299_999, end: 299_999 }), fails(FileUnusable, /damaged/));
  await assert.rejects(files.requireUsable(gone), fails(FileUnusable, /missing/));
  assert.deepEqual([files.faultOf(gone), files.faultOf(cut)], ['Missing', 'Damaged']);
  assert.equal(logged.filter((line) => line.includes('a1.sh 1 is missing')).length, 1);
  for (const id of ['a1', 'a2']) s3.objects.set(`${FOLDER}${id}`, { bytes: BYTES, written: Date.now() });
  await until('both to be whole', () => !files.faultOf(gone) && !files.faultOf(cut));
  s3.objects.delete(`${FOLDER}a1`);
  await until('the sweep to miss it', () => files.faultOf(gone) === 'Missing');
});

test('a sweep deletes what was deleted, in all pages of the list, and leaves alone what it does not know', async () => {
  s3.pageSize = 2;
  const old = Date.now() - 2 * 3_600_000;
  for (const name of ['d1', 'd2', 'd3', 'unknown1', 'young', 'Other & file', 'deep/er'])
    s3.objects.set(`${FOLDER}${name}`, { bytes: BYTES, written: name === 'young' ? Date.now() : old });
  s3.objects.set('fleet/artifacts2/d1', { bytes: BYTES, written: old });
  deleted = new Set(['d1', 'd2', 'd3']);
  await open();
  await until('three to be deleted', () => !s3.names().some((name) => /^d\d/.test(name)));
  assert.ok(s3.objects.has('fleet/artifacts2/d1'), 'of another prefix');
  for (const name of ['unknown1', 'young', 'Other & file', 'deep/er']) assert.ok(s3.objects.has(`${FOLDER}${name}`));
  await until('the log line', () => logged.some((line) => /1 objects in .* belong to no artifact/.test(line)));
});

test('a deletion that fails is repeated by the sweep', async () => {
  const files = await open();
  await store(files, 'a1');
  failing('DELETE', 4, { status: 503 });
  known = [];
  deleted.add('a1');
  await files.remove('a1');
  await until('the object to be deleted', () => s3.names().length === 0);
});

const WRONG: [name: string, env: Record<string, string>, change: (changed: TestS3) => void, says: RegExp][] = [
  ['key id', { AWS_ACCESS_KEY_ID: 'AKIAOTHER' }, () => {}, /AWS_ACCESS_KEY_ID/],
  ['secret', { AWS_SECRET_ACCESS_KEY: 'other' }, () => {}, /refuses the signature: check AWS_SECRET_ACCESS_KEY/],
  ['bucket', { ARTIFACT_STORE_URL: 's3://other-bucket/a' }, () => {}, /no such bucket: check ARTIFACT_STORE_URL/],
  ['region', {}, (changed) => (changed.region = 'eu-west-1'), /in another region, eu-west-1: check AWS_REGION/],
  [
    'redirect',
    {},
    (changed) =>
      (changed.trouble = () => ({
        status: 301,
        headers: { Location: 'https://x.invalid/', 'x-amz-bucket-region': 'ap-1' },
      })),
    /another region, ap-1/,
  ],
  ['session', {}, (changed) => (changed.sessionToken = 'needed'), /check AWS_SESSION_TOKEN/],
  [
    'permissions',
    {},
    (changed) => (changed.trouble = () => ({ status: 403, code: 'AccessDenied' })),
    /denies access: the access key needs s3:ListBucket/,
  ],
];
for (const [name, env, change, says] of WRONG)
  test(`a wrong setting stops the start and is named: ${name}`, async () => {
    change(s3);
    await assert.rejects(open(env), (cause) => {
      assert.ok(cause instanceof ConfigError, String(cause));
      assert.match(cause.message, says);
      assert.match(cause.message, /^ARTIFACT_STORE_URL is s3:\/\/\S+, but .*[^.]\.$/);
      return true;
    });
  });

test('a prefix of another installation is refused', async () => {
  await open();
  await assert.rejects(open({}, 'another'), /ConfigError: .*holds the artifacts of another Muster/);
  await open();
});

test('a store that does not answer, or whose clock differs, does not stop the start, and is asked again', async () => {
  for (const [away, says, answer] of [
    [() => (s3.trouble = () => 'reset' as const), /does not answer/],
    [() => (s3.trouble = () => 'no answer' as const), /does not answer in time/, 400],
    [() => (s3.trouble = () => ({ status: 503, code: 'SlowDown' })), /overloaded or failing \(503 SlowDown\)/],
    [() => (s3.skewMs = 3_600_000), /the clock of this machine is wrong/],
  ] as const) {
    away();
    const files = await open({}, 'this-one', answer);
    assert.match(files.notes.join('\n'), says);
    assert.match((await files.problem()) ?? '', says);
    await assert.rejects(store(files, 'a1'), fails(Unavailable, says));
    s3.trouble = () => undefined;
    s3.skewMs = 0;
    await until('it to be usable', async () => (await files.problem()) === undefined);
    await read(files, await store(files, 'a1'));
    // It would take uploads of the next one for leftovers.
    await files.close();
    known = [];
  }
});

test('files of the folder are mentioned, and work once they are copied', async () => {
  const file = path.join(dataDir, 'artifacts/a1');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, BYTES);
  const sha256 = createHash('sha256').update(BYTES).digest('hex');
  const artifact = { id: 'a1', name: 'a1.sh', version: '1', sizeBytes: BYTES.length, sha256 };
  known.push(artifact);
  const files = await open();
  assert.match(files.notes.join('\n'), /1 artifact files are still in .*: copy them to s3:/);
  await until('it to be missing', () => files.faultOf(artifact) === 'Missing');
  s3.objects.set(`${FOLDER}a1`, { bytes: BYTES, written: Date.now() });
  await until('it to be found', () => files.faultOf(artifact) === undefined);
  assert.deepEqual(await read(files, artifact), BYTES);
});
