// The built-in base map as a Leaflet layer: drawn in the page from one file that is served with the dashboard, so it
// works offline and sends nothing to third parties.
import './leaflet-global.ts';

import type { GridLayer } from 'leaflet';
import { PMTiles } from 'pmtiles';
import { leafletLayer } from 'protomaps-leaflet';

import { type Scheme, mapColors } from './map-colors.ts';
import { labelRules, mapFont, paintRules } from './map-rules.ts';
import { RangeOrWholeSource } from './range-or-whole-source.ts';

/** The deepest zoom in the file; closer in, its tiles are drawn larger. */
const deepestTiles = 6;

/** GeoNames' licence (CC BY 4.0) asks to be named on the map. */
const BUILT_IN =
  'Natural Earth · © <a href="https://www.geonames.org" target="_blank" rel="noopener noreferrer">GeoNames</a>';

/** Kept as long as the page, so that returning to the map requests nothing twice. */
let archive: PMTiles | undefined;

export interface BaseMap {
  layer: GridLayer;
  /** Repaints each tile in place, so that nothing flashes in between. */
  setScheme(scheme: Scheme): void;
  /** Draws the visible tiles again, because some may have failed. */
  refresh(): void;
}

/** The map that comes with the dashboard; the caller adds it to a map and removes it. */
export function createBaseMap(scheme: Scheme): BaseMap {
  archive ??= new PMTiles(new RangeOrWholeSource(`${import.meta.env.BASE_URL}basemap/world.pmtiles`));
  return drawArchive(archive, deepestTiles, BUILT_IN, scheme);
}

/** Draws an archive of vector tiles in the Protomaps layers. `attribution`: HTML of ours about where it is from. */
export function drawArchive(source: PMTiles, maxDataZoom: number, attribution: string, scheme: Scheme): BaseMap {
  const layer = leafletLayer({
    url: source,
    maxDataZoom,
    maxZoom: 22,
    lang: 'en',
    attribution,
    ...style(scheme),
    tasks: [fontReady() as never],
    // The library waits this long times the distance from the middle of the view, which it takes wrongly for tiles on
    // the other side of the antimeridian: at zoom 10 they would come three seconds late.
    tileDelay: 0.05,
  });
  // Names are stored for 16 tiles only, so a large screen would lose some at its edges.
  (layer['labelers'] as { maxLabeledTiles: number }).maxLabeledTiles = 128;
  return {
    layer: layer as unknown as GridLayer,
    setScheme(next) {
      Object.assign(layer, style(next));
      layer.clearLayout();
      layer.rerenderTiles();
    },
    refresh: () => layer.rerenderTiles(),
  };
}

function style(
  scheme: Scheme,
): Pick<ReturnType<typeof leafletLayer>, 'paintRules' | 'labelRules'> & { backgroundColor: string } {
  const colors = mapColors[scheme];
  return { paintRules: paintRules(colors), labelRules: labelRules(colors), backgroundColor: colors.water };
}

/**
 * Names are measured once: measured with a fallback font they would overlap for good. The sample makes the browser load
 * the files for western, central European and Vietnamese letters. A font that fails or hangs must not hold the map back.
 */
async function fontReady(): Promise<void> {
  const loaded = document.fonts.load(`450 12px ${mapFont}`, 'Aé Łşā ộư');
  const late = new Promise((resolve) => setTimeout(resolve, 2000));
  await Promise.race([loaded, late]);
}
