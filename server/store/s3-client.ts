// Requests to an S3 store, signed with Signature Version 4. Each has a time limit, is retried where that can help, and
// is counted. It supports only what artifacts need: writing objects whole or in parts, reading all or part of one, listing and
// deleting.
import { createHash, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { S3Config } from '../s3-config.ts';
import type { ByteRange } from './artifact-files.ts';
import { Counter } from 'prom-client';
import { faultOfAnswer, faultOfConnection } from './s3-fault.ts';
import type { S3Fault } from './s3-fault.ts';
import { elementIn, readListing } from './s3-listing.ts';
import type { ListedObject } from './s3-listing.ts';

export interface S3Object {
  /** The size of the whole object according to the store; -1 if the requested range is past its end. */
  totalBytes: number;
  bytes: AsyncGenerator<Uint8Array>;
  /** Aborts the response. */
  cancel(): void;
}

export interface S3Client {
  /** Resolves when the object is durable. The store verifies the bytes against `sha256`. */
  put(name: string, bytes: Uint8Array | Blob, sha256: string): Promise<void>;
  /** The same in parts, each of at least 5 MB but the last. Nothing is left of an object that could not be completed. */
  putParts(name: string, parts: Iterable<Blob>): Promise<void>;
  /** Part or all of an object; undefined if it does not exist. */
  get(name: string, part?: ByteRange): Promise<S3Object | undefined>;
  /** The size of an object; undefined if it does not exist. */
  sizeOf(name: string): Promise<number | undefined>;
  /** Deletes an object, if it exists. */
  remove(name: string): Promise<void>;
  /** The objects directly below the prefix, or below a folder in it. */
  list(folder?: string): AsyncGenerator<ListedObject>;
  /** Asks once whether the bucket can be used. */
  check(): Promise<void>;
  /** Aborts all requests. */
  close(): void;
}

/** In milliseconds; tests choose shorter ones. */
export interface S3Times {
  /** Until a response starts, and between two chunks of it. */
  answer: number;
  /** The same for an upload, whose bytes have to be sent first. */
  upload: number;
  /** The longest pause before the first retry; it doubles with each further one. */
  pause: number;
}

const TIMES: S3Times = { answer: 5_000, upload: 60_000, pause: 250 };
const TRIES = 3;
const sha256Of = (bytes: Uint8Array) => hash('sha256', bytes);
async function sha256OfBlob(bytes: Blob): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of bytes.stream()) digest.update(part as Uint8Array);
  return digest.digest('hex');
}
const EMPTY_SHA256 = hash('sha256', '');
const MAX_ERROR_BYTES = 64 * 1024;

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const;
type Method = (typeof METHODS)[number];
const requests = new Counter({
  name: 'muster_artifact_store_requests',
  help: 'Requests to the S3 store of artifacts, each try counted.',
  labelNames: ['method', 'outcome'],
});
for (const method of METHODS) for (const outcome of ['ok', 'failure']) requests.inc({ method, outcome }, 0);

interface Asked {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array | Blob;
  sha256?: string;
  tries?: number;
  /** Error statuses that the caller handles. */
  accept?: number[];
}

interface Answer {
  response: Response;
  /** Restarts the time limit, or ends it without an argument. */
  wait: (ms?: number) => void;
  abort: () => void;
  /** Describes an error that occurs while the body is read. */
  describe: (cause: unknown) => S3Fault;
}

