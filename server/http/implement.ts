// Turns rows of the contract into routes: checks the permission, parses the request as the row says, calls the handler, writes the result.
// Limits, error shapes and ETags of all endpoints are implemented only here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import type { Context as HonoContext } from 'hono';
import * as z from 'zod/mini';
import { routesOf } from '#/contract/endpoint.ts';
import type { Endpoint, Group, Handlers as ContractHandlers } from '#/contract/endpoint.ts';
import { issueText } from '#/contract/issue-text.ts';
import type { Operation, Operations } from '#/contract/resource.ts';
import { acceptedCodings } from './accepted-codings.ts';
import type { Caller } from '../store/caller.ts';
import { JsonResponse } from './json-response.ts';
import type { Json } from './json-response.ts';
import { invalid, nameOf, Problem } from './problem.ts';
import type { FieldError } from '../store/errors.ts';
import { requireLeastPermission, requirePermission } from './require-permission.ts';
import { wasPaused } from './pauses.ts';
import { readBody } from './read-body.ts';
import type { ReadOptions } from './read-body.ts';
import { repeatedKey } from './repeated-key.ts';

/** Hono's context in this service: Node's request, and the caller. */
export interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
  Variables: { caller: Caller; nonce: string };
}
export type App = Hono<Env>;

/** A handler's arguments besides the parsed parts of the request. */
export interface HandlerRequest extends Caller {
  /** The request itself, for the few handlers that need it: an upload reads `http.env.incoming`. */
  http: HonoContext<Env>;
}

/** One function for each endpoint of a group. With `form` in its row, the handler reads the raw request itself. */
export type Handlers<G extends Group> = {
  [Name in keyof G]: ContractHandlers<
    Pick<G, Name>,
    // Nobody is known behind a request that anyone may send.
    G[Name] extends { permission: 'anyone' } ? Pick<HandlerRequest, 'http'> : HandlerRequest,
    JsonResponse | Response
  >[Name];
};

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Registers a route for each endpoint of the group. */
export function implement<G extends Operations>(app: App, group: G, handlers: Handlers<G>): void {
  for (const [name, endpoint] of bySpecificity(Object.entries(group))) {
    const handle = handlers[name as keyof G] as (request: object) => unknown;
    const run = async (http: HonoContext<Env>) => {
      const caller = http.get('caller');
      const request: Record<string, unknown> = { ...caller, http };
      // Before anything of the request is read: what is wrong with it concerns nobody who may not send it.
      requireLeastPermission(caller, endpoint);
      if (endpoint.params) request['params'] = parse(endpoint.params, http.req.param());
      request['query'] = readQuery(endpoint, http.env.incoming.url);
      if (endpoint.body) {
        const read = { limit: endpoint.bodyLimit, sender: http.var.caller?.account.id };
        const body = await readJson(http.env.incoming, read);
        requirePermission(caller, endpoint, { body });
        request['body'] = parse(endpoint.body, body);
      }
      if (endpoint.method !== 'GET' && (await isAbandoned(http))) return RESPONSE_ALREADY_SENT;
      requirePermission(caller, endpoint, request);
      return answer(http, endpoint, await handle(request));
    };
    // Hono takes a HEAD for a GET.
    for (const { method, path } of routesOf(endpoint)) app.on(method === 'HEAD' ? 'GET' : method, path, run);
  }
}

/**
 * Whether the client has gone. After a pause of the process, requests are still in the sockets whose clients gave up and asked
 * another node; carried out now, they would undo what came after them. Otherwise a client that has ended its side waits for
 * the answer.
 */
async function isAbandoned({ env: { incoming } }: HonoContext<Env>): Promise<boolean> {
  const { socket } = incoming;
  // The end of a connection that is here already is read after its data, in the next turn of the event loop.
  await nextTurn();
  await nextTurn();
  if (socket.readableEnded && !socket.destroyed && wasPaused())
    throw new Problem(503, 'The service stood still for a moment', 'Nothing was done. Send the request again.', {
      headers: { 'Retry-After': '1' },
    });
  return socket.destroyed;
}

/**
 * If two rows match one path, the one with a fixed word further left comes first, independent of the contract's order:
 * `/v1/devices/location/:device_id` before `/v1/devices/:device_id/key`.
 */
