// What the page says about keys and about devices that wait.
import type { EnrolmentKey, PendingBecause, PendingDevice } from '#/contract/enrolment.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { compareNames } from '#/lib/locale.ts';
import { counted, formatCount } from '#/lib/format.ts';

export const BECAUSE: Record<PendingBecause, string> = {
  NeedsApproval: 'New device',
  KnownMachine: 'Known machine',
  PossibleClone: 'Possible clone',
};

/** What approving means, as a sentence. */
export function consequence({ Because }: Pick<PendingDevice, 'Because'>): string {
  if (Because === 'NeedsApproval') return 'It becomes a device and gets a key of its own.';
  if (Because === 'KnownMachine')
    return 'This machine is a device already, but did not show its key. It becomes that device again, and the key that the device had ends.';
  return 'This machine says that it is a device that was seen within the last 24 hours. It may be a copy of that device: if you approve it, it takes that device’s place, and the key that the device had ends.';
}

/** Why a key no longer works; undefined while it does. */
export function endedBecause({ ExpiresTime, MaxUses, Uses }: EnrolmentKey, now: number): string | undefined {
  if (ExpiresTime !== '' && (parseTimestamp(ExpiresTime)?.getTime() ?? Infinity) <= now) return 'Expired';
  return MaxUses > 0 && Uses >= MaxUses ? 'Used up' : undefined;
}

export const usesText = ({ MaxUses, Uses }: Pick<EnrolmentKey, 'MaxUses' | 'Uses'>): string =>
  MaxUses > 0 ? `${formatCount(Uses)} of ${formatCount(MaxUses)}` : counted(Uses, 'device');

/** What a device reports about itself, the most telling first. */
export const factsText = ({ Facts }: Pick<PendingDevice, 'Facts'>): string =>
  ['model', 'hostname', 'os', 'arch'].flatMap((name) => Facts[name] || []).join(' · ');

/** Those that wait first, each by name. */
export const byName = (pending: readonly PendingDevice[]): PendingDevice[] =>
  pending.toSorted(
    (one, two) =>
      Number(one.State === 'Rejected') - Number(two.State === 'Rejected') ||
      compareNames(one.DeviceName, two.DeviceName),
  );

/**
 * Why the name of a device that waits would be that of several, by PendingId. `taken`: names of devices; a machine that is a
 * device already keeps its own.
 */
export function doublesOf(waiting: readonly PendingDevice[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const fresh = waiting.filter(({ State, Because }) => State === 'Waiting' && Because === 'NeedsApproval');
  const counts = new Map<string, number>();
  for (const { DeviceName } of fresh) counts.set(DeviceName, (counts.get(DeviceName) ?? 0) + 1);
  return new Map(
    fresh.flatMap(({ PendingId, DeviceName }): [string, string][] => {
      if (taken.has(DeviceName)) return [[PendingId, 'Another device has this name']];
      const same = (counts.get(DeviceName) ?? 0) - 1;
      if (same === 0) return [];
      return [[PendingId, `${counted(same, 'other device')} with this name ${same === 1 ? 'is' : 'are'} waiting`]];
    }),
  );
}
