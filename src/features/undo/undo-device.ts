// Undoing a change of one device. The change was a request of its own, so undo is the same request with the earlier value,
// sent only if the device still has the value that was set.
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import { notifications } from '@mantine/notifications';
import type { MutationOptions } from '@tanstack/react-query';
import { isOffered } from '#/api/capabilities.ts';
import { queryClient } from '#/api/query-client.ts';
import { tagMutations } from '#/api/tags.ts';
import { tagNamed } from '#/api/tag-ids.ts';
import type { Device, DeviceChange, Position } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { FIELD_LABELS, type EditableField } from '#/features/device-fields/changed-fields.ts';
import { offerUndo } from './offer-undo.tsx';

interface Change {
  /** What was done, as a sentence. */
  text: string;
  name: string;
  /** Shown without an offer to undo, where the service has no undo. */
  plainly?: string | undefined;
  /** Whether nobody has changed it since. */
  isAsLeft: () => Promise<boolean>;
  putBack: () => Promise<unknown>;
}

/** A plain /v1 service has no undo for many devices, and gets none for one. */
async function offer({ text, name, plainly, isAsLeft, putBack }: Change): Promise<void> {
  if (!(await isOffered('bulk'))) {
    if (plainly) notifications.show({ message: plainly });
    return;
  }
  offerUndo(text, async () => {
    if (!(await isAsLeft())) return { text: `${name} was changed since, and stays as it is.`, isPart: true };
    await putBack();
    return { text: `Undone: ${name} is as before.` };
  });
}

const readNow = (id: string): Promise<Device> => queryClient.query({ ...deviceQueries.one(id), staleTime: 0 });
const nameOf = ({ DeviceId, DeviceName }: Pick<Device, 'DeviceId' | 'DeviceName'>) => DeviceName || DeviceId;

/** `device`: as it was before the change. `plainly`: what to say where the service has no undo. */
export function offerEditUndo(device: Device, change: DeviceChange, plainly?: string): void {
  const fields = (Object.keys(change) as EditableField[]).filter((field) => change[field] !== undefined);
  const before = Object.fromEntries(fields.map((field) => [field, device[field] ?? '']));
  const what = fields.map((field) => FIELD_LABELS[field].toLowerCase()).join(', ');
  const name = nameOf(device);
  void offer({
    text: `Changed the ${what} of ${name}.`,
    name,
    plainly,
    isAsLeft: async () => {
      const now = await readNow(device.DeviceId);
      return fields.every((field) => (now[field] ?? '') === change[field]);
    },
    putBack: () => execute(deviceMutations.update(device.DeviceId), before),
  });
}

export async function offerAttachUndo(device: Device, tagName: string): Promise<void> {
  if (!(await isOffered('bulk')) || device.Tags?.some(({ TagName }) => TagName === tagName)) return;
  const TagId = await tagNamed(tagName);
  await offerTagUndo(device, { TagId, TagName: tagName }, true);
}

export const offerDetachUndo = (device: Device, tag: Tag): Promise<void> => offerTagUndo(device, tag, false);

function offerTagUndo(device: Device, { TagId, TagName }: Tag, isOn: boolean): Promise<void> {
  const { DeviceId } = device;
  const name = nameOf(device);
  const tag = TagName || TagId;
  return offer({
    text: isOn ? `Tagged ${name} with “${tag}”.` : `Removed the tag “${tag}” from ${name}.`,
    name,
    isAsLeft: async () => ((await readNow(DeviceId)).Tags ?? []).some((each) => each.TagId === TagId) === isOn,
    putBack: () =>
      isOn ? execute(tagMutations.detach(DeviceId), TagId) : execute(tagMutations.attachNamed(DeviceId), tag),
  });
}

interface Move {
  id: string;
  name: string;
  from: Position;
  to: Position;
  plainly?: string;
}

/** The location of a device that has none: services report it so, and take it back so. */
export const NO_POSITION: Position = { Lat: 0, Lng: 0 };

export function offerMoveUndo({ id, name, from, to, plainly }: Move): void {
  void offer({
    text: from === NO_POSITION ? `Placed ${name}.` : `Moved ${name}.`,
    name,
    plainly,
    isAsLeft: async () => {
      const places = await queryClient.query({ ...deviceQueries.locations(), staleTime: 0 });
      const now = places.find(({ DeviceId }) => DeviceId === id);
      return now?.Lat === to.Lat && now.Lng === to.Lng;
    },
    putBack: () => execute(deviceMutations.locate(id), from),
  });
}

/** Sends a mutation that no component waits for. What it makes stale is read again as after any other. */
function execute<Data, Variables>(
  options: MutationOptions<Data, Error, Variables>,
  variables: Variables,
): Promise<Data> {
  return queryClient.getMutationCache().build(queryClient, options).execute(variables);
}
