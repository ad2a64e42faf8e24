// The part of the world that the map shows, as in the URL.

export interface MapView {
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
