// A small S3 store for tests: objects in memory, and every signature checked. It can also answer wrongly, late, or not
// to the end.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseSignature } from './test-sigv4.ts';

/** What a request does instead of what it should. */
type Trouble =
  | { status: number; code?: string; headers?: Record<string, string> }
  | 'no answer'
  | 'reset'
  /** The answer ends after so many bytes. */
  | { cutAfter: number }
  /** Other bytes of the same length. */
  | 'wrong bytes'
  /** It is done, and the answer is lost. */
  | 'lost answer';

export interface TestObject {
  bytes: Buffer;
  written: number;
}

export interface TestS3 {
  /** For the environment of a service. */
  env: Record<string, string>;
  objects: Map<string, TestObject>;
  /** The parts of objects that are not complete. */
  multipart: Map<string, Buffer[]>;
  /** Names of objects below the prefix, without the owner's. */
  names(): string[];
  /** `GET key`, one for each request. */
  asked: string[];
  /** Decides for each request. */
  trouble: (request: { method: string; key: string; query: URLSearchParams }) => Trouble | undefined;
  /** By how much the store's clock differs. */
  skewMs: number;
  region: string;
  sessionToken: string | undefined;
  /** How many objects a page of a list has. */
  pageSize: number;
  end(): Promise<void>;
}

const BUCKET = 'test-bucket';
const PREFIX = 'fleet/artifacts/';
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };

export async function startTestS3(): Promise<TestS3> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store: TestS3 = {
    env: {
      ARTIFACT_STORE_URL: `s3://${BUCKET}/${PREFIX.slice(0, -1)}`,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    objects: new Map(),
    multipart: new Map(),
    names: () =>
      [...store.objects.keys()]
        .filter((key) => key !== `${PREFIX}.muster`)
        .map((key) => key.slice(PREFIX.length))
        .toSorted(),
    asked: [],
    trouble: () => undefined,
    skewMs: 0,
    region: 'us-east-1',
    sessionToken: undefined,
    pageSize: 1000,
    end: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '/' } = request;
    const { pathname, searchParams } = new URL(target, 'http://store');
    const [, bucket = '', ...rest] = decodeURIComponent(pathname).split('/');
    const key = rest.join('/');
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    store.asked.push(`${method} ${key}`);
    const now = Date.now() + store.skewMs;
    response.setHeader('Date', new Date(now).toUTCString());
    const refuse = (status: number, code: string, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/xml', ...headers })
        .end(
          method === 'HEAD' ? '' : `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>No</Message></Error>`,
        );

    const trouble = store.trouble({ method, key, query: searchParams });
    if (trouble === 'no answer') return;
    if (trouble === 'reset') return void request.socket.resetAndDestroy();
    if (typeof trouble === 'object' && 'status' in trouble)
      return void refuse(trouble.status, trouble.code ?? '', trouble.headers);

    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value === undefined ? value : String(value)]),
    );
    const refused = refuseSignature({ method, target, headers }, sha256(body), {
      ...KEYS,
      region: store.region,
      sessionToken: store.sessionToken,
      now,
    });
    if (refused) return void refuse(refused.status, refused.code, { 'x-amz-bucket-region': store.region });
    if (bucket !== BUCKET) return void refuse(404, 'NoSuchBucket');

    const multipart = searchParams.get('uploadId');
    if (method === 'POST' || (multipart !== null && method !== 'GET'))
      return answerMultipart({ method, key, query: searchParams, body, now }, response, refuse);

    if (method === 'PUT') {
      if (request.headers['content-length'] !== String(body.length)) return void refuse(411, 'MissingContentLength');
      store.objects.set(key, { bytes: body, written: now });
    }
    if (method === 'DELETE') store.objects.delete(key);
    if (trouble === 'lost answer') return void request.socket.resetAndDestroy();
    if (method === 'PUT') return void response.writeHead(200, { ETag: '"e"' }).end();
    if (method === 'DELETE') return void response.writeHead(204).end();
    if (key === '') return void response.writeHead(200, { 'Content-Type': 'application/xml' }).end(list(searchParams));
    const object = store.objects.get(key);
    if (!object) return void refuse(404, 'NoSuchKey');
    const size = object.bytes.length;
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(Number(range?.[2] ?? size), size - 1);
    if (range && start >= size) return void refuse(416, 'InvalidRange');
    const bytes = Buffer.from(object.bytes.subarray(start, end + 1));
    if (trouble === 'wrong bytes') bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    response.writeHead(range ? 206 : 200, {
      'Content-Length': bytes.length,
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
    });
    if (method === 'HEAD') return void response.end();
    if (typeof trouble !== 'object') return void response.end(bytes);
    response.write(bytes.subarray(0, trouble.cutAfter), () => setTimeout(() => request.socket.resetAndDestroy(), 50));
  }

  /** Begins, fills, completes and aborts a multipart upload, whose parts but the last must have 5 MB. */
  function answerMultipart(
    {
      method,
      key,
      query,
      body,
      now,
    }: { method: string; key: string; query: URLSearchParams; body: Buffer; now: number },
    response: ServerResponse,
    refuse: (status: number, code: string) => void,
  ): void {
    const xml = (text: string) => void response.writeHead(200, { 'Content-Type': 'application/xml' }).end(text);
    if (query.has('uploads')) {
      const id = `upload ${store.multipart.size + 1} <&>`;
      store.multipart.set(id, []);
      const escaped = id.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;');
      return xml(
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${escaped}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const id = query.get('uploadId') ?? '';
    const parts = store.multipart.get(id);
    if (!parts) return refuse(404, 'NoSuchUpload');
    if (method === 'PUT') {
      parts[Number(query.get('partNumber')) - 1] = body;
      return void response.writeHead(200, { ETag: `"${sha256(body).slice(0, 8)}"` }).end();
    }
    if (method === 'DELETE') {
      store.multipart.delete(id);
      return void response.writeHead(204).end();
    }
    const named = parts.map(
      (part, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${sha256(part).slice(0, 8)}"</ETag></Part>`,
    );
    if (body.toString() !== `<CompleteMultipartUpload>${named.join('')}</CompleteMultipartUpload>`)
      return refuse(400, 'InvalidPart');
    if (parts.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024)) return refuse(400, 'EntityTooSmall');
    store.multipart.delete(id);
    store.objects.set(key, { bytes: Buffer.concat(parts), written: now });
    xml('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }

  /** ListObjectsV2, in pages. */
  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const found = [...store.objects]
      .filter(([key]) => key.startsWith(prefix) && `+ ${key}` > after)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const page = found.slice(0, Math.min(store.pageSize, Number(query.get('max-keys') ?? 1000)));
    const isCut = page.length < found.length;
    const contents = page.map(
      ([key, { bytes, written }]) =>
        `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><LastModified>${new Date(written).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
    );
    // Its plus and blank must come back as they are.
    const next = isCut ? `<NextContinuationToken>+ ${page.at(-1)?.[0] ?? ''}</NextContinuationToken>` : '';
    return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
  }
  return store;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
