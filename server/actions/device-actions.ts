// What can be done to one device in a unit of work: by its own request, or as an item of bulk work.
import type { DeviceChange, DeviceDraft, NewDevice, Position } from '#/contract/devices.ts';
import type { Actor } from '../store/caller.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import type { Audit } from '../store/audit.ts';
import type { Tx } from '../store/database.ts';
import type { DeviceOrder } from '../store/device-order.ts';
import { deleteDevice, insertKeyedDevice, placeDevice, replaceKey, updateDevice } from '../store/devices.ts';
import type { DeviceRow } from '../store/devices.ts';
import { attachTag, detachTag } from '../store/tags.ts';

/** Each records what it did. The others take a device of the caller's account. */
export interface DeviceActions {
  /** Adds a device to the caller's account, with the key of this hash. */
  create(tx: Tx, caller: Actor, draft: DeviceDraft & DeviceChange, keyHash: Uint8Array): Promise<DeviceRow>;
  update(tx: Tx, caller: Actor, device: DeviceRow, change: DeviceChange): Promise<void>;
  locate(tx: Tx, caller: Actor, device: DeviceRow, position: Position): Promise<void>;
  /** Deletes it, its waiting jobs and its tunnels. */
  remove(tx: Tx, caller: Actor, device: DeviceRow): Promise<void>;
  rekey(tx: Tx, caller: Actor, device: DeviceRow): Promise<NewDevice>;
  /** Has it take a new key over its connection. */
  rotateKey(tx: Tx, caller: Actor, device: DeviceRow): Promise<void>;
  /** Of a tag of the account; false if the device has it already. */
  attach(tx: Tx, caller: Actor, device: DeviceRow, tagId: string): Promise<boolean>;
  /** False if the device does not have it. */
  detach(tx: Tx, caller: Actor, device: DeviceRow, tagId: string): Promise<boolean>;
}

interface ActionsOptions {
  audit: Audit;
  now: () => number;
  order: DeviceOrder;
  dispatch: Pick<Dispatch, 'deviceRemoved'>;
  rotateKey: DeviceActions['rotateKey'];
}

export const openDeviceActions = ({ audit, order, dispatch, rotateKey, now }: ActionsOptions): DeviceActions => ({
  create: async (tx, caller, draft, keyHash) => {
    const device = await insertKeyedDevice(tx, caller.account.id, draft, keyHash, now());
    order.added(tx, caller.account.id);
    await audit.record(tx, caller, 'device.create', device.id);
    return device;
  },
  update: async (tx, caller, { seq, id }, change) => {
    await updateDevice(tx, seq, change);
    await audit.record(tx, caller, 'device.update', id);
  },
  locate: async (tx, caller, { seq, id }, position) => {
    await placeDevice(tx, seq, position);
    order.moved(tx, caller.account.id);
    await audit.record(tx, caller, 'device.locate', id);
  },
  remove: async (tx, caller, device) => {
    await dispatch.deviceRemoved(tx, device.seq);
    await deleteDevice(tx, device);
    order.removed(tx, caller.account.id);
    await audit.record(tx, caller, 'device.remove', device.id, device.name);
  },
  rekey: async (tx, caller, { seq, id }) => {
    const key = await replaceKey(tx, seq, now());
    await audit.record(tx, caller, 'device.rekey', id);
    return { DeviceId: id, DeviceKey: key };
  },
  rotateKey,
  attach: async (tx, caller, { seq, id }, tagId) => {
    const { changes } = await attachTag(tx, seq, tagId);
    await audit.record(tx, caller, 'tag.attach', `${tagId} ${id}`);
    return changes > 0;
  },
  detach: async (tx, caller, { seq, id }, tagId) => {
    const { changes } = await detachTag(tx, seq, tagId);
    await audit.record(tx, caller, 'tag.detach', `${tagId} ${id}`);
    return changes > 0;
  },
});
