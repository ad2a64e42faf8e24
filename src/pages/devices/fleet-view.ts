// What the device table shows, as it stands in the URL: filters, page and rows a page. Defaults are left out of it.
import type { DeviceFilter } from '#/contract/devices.ts';
import type { FleetFilter } from '#/paths.ts';

export const PAGE_SIZES = [25, 50, 100, 250, 1000] as const;
const FILTERS = ['name', 'group', 'status', 'tag', 'id'] as const;

export interface FleetView {
  page: number;
  /** Rows a page. */
  rows: number;
  filter: FleetFilter;
}

/** A change of the view: a new filter or page size leads to another page than the present one. */
export interface FleetViewChange {
  filter?: FleetFilter;
  page?: number;
  rows?: number;
}

/** Reads the view; what cannot be read counts as left out. */
export function readFleetView(params: URLSearchParams): FleetView {
  const page = params.get('page') ?? '';
  const rows = Number(params.get('rows'));
  const filter: FleetFilter = {};
  for (const name of FILTERS) {
    const value = params.get(name)?.trim();
    if (value) filter[name] = name === 'status' ? value.toLowerCase() : value;
  }
  return {
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
    rows: PAGE_SIZES.find((size) => size === rows) ?? PAGE_SIZES[0],
    filter,
  };
}

/** The URL after a change; whatever else stands in it stays. */
export function changeFleetView(params: URLSearchParams, change: FleetViewChange): URLSearchParams {
  const now = readFleetView(params);
  const rows = change.rows ?? now.rows;
  // The first row that was on the screen stays on it.
  const kept = Math.floor(((now.page - 1) * now.rows) / rows) + 1;
  const page = change.page ?? (change.filter ? 1 : kept);
  const next = new URLSearchParams(params);
  const put = (name: string, value: string | undefined) => {
    if (value) next.set(name, value);
    else next.delete(name);
  };
  for (const name of FILTERS) put(name, { ...now.filter, ...change.filter }[name]?.trim());
  put('page', page > 1 ? String(page) : undefined);
  put('rows', rows === PAGE_SIZES[0] ? undefined : String(rows));
  return next;
}

/** The URL without any filter. */
export const clearFilters = (params: URLSearchParams): URLSearchParams =>
  changeFleetView(params, { filter: Object.fromEntries(FILTERS.map((name) => [name, ''])) });

export const isFiltered = (filter: FleetFilter): boolean => FILTERS.some((name) => filter[name]);

/** The filter as the API takes it. */
export function deviceFilterOf({ name, group, status, tag, id }: FleetFilter): DeviceFilter {
  return { device_name: name, device_group: group, device_status: status, device_tag: tag, device_id: id };
}
