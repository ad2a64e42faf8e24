// Requests that two readers could understand differently, refused before anything reads them: a path that a URL parser
// rewrites ("/v1/devices/../tunnels" would delete all tunnels), or a header that is there twice and decides who asks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from './problem.ts';
import { seeRequest } from '../operation/requests-seen.ts';
import { setAnswerPolicy, setSecurityHeaders } from './security-headers.ts';
import { tooManyOpen } from './open-files.ts';

/** RFC 3986, section 2.3: letters, digits and - . _ ~ mean the same encoded and as they are. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

/** What makes a path unclear, in words; undefined for one that can be read in one way only. */
function unclearPath(target: string): string | undefined {
  // A proxy may send the absolute form (RFC 9112, section 3.2.2).
  const path = target.replace(/^https?:\/\/[^/?#\\]*/i, '').split('?', 1)[0] ?? '';
  if (path.includes('\\')) return 'a backslash';
  if (path.includes('#')) return 'a "#"';
  if (path.includes('//')) return 'two slashes in a row';
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return 'a dot segment';
  if (ENCODED_UNRESERVED.test(path)) return 'an encoded character that needs no encoding';
  if (/%(?![\da-f]{2})/i.test(path)) return 'a "%" that encodes nothing';
  return undefined;
}

/** Node shows the first of two Authorization or Host headers only; a proxy in front may have looked at the other. */
const ONCE = ['authorization', 'host'];

/** Why a request is refused, or undefined. */
export function unclearRequest({
  url = '',
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'rawHeaders'>): Problem | undefined {
  const found = unclearPath(url);
  if (found !== undefined)
    return new Problem(
      404,
      'Not found',
      `The path holds ${found}, and nothing here has such a path. Nothing was done: encode each id once (a slash as %2F), and write the rest as it is.`,
    );
  for (const name of ONCE) {
    let times = 0;
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) times += 1;
    if (times > 1)
      return new Problem(
        400,
        `The request has ${times} ${name === 'host' ? 'Host' : 'Authorization'} headers`,
        'Send it once.',
      );
  }
  return undefined;
}

/** Answers a request that is unclear, or one too many; false for any other. Not a route: the framework has read the path by then. */
export function refuseUnclear(incoming: IncomingMessage, outgoing: ServerResponse, tls: boolean): boolean {
  const problem = unclearRequest(incoming) ?? tooManyOpen(incoming.socket);
  if (!problem) return false;
  seeRequest(incoming.method ?? '', 'unclear', problem.status, 0, problem.message);
  setSecurityHeaders(outgoing, tls);
  setAnswerPolicy(outgoing);
  // The body, if there is one, is not read: what is left of it must not be taken for the next request.
  outgoing
    .writeHead(problem.status, {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...(!incoming.complete && { Connection: 'close' }),
    })
    .end(incoming.method === 'HEAD' ? undefined : JSON.stringify(problem.body()));
  return true;
}
