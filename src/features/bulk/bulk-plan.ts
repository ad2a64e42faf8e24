// The plan of a bulk action, shown before it runs: which devices change, and which are skipped.
import type { Device, DeviceLocation, Position } from '#/contract/devices.ts';
import { devicesText, formatCount } from '#/lib/format.ts';

/** Why a device is skipped; undefined if it changes. */
export type WhySkipped = (device: Device) => string | undefined;

export interface BulkPlan {
  change: Device[];
  skip: { device: Device; reason: string }[];
}

export function bulkPlanOf(devices: readonly Device[], whySkipped: WhySkipped): BulkPlan {
  const plan: BulkPlan = { change: [], skip: [] };
  for (const device of devices) {
    const reason = whySkipped(device);
    if (reason === undefined) plan.change.push(device);
    else plan.skip.push({ device, reason });
  }
  return plan;
}

const ALREADY = 'Has it already';

/** A field that the service does not report cannot be compared, so it is always set. */
export const skipEqual =
  (field: 'DeviceGroup' | 'CustomerName' | 'CustomerSite', value: string): WhySkipped =>
  (device) =>
    device[field] === value ? (value === '' ? 'Already empty' : ALREADY) : undefined;

export const skipTagged =
  (name: string): WhySkipped =>
  ({ Tags }) =>
    Tags?.some(({ TagName }) => TagName === name) ? ALREADY : undefined;

export const skipUntagged =
  (id: string): WhySkipped =>
  ({ Tags }) =>
    Tags === undefined || Tags.some(({ TagId }) => TagId === id) ? undefined : 'Does not have it';

export function skipLocated(location: Position, locations: readonly DeviceLocation[]): WhySkipped {
  const there = new Set(
    locations.filter(({ Lat, Lng }) => Lat === location.Lat && Lng === location.Lng).map(({ DeviceId }) => DeviceId),
  );
  return ({ DeviceId }) => (there.has(DeviceId) ? 'Already at this location' : undefined);
}

/** The plan in words; `gone`: how many of the selected devices no longer exist. */
export function bulkPlanText(
  { change, skip }: { change: readonly unknown[]; skip: readonly { reason: string }[] },
  gone: number,
  does = ['changes', 'change'],
): string[] {
  const all = change.length + skip.length + gone;
  const [one = '', many = ''] = does;
  const verb = change.length === 1 ? one : many;
  const summary =
    change.length === all
      ? all === 1
        ? `The device ${verb}.`
        : `All ${devicesText(all)} ${verb}.`
      : `${formatCount(change.length)} of ${devicesText(all)} ${verb}.`;
  const reasons = new Map<string, number>();
  for (const { reason } of skip) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [
    summary,
    ...Array.from(reasons, ([reason, count]) => `${formatCount(count)} skipped: ${lowered(reason)}.`),
    ...(gone > 0 ? [`${formatCount(gone)} skipped: no longer exist.`] : []),
  ];
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Whether the typed text is this number, with or without thousands separators. */
export const isCount = (typed: string, count: number): boolean =>
  typed.trim().replaceAll(/[\s.,'’]/g, '') === String(count);
