// Where a tunnel is reached from outside, whichever field of the answer says it.
import type { Tunnel } from '#/contract/tunnels.ts';

/** `copy` is empty where there is no address, only a word for that. */
export function publicAddress({ PublicUrl, PublicAddr }: Pick<Tunnel, 'PublicUrl' | 'PublicAddr'>): {
  text: string;
  copy: string;
} {
  const url = PublicUrl.trim();
  const isAddress = url !== '' && url.toUpperCase() !== 'N/A';
  const address = isAddress ? url : (PublicAddr ?? '');
  return { text: address || url || 'N/A', copy: address };
}
