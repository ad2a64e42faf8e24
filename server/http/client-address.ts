// Which machine a request comes from. A forwarded address counts only from TRUSTED_PROXY: anybody can write the header.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Config } from '../config.ts';

/** '::ffff:10.0.0.1' is how a socket that speaks both families names 10.0.0.1. */
export const plainAddress = (address: string) => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** The address of the client, or of the last proxy that is not trusted. */
export function clientAddress({ isTrustedProxy }: Config, incoming: IncomingMessage): string {
  let address = plainAddress(incoming.socket.remoteAddress ?? '');
  // Each proxy adds at the right end whom it heard from: read from there, for as long as the speaker is trusted.
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
