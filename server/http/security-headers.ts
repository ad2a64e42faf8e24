// What every answer tells a browser not to do. Set on Node's own response, so that no route, error or shortcut of the
// framework is without them.
import type { ServerResponse } from 'node:http';

/**
 * The policy of the pages; the nonce is for the style elements that the UI library writes at run time. `tiles`: the one
 * other origin that a page may read from, for the map.
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

/** Sets the headers of every answer; `tls` adds the promise to stay on https (RFC 6797). */
export function setSecurityHeaders(outgoing: ServerResponse, tls: boolean): void {
  for (const [name, value] of HEADERS) outgoing.setHeader(name, value);
  if (tls) outgoing.setHeader('Strict-Transport-Security', 'max-age=31536000');
}

/**
 * For what is data and never a page: opened in a tab, or believed to be HTML, it can load and run nothing and has no
 * origin. A gateway passes on whatever another service says.
 */
export const setAnswerPolicy = (outgoing: ServerResponse) =>
  outgoing.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
