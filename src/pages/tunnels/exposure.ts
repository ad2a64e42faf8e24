// Reasons to review an open tunnel: anybody may use it, it is old, or its device is not there.
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { isPublic } from '#/features/tunnels/tunnel-address.ts';
import { oneOf, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export const EXPOSURES = ['public', 'old', 'offline', 'gone'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** From how many days on a tunnel is marked as old. */
export const AGES = [1, 7, 30, 90] as const;
const USUAL_AGE = 7;

export const exposureText = (exposure: Exposure, days: number): string =>
  ({
    public: 'Public, no sign-in',
    old: `Older than ${days === 1 ? 'a day' : `${days} days`}`,
    offline: 'Device Offline',
    gone: 'Device gone',
  })[exposure];

export const tunnelsUrl = urlSchema({
  device: plainText,
  protocol: plainText,
  /** `any`: with a mark, whichever. */
  exposure: oneOf(['any', ...EXPOSURES]),
  days: oneOf(AGES, USUAL_AGE),
});

export type TunnelView = typeof tunnelsUrl.defaults;

/** What "Clear filters" sets. */
export const NO_TUNNEL_FILTER = { device: '', protocol: '', exposure: undefined };

/** Whether the device at the other end is there: 'Online', 'Offline', 'Gone'; undefined where it is not known. */
export type StateOf = (tunnel: Tunnel) => string | undefined;

export function exposuresOf(tunnel: Tunnel, { now, days, stateOf }: { now: Date; days: number; stateOf: StateOf }) {
  const opened = parseTimestamp(tunnel.Created);
  const state = stateOf(tunnel);
  const holds: Record<Exposure, boolean> = {
    public: isPublic(tunnel),
    old: opened !== undefined && now.getTime() - opened.getTime() > days * 86_400_000,
    offline: state === 'Offline',
    gone: state === 'Gone',
  };
  return EXPOSURES.filter((each) => holds[each]);
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** What a tunnel is filtered by: the device's id, or its name where a service reports no id. */
export const deviceOf = ({ DeviceId, DeviceName }: Tunnel): string => DeviceId || DeviceName || '';

export function isTunnelShown(tunnel: Tunnel, exposures: readonly Exposure[], view: TunnelView): boolean {
  const { device, protocol, exposure } = view;
  return (
    (device === '' || deviceOf(tunnel) === device) &&
    (protocol === '' || isSame(tunnel.Protocol, protocol)) &&
    (exposure === undefined || (exposure === 'any' ? exposures.length > 0 : exposures.includes(exposure)))
  );
}
