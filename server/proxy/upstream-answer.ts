// What passes of an answer from behind a gateway: data, whatever it claims to be. Not where it points, not what it wants a
// browser to keep or run, and not more than a browser can hold, however small it was packed.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Problem } from '../http/problem.ts';
import { atMost } from './upstream-limit.ts';
import { withoutToken } from './upstream-scrub.ts';
import type { Upstream } from './upstream.ts';

/** Far more than the logs of a large deployment; an answer without end must not fill the browser. */
const MOST_ANSWERED = 256 * 1024 * 1024;

/** No cookies, no redirects, no permissions for other sites, no policies. Length and coding belong to the body, which passes as it is. */
const ANSWERED = ['content-length', 'content-encoding', 'etag', 'retry-after', 'allow'];
/** What a browser only shows as text, wherever it meets it; never a page, a script, a style sheet or a drawing. */
const HARMLESS = /^(application\/([\w.+-]+\+)?json|text\/plain|application\/octet-stream)\s*(;|$)/i;

const DECODERS: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
};

/** Fast rather than small: it is done for each answer. */
const ENCODERS: Record<string, () => Transform> = {
  gzip: () => zlib.createGzip({ level: 1 }),
  deflate: () => zlib.createDeflate({ level: 1 }),
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** Of the codings that a browser takes those that can be looked into. */
export const codingsOf = (accepted = ''): string =>
  accepted
    .toLowerCase()
    .match(/\b(gzip|deflate|br)\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/g)
    ?.join(', ') ?? 'identity';

/** Raises a Problem for what is no answer of an API. */
export function refuseStrange(answer: IncomingMessage, { host, address }: Upstream): void {
  const status = answer.statusCode ?? 0;
  // Not followed and not passed on: with the request, the token would go to wherever it points.
  if (status >= 300 && status < 400 && status !== 304) {
    const to = URL.parse(answer.headers.location ?? '', address);
    throw new Problem(
      502,
      `${host} sends requests elsewhere (${status})`,
      `It points to ${to && /^https?:$/.test(to.protocol) ? to.origin : 'no address'}. The request was not sent there. If that is right, the operator sets UPSTREAM_URL to it.`,
    );
  }
  // 407 is a proxy's: a browser would ask its person for a password.
  if (status < 200 || status > 599 || status === 407)
    throw new Problem(502, `${host} answered with ${status}`, 'That is no answer of an API.');
  const coding = answer.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity' && !DECODERS[coding])
    throw new Problem(502, `${host} packed its answer in a way of its own`, 'The gateway cannot look into that.');
  if (Number(answer.headers['content-length'] ?? 0) > MOST_ANSWERED)
    throw new Problem(502, `${host} answers with too much`, `At most ${MOST_ANSWERED / 1024 / 1024} MB are passed on.`);
}

export function headersOf({ headers: all, statusCode }: IncomingMessage, token: string): OutgoingHttpHeaders {
  // One that repeats the token is left out.
  const headers = Object.fromEntries(
    Object.entries(all).filter(([, value]) => withoutToken(String(value), token) === String(value)),
  ) as IncomingMessage['headers'];
  const passed = Object.fromEntries(
    ANSWERED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
  // Packed again it has another length.
  if (DECODERS[headers['content-encoding'] ?? ''] && headers['content-length'] !== '0' && statusCode !== 304)
    delete passed['content-length'];
  const type = headers['content-type'];
  const challenge = headers['www-authenticate'];
  return {
    ...passed,
    ...(type !== undefined && { 'content-type': HARMLESS.test(type) ? type : 'text/plain; charset=utf-8' }),
    // A browser opens its own password window for anything but Bearer.
    ...(challenge !== undefined && /^bearer\b[^,]*$/i.test(challenge) && { 'www-authenticate': challenge }),
    // Whatever the service thinks: an answer may hold secrets that it should not, and is not for the disk of a browser.
    'cache-control': 'no-store',
  };
}

/** What an answer goes through: unpacked, so that it can be counted and looked into, and packed again as it was. */
export function passageOf(answer: IncomingMessage, scrubbers: Transform[], most = MOST_ANSWERED): Transform[] {
  const coding = answer.headers['content-encoding'] ?? '';
  const hasBody = answer.headers['content-length'] !== '0' && answer.statusCode !== 304 && answer.statusCode !== 204;
  const decoder = hasBody ? DECODERS[coding]?.() : undefined;
  const encoder = decoder && ENCODERS[coding]?.();
  return [...(decoder ? [decoder] : []), atMost(most), ...scrubbers, ...(encoder ? [encoder] : [])];
}
