// Where requests to an S3 store go, and that their signatures are right for that address; and answers of what is no store.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, mock, test } from 'node:test';
import { readS3Config } from '../s3-config.ts';
import { openS3Client } from './s3-client.ts';
import { readListing } from './s3-listing.ts';
import { refuseSignature } from './test-sigv4.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a/secret+key' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function clientOf(env: Record<string, string>) {
  const all: Record<string, string> = { ...KEYS, ...env };
  const config = readS3Config((name) => all[name]);
  assert.ok(config);
  return openS3Client(config, { answer: 1_000, upload: 1_000, pause: 1 });
}

/** Answers all requests, and returns them. */
function intercept(answer: () => Response): Request[] {
  const sent: Request[] = [];
  mock.method(globalThis, 'fetch', async (request: Request) => {
    sent.push(request);
    return answer();
  });
  return sent;
}
afterEach(() => mock.restoreAll());

const ADDRESSES: [env: Record<string, string>, address: string][] = [
  [
    { ARTIFACT_STORE_URL: 's3://my-bucket/a/b', AWS_REGION: 'eu-central-1' },
    'https://my-bucket.s3.eu-central-1.amazonaws.com/a/b/id1',
  ],
  [{ ARTIFACT_STORE_URL: 's3://my-bucket' }, 'https://my-bucket.s3.us-east-1.amazonaws.com/id1'],
  [{ ARTIFACT_STORE_URL: 's3://my.bucket' }, 'https://s3.us-east-1.amazonaws.com/my.bucket/id1'],
  [
    { ARTIFACT_STORE_URL: 's3://my-bucket', AWS_REGION: 'cn-north-1' },
    'https://my-bucket.s3.cn-north-1.amazonaws.com.cn/id1',
  ],
  [
    { ARTIFACT_STORE_URL: 's3://my-bucket/a', AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' },
    'http://127.0.0.1:9000/my-bucket/a/id1',
  ],
  [
    { ARTIFACT_STORE_URL: 's3://my-bucket/a', AWS_ENDPOINT_URL: 'https://store.example.com/storage/v1/s3/' },
    'https://store.example.com/storage/v1/s3/my-bucket/a/id1',
  ],
];
for (const [env, address] of ADDRESSES)
  test(`${address}, signed`, async () => {
    const sent = intercept(() => new Response(null, { status: 200 }));
    const bytes = Buffer.from('an artifact');
    await clientOf(env).put('id1', bytes, sha256(bytes));
    const [request] = sent;
    assert.ok(request);
    assert.deepEqual([request.url, request.method, request.redirect], [address, 'PUT', 'manual']);
    const url = new URL(address);
    const signed = {
      method: 'PUT',
      target: url.pathname + url.search,
      headers: { ...Object.fromEntries(request.headers), host: url.host },
    };
    const expected = {
      accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
      secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
      region: env['AWS_REGION'] ?? 'us-east-1',
      sessionToken: undefined,
      now: Date.now(),
    };
    assert.equal(refuseSignature(signed, sha256(bytes), expected), undefined);
    assert.equal(refuseSignature(signed, sha256(Buffer.from('other')), expected)?.code, 'XAmzContentSHA256Mismatch');
  });

test('a web page is no store', async () => {
  const client = clientOf({ ARTIFACT_STORE_URL: 's3://my-bucket' });
  for (const answer of [() => new Response('<html>Welcome</html>'), () => new Response('<html>', { status: 404 })]) {
    intercept(answer);
    await assert.rejects(client.check(), {
      detail: /has no such bucket .*check ARTIFACT_STORE_URL and AWS_ENDPOINT_URL/,
    });
    mock.restoreAll();
  }
});

test('a missing object is not a missing bucket', async () => {
  const client = clientOf({ ARTIFACT_STORE_URL: 's3://my-bucket' });
  const error = (code: string) => () => new Response(`<Error><Code>${code}</Code></Error>`, { status: 404 });
  intercept(error('NoSuchKey'));
  assert.equal(await client.get('id1'), undefined);
  await client.remove('id1');
  mock.restoreAll();
  intercept(error('NoSuchBucket'));
  await assert.rejects(client.get('id1'), { detail: /no such bucket/ });
  await assert.rejects(client.remove('id1'), { detail: /no such bucket/ });
});

test('a page of a list', () => {
  const xml = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b&#43;&lt;</NextContinuationToken>
    <Contents><Key>p/one</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>5</Size></Contents>
    <Contents><Key>elsewhere</Key><Size>5</Size></Contents></ListBucketResult>`;
  assert.deepEqual(readListing(xml, 'p/', Date.parse('2026-01-01T00:00:01Z')), {
    objects: [{ name: 'one', sizeBytes: 5, ageMs: 1000 }],
    next: 'a&b+<',
  });
});
