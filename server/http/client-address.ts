// The address of a client. A forwarded address counts only from TRUSTED_PROXY, because anyone can send the header.
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';

/** An address in its usual form: a dual-stack socket reports 10.0.0.1 as '::ffff:10.0.0.1'. */
export function plainAddress(address: string): string {
  const text = address.trim();
  return isIPv6(text) ? ipaddr.process(text).toString() : text;
}

/** The address of the client, or of the last untrusted proxy. */
export function clientAddress({ isTrustedProxy }: Config, incoming: IncomingMessage): string {
  let address = plainAddress(incoming.socket.remoteAddress ?? '');
  // Each proxy appends the address it received the request from: read from the right, as long as the sender is trusted.
  const forwarded = [incoming.headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map(plainAddress)
    .filter(Boolean);
  while (isTrustedProxy(address)) {
    const before = forwarded.pop();
    if (before === undefined || !isIP(before)) break;
    address = before;
  }
  return address;
}
