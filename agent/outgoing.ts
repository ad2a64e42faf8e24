// What leaves this device for the service: straight, or through the proxy that the environment names. Without one, nothing
// of what proxies need is loaded.
import type { Agent, IncomingMessage } from 'node:http';
import { proxyFor } from './proxy.ts';

/** The way of one connection through a proxy. */
export interface ProxyTunnel {
  agent: Agent;
  /** Host and port of the proxy. */
  name: string;
  /** What the proxy answered, if it did not connect. */
  refusal: string | undefined;
  end(): void;
}

export interface RequestOptions {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  redirect?: 'error' | 'follow';
  signal?: AbortSignal;
}

/** Where the service takes the WebSockets of this path. */
export function socketUrl(server: string, path: string): URL {
  const url = new URL(server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = url.pathname.replace(/\/*$/, path);
  return url;
}

/** Undefined if no proxy is in between. */
export function proxyTunnel(url: URL): Promise<ProxyTunnel> | undefined {
  const proxy = proxyFor(url);
  return proxy && import('./proxy-client.ts').then(({ openProxyTunnel }) => openProxyTunnel(proxy));
}

/** fetch, through a proxy if there is one. */
export async function request(url: string, options: RequestOptions): Promise<Response> {
  const target = new URL(url);
  if (!proxyFor(target)) return fetch(target, options);
  const { fetchByProxy } = await import('./proxy-client.ts');
  return fetchByProxy(target, options);
}

type AnswerHead = Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'headers'>;

/** Whether the service refuses the key. A proxy or a hotel's network that wants a login has another challenge, or none. */
export const refusesKey = ({ statusCode, headers }: AnswerHead): boolean =>
  statusCode === 401 && /^Bearer realm="muster"/i.test(headers['www-authenticate'] ?? '');

/** What an answer says that is not the service's, by the name that its sender gives itself. */
export function answerInBetween(status: number, statusText: string, server: string | null): string {
  const named = server ? `, ${server.slice(0, 60)},` : '';
  const advice = status < 500 ? '; see that it lets this device through' : '';
  return `a proxy in between${named} answered ${`${status} ${statusText}`.trim()}${advice}`;
}

/** The answers of the service itself that need no explanation. */
const OF_THE_SERVICE = new Set([401, 429, 503]);

/** Why a WebSocket was not opened, from what was answered instead. */
export function refusalOf(answer: AnswerHead): string {
  const { statusCode = 0, statusMessage = '', headers } = answer;
  if (statusCode === 401 && !refusesKey(answer))
    return answerInBetween(statusCode, statusMessage, String(headers.server ?? ''));
  const answered = `it answered ${statusCode} ${statusMessage}`.trim();
  return OF_THE_SERVICE.has(statusCode) ? answered : `${answered}; a proxy in between must pass WebSocket upgrades`;
}

/** A short description; for an error with several causes (one per address family), that of the last one. */
export function faultOf(error: NodeJS.ErrnoException): string {
  const cause = error instanceof AggregateError ? (error.errors.at(-1) as NodeJS.ErrnoException | undefined) : error;
  return cause?.code ?? cause?.message ?? '';
}
