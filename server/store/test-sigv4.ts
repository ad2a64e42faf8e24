// Signature Version 4 as a store checks it, written from AWS's description and independent of the client that signs:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  method: string;
  /** Path and query, as they came. */
  target: string;
  headers: Record<string, string | undefined>;
}

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** UriEncode of the description: all but unreserved characters, in capitals. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalRequest({ method, target, headers }: SignedRequest, signedHeaders: string[]): string {
  const [path = '', query = ''] = target.split('?', 2);
  const parameters = query
    .split('&')
    .filter((each) => each !== '')
    .map((each) => {
      const [name = '', value = ''] = each.split('=', 2).map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
      return [encoded(name), encoded(value)] as const;
    })
    // By code units, as the description says; names before values.
    .toSorted(([name, value], [other, its]) => (name === other ? compare(value, its) : compare(name, other)));
  return [
    method,
    path
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    parameters.map((pair) => pair.join('=')).join('&'),
    ...signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? '',
  ].join('\n');
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The signature that a request with these headers must have. `time` as in x-amz-date. */
export function signatureOf(
  request: SignedRequest,
  signedHeaders: string[],
  { secretAccessKey, region, time }: Credentials & { time: string },
): string {
  const day = time.slice(0, 8);
  const text = [
    'AWS4-HMAC-SHA256',
    time,
    `${day}/${region}/s3/aws4_request`,
    createHash('sha256').update(canonicalRequest(request, signedHeaders)).digest('hex'),
  ].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

/** An S3 error code. */
type Refusal = { status: number; code: string };
const refusal = (status: number, code: string): Refusal => ({ status, code });

const MAX_SKEW_MS = 15 * 60_000;

/** What a store answers to a request that is not signed right; undefined for one that is. */
export function refuseSignature(
  request: SignedRequest,
  bodySha256: string,
  expected: Credentials & { sessionToken: string | undefined; now: number },
): Refusal | undefined {
  const { headers } = request;
  const [, keyId, day, region, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    ) ?? [];
  if (signature === undefined) return refusal(403, 'AccessDenied');
  if (keyId !== expected.accessKeyId) return refusal(403, 'InvalidAccessKeyId');
  if (region !== expected.region) return refusal(400, 'AuthorizationHeaderMalformed');
  if (headers['x-amz-security-token'] !== expected.sessionToken) return refusal(400, 'InvalidToken');
  const signed = names.split(';');
  // Host and each x-amz- header must be signed.
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (required.some((name) => !signed.includes(name)) || signed.join() !== signed.toSorted().join())
    return refusal(403, 'AccessDenied');
  const time = headers['x-amz-date'] ?? '';
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(at - expected.now) <= MAX_SKEW_MS) || !time.startsWith(day ?? '-'))
    return refusal(403, 'RequestTimeTooSkewed');
  if (signatureOf(request, signed, { ...expected, time }) !== signature) return refusal(403, 'SignatureDoesNotMatch');
  if (headers['x-amz-content-sha256'] !== bodySha256) return refusal(400, 'XAmzContentSHA256Mismatch');
  return undefined;
}
