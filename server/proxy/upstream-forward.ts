// Forwards a request to the upstream service and returns its response: bodies are streamed, headers pass by name, and
// nothing passes that would make the response more than data to the browser.
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { newDevice } from '#/contract/devices.ts';
import { readBody } from '../http/read-body.ts';
import type { Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { stopping } from '../http/traffic.ts';
import { drain } from '../api/upload.ts';
import { codingsOf, headersOf, passageOf, refuseInvalid } from './upstream-answer.ts';
import { upstreamFault } from './upstream-fault.ts';
import { keyScrubber, tokenScrubber } from './upstream-scrub.ts';
import { atMost } from './upstream-limit.ts';
import type { Upstream } from './upstream.ts';
import type { Shape } from './upstream-shapes.ts';

/** The most bytes of a form besides its file. */
const MAX_FORM_OVERHEAD = 1024 * 1024;
/**
 * Forwarded request headers. Cookies, Origin, Referer and addresses are not forwarded, because they concern only this
 * gateway.
 */
const ASKED = ['accept', 'content-type', 'content-length', 'if-none-match', 'if-match', 'idempotency-key'];

const pick = (from: IncomingMessage, names: readonly string[]): OutgoingHttpHeaders =>
  Object.fromEntries(names.flatMap((name) => (from.headers[name] === undefined ? [] : [[name, from.headers[name]]])));

/**
 * Sends the request of a shape with this token, and writes the response, transformed by the editors, to Node's response
 * object. An uploaded file must be smaller than `most`.
 */
export async function forward(
  upstream: Upstream,
  { endpoint, target }: Shape,
  token: string,
  { incoming, outgoing }: Env['Bindings'],
  { giveUp, most, editors = [] }: { giveUp: AbortSignal; most: number; editors?: readonly Transform[] },
): Promise<Response> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  giveUp.addEventListener('abort', abort);
  outgoing.once('close', () => {
    giveUp.removeEventListener('abort', abort);
    abort();
  });
  const body = endpoint.form
    ? uploadOf(incoming, most)
    : endpoint.body
      ? await readBody(incoming, { limit: endpoint.bodyLimit })
      : undefined;
  const headers = pick(incoming, ASKED);
  headers['accept-encoding'] = codingsOf(incoming.headers['accept-encoding']);
  if (body === undefined) for (const name of ['content-type', 'content-length']) delete headers[name];

  let answer: IncomingMessage;
  try {
    answer = await upstream.ask({
      method: endpoint.method,
      target,
      token,
      headers,
      body,
      signal: gone.signal,
    });
  } catch (cause) {
    if (giveUp.aborted) throw stopping(`Look at ${upstream.host} whether it was done, before you send it again.`);
    drainUpload(incoming);
    throw upstreamFault(cause, upstream.host);
  }
  try {
    refuseInvalid(answer, upstream);
  } catch (cause) {
    answer.destroy();
    drainUpload(incoming);
    throw cause;
  }
  const early = !incoming.complete;
  const answered = headersOf(answer, token);
  // Neither applies to the edited body.
  if (editors.length > 0) for (const name of ['content-length', 'etag']) delete answered[name];
  outgoing.writeHead(answer.statusCode ?? 502, {
    ...answered,
    ...(early && { connection: 'close' }),
  });
  try {
    const scrubbers = [tokenScrubber(token), ...(endpoint.response === newDevice ? [] : [keyScrubber()])];
    scrubbers.push(...editors);
    await pipeline([answer, ...passageOf(answer, scrubbers), outgoing], { end: false });
    // A refusal may arrive during the upload; if the connection broke now, the browser would never see it.
    if (early) drainUpload(incoming);
    outgoing.end();
  } catch {
    // An interrupted response must not look complete.
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}

/** Abandons an upload that was refused. */
function drainUpload(incoming: IncomingMessage): void {
  incoming.unpipe();
  drain(incoming);
}

/** A browser's upload as a stream. */
function uploadOf(incoming: IncomingMessage, limit: number) {
  const most = limit + MAX_FORM_OVERHEAD;
  const tooLarge = () =>
    new Problem(413, 'The upload is too large', `An artifact must be smaller than ${limit / 1024 / 1024} MB.`, {
      headers: { Connection: 'close' },
    });
  if (Number(incoming.headers['content-length'] ?? 0) > most) throw tooLarge();
  const counted = atMost(most, tooLarge);
  // An upload that the browser interrupted must not end like a complete one.
  incoming.once('close', () => incoming.complete || counted.destroy(new Error('The upload was cut off')));
  return incoming.pipe(counted);
}
