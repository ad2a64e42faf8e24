// Which limits of an account are nearly reached: its licence and storage, and the disk that all of it is on.
import type { NearLimit } from '../store/alert-firing.ts';
import type { RuleRow } from '../store/alert-settings.ts';
import type { Reader } from '../store/database.ts';
import type { DiskState } from '../store/disk-space.ts';
import { limitsOf } from '../store/usage.ts';

/** Numbers are stored. */
const OBJECTS = { devices: 1, artifacts: 2, disk: 3 } as const;
const percentText = (share: number) => `${Math.floor(share * 100)} %`;
const DISK_TEXTS: Record<Exclude<DiskState, 'Enough'>, string> = {
  Low: 'The disk of the service is nearly full',
  Full: 'The disk of the service is full: nothing but deleting works until there is room',
  ReadOnly: 'The disk of the service is read-only',
};

/** Of the rule's account. Job output is not among them: at its limit the oldest is removed, which is how it should be. */
export async function nearLimits(
  db: Reader,
  { account_id, percent }: Pick<RuleRow, 'account_id' | 'percent'>,
  disk: DiskState,
): Promise<NearLimit[]> {
  const limits = await limitsOf(db, account_id);
  const isNear = (used: number, most: number) => used * 100 >= percent * most;
  const near: NearLimit[] = [];
  if (limits && isNear(limits.devices, limits.most_devices))
    near.push({
      object: OBJECTS.devices,
      text: `${limits.devices} of ${limits.most_devices} devices of the licence are used (${percentText(limits.devices / limits.most_devices)})`,
    });
  if (limits && isNear(limits.artifact_bytes, limits.artifact_limit))
    near.push({
      object: OBJECTS.artifacts,
      text: `The storage for artifacts is ${percentText(limits.artifact_bytes / limits.artifact_limit)} full`,
    });
  if (disk !== 'Enough') near.push({ object: OBJECTS.disk, text: DISK_TEXTS[disk] });
  return near;
}
