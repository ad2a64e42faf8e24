// Refuses ambiguous requests before anything parses them: a path that a URL parser rewrites ("/v1/devices/../tunnels"
// would delete all tunnels), or a repeated header that decides who the caller is.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from './problem.ts';
import { recordRequest } from '../operation/request-log.ts';
import { setAnswerPolicy, setSecurityHeaders } from './security-headers.ts';
import { tooManyOpen } from './open-files.ts';

/** RFC 3986, section 2.3: letters, digits and - . _ ~ mean the same encoded or not. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

/** Why a path is ambiguous; undefined if it is not. */
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

/** Node uses only the first Authorization or Host header; a proxy may have used the other one. */
const ONCE = ['authorization', 'host'];

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
      if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) {
        times += 1;
        if (name === 'host' && rawHeaders[at + 1] === '')
          return new Problem(400, 'The Host header is empty', 'Send the host of the address that is asked.');
      }
    if (times > 1)
      return new Problem(
        400,
        `The request has ${times} ${name === 'host' ? 'Host' : 'Authorization'} headers`,
        'Send it once.',
      );
  }
  return undefined;
}

/**
 * Answers an ambiguous request, or one over the limit; false for any other. Not a route, because Hono has parsed the
 * path by then.
 */
export function refuseUnclear(incoming: IncomingMessage, outgoing: ServerResponse, tls: boolean): boolean {
  const problem = unclearRequest(incoming) ?? tooManyOpen(incoming.socket);
  if (!problem) return false;
  recordRequest(incoming.method ?? '', 'unclear', problem.status, 0, problem.message);
  setSecurityHeaders(outgoing, tls);
  setAnswerPolicy(outgoing);
  // The body is not read, and must not be taken for the next request: the connection is closed.
  outgoing
    .writeHead(problem.status, {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...(!incoming.complete && { Connection: 'close' }),
    })
    .end(incoming.method === 'HEAD' ? undefined : JSON.stringify(problem.body()));
  return true;
}
