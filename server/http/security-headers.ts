// Security headers of every answer. They are set on Node's response, so that no route, error or shortcut of the
// framework misses them.
import type { ServerResponse } from 'node:http';

/**
 * The policy of pages; the nonce is for the style elements that the UI library creates. `tiles`: the origin of the
 * map's tiles, if it is another one.
 */
export const contentSecurityPolicy = (nonce?: string, tiles?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "style-src-attr 'none'",
    `img-src 'self' data:${tiles === undefined ? '' : ` ${tiles}`}`,
    "font-src 'self'",
    `connect-src 'self'${tiles === undefined ? '' : ` ${tiles}`}`,
    "manifest-src 'self'",
    "object-src 'none'",
    "frame-src 'none'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const HEADERS: [name: string, value: string][] = [
  ['Content-Security-Policy', contentSecurityPolicy()],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  [
    'Permissions-Policy',
    'geolocation=(self), accelerometer=(), camera=(), display-capture=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()',
  ],
];

const PART_HEADERS = new Set(['X-Content-Type-Options', 'Cross-Origin-Resource-Policy']);

/** Sets the headers of every answer; `tls` adds Strict-Transport-Security (RFC 6797). */
export function setSecurityHeaders(outgoing: ServerResponse, tls: boolean): void {
  for (const [name, value] of HEADERS) outgoing.setHeader(name, value);
  if (tls) outgoing.setHeader('Strict-Transport-Security', 'max-age=31536000');
}

/**
 * For a part of a page: what a script, style sheet or font may do is decided by the headers of its page, and half a
 * kilobyte of them for each would only delay it. A worker is a page in this sense.
 */
export function dropPageHeaders(outgoing: ServerResponse): void {
  for (const [name] of HEADERS) if (!PART_HEADERS.has(name)) outgoing.removeHeader(name);
}

/**
 * For data, which is never a page: opened in a tab, or interpreted as HTML, it can neither load nor run anything and
 * has no origin. A gateway forwards answers of another service.
 */
export const setAnswerPolicy = (outgoing: ServerResponse) =>
  outgoing.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
