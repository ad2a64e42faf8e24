// Which addresses a webhook may reach. A service that posts to any address that a user enters could be used to reach
// what only it can: other services on its machine and network, and the metadata of a cloud's machine (OWASP: Server
// Side Request Forgery). So only public addresses are allowed, by default.
import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not public (IANA IPv4 Special-Purpose Address Registry), multicast and reserved ones. */
const CLOSED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's platform, which answers only its own machines.
  ['168.63.129.16', 32],
] as const;
/** Within 2000::/3, which is all that is public: protocols, documentation, and tunnels that lead to IPv4 addresses. */
const CLOSED_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const closed = new BlockList();
for (const [network, bits] of CLOSED_V4) closed.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of CLOSED_V6) closed.addSubnet(network, bits, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Whether an address, without brackets, is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  // IPv4-mapped and translated addresses are outside of 2000::/3.
  return family === 6 && global.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}
