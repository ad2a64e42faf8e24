// Says that a reverse proxy seems to stand in front which TRUSTED_PROXY does not name. All of its clients then count as one
// address: one of them uses up the share of failed sign-ins of all, and the audit log names none of them.
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { log } from '../operation/log.ts';
import { plainAddress } from './client-address.ts';

const CONSEQUENCE =
  'until then all its visitors count as one address, for the limit of failed sign-ins and in the audit log';

/** A line for the start, where the settings alone tell. */
export function proxyNote({ publicUrl, tls, trustsProxy }: Config): string | undefined {
  if (!publicUrl?.startsWith('https:') || tls !== undefined || trustsProxy) return undefined;
  return `PUBLIC_URL is https and TLS_CERT is not set, so a proxy stands in front. Name its address in TRUSTED_PROXY ("loopback" for this machine): ${CONSEQUENCE}.`;
}

/** Peers that are named at most: anybody can write the header. */
const MOST_NAMED = 3;

/** Looks at each request, and says once of a peer that it forwards for others. */
export function openProxyNotice(
  { isTrustedProxy }: Pick<Config, 'isTrustedProxy'>,
  say: (line: string) => void = (line) => log.warn(line),
): (incoming: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  const named = new Set<string>();
  return ({ headers, socket }) => {
    if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (named.size >= MOST_NAMED || named.has(peer) || isTrustedProxy(peer)) return;
    named.add(peer);
    say(
      `Requests come from ${peer} for other addresses (X-Forwarded-For). If that is your proxy, set TRUSTED_PROXY=${peer}: ${CONSEQUENCE}.`,
    );
  };
}
