// The URL of the map: filters, the part of the world, the open card, the colours and the replay. Replaced, not pushed, so
// that Back leaves the page instead of repeating every pan and letter.
import { useEffect, useState } from 'react';
import { filterPart, filterWords } from '#/features/device-filters/filter-words.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { paths } from '#/paths.ts';
import { oneOf, optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { COLOR_BY } from './marker-colors.ts';

/** The part of the world that is shown. */
interface MapView {
  lat: number;
  lng: number;
  zoom: number;
}

/** `at=52.5000,13.4000,6` in the URL; undefined when absent or unreadable. */
export function readMapView(at: string | undefined): MapView | undefined {
  const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN] = (at ?? '')
    .split(',')
    .map((part) => Number(part.trim() || Number.NaN));
  return at && Math.abs(lat) <= 90 && Number.isFinite(lng) && zoom >= 0 && zoom <= 19 ? { lat, lng, zoom } : undefined;
}

export const printView = ({ lat, lng, zoom }: MapView): string => `${lat.toFixed(4)},${lng.toFixed(4)},${zoom}`;

/** A minute, five minutes, a quarter of an hour and an hour in each second. */
export const SPEEDS = [60, 300, 900, 3600] as const;
export type Speed = (typeof SPEEDS)[number];

const mapUrl = urlSchema({
  filter: filterPart,
  /** The part of the world that is shown. */
  at: optional,
  /** Whose card is open. */
  device: optional,
  /** The saved view that the map started from. */
  view: optional,
  color: oneOf(COLOR_BY, 'state'),
  /** The artifact whose versions are the colours. */
  of: optional,
  /** The map shows the past. */
  replay: oneOf(['24h', '7d']),
  /** The moment of the past. */
  time: optional,
  /** Seconds of the past in each second. */
  speed: oneOf(SPEEDS, SPEEDS[3]),
});

/** The view goes into the URL after this pause, since browsers limit how often the URL may change. */
const REST = 250;

/**
 * Puts the view or the moment into the URL without the router, whose navigation would cancel one to a page that is still
 * loading. By then the URL may be that of another page, which has neither.
 */
function write(part: { at: string } | { time: string }): void {
  const url = new URL(location.href);
  if (url.pathname !== paths.map() || ('time' in part && !mapUrl.read(url.search).replay)) return;
  url.search = mapUrl.change(url.search, part);
  history.replaceState(history.state, '', url);
}

/** Puts the moment of the replay into the URL. */
export const writeMoment = (at: number): void => write({ time: new Date(at).toISOString() });

export function useMapUrl() {
  const [state, url] = useUrlState(mapUrl);
  const [view, setView] = useState<string>();
  useEffect(() => {
    if (view === undefined) return;
    const timer = setTimeout(() => write({ at: view }), REST);
    return () => clearTimeout(timer);
  }, [view]);
  return {
    ...state,
    /** The filter as a query string. */
    words: filterWords(state.filter),
    set: url.set,
    to: url.to,
    setFilter: (change: RowFilter) => url.set(({ filter }) => ({ filter: { ...filter, ...change } })),
    setView,
    clearFilter: () => url.set({ filter: {}, view: undefined }),
  };
}
