// From a row of the contract to a route: parses what came in exactly as the row says, calls the handler, writes what
// it returns. What is true of every endpoint (limits, error shapes, ETags) is done here and nowhere else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Hono } from 'hono';
import type { Context as HonoContext } from 'hono';
import * as z from 'zod/mini';
import type { Endpoint, Group, Handlers as ContractHandlers } from '#/contract/endpoint.ts';
import { issueText } from '#/contract/issue-text.ts';
import { acceptedCodings } from './accepted-codings.ts';
import type { Caller } from './caller.ts';
import { invalid, nameOf, Problem } from './problem.ts';
import type { FieldError } from './problem.ts';
import { repeatedKey } from './repeated-key.ts';

/** What Hono's context carries in this service: Node's own request, and who asks. */
export interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
  Variables: { caller: Caller; nonce: string };
}
export type App = Hono<Env>;

/** What a handler gets besides the parsed parts of its request. */
export interface Asked extends Caller {
  /** The request itself, for the few handlers that need more: an upload reads `http.env.incoming`. */
  http: HonoContext<Env>;
}

/** One function for each endpoint of a group. Where the row has `form`, the handler reads the raw request itself. */
export type Handlers<G extends Group> = ContractHandlers<G, Asked, Prepared>;

type Json = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** An answer that a handler has already turned into JSON, or will when it is wanted: for lists too large for objects. */
export class Prepared {
  readonly json: Json | (() => Json);
  /** Changes whenever the answer would. Without it, a hash of the text serves; a stream has none. */
  readonly version: string | undefined;
  /**
   * It may travel compressed. Only what holds no secret: the length of a compressed answer tells whoever chooses a part of
   * it and watches the line what else is in it (BREACH). A Command holds a token.
   */
  readonly isOpen: boolean;

  constructor(json: Json | (() => Json), version?: string, { isOpen = false }: { isOpen?: boolean } = {}) {
    this.json = json;
    this.version = version;
    this.isOpen = isOpen;
  }
}

/** Most bytes of a JSON body. */
const BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** A body that is not here by then is given up: a slow sender must not hold memory for ever. */
const BODY_TIMEOUT_MS = 30_000;

/** Registers one route for each endpoint of the group. */
export function implement<G extends Group>(app: App, group: G, handlers: Handlers<G>): void {
  for (const [name, endpoint] of inOrder(Object.entries(group))) {
    const handle = handlers[name as keyof G] as (request: object) => unknown;
    app.on(endpoint.method, endpoint.path, async (http) => {
      const request: Record<string, unknown> = { ...http.get('caller'), http };
      if (endpoint.params) request['params'] = parse(endpoint.params, http.req.param());
      request['query'] = readQuery(endpoint, http.env.incoming.url);
      if (endpoint.body) request['body'] = parse(endpoint.body, await readJson(http.env.incoming));
      return answer(http, endpoint, await handle(request));
    });
  }
}

/**
 * Where two rows could match one path, the one with a fixed word further left comes first, whatever their order in the
 * contract: `/v1/devices/location/:device_id` before `/v1/devices/:device_id/key`.
 */
