// What the device table shows, as it stands in the URL: filters, sort, and page and rows a page where it is paged.
// Defaults are left out of it.
import type { DeviceFilter } from '#/contract/devices.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { VALUES, readRowFilter, withoutFilter, writeFilter } from '#/features/device-filters/filter-words.ts';

export const PAGE_SIZES = [25, 50, 100, 250, 1000] as const;

/** A column by its word in the URL, and which way. */
export interface ViewSort {
  by: string;
  down: boolean;
}

export interface FleetView {
  page: number;
  /** Rows a page. */
  rows: number;
  /** Pages were asked for; otherwise all rows are in one scroll once the fleet is in memory. */
  paged: boolean;
  filter: RowFilter;
  sort: ViewSort | undefined;
}

/** A change of the view: a new filter, sort or page size leads to another page than the present one. */
export interface FleetViewChange {
  filter?: RowFilter;
  page?: number;
  rows?: number | 'all';
  /** `null`: the service's own order. */
  sort?: ViewSort | null;
}

const readSort = (text: string | null): ViewSort | undefined => {
  const [, sign, by] = /^(-?)([A-Za-z]\w{0,63})$/.exec(text ?? '') ?? [];
  return by ? { by, down: sign === '-' } : undefined;
};

/** Reads the view; what cannot be read counts as left out. */
export function readFleetView(params: URLSearchParams): FleetView {
  const page = params.get('page') ?? '';
  const rows = Number(params.get('rows'));
  const size = PAGE_SIZES.find((each) => each === rows);
  const isPage = /^[1-9]\d{0,8}$/.test(page);
  return {
    page: isPage ? Number(page) : 1,
    rows: size ?? PAGE_SIZES[0],
    paged: size !== undefined || isPage,
    filter: readRowFilter(params),
    sort: readSort(params.get('sort')),
  };
}

/** The URL after a change; whatever else stands in it stays. */
export function changeFleetView(params: URLSearchParams, change: FleetViewChange): URLSearchParams {
  const now = readFleetView(params);
  const next = change.filter ? writeFilter(params, change.filter) : new URLSearchParams(params);
  const put = (name: string, value: string | undefined) => {
    if (value) next.set(name, value);
    else next.delete(name);
  };
  if (change.sort !== undefined) put('sort', change.sort ? `${change.sort.down ? '-' : ''}${change.sort.by}` : '');
  if (change.rows === 'all') {
    put('rows', undefined);
    put('page', undefined);
    return next;
  }
  const rows = change.rows ?? now.rows;
  // The first row that was on the screen stays on it.
  const kept = Math.floor(((now.page - 1) * now.rows) / rows) + 1;
  const page = change.page ?? (change.filter || change.sort !== undefined ? 1 : kept);
  // Who turns pages goes on with pages, on the first one too.
  if (change.rows !== undefined || change.page !== undefined) put('rows', String(rows));
  put('page', page > 1 ? String(page) : undefined);
  return next;
}

/** The URL without any filter, at the first page. */
export const clearFilters = (params: URLSearchParams): URLSearchParams =>
  changeFleetView(withoutFilter(params), { filter: {} });

/** Why the service itself cannot show this view, so that the whole fleet is needed; undefined where it can. */
export function beyondService({ filter, sort }: Pick<FleetView, 'filter' | 'sort'>): string | undefined {
  for (const name of VALUES) {
    const values = filter[name] ?? [];
    if (values.length > 1) return `More than one ${name}`;
    if (values.includes('')) return `Devices without a ${name}`;
  }
  if (filter.customer || filter.site) return `A filter by ${filter.customer ? 'customer' : 'site'}`;
  if (filter.problem) return 'A filter by what is wrong with agents';
  if (filter.seen) return filter.seen === 'never' ? 'Devices never seen' : 'When devices were last seen';
  if (filter.search && filter.name) return 'A search within a filter by name';
  return sort && 'Sorting';
}

/** The filter as the API takes it, which finds names only. */
export function deviceFilterOf({ search, name = search, id, group, status, tag }: RowFilter): DeviceFilter {
  return {
    device_name: name,
    device_group: group?.[0],
    device_status: status?.[0],
    device_tag: tag?.[0],
    device_id: id,
  };
}
