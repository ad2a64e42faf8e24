// What the map shows, as it stands in the URL: the part of the world, and the table's own filters.
import type { RowFilter } from '#/api/fleet/filter.ts';

/** The part of the map on the screen: centre in degrees and Leaflet's zoom. */
export interface MapView {
  lat: number;
  lng: number;
  zoom: number;
}

/** `at=52.5000,13.4000,6` in the URL; undefined when absent or unreadable. */
export function readView(at: string | null): MapView | undefined {
  const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN] = (at ?? '')
    .split(',')
    .map((part) => Number(part.trim() || Number.NaN));
  return at && Math.abs(lat) <= 90 && Number.isFinite(lng) && zoom >= 0 && zoom <= 19 ? { lat, lng, zoom } : undefined;
}

export const printView = ({ lat, lng, zoom }: MapView): string => `${lat.toFixed(4)},${lng.toFixed(4)},${zoom}`;

const TEXTS = ['search', 'name', 'id'] as const;
const VALUES = ['group', 'status', 'tag', 'customer', 'site'] as const;
const FILTERS: readonly string[] = [...TEXTS, ...VALUES];

/** The filter in the URL: the same words as the device table's. */
export function readFilter(params: URLSearchParams): RowFilter {
  const filter: RowFilter = {};
  for (const name of TEXTS) {
    const text = params.get(name)?.trim();
    if (text) filter[name] = text;
  }
  for (const name of VALUES) {
    const values = params.getAll(name).filter(Boolean);
    if (values.length > 0) filter[name] = values;
  }
  return filter;
}

/** Only what filters, for a link to the table and for a key. */
export const filterWords = (params: URLSearchParams): string =>
  new URLSearchParams([...params].filter(([name, value]) => value && FILTERS.includes(name))).toString();

/** The URL without any filter. */
export const withoutFilter = (params: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...params].filter(([name]) => !FILTERS.includes(name)));
