// The only place that sends requests, apart from upload.ts. `call` takes a row of the contract; it uses `send`, which also
// serves the gateway's few paths outside /v1.
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { withoutDownloadTokens } from '#/contract/mask-secrets.ts';
import { ApiError, refusalError, unexpectedError } from '#/api/api-error.ts';
import { apiTarget, directAddress, networkError } from '#/api/direct.ts';
import { keyedHeaders } from '#/api/idempotency.ts';
import { reportAnswer, reportSilence, whetherReachable } from '#/api/reach.ts';
import { recordRead } from '#/api/recent-reads.ts';

export interface CallOptions {
  /** A retry must pass the same `idempotency-key`. */
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Time limit in milliseconds. */
  timeout?: number;
  /** Without a gateway: use this token instead of the stored one. */
  token?: string;
  /** Sent even if the service is unreachable. Writes always are: somebody has just clicked. */
  isProbe?: boolean;
}

const TIMEOUT = 30_000;

/** The values of a request, independent of the row's types. */
interface AnyRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string | undefined>;
  body?: unknown;
}

/**
 * Why no URL can contain this id; undefined if one can. A browser removes empty segments, `.` and `..` from the path,
 * and the request would then address the collection; half of a surrogate pair cannot be encoded in a URL.
 */
export const unusableId = (id: string): string | undefined =>
  id === '' || id === '.' || id === '..' || !id.isWellFormed()
    ? `The service gives this the id "${id}", which no request can name.`
    : undefined;

/** The URL of an endpoint with its encoded values; throws for an id that cannot be used. */
export function pathOf(endpoint: Pick<Endpoint, 'path'>, { params = {}, query = {} }: AnyRequest = {}): string {
  const path = endpoint.path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    if (unusableId(value) !== undefined)
      throw new ApiError('refused', `"${value}" cannot be used as ${name}`, { detail: 'Nothing was sent.' });
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Sends one request and returns status and text, or throws an ApiError. An abort by the caller stays an AbortError. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  { signal, timeout = TIMEOUT, headers, token, isProbe = false }: CallOptions = {},
): Promise<{ status: number; text: string; etag: string | null }> {
  if (method === 'GET') recordRead(path);
  if (method === 'GET' && !isProbe && !(await whetherReachable(signal))) {
    signal?.throwIfAborted();
    throw networkError();
  }
  const { url, headers: own } = apiTarget(path, token);
  const limit = AbortSignal.timeout(timeout);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...own,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: directAddress === undefined ? 'same-origin' : 'omit',
      redirect: 'error',
    });
    text = await textOf(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    reportSilence();
    throw limit.aborted ? timeoutError(timeout) : networkError();
  }
  if (isOfProxy(response)) reportSilence();
  else reportAnswer();
  // Everybody in the account sees a job's Command and output, and its download links work as long as it may need them.
  if (path.startsWith('/v1/job')) text = withoutDownloadTokens(text);
  if (!response.ok) throw refusalError(response.status, text, response.headers.get('retry-after'));
  return { status: response.status, text, etag: response.headers.get('etag') };
}

/** Whether a proxy answered because it cannot reach the service, whose own 503 is a problem document. */
const isOfProxy = ({ status, headers }: Response): boolean =>
  status === 502 || status === 504 || (status === 503 && !/json/.test(headers.get('content-type') ?? ''));

/** Decodes chunks as they arrive. `text()` decodes all in one task: 200 ms for a million locations. */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    text += decoder.decode(value, { stream: !done });
    if (done) return text;
  }
}

/** The current HTML of the page from its own host, even if the API is elsewhere. */
export async function ownPage(): Promise<string> {
  const signal = AbortSignal.timeout(8_000);
  return (await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' }, redirect: 'error', signal })).text();
}

const timeoutError = (timeout: number) =>
  new ApiError('timeout', `No answer within ${Math.round(timeout / 1000)} seconds`, {
    detail: 'The service may be overloaded or unreachable.',
  });

/** Parses a successful response by the contract. */
export function readAnswer<E extends Endpoint>(endpoint: E, status: number, text: string): ResponseOf<E> {
  if (!endpoint.response) return undefined as ResponseOf<E>;
  let value: unknown = null;
  try {
    if (text !== '') value = JSON.parse(text);
  } catch {
    throw unexpectedError(status, text);
  }
  const result = endpoint.response.safeParse(value);
  if (!result.success) throw unexpectedError(status, text);
  return result.data as ResponseOf<E>;
}

/**
 * Parsed responses by path and ETag, so that polling unchanged data costs no parsing. The references are weak: a
 * response lives only as long as it is used.
 */
const parsedAnswers = new Map<string, { etag: string; data: WeakRef<object> }>();
const MAX_CACHED = 200;

function readOnce<Data>(path: string, etag: string, answer: () => Data): Data {
  const before = parsedAnswers.get(path);
  const known = before?.etag === etag ? before.data.deref() : undefined;
  if (known) return known as Data;
  const data = answer();
  if (parsedAnswers.size >= MAX_CACHED) parsedAnswers.clear();
  if (typeof data === 'object' && data !== null) parsedAnswers.set(path, { etag, data: new WeakRef(data) });
  return data;
}

/** Calls an endpoint of the contract and parses its response. */
export const call = async <E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E>,
  options?: CallOptions,
): Promise<ResponseOf<E>> => (await callTagged(endpoint, request, options)).data;

/** Like `call`, but also returns the ETag of the response, if the service sends one. */
export async function callTagged<E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E>,
  options?: CallOptions,
): Promise<{ data: ResponseOf<E>; etag: string | null }> {
  const parts = request as AnyRequest;
  const { method, once }: Endpoint = endpoint;
  const path = pathOf(endpoint, parts);
  const { status, text, etag } = await send(method, path, parts.body, {
    ...options,
    headers: keyedHeaders(options?.headers, once),
  });
  const answer = () => readAnswer(endpoint, status, text);
  return { data: method === 'GET' && etag !== null ? readOnce(path, etag, answer) : answer(), etag };
}
