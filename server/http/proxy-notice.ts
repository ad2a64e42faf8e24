// Detects a reverse proxy that TRUSTED_PROXY does not name. All of its clients would count as one address: one of them
// could use up the failed sign-ins of all, and the audit log would show none of their addresses.
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { log } from '../operation/log.ts';
import { plainAddress } from './client-address.ts';

const CONSEQUENCE =
  'until then all its visitors count as one address, for the limit of failed sign-ins and in the audit log';

/** A note for the start, if the settings suggest a proxy. */
export function proxyNote({ publicUrl, tls, trustsProxy }: Config): string | undefined {
  if (!publicUrl?.startsWith('https:') || tls !== undefined || trustsProxy) return undefined;
  return `PUBLIC_URL is https and TLS_CERT is not set, so a proxy is in front. Name its address in TRUSTED_PROXY ("loopback" for this machine): ${CONSEQUENCE}.`;
}

/** Most peers to name: anyone can send the header. */
const MAX_NAMED = 3;

/** Checks each request, and reports once per peer that it forwards. */
export function openProxyNotice(
  { isTrustedProxy }: Pick<Config, 'isTrustedProxy'>,
  say: (line: string) => void = (line) => log.warn(line),
): (incoming: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  const named = new Set<string>();
  return ({ headers, socket }) => {
    if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (named.size >= MAX_NAMED || named.has(peer) || isTrustedProxy(peer)) return;
    named.add(peer);
    say(
      `Requests come from ${peer} for other addresses (X-Forwarded-For). If that is your proxy, set TRUSTED_PROXY=${peer}: ${CONSEQUENCE}.`,
    );
  };
}
