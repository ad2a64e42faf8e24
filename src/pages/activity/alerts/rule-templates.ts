// What most rules are about, ready to be filled in.
import type { AlertEvent } from '#/contract/alerts.ts';

interface Template {
  /** Also the name of its rule. */
  label: string;
  values: { When: AlertEvent; DeviceGroup?: string; ForMinutes?: string; QuietMinutes?: string; Percent?: string };
}

/**
 * `groups`: those to choose from; the one of gateways is suggested. A role limited to groups has no rules for limits of the
 * account.
 */
export function templatesOf(groups: readonly string[], isLimited: boolean): Template[] {
  const gateways = groups.find((group) => /gateway/i.test(group));
  const anyGroup = isLimited ? {} : { DeviceGroup: '' };
  return [
    {
      label: gateways === undefined ? 'A device is down for 10 minutes' : 'A gateway is down for 10 minutes',
      values: {
        When: 'DeviceOffline',
        ForMinutes: '10',
        QuietMinutes: '30',
        ...(gateways === undefined ? anyGroup : { DeviceGroup: gateways }),
      },
    },
    { label: 'Any job fails', values: { When: 'JobFailed', QuietMinutes: '30', ...anyGroup } },
    { label: 'Any rollout pauses', values: { When: 'RolloutPaused', QuietMinutes: '0', ...anyGroup } },
    {
      label: 'A tunnel is public for 10 minutes',
      values: { When: 'TunnelPublic', ForMinutes: '10', QuietMinutes: '60', ...anyGroup },
    },
    ...(isLimited
      ? []
      : [{ label: 'Storage 80 %', values: { When: 'QuotaNear', Percent: '80', QuietMinutes: '1440' } } as const]),
  ];
}
