// Which addresses a webhook may reach. A service that posts to any address that a user enters could be used to reach
// what only it can: other services on its machine and network, and the metadata of a cloud's machine (OWASP: Server
// Side Request Forgery). So only public addresses are allowed, by default.
import ipaddr from 'ipaddr.js';

/** All that is assigned for public use; what is outside of it is no special range, either. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's platform, which answers only its own machines. */
const AZURE_PLATFORM = '168.63.129.16';

/** Whether an address, without brackets, is on the public internet. Addresses that stand for an IPv4 one are not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_V6) : parsed.toString() !== AZURE_PLATFORM;
}
