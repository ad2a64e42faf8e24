// Decides which parts of an upstream response pass the gateway: only data, whatever its type claims. Redirects, cookies
// and policies do not pass, nor does more data than a browser can handle, however well it was compressed.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Problem } from '../http/problem.ts';
import { atMost } from './upstream-limit.ts';
import { withoutToken } from './upstream-scrub.ts';
import type { Upstream } from './upstream.ts';

/** Far more than the logs of a large deployment, but an endless response must not fill the browser. */
const MAX_ANSWERED = 256 * 1024 * 1024;

/**
 * No cookies, redirects, permissions for other sites, or policies. The length and encoding are those of the unchanged
 * body.
 */
const ANSWERED = ['content-length', 'content-encoding', 'etag', 'retry-after', 'allow'];
/** Types that a browser never treats as a page, script, style sheet or image. */
const HARMLESS = /^(application\/([\w.+-]+\+)?json|text\/plain|application\/octet-stream)\s*(;|$)/i;

const DECODERS = new Map(
  Object.entries<() => Transform>({
    gzip: () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
  }),
);

/** Fast rather than small, because every response is compressed again. */
const ENCODERS = new Map(
  Object.entries<() => Transform>({
    gzip: () => zlib.createGzip({ level: 1 }),
    deflate: () => zlib.createDeflate({ level: 1 }),
    br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  }),
);

/** The accepted encodings that this gateway can decode. */
export const codingsOf = (accepted = ''): string =>
  accepted
    .toLowerCase()
    .match(/\b(gzip|deflate|br)\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/g)
    ?.join(', ') ?? 'identity';

/** Throws a Problem for anything that is not the response of an API. */
export function refuseInvalid(answer: IncomingMessage, { host, address }: Upstream): void {
  const status = answer.statusCode ?? 0;
  // Redirects are neither followed nor passed on, because the token would be sent to the target.
  if (status >= 300 && status < 400 && status !== 304) {
    const to = URL.parse(answer.headers.location ?? '', address);
    throw new Problem(
      502,
      `${host} sends requests elsewhere (${status})`,
      `It points to ${to && /^https?:$/.test(to.protocol) ? to.origin : 'no address'}. The request was not sent there. If that is right, the operator sets UPSTREAM_URL to it.`,
    );
  }
  // A 407 is for proxies, and would make a browser ask for a password.
  if (status < 200 || status > 599 || status === 407)
    throw new Problem(502, `${host} answered with ${status}`, 'An API does not answer with that.');
  const coding = answer.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity' && !DECODERS.has(coding))
    throw new Problem(502, `${host} uses an unknown Content-Encoding`, 'The gateway cannot read its answer.');
  if (Number(answer.headers['content-length'] ?? 0) > MAX_ANSWERED)
    throw new Problem(
      502,
      `The answer of ${host} is too large`,
      `At most ${MAX_ANSWERED / 1024 / 1024} MB are passed on.`,
    );
}

export function headersOf({ headers: all, statusCode }: IncomingMessage, token: string): OutgoingHttpHeaders {
  // A header that repeats the token is omitted.
  const headers = Object.fromEntries(
    Object.entries(all).filter(([, value]) => withoutToken(String(value), token) === String(value)),
  ) as IncomingMessage['headers'];
  const passed = Object.fromEntries(
    ANSWERED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
  // The length changes when the body is compressed again.
  if (DECODERS.has(headers['content-encoding'] ?? '') && headers['content-length'] !== '0' && statusCode !== 304)
    delete passed['content-length'];
  const type = headers['content-type'];
  const challenge = headers['www-authenticate'];
  return {
    ...passed,
    ...(type !== undefined && { 'content-type': HARMLESS.test(type) ? type : 'text/plain; charset=utf-8' }),
    // For any scheme but Bearer, a browser opens a password dialog.
    ...(challenge !== undefined && /^bearer\b[^,]*$/i.test(challenge) && { 'www-authenticate': challenge }),
    // A response may contain secrets that the browser must not store, whatever the service allows.
    'cache-control': 'no-store',
  };
}

/** The transforms of a response: it is decompressed, so that it can be measured and scrubbed, and compressed again. */
export function passageOf(answer: IncomingMessage, scrubbers: Transform[], most = MAX_ANSWERED): Transform[] {
  const coding = answer.headers['content-encoding'] ?? '';
  const hasBody = answer.headers['content-length'] !== '0' && answer.statusCode !== 304 && answer.statusCode !== 204;
  const decoder = hasBody ? DECODERS.get(coding)?.() : undefined;
  const encoder = decoder && ENCODERS.get(coding)?.();
  return [...(decoder ? [decoder] : []), atMost(most), ...scrubbers, ...(encoder ? [encoder] : [])];
}
