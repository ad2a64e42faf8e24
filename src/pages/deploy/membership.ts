// Who joined and who left between the review of a deploy and its submit.
import type { Device } from '#/contract/devices.ts';

export interface MembershipChange {
  /** All members as they are now. */
  now: Device[];
  joined: Device[];
  left: Device[];
}

/** Undefined where they are the same devices, whatever else of them has changed. */
export function changeBetween(reviewed: readonly Device[], now: Device[]): MembershipChange | undefined {
  const before = new Set(reviewed.map(({ DeviceId }) => DeviceId));
  const after = new Set(now.map(({ DeviceId }) => DeviceId));
  const joined = now.filter(({ DeviceId }) => !before.has(DeviceId));
  const left = reviewed.filter(({ DeviceId }) => !after.has(DeviceId));
  return joined.length + left.length > 0 ? { now, joined, left } : undefined;
}

/** "camera-1, camera-2 and 7 more" */
export function namesText(devices: readonly Device[], most = 5): string {
  const names = devices.slice(0, most).map(({ DeviceName, DeviceId }) => DeviceName || DeviceId);
  const more = devices.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
