// Reasons to review an open tunnel: anyone may use it, it is old, or its device is Offline.
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { isPublic, openedText } from '#/features/tunnels/tunnel-address.ts';
import { stored } from '#/lib/stored.ts';
import { oneOf, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export const EXPOSURES = ['public', 'old', 'offline'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** Ages in days from which a tunnel may be marked as old. */
export const AGES = [1, 7, 30, 90] as const;
const USUAL_AGE = 7;

/** The age from which a tunnel is marked; a setting of this browser and account. */
export const oldAfterDays = stored<number>('muster-tunnel-age', USUAL_AGE, {
  read: (text) => AGES.find((days) => String(days) === text) ?? USUAL_AGE,
  print: String,
});

export const daysText = (days: number): string => (days === 1 ? 'a day' : `${days} days`);

export const exposureText = (exposure: Exposure, days: number): string =>
  ({
    public: 'Public, no sign-in',
    old: `Older than ${daysText(days)}`,
    offline: 'Device Offline',
  })[exposure];

export const tunnelsUrl = urlSchema({
  device: plainText,
  protocol: plainText,
  /** `any`: with at least one warning. */
  exposure: oneOf(['any', ...EXPOSURES]),
});

export type TunnelView = typeof tunnelsUrl.defaults;

/** What "Clear filters" sets. */
export const NO_TUNNEL_FILTER = { device: '', protocol: '', exposure: undefined };

export function exposuresOf(tunnel: Tunnel, now: Date, days: number): Exposure[] {
  const opened = parseTimestamp(openedText(tunnel));
  const holds: Record<Exposure, boolean> = {
    public: isPublic(tunnel),
    old: opened !== undefined && now.getTime() - opened.getTime() > days * 86_400_000,
    offline: tunnel.DeviceStatus?.toLowerCase() === 'offline',
  };
  return EXPOSURES.filter((each) => holds[each]);
}

export function isTunnelShown(tunnel: Tunnel, exposures: readonly Exposure[], view: TunnelView): boolean {
  const { device, protocol, exposure } = view;
  return (
    (device === '' || tunnel.DeviceId === device) &&
    (protocol === '' || tunnel.Protocol.toLowerCase() === protocol.toLowerCase()) &&
    (exposure === undefined || (exposure === 'any' ? exposures.length > 0 : exposures.includes(exposure)))
  );
}