function bySpecificity(rows: [string, Operation][]): [string, Operation][] {
  const rank = ({ path }: Endpoint) =>
    path
      .split('/')
      .map((part) => (part.startsWith(':') ? '1' : '0'))
      .join('');
  return rows.toSorted(([, one], [, other]) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}

/** Parses `value` by `schema`, or refuses it with the invalid fields. */
export function parse<Output>(schema: z.ZodMiniType<Output>, value: unknown): Output {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  throw invalid(
    read.error.issues.map((issue): FieldError => ({ field: issue.path.join('.'), message: issueText(issue) })),
  );
}

/** The query of a request; every name must be one of the endpoint's, and occur once. */
export function readQuery({ query }: Endpoint, url = ''): Record<string, string | undefined> {
  if (!query && !url.includes('?')) return {};
  const given = new URLSearchParams(/\?(.*)/s.exec(url)?.[1]);
  const known = Object.keys(query?.shape ?? {});
  const takes = known.length > 0 ? `this path takes ${known.join(', ')}` : 'this path takes none';
  const errors = [...new Set(given.keys())].flatMap((name): FieldError[] => {
    if (!known.includes(name)) return [{ field: nameOf(name), message: `is no query parameter here: ${takes}` }];
    return given.getAll(name).length > 1 ? [{ field: name, message: 'was sent twice' }] : [];
  });
  if (errors.length > 0) throw invalid(errors);
  return query ? parse(query, Object.fromEntries(given)) : {};
}

/**
 * The JSON body of a request, read from Node's stream, so that one limit covers all of them. Hono would ignore the
 * body of a GET.
 */
export async function readJson(incoming: IncomingMessage, options?: ReadOptions): Promise<unknown> {
  const bytes = await readBody(incoming, options);
  if (bytes.length === 0) throw new Problem(400, 'The request has no body', 'Send the fields as a JSON body.');
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'The body is not JSON', 'Send the fields as a JSON body in UTF-8.');
  }
  const twice = repeatedKey(text);
  if (twice !== undefined) throw invalid([{ field: nameOf(twice), message: 'is there twice in one object' }]);
  return value;
}

/** 200 with the handler's result; supports If-None-Match for GET. */
async function answer(http: HonoContext<Env>, endpoint: Endpoint, value: unknown): Promise<Response> {
  // The constant is not of the class that the adapter puts in place of Response.
  if (value === RESPONSE_ALREADY_SENT || value instanceof Response) return value as Response;
  if (!endpoint.response) return http.body(null, 200, { 'Cache-Control': 'no-store', 'Content-Length': '0' });
  const { json, version, compressible } =
    value instanceof JsonResponse ? value : new JsonResponse(JSON.stringify(value));
  const make = () => (typeof json === 'function' ? json() : json);
  if (endpoint.method !== 'GET') return http.body(await make(), 200, { ...JSON_TYPE, 'Cache-Control': 'no-store' });

  // With a known version, an unchanged answer is not even built.
  const text = version === undefined ? await make() : undefined;
  const tag = version ?? (typeof text === 'string' ? tagOf(text) : undefined);
  const isPacked = (body: Json) =>
    compressible && body instanceof Uint8Array && body.length >= MIN_COMPRESS_BYTES && takesGzip(http);
  if (tag === undefined) {
    const body = text ?? (await make());
    const headers = { ...JSON_TYPE, 'Cache-Control': 'no-store', ...(compressible && { Vary: 'Accept-Encoding' }) };
    return body instanceof Uint8Array && isPacked(body)
      ? http.body(await compressed(body), 200, { ...headers, 'Content-Encoding': 'gzip' })
      : http.body(body, 200, headers);
  }
  const vary = `Authorization, Cookie${compressible ? ', Accept-Encoding' : ''}`;
  const headers = { 'Cache-Control': 'private, no-cache', Vary: vary, ETag: `"${tag}"` };
  const compressedTag = `"${tag}-gzip"`;
  const known = http.req.header('If-None-Match');
  if (matches(known, headers.ETag)) return http.body(null, 304, headers);
  if (compressible && matches(known, compressedTag)) return http.body(null, 304, { ...headers, ETag: compressedTag });
  const body = sendable(text ?? (await make()));
  if (body instanceof Uint8Array && isPacked(body))
    return http.body(await compressed(body), 200, {
      ...JSON_TYPE,
      ...headers,
      ETag: compressedTag,
      'Content-Encoding': 'gzip',
    });
  return http.body(body, 200, { ...JSON_TYPE, ...headers });
}

/** Below this size, compression costs more than it saves: a page of 25 devices has about 10 kB. */
const MIN_COMPRESS_BYTES = 16 * 1024;
const compress = promisify(gzip);
/** An answer that is sent repeatedly is compressed once. */
const compressedCache = new WeakMap<Uint8Array, Promise<Uint8Array<ArrayBuffer>>>();

function compressed(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const before = compressedCache.get(body);
  if (before) return before;
  // Level 1: a seventh of the size in a third of the default level's time.
  const fresh = compress(body, { level: 1 });
  compressedCache.set(body, fresh);
  return fresh;
}

const takesGzip = (http: HonoContext<Env>): boolean =>
  acceptedCodings(http.req.header('Accept-Encoding')).includes('gzip');

/** Longer text is sent as bytes: Node would concatenate a string with the headers and encode both in one piece. */
const AS_BYTES_ABOVE = 2048;
const sendable = (json: Json): Json =>
  typeof json === 'string' && json.length > AS_BYTES_ABOVE ? Buffer.from(json) : json;

/** The ETag of an answer. */
const tagOf = (json: string): string => hash('sha1', json, 'base64url');

/**
 * Whether a write with `If-Match` may proceed (RFC 9110, section 13.1.1): the object is still as it was when it was
 * read. `now`: what a GET would answer now.
 */
export async function isUnchanged(header: string | undefined, now: () => Promise<object>): Promise<boolean> {
  if (header === undefined || header.trim() === '*') return true;
  const tag = `"${tagOf(JSON.stringify(await now()))}"`;
  return header.split(',').some((each) => each.trim() === tag);
}

/** RFC 9110, section 13.1.2: weak comparison with any of the listed tags. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
