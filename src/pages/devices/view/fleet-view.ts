// The view of the device table in the URL: filters, sort and, if it is paged, the page and its size. Defaults are left out.
import type { DeviceFilter } from '#/contract/devices.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { isExtraField } from '#/features/device-filters/extra-fields.ts';
import { VALUES } from '#/features/device-filters/filter-words.ts';
import type { ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import { printSearch, viewParts } from '#/features/saved-views/view-words.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { oneOf, optional, urlSchema, type UrlPart } from '#/ui/url/url-schema.ts';

export const PAGE_SIZES = [25, 50, 100, 250, 1000] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

const pagePart: UrlPart<number | undefined> = {
  read: (params, name) => {
    const text = params.get(name) ?? '';
    return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  },
  write: (params, name, page = 1) => {
    if (page > 1) params.set(name, String(page));
    else params.delete(name);
  },
};

/** `view` names the saved view that the table started from. */
export const fleetUrl = urlSchema(
  { ...viewParts, rows: oneOf(PAGE_SIZES), page: pagePart, view: optional },
  printSearch,
);
export type FleetUrl = typeof fleetUrl.defaults;

export interface FleetView {
  page: number;
  rows: number;
  /** The URL names a page or its size; otherwise all rows are in one scroll once the fleet is in memory. */
  paged: boolean;
  filter: RowFilter;
  sort: Sort | undefined;
}

/** The fields beyond those of lists that are shown or sorted by, one per line. */
export const extraFieldsOf = ({ layout, sort }: FleetUrl, own: Pick<ColumnChoice, 'added'>): string =>
  [...new Set([...(layout.columns ?? own.added), sort?.by ?? ''])].filter(isExtraField).sort().join('\n');

export const fleetViewOf = ({ page, rows, filter, sort }: FleetUrl): FleetView => ({
  page: page ?? 1,
  rows: rows ?? PAGE_SIZES[0],
  paged: rows !== undefined || page !== undefined,
  filter,
  sort,
});

/** A change of the view: a new filter, sort or page size leads to another page than the present one. */
export interface FleetViewChange {
  filter?: RowFilter;
  page?: number;
  rows?: PageSize | 'all';
  /** Undefined: the service's own order. */
  sort?: Sort | undefined;
}

export function changeFleetView(now: FleetUrl, change: FleetViewChange): Partial<FleetUrl> {
  const { filter, rows, page } = change;
  const isSorted = 'sort' in change;
  const patch: Partial<FleetUrl> = {
    ...(filter && { filter: { ...now.filter, ...filter } }),
    ...(isSorted && { sort: change.sort }),
  };
  if (rows === 'all') return { ...patch, rows: undefined, page: undefined };
  const view = fleetViewOf(now);
  const size = rows ?? now.rows ?? PAGE_SIZES[0];
  // The first row that was on the screen stays on it.
  const same = Math.floor(((view.page - 1) * view.rows) / size) + 1;
  return {
    ...patch,
    // Someone who pages through the list keeps pages, on the first one too.
    ...((rows !== undefined || page !== undefined) && { rows: size }),
    page: page ?? (filter || isSorted ? 1 : same),
  };
}

export const UNFILTERED = { filter: {}, page: undefined } as const;

/** The states as the API filters by them: its Offline includes devices that have not connected yet. Undefined where it cannot. */
function documented(states: readonly string[] = []): readonly string[] | undefined {
  const [offline, isNew] = [states.includes('offline'), states.includes('notconnected')];
  return offline === isNew ? states.filter((state) => state !== 'notconnected') : undefined;
}

/** Why the service itself cannot show this view, so that the whole fleet is needed; undefined where it can. */
export function beyondService({ filter, sort }: Pick<FleetView, 'filter' | 'sort'>): string | undefined {
  for (const name of VALUES) {
    const values = name === 'status' ? documented(filter.status) : (filter[name] ?? []);
    if (values === undefined) return 'A filter by first connection';
    if (values.length > 1) return `More than one ${name}`;
    if (values.includes('')) return `Devices without a ${name}`;
  }
  if (filter.customer || filter.site) return `A filter by ${filter.customer ? 'customer' : 'site'}`;
  if (filter.runs) return 'A filter by version';
  if (filter.facts) return 'A filter by fact';
  if (filter.problem) return 'A filter by agent problem';
  if (filter.seen) return 'When devices were last seen';
  if (filter.search && filter.name) return 'A search together with a filter by name';
  return sort && 'Sorting';
}

/** The filter as the API takes it, which finds names only. */
export function deviceFilterOf({ search, name = search, id, group, status, tag }: RowFilter): DeviceFilter {
  return {
    device_name: name,
    device_group: group?.[0],
    device_status: documented(status)?.[0],
    device_tag: tag?.[0],
    device_id: id,
  };
}
