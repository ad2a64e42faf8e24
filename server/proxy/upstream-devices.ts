// Devices of the upstream service, read as the document lists them: by page, and by filter.
import { deviceEndpoints, MAX_ROWS_PER_PAGE, type Device } from '#/contract/devices.ts';
import type { TargetChoice } from '../rollouts/fleet.ts';
import { UpstreamFailure, type UpstreamApi } from './upstream-api.ts';

interface Page {
  Devices: Device[];
  TotalNumDevices?: number | undefined;
}

/** All pages, one after the other. The service may count or not, and give fewer rows than asked. */
async function readPages(read: (page: number) => Promise<Page>): Promise<Map<string, Device>> {
  const found = new Map<string, Device>();
  let rows = MAX_ROWS_PER_PAGE;
  for (let page = 1; ; page++) {
    const { Devices, TotalNumDevices } = await read(page).catch((cause: unknown): Page => {
      // Past the end some services have no page at all.
      if (page > 1 && cause instanceof UpstreamFailure && cause.status === 404) return { Devices: [] };
      throw cause;
    });
    const before = found.size;
    for (const device of Devices) found.set(device.DeviceId, device);
    // Some services repeat their last page for ever.
    const isEnd = found.size === before || (page > 1 && Devices.length < rows);
    if (isEnd || (TotalNumDevices !== undefined && found.size >= TotalNumDevices)) return found;
    if (page === 1) rows = Devices.length;
  }
}

const pageOf = (page: number) => ({ page_num: page, rows_per_page: MAX_ROWS_PER_PAGE });

export const allDevices = (api: UpstreamApi): Promise<Map<string, Device>> =>
  readPages((page) => api.call(deviceEndpoints.page, { params: pageOf(page) }));

const filtered = (api: UpstreamApi, query: { device_group?: string; device_tag?: string; device_id?: string }) =>
  readPages(async (page) => ({ Devices: await api.call(deviceEndpoints.filter, { params: pageOf(page), query }) }));

/** One device; undefined if the service has none with this id. */
export async function oneDevice(api: UpstreamApi, id: string): Promise<Device | undefined> {
  const query = { device_id: id };
  const first = await api.call(deviceEndpoints.filter, { params: pageOf(1), query });
  const found = first.find(({ DeviceId }) => DeviceId === id);
  return found ?? (first.length === 0 ? undefined : (await filtered(api, query)).get(id));
}

/** A filter may match parts: members are checked here, as far as rows name their group and tags. */
export async function chosenDevices(api: UpstreamApi, choice: TargetChoice): Promise<Device[]> {
  const { DeviceGroup, TagId, DeviceIds } = choice;
  if (DeviceGroup)
    return [...(await filtered(api, { device_group: DeviceGroup })).values()].filter(
      (device) => device.DeviceGroup === DeviceGroup,
    );
  if (TagId)
    return [...(await filtered(api, { device_tag: TagId })).values()].filter(
      ({ Tags }) => Tags?.some((tag) => tag.TagId === TagId || tag.TagName === TagId) ?? true,
    );
  const all = await allDevices(api);
  return (DeviceIds ?? []).flatMap((id) => all.get(id) ?? []);
}
