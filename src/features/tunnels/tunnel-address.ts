// The public address of a tunnel, from whichever field the service reports it in, and what can be done with it.
import type { Tunnel } from '#/contract/tunnels.ts';
import { addressText, webAddress } from '#/lib/web-address.ts';

type Addressed = Pick<Tunnel, 'PublicUrl' | 'PublicAddr'>;

/** `copy` is empty if there is no address; `text` then says so. */
export function publicAddress({ PublicUrl, PublicAddr }: Addressed): { text: string; copy: string } {
  const url = addressText(PublicUrl.trim());
  const isAddress = url !== '' && url.toUpperCase() !== 'N/A';
  const address = isAddress ? url : (PublicAddr ?? '');
  return { text: address || url || 'N/A', copy: address };
}

/** When it was opened first: to the millisecond, where the service says so. */
export const openedText = ({ CreatedTime, Created }: Pick<Tunnel, 'CreatedTime' | 'Created'>): string =>
  CreatedTime || Created;

/** Who opened it; undefined if the service does not say so. */
export const openerText = ({ Source, SourceName }: Pick<Tunnel, 'Source' | 'SourceName'>): string | undefined =>
  Source === 'device' ? 'by the device' : Source && `by ${SourceName || Source}`;

/** Whether anyone may use it, as far as the service reports it. */
export const isPublic = ({ Auth }: Pick<Tunnel, 'Auth'>): boolean => Auth?.toLowerCase() === 'none';

/** What a TCP tunnel without a sign-in of its own exposes; undefined for any other tunnel. */
export function portExposure({ Protocol, Auth, ...tunnel }: Addressed & Pick<Tunnel, 'Protocol' | 'Auth'>) {
  const { copy } = publicAddress(tunnel);
  if (Protocol.toUpperCase() !== 'TCP' || Auth || !copy) return undefined;
  return /^(?:\w+:\/\/)?(?:127\.|localhost:|\[?::1)/i.test(copy)
    ? { text: 'TCP port, this machine only', title: 'Only programs on the machine of the service can connect.' }
    : { text: 'Open TCP port', title: 'Anyone can connect. What is behind it may ask for a sign-in.' };
}

const SSH_PORTS = ['22', '2222'];

/**
 * The command that connects to the SSH server behind a tunnel; undefined if there is another server behind it. The address
 * ends up in a shell, so only letters, digits, dots, colons and hyphens may pass, and none as an option.
 */
export function sshCommand(tunnel: Addressed & Pick<Tunnel, 'LocalDest'>): string | undefined {
  const { scheme, inside } = /^(?:(?<scheme>[a-z]+):\/\/)?.*:(?<inside>\d+)\/?$/i.exec(tunnel.LocalDest)?.groups ?? {};
  if (scheme?.toLowerCase() !== 'ssh' && !SSH_PORTS.includes(inside ?? '')) return undefined;
  const address = /^(?:(?:tcp|ssh):\/\/)?(?:\[([\da-f:]+)\]|([a-z\d][a-z\d.-]*)):(\d{1,5})$/i.exec(
    publicAddress(tunnel).copy,
  );
  return address ? `ssh -p ${address[3]} ${address[1] ?? address[2]}` : undefined;
}

/** Why only this machine, and no phone, can open the address; undefined if a phone can, or if it is no web address. */
export function onlyHere(address: string): string | undefined {
  const host = webAddress(address) && new URL(address.trim()).hostname;
  if (!host) return undefined;
  if (host === 'localhost' || host.endsWith('.localhost'))
    return 'Names under .localhost mean the machine itself: a phone cannot reach it';
  return /^127\.|^\[::1\]$/.test(host) ? `${host} means the machine itself: a phone cannot reach it` : undefined;
}
