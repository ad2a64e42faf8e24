// Sends a message to a webhook: one POST to exactly the address that was checked, without redirects.
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { AlertMessage } from '#/contract/alerts.ts';
import { VERSION } from '../version.ts';
import { faultText, type Sent } from './attempt.ts';
import { isPublicAddress } from './public-address.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';
import { inLine } from './words.ts';

export interface Address {
  address: string;
  family: number;
}

export interface WebhookOptions {
  /** ALERT_PRIVATE_TARGETS: any address. */
  allowPrivate: boolean;
  now: () => number;
  signal: AbortSignal;
  /** For tests. */
  resolve?: (name: string) => Promise<Address[]>;
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** Short answers are read to their end, so that the receiver sees no broken connection. */
const MOST_READ = 4_096;
const PRIVATE = 'it leads to a private address, which only ALERT_PRIVATE_TARGETS=1 on the service allows';

const resolveName = (name: string): Promise<Address[]> => lookup(name, { all: true });

/** Where a URL leads: the first of its addresses. Refused if any of them is private, because another could be used next. */
export async function targetOf(
  url: URL,
  { allowPrivate, resolve = resolveName }: Pick<WebhookOptions, 'allowPrivate' | 'resolve'>,
): Promise<Address | { refusal: string }> {
  // The URL parser has already turned every other spelling of an IPv4 address into dotted decimal.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await resolve(host);
  const [first] = addresses;
  if (!first) return { refusal: 'the name has no address' };
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) return { refusal: PRIVATE };
  return first;
}

/** `&`, `<` and `>` are Slack's own marks: a device's name must not become a link or a mention. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const bodyOf = (format: string, message: AlertMessage): string =>
  JSON.stringify(format === 'slack' ? { text: escaped(`*${inLine(message.Rule)}*\n${message.Text}`) } : message);

/** Sends once. Never throws. */
export async function sendWebhook(
  channel: { url: string; format: string; secret: string },
  message: AlertMessage,
  options: WebhookOptions,
): Promise<Sent> {
  const { now, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, options.signal]);
  try {
    const url = new URL(channel.url);
    const target = await within(targetOf(url, options), signal);
    if ('refusal' in target) return { delivered: false, because: target.refusal };
    const body = bodyOf(channel.format, message);
    const status = await post(url, target, body, {
      signal,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        'User-Agent': `Muster/${VERSION}`,
        [SIGNATURE_HEADER]: signatureOf(channel.secret, body, now()),
      },
    });
    if (status >= 200 && status < 300) return { delivered: true, because: '', status };
    const because =
      status >= 300 && status < 400
        ? `it answered ${status}, a redirect, which is not followed: enter the address it leads to`
        : `it answered ${status}`;
    return { delivered: false, because, status };
  } catch (cause) {
    const seconds = timeoutMs / 1000;
    return { delivered: false, because: timeout.aborted ? `no answer within ${seconds} seconds` : faultText(cause) };
  }
}

function within<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function post(
  url: URL,
  { address, family }: Address,
  body: string,
  { signal, headers }: { signal: AbortSignal; headers: Record<string, string> },
): Promise<number> {
  // The name stays for TLS and the Host header, but is not resolved again: the answer could be another one by now.
  const toAddress: LookupFunction = (_name, { all }, done) =>
    all ? done(null, [{ address, family }]) : done(null, address, family);
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(url, { method: 'POST', headers, signal, agent: false, lookup: toAddress }, (answer) => {
      let read = 0;
      answer
        .on('error', () => {})
        .on('data', (part: Buffer) => {
          read += part.length;
          if (read > MOST_READ) answer.destroy();
        });
      // Only the status counts, whatever follows it.
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