/** Opens a client, whose requests fail with `S3Fault`. */
export function openS3Client(config: S3Config, times: S3Times = TIMES): S3Client {
  const { accessKeyId, secretAccessKey, sessionToken, region } = config;
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    region,
    service: 's3',
  });
  const base = baseUrl(config);
  const closing = new AbortController();

  const addressOf = (name: string | undefined, query: Record<string, string> = {}) => {
    const url = new URL(base);
    if (name !== undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/${config.prefix}${name}`;
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
  };

  /** Sends the request once. */
  const ask = async (method: Method, name: string | undefined, asked: Asked): Promise<Answer> => {
    const { query, headers, body, sha256 = EMPTY_SHA256, accept = [] } = asked;
    const given = new AbortController();
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    const wait = (ms?: number) => {
      clearTimeout(timer);
      if (ms === undefined) return;
      timer = setTimeout(() => {
        isLate = true;
        given.abort();
      }, ms).unref();
    };
    const describe = (cause: unknown) => {
      wait();
      return faultOfConnection(cause, isLate);
    };
    wait(body ? times.upload : times.answer);
    let response: Response;
    try {
      const signed = await signer.sign(addressOf(name, query), {
        method,
        headers: { ...headers, 'X-Amz-Content-Sha256': sha256 },
        ...(body && { body }),
        // The signature is for this host only.
        redirect: 'manual',
        signal: AbortSignal.any([given.signal, closing.signal]),
      });
      // A compressed response would have another length. The header is not signed, because some proxies change it.
      signed.headers.set('Accept-Encoding', 'identity');
      response = await fetch(signed);
      if (!response.ok && !accept.includes(response.status)) {
        const text = await shortText(response);
        throw faultOfAnswer(response.status, codeIn(text), regionIn(response, text));
      }
    } catch (cause) {
      wait();
      requests.inc({ method, outcome: 'failure' });
      throw cause instanceof Error && 'reason' in cause ? cause : describe(cause);
    }
    requests.inc({ method, outcome: 'ok' });
    wait(times.answer);
    return { response, wait, describe, abort: () => given.abort() };
  };

  const request = async (method: Method, name: string | undefined, asked: Asked = {}): Promise<Answer> => {
    for (let tried = 1; ; tried += 1)
      try {
        return await ask(method, name, asked);
      } catch (cause) {
        const isPassing = (cause as Partial<S3Fault>).isPassing === true;
        if (!isPassing || tried >= (asked.tries ?? TRIES) || closing.signal.aborted) throw cause;
        // Random, so that not all clients retry at the same moment when a store recovers.
        await sleep(Math.random() * times.pause * 2 ** tried);
      }
  };

  /** Reads a response to its end. */
  const textOf = async ({ response, wait, describe }: Answer): Promise<string> => {
    try {
      return await response.text();
    } catch (cause) {
      throw describe(cause);
    } finally {
      wait();
    }
  };

  const listing = async (folder: string, query: Record<string, string>, tries?: number) => {
    const answer = await request('GET', undefined, {
      query: { 'list-type': '2', prefix: config.prefix + folder, delimiter: '/', ...query },
      ...(tries !== undefined && { tries }),
    });
    return readListing(await textOf(answer), config.prefix, Date.parse(answer.response.headers.get('date') ?? ''));
  };

  async function* bytesOf({ response, wait, describe, abort }: Answer): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of response.body ?? []) {
        // The time limit is for the store: a slow client does not count.
        wait();
        yield piece as Uint8Array;
        wait(times.answer);
      }
    } catch (cause) {
      throw describe(cause);
    } finally {
      wait();
      abort();
    }
  }

  return {
    put: async (name, body, sha256) => void (await textOf(await request('PUT', name, { body, sha256 }))),

    putParts: async (name, parts) => {
      const begun = await textOf(await request('POST', name, { query: { uploads: '' } }));
      const uploadId = elementIn(begun, 'UploadId');
      if (!uploadId) throw faultOfAnswer(200, 'NoUploadId', undefined);
      try {
        const tags: string[] = [];
        for (const body of parts) {
          const query = { partNumber: String(tags.length + 1), uploadId };
          const answer = await request('PUT', name, { query, body, sha256: await sha256OfBlob(body) });
          await textOf(answer);
          tags.push(answer.response.headers.get('etag') ?? '');
        }
        const list = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
        const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
        const completed = await textOf(
          await request('POST', name, { query: { uploadId }, body, sha256: sha256Of(body) }),
        );
        // The store begins to answer before it knows whether it can.
        const code = codeIn(completed);
        if (code !== undefined) throw faultOfAnswer(500, code, undefined);
      } catch (cause) {
        await request('DELETE', name, { query: { uploadId }, accept: [404] }).then(textOf, () => undefined);
        throw cause;
      }
    },

    get: async (name, part) => {
      const answer = await request('GET', name, {
        ...(part && { headers: { Range: `bytes=${part.start}-${part.end}` } }),
        accept: [404, 416],
      });
      const { response, wait, abort } = answer;
      const cancel = () => {
        wait();
        abort();
      };
      if (response.status === 404) {
        requireObjectFault(await textOf(answer));
        return undefined;
      }
      const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
      const length = response.headers.get('content-length') ?? '-1';
      // A store that ignores the range sends the whole object.
      const isRange = response.status === 206;
      const totalBytes = isRange === (part !== undefined) ? Number(isRange ? total : length) : -1;
      return { totalBytes, bytes: bytesOf(answer), cancel };
    },

    sizeOf: async (name) => {
      const answer = await request('HEAD', name, { accept: [404] });
      await textOf(answer);
      return answer.response.ok ? Number(answer.response.headers.get('content-length')) : undefined;
    },

    remove: async (name) => {
      const answer = await request('DELETE', name, { accept: [404] });
      const text = await textOf(answer);
      if (answer.response.status === 404) requireObjectFault(text);
    },

    list: async function* list(folder = '') {
      let next: string | undefined;
      do {
        const page = await listing(folder, next === undefined ? {} : { 'continuation-token': next });
        yield* page.objects;
        ({ next } = page);
      } while (next !== undefined);
    },

    check: async () => void (await listing('', { 'max-keys': '1' }, 1)),

    close: () => closing.abort(),
  };
}

/**
 * With an endpoint the bucket is part of the path, as most stores other than AWS expect. So is a bucket with a dot,
 * because the wildcard certificate of AWS covers only one label.
 */
function baseUrl({ endpoint, region, bucket }: S3Config): URL {
  if (endpoint) return new URL(`${endpoint.href.replace(/\/$/, '')}/${bucket}`);
  const host = `s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
  return new URL(bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}/`);
}

/** Throws if a 404 is about the bucket, which must not look like a missing object. */
function requireObjectFault(text: string): void {
  if (codeIn(text) === 'NoSuchBucket') throw faultOfAnswer(404, 'NoSuchBucket', undefined);
}

const codeIn = (text: string): string | undefined => /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];

const regionIn = ({ headers }: Response, text: string): string | undefined =>
  /^[a-z0-9-]{1,32}$/.exec(headers.get('x-amz-bucket-region') ?? '')?.[0] ??
  /<Region>([a-z0-9-]{1,32})<\/Region>/.exec(text)?.[1];

/** The start of an error response; empty if it cannot be read. */
async function shortText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece as Uint8Array);
      length += (piece as Uint8Array).length;
      if (length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  return Buffer.concat(pieces).toString('utf8');
}
