// The documented API of the upstream service for what a gateway does by itself, with the operator's token: rows of the
// contract, answers read leniently, and errors that say whether a write may have been carried out.
import { text as textOf } from 'node:stream/consumers';
import * as z from 'zod/mini';
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { readRefusal } from '#/contract/refusal.ts';
import { Problem } from '../http/problem.ts';
import { refuseInvalid } from './upstream-answer.ts';
import { upstreamFault } from './upstream-fault.ts';
import { atMost } from './upstream-limit.ts';
import { withoutToken } from './upstream-scrub.ts';
import type { Upstream } from './upstream.ts';

/**
 * - `not-sent`: the service has not received it.
 * - `later`: it did nothing, and asks for a pause.
 * - `refused`: it did nothing, and would not the next time.
 * - `signed-out`: it refuses the token.
 * - `unknown`: it may have done it.
 */
export type FailureMeaning = 'not-sent' | 'later' | 'refused' | 'signed-out' | 'unknown';

export class UpstreamFailure extends Problem {
  readonly meaning: FailureMeaning;
  constructor(meaning: FailureMeaning, ...problem: ConstructorParameters<typeof Problem>) {
    super(...problem);
    this.meaning = meaning;
  }
}

export interface UpstreamApi {
  host: string;
  /** Calls a row of the contract. `ifMatch`: only while it is as it was read. */
  call<E extends Endpoint>(endpoint: E, request: RequestOf<E>, ifMatch?: string): Promise<ResponseOf<E>>;
  /** The same, with the version of the answer, where the service gives one. */
  callTagged<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<{ data: ResponseOf<E>; tag?: string }>;
  /** For how many milliseconds the service asked to be left alone. */
  pause(): number;
}

/** Lists of all jobs of a large fleet. */
const MAX_READ = 64 * 1024 * 1024;
const PAUSE_MS = 5_000;
const MOST_PAUSE_MS = 3_600_000;
/** The connection was never made. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const isNotSent = (cause: unknown): boolean => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return NOT_SENT.has(code) || /CERT|SIGNATURE|HOSTNAME/.test(code);
};

const meaningOf = (status: number): FailureMeaning => {
  if (status === 401) return 'signed-out';
  if (status === 429 || status === 503) return 'later';
  return status >= 500 && status !== 501 ? 'unknown' : 'refused';
};

interface Sent {
  params?: Record<string, string | number>;
  query?: Record<string, string | undefined>;
  body?: unknown;
}

function targetOf({ path }: Endpoint, { params = {}, query = {} }: Sent): string {
  const target = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
  return search.size > 0 ? `${target}?${search.toString()}` : target;
}

export function openUpstreamApi(
  upstream: Upstream,
  { token, steady, signal }: { token: string; steady: () => number; signal: AbortSignal },
): UpstreamApi {
  const { host } = upstream;
  let quietUntil = Number.NEGATIVE_INFINITY;
  const pause = () => Math.max(0, quietUntil - steady());

  const exchange = async (endpoint: Endpoint, sent: Sent, ifMatch: string | undefined) => {
    const json = sent.body === undefined ? undefined : Buffer.from(JSON.stringify(sent.body));
    let sure = true;
    try {
      const answer = await upstream.ask({
        method: endpoint.method,
        target: targetOf(endpoint, sent),
        token,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(json && { 'content-type': 'application/json', 'content-length': json.length }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        body: json,
        signal,
      });
      sure = false;
      refuseInvalid(answer, upstream);
      const limited = answer.pipe(atMost(MAX_READ));
      answer.once('error', (cause) => limited.destroy(cause)).once('aborted', () => limited.destroy(new Error('Cut')));
      const text = withoutToken(await textOf(limited), token);
      const { etag, 'retry-after': retryAfter } = answer.headers;
      return { status: answer.statusCode ?? 0, text, etag, retryAfter: Number(retryAfter) };
    } catch (cause) {
      const { status, message, detail } = upstreamFault(cause, host);
      throw new UpstreamFailure(sure && isNotSent(cause) ? 'not-sent' : 'unknown', status, message, detail);
    }
  };

  const later = (detail: string): UpstreamFailure => {
    const headers = { 'Retry-After': String(Math.ceil(pause() / 1000)) };
    return new UpstreamFailure('later', 503, `${host} asks for a pause`, detail, { headers });
  };

  const refusal = (status: number, text: string, retryAfter: number): UpstreamFailure => {
    const meaning = meaningOf(status);
    const { detail } = readRefusal(text);
    if (meaning === 'later') {
      quietUntil = steady() + Math.min(MOST_PAUSE_MS, retryAfter > 0 ? retryAfter * 1000 : PAUSE_MS);
      return later(detail || 'Try again later.');
    }
    if (meaning === 'signed-out')
      return new UpstreamFailure(meaning, 502, `${host} refuses UPSTREAM_TOKEN`, 'The operator sets a valid one.');
    return new UpstreamFailure(meaning, status >= 500 ? 502 : status, `${host} answered with ${status}`, detail);
  };

  const callTagged: UpstreamApi['callTagged'] = (endpoint, request) => send(endpoint, request);
  const send = async <E extends Endpoint>(endpoint: E, request: RequestOf<E>, ifMatch?: string) => {
    if (pause() > 0) throw later('Try again later.');
    const { status, text, etag, retryAfter } = await exchange(endpoint, request as Sent, ifMatch);
    if (status < 200 || status > 299) throw refusal(status, text, retryAfter);
    let data: unknown;
    if (endpoint.response) {
      const read = z.safeParse(endpoint.response, valueOf(text));
      if (!read.success)
        throw new UpstreamFailure('unknown', 502, `${host} gave an unexpected answer`, `To ${endpoint.path}.`);
      data = read.data;
    }
    return { data: data as ResponseOf<E>, ...(etag !== undefined && { tag: etag }) };
  };

  return { host, pause, callTagged, call: async (...request) => (await send(...request)).data };
}

/** An empty body is an empty list; text that is no JSON is left to the schema. */
function valueOf(text: string): unknown {
  try {
    return text.trim() === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
