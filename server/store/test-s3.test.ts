// The test store checks signatures as AWS does: the examples of its documentation have the signatures it publishes.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#example-signature-calculations
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { refuseSignature, signatureOf } from './test-sigv4.ts';
import type { SignedRequest } from './test-sigv4.ts';

const KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const TIME = '20130524T000000Z';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const head = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': TIME, 'x-amz-content-sha256': EMPTY };

const EXAMPLES: [name: string, request: SignedRequest, signature: string][] = [
  [
    'GET Object',
    { method: 'GET', target: '/test.txt', headers: { ...head, range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT Object',
    {
      method: 'PUT',
      target: '/test%24file.text',
      headers: {
        ...head,
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-content-sha256': createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET Bucket Lifecycle',
    { method: 'GET', target: '/?lifecycle', headers: head },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket (List Objects)',
    { method: 'GET', target: '/?max-keys=2&prefix=J', headers: head },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
];

for (const [name, request, signature] of EXAMPLES)
  test(`${name} has the published signature`, () => {
    const names = Object.keys(request.headers).toSorted();
    assert.equal(signatureOf(request, names, { ...KEYS, time: TIME }), signature);
    const authorization = `AWS4-HMAC-SHA256 Credential=${KEYS.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names.join(';')},Signature=`;
    const refused = (given: string, body = request.headers['x-amz-content-sha256'] ?? '') =>
      refuseSignature({ ...request, headers: { ...request.headers, authorization: authorization + given } }, body, {
        ...KEYS,
        sessionToken: undefined,
        now: Date.parse('2013-05-24T00:05:00Z'),
      })?.code;
    assert.equal(refused(signature), undefined);
    assert.equal(refused(signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), 'SignatureDoesNotMatch');
    assert.equal(refused(signature, 'of other bytes'), 'XAmzContentSHA256Mismatch');
  });

test('aws4fetch signs the examples that need no Range header alike', async () => {
  // It never signs Range, which AWS allows.
  for (const [name, { method, target, headers }, signature] of EXAMPLES.slice(1)) {
    const { host = '', ...rest } = headers as Record<string, string>;
    const signer = new AwsV4Signer({
      ...KEYS,
      method,
      url: `https://${host}${target}`,
      headers: rest,
      service: 's3',
      datetime: TIME,
    });
    assert.equal(await signer.signature(), signature, name);
  }
});
