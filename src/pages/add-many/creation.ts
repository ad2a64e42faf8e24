// The creation of devices from a list: the requested devices, the result of each row, and the requests that create a single
// device on a service without bulk work.
import { listCell } from '#/contract/csv.ts';
import type { NewBulkDevice } from '#/contract/bulk.ts';
import type { NewDevice } from '#/contract/devices.ts';
import { errorLine } from '#/api/api-error.ts';
import type { ReadBulk } from '#/api/bulk-work.ts';
import type { TagIds } from '#/api/tag-ids.ts';
import { itemResult, resultOfItem, type ItemResult } from '#/features/bulk/bulk-results.ts';
import { provisioning } from '#/fleet/provisioning.ts';
import { counted, formatCount } from '#/lib/format.ts';
import type { EachResult } from '#/lib/run-each.ts';
import { detailsOf, draftOf, type DeviceToAdd } from './row-check.ts';
import { newRow, type DraftRow } from './rows.ts';

/** A row with its result. For a created device, the reason says what could not be set on it. */
export interface Creation extends ItemResult {
  /** A key unique to this row on the page. */
  rowKey: string;
  asked: NewBulkDevice;
  /** '' until the device is created. */
  id: string;
  /** Undefined if it cannot be shown. */
  deviceKey: string | undefined;
}

/** The device as requested from the service. */
export const newDeviceOf = (device: DeviceToAdd): NewBulkDevice => ({
  ...detailsOf(device),
  ...draftOf(device),
  ...(device.tags.length > 0 && { Tags: device.tags }),
  ...device.position,
});

/** The row, to edit it again. */
export const rowOf = ({
  DeviceName,
  DeviceGroup,
  CustomerName,
  CustomerSite,
  Tags = [],
  Lat,
  Lng,
}: NewBulkDevice): DraftRow =>
  newRow({
    name: DeviceName,
    group: DeviceGroup,
    customer: CustomerName ?? '',
    site: CustomerSite ?? '',
    lat: Lat === undefined ? '' : String(Lat),
    lng: Lng === undefined ? '' : String(Lng),
    tags: listCell(Tags),
  });

export const isCreated = ({ id }: Creation): boolean => id !== '';

/** The rows of bulk work that have a result. */
export const creationsOf = ({ bulk, items, keys }: ReadBulk): Creation[] =>
  items.flatMap((item, index) =>
    item.Device
      ? {
          rowKey: `${bulk.BulkId} ${index}`,
          asked: item.Device,
          id: item.Id,
          deviceKey: keys?.[item.Id],
          ...resultOfItem(item),
        }
      : [],
  );

/** Whether a result of an earlier run remains on the page: a created or possibly created device. Others were retried. */
export const remains = (creation: Creation): boolean => isCreated(creation) || creation.outcome === 'unknown';

/** The current results of several runs. */
export const latest = (runs: readonly (readonly Creation[])[]): Creation[] =>
  runs.flatMap((creations, index) => (index === runs.length - 1 ? creations : creations.filter(remains)));

// ---- One device after the other --------------------------------------------------------------------------------------

interface Made extends NewDevice {
  /** What could not be set on the device, in sentences. */
  missing: string;
}

/** Creates a device and sets its row's values. Failures after the creation are reported together with the new key. */
export async function createOne(asked: NewBulkDevice, tags: TagIds): Promise<Made> {
  const { DeviceName, DeviceGroup, CustomerName, CustomerSite, Tags = [], Lat, Lng } = asked;
  const made = await provisioning.create({ DeviceName, DeviceGroup });
  const { DeviceId: id } = made;
  const missing: string[] = [];
  const set = async (what: string, request: () => Promise<unknown>) => {
    try {
      await request();
    } catch (error) {
      missing.push(`${what} not set: ${errorLine(error)}`);
    }
  };
  if (CustomerName !== undefined || CustomerSite !== undefined)
    await set('Customer and site', () => provisioning.update(id, { CustomerName, CustomerSite }));
  if (Lat !== undefined && Lng !== undefined) await set('Location', () => provisioning.locate(id, { Lat, Lng }));
  for (const tag of Tags) await set(`Tag ${tag}`, async () => provisioning.attach(id, await tags.idOf(tag)));
  return { ...made, missing: missing.join(' ') };
}

export function creationOf(rowKey: string, asked: NewBulkDevice, result: EachResult<Made>): Creation {
  if (result.outcome !== 'done') {
    const { outcome, reason } = itemResult(result);
    const row = { rowKey, asked, id: '', deviceKey: undefined, outcome };
    return { ...row, reason: outcome === 'unknown' ? 'No answer arrived: the request may have been accepted' : reason };
  }
  const { DeviceId: id, DeviceKey: deviceKey, missing } = result.answer;
  return { rowKey, asked, id, deviceKey, outcome: 'done', reason: missing };
}

// ---- In words --------------------------------------------------------------------------------------------------------

export function creationState({ id, outcome, reason }: Creation): { mark: string; words: string } {
  if (id !== '') return { mark: 'Succeeded', words: reason === '' ? 'Created' : 'Created, not complete' };
  if (outcome === 'unknown') return { mark: 'Unknown', words: 'May have been created' };
  return outcome === 'failed' ? { mark: 'Failed', words: 'Not created' } : { mark: 'Cancelled', words: 'Not created' };
}

/** "3 of 12 devices created, 9 not created" */
export function creationText(creations: readonly Creation[], total: number, running: boolean): string {
  const created = creations.filter(isCreated).length;
  const incomplete = creations.filter((each) => isCreated(each) && each.reason !== '').length;
  const unknown = creations.filter(({ outcome }) => outcome === 'unknown').length;
  const rest = creations.length - created - unknown;
  return [
    `${formatCount(created)} of ${counted(total, 'device')} created`,
    ...(incomplete > 0 ? [`${formatCount(incomplete)} not complete`] : []),
    ...(rest > 0 && !running ? [`${formatCount(rest)} not created`] : []),
    ...(unknown > 0 ? [`${formatCount(unknown)} unknown`] : []),
  ].join(', ');
}

/** Why devices were not created, most frequent reason first. */
export function reasonsOf(creations: readonly Creation[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { id, outcome, reason } of creations)
    if (id === '' && outcome === 'failed') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => ({ reason, count })).sort((one, two) => two.count - one.count);
}
