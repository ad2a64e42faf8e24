// Where a tunnel is reached from outside, whichever field of the answer has it, and what to do with that address.
import type { Tunnel } from '#/contract/tunnels.ts';
import { addressText, webAddress } from '#/lib/web-address.ts';

type Addressed = Pick<Tunnel, 'PublicUrl' | 'PublicAddr'>;

/** `copy` is empty where there is no address, only a word for that. */
export function publicAddress({ PublicUrl, PublicAddr }: Addressed): { text: string; copy: string } {
  const url = addressText(PublicUrl.trim());
  const isAddress = url !== '' && url.toUpperCase() !== 'N/A';
  const address = isAddress ? url : (PublicAddr ?? '');
  return { text: address || url || 'N/A', copy: address };
}

/** Whether anybody may use it. Only where the service reports it. */
export const isPublic = ({ Auth }: Pick<Tunnel, 'Auth'>): boolean => Auth?.toLowerCase() === 'none';

/** What a TCP tunnel exposes, where no sign-in of the tunnel itself protects it; undefined for any other tunnel. */
export function portExposure({ Protocol, Auth, ...tunnel }: Addressed & Pick<Tunnel, 'Protocol' | 'Auth'>) {
  const { copy } = publicAddress(tunnel);
  if (Protocol.toUpperCase() !== 'TCP' || Auth || !copy) return undefined;
  return /^(?:\w+:\/\/)?(?:127\.|localhost:|\[?::1)/i.test(copy)
    ? { text: 'TCP port, this machine only', title: 'Only programs on the machine of the service can connect.' }
    : { text: 'Open TCP port', title: 'Anyone can connect. What is behind it may ask for a sign-in.' };
}

const SSH_PORTS = ['22', '2222'];

/**
 * The command that reaches the SSH server behind a tunnel. Undefined where something else is behind it. A service's
 * address ends up in a shell: only letters, digits, dots, colons and hyphens are let through, and none as an option.
 */
export function sshCommand(tunnel: Addressed & Pick<Tunnel, 'LocalDest'>): string | undefined {
  const { scheme, inside } = /^(?:(?<scheme>[a-z]+):\/\/)?.*:(?<inside>\d+)\/?$/i.exec(tunnel.LocalDest)?.groups ?? {};
  if (scheme?.toLowerCase() !== 'ssh' && !SSH_PORTS.includes(inside ?? '')) return undefined;
  const address = /^(?:(?:tcp|ssh):\/\/)?(?:\[([\da-f:]+)\]|([a-z\d][a-z\d.-]*)):(\d{1,5})$/i.exec(
    publicAddress(tunnel).copy,
  );
  return address ? `ssh -p ${address[3]} ${address[1] ?? address[2]}` : undefined;
}

/** Why a phone cannot open it, though this machine can; undefined where it can, or where it is no web address. */
export function onlyHere(address: string): string | undefined {
  const host = webAddress(address) && new URL(address.trim()).hostname;
  if (!host) return undefined;
  if (host === 'localhost' || host.endsWith('.localhost'))
    return 'Names under .localhost mean the machine itself: a phone cannot reach it';
  return /^127\.|^\[::1\]$/.test(host) ? `${host} means the machine itself: a phone cannot reach it` : undefined;
}
