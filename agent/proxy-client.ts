// Connections and requests through a proxy. Loaded only where one is in between: see outgoing.ts.
import { request, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import { request as requestByTls } from 'node:https';
import { Readable } from 'node:stream';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { ProxyTunnel, RequestOptions } from './outgoing.ts';
import { loginOf, proxyFor } from './proxy.ts';

/** A way for one connection, by CONNECT (RFC 9110, section 9.3.6): few proxies pass an upgrade on by themselves. */
export function openProxyTunnel(proxy: URL, signal?: AbortSignal): ProxyTunnel {
  const ended = new AbortController();
  // A proxy that never answers would keep its connection after the request was given up.
  const agent = new HttpsProxyAgent(proxy, { signal: signal ?? ended.signal });
  const tunnel: ProxyTunnel = { agent, name: proxy.host, refusal: undefined, end: () => ended.abort() };
  agent.on('proxyConnect', ({ statusCode, statusText }: { statusCode: number; statusText: string }) => {
    if (statusCode !== 200) tunnel.refusal = refusalOf(proxy, statusCode, statusText);
  });
  return tunnel;
}

function refusalOf(proxy: URL, status: number, text = ''): string {
  const advice =
    status === 407
      ? ': it wants a login, as in http://user:password@proxy.example.com:3128'
      : ': see that it lets this device connect there';
  return `the proxy ${proxy.host} answered ${`${status} ${text}`.trim()}${advice}`;
}

const MOST_REDIRECTS = 20;
const NO_BODY = new Set([204, 205, 304]);

/** A request as fetch sends it. */
export async function fetchByProxy(url: URL, options: RequestOptions, redirects = 0): Promise<Response> {
  const proxy = proxyFor(url);
  if (!proxy) return fetch(url, options);
  const answer = await send(proxy, url, options);
  const { statusCode: status = 502, statusMessage: statusText = '', headers } = answer;
  if ([301, 302, 303, 307, 308].includes(status) && headers.location !== undefined) {
    answer.destroy();
    if (options.redirect === 'error' || redirects === MOST_REDIRECTS)
      throw new Error(`${url.origin} redirects to another address`);
    return fetchByProxy(new URL(headers.location, url), options, redirects + 1);
  }
  if (NO_BODY.has(status)) answer.resume();
  const body = NO_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2)
    pairs.push([answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '']);
  return new Response(body, { status, statusText, headers: pairs });
}

async function send(proxy: URL, url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const { method = 'GET', body, signal } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  const common: ClientRequestArgs = { method, headers, ...(signal && { signal }) };
  const tunnel = url.protocol === 'https:' ? openProxyTunnel(proxy, signal) : undefined;
  const login = loginOf(proxy);
  if (!tunnel) {
    headers['Host'] = url.host;
    if (login !== undefined) headers['Proxy-Authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = tunnel
      ? requestByTls(url, { ...common, agent: tunnel.agent }, resolve)
      : // The whole address as path (RFC 9112, section 3.2.2).
        (proxy.protocol === 'https:' ? requestByTls : request)(
          proxy,
          { ...common, agent: false, auth: null, path: url.href.replace(/#.*/, '') },
          resolve,
        );
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`${error.message} (through the proxy ${proxy.host})`, { cause: error })),
    );
    sent.end(body);
  });
  const refusal =
    tunnel?.refusal ?? (answer.statusCode === 407 ? refusalOf(proxy, 407, answer.statusMessage) : undefined);
  if (refusal === undefined) return answer;
  answer.destroy();
  throw new Error(refusal);
}