function inOrder(rows: [string, Endpoint][]): [string, Endpoint][] {
  const rank = ({ path }: Endpoint) =>
    path
      .split('/')
      .map((part) => (part.startsWith(':') ? '1' : '0'))
      .join('');
  return rows.toSorted(([, one], [, other]) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}

/** Reads `value` by `schema`, or refuses it with the fields at fault. */
export function parse<Output>(schema: z.ZodMiniType<Output>, value: unknown): Output {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  throw invalid(
    read.error.issues.map((issue): FieldError => ({ field: issue.path.join('.'), message: issueText(issue) })),
  );
}

/** The query of a request, in which every name is one of the endpoint's and is there once. */
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
 * The JSON body of a request, off the wire. Not by way of Hono: it hides the body of a GET (fetch knows none), and one
 * way for all of them is one place for the limit.
 */
export async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(incoming);
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

/** The bytes of a JSON body, at most 1 MB. */
export function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new Problem(413, 'The body is too large', 'A JSON body may hold at most 1 MB.');
  const coding = incoming.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity')
    throw new Problem(415, `The body is encoded as "${coding}"`, 'Send it without a Content-Encoding.');
  if (Number(incoming.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();

  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(
      () => end(() => reject(new Problem(408, 'The body did not arrive in time', 'Send the request again.'))),
      BODY_TIMEOUT_MS,
    );
    const end = (settle: () => void) => {
      clearTimeout(timer);
      incoming.off('data', take).off('end', finish).off('close', lost).off('error', lost);
      settle();
    };
    const take = (part: Buffer) => {
      length += part.length;
      parts.push(part);
      if (length > BODY_LIMIT) end(() => reject(tooLarge()));
    };
    const finish = () => end(() => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    const lost = () => end(() => reject(new Problem(400, 'The body was cut off', 'Send the request again.')));
    incoming.on('data', take).on('end', finish).on('close', lost).on('error', lost);
  });
}

/** 200 with what the handler returned; a GET can be asked again with If-None-Match. */
function answer(http: HonoContext<Env>, endpoint: Endpoint, value: unknown): Response | Promise<Response> {
  if (value instanceof Response) return value;
  if (!endpoint.response) return http.body(null, 200, { 'Cache-Control': 'no-store', 'Content-Length': '0' });
  const { json, version, isOpen } = value instanceof Prepared ? value : new Prepared(JSON.stringify(value));
  const make = () => (typeof json === 'function' ? json() : json);
  if (endpoint.method !== 'GET') return http.body(make(), 200, { ...JSON_TYPE, 'Cache-Control': 'no-store' });

  // Where the version is known beforehand, an answer that the client has already is not even made.
  const text = version === undefined ? make() : undefined;
  const tag = version ?? (typeof text === 'string' ? tagOf(text) : undefined);
  if (tag === undefined) return http.body(text ?? make(), 200, { ...JSON_TYPE, 'Cache-Control': 'no-store' });
  const vary = `Authorization, Cookie${isOpen ? ', Accept-Encoding' : ''}`;
  const headers = { 'Cache-Control': 'private, no-cache', Vary: vary, ETag: `"${tag}"` };
  const packedTag = `"${tag}-gzip"`;
  const known = http.req.header('If-None-Match');
  if (matches(known, headers.ETag)) return http.body(null, 304, headers);
  if (isOpen && matches(known, packedTag)) return http.body(null, 304, { ...headers, ETag: packedTag });
  const body = sendable(text ?? make());
  if (isOpen && body instanceof Uint8Array && body.length >= WORTH_PACKING && takesGzip(http))
    return packed(body).then((bytes) =>
      http.body(bytes, 200, { ...JSON_TYPE, ...headers, ETag: packedTag, 'Content-Encoding': 'gzip' }),
    );
  return http.body(body, 200, { ...JSON_TYPE, ...headers });
}

/** Below this, an answer costs more to compress than to send: a page of 25 devices has some 10 kB. */
const WORTH_PACKING = 16 * 1024;
const compress = promisify(gzip);
/** What is kept to be sent again is compressed once. */
const packedBefore = new WeakMap<Uint8Array, Promise<Uint8Array<ArrayBuffer>>>();

function packed(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const before = packedBefore.get(body);
  if (before) return before;
  // Level 1: a seventh of the size for a third of the time that the usual level takes.
  const fresh = compress(body, { level: 1 });
  packedBefore.set(body, fresh);
  return fresh;
}

const takesGzip = (http: HonoContext<Env>): boolean =>
  acceptedCodings(http.req.header('Accept-Encoding')).includes('gzip');

/** Longer text goes out as bytes: a string would be glued to the head of its answer, and all of it encoded in one piece. */
const AS_BYTES = 2048;
const sendable = (json: Json): Json => (typeof json === 'string' && json.length > AS_BYTES ? Buffer.from(json) : json);

/** What names an answer that nothing else does. */
const tagOf = (json: string): string => hash('sha1', json, 'base64url');

/**
 * Whether a write may go on that came with `If-Match` (RFC 9110, section 13.1.1): the thing is still as it was when it was
 * read. `now`: what a GET of it would answer.
 */
export function isAsRead(header: string | undefined, now: () => object): boolean {
  if (header === undefined || header.trim() === '*') return true;
  const tag = `"${tagOf(JSON.stringify(now()))}"`;
  return header.split(',').some((each) => each.trim() === tag);
}

/** RFC 9110, section 13.1.2: weak comparison with any of the listed tags. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
