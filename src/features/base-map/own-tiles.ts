// Tiles of the operator's own choice, as a Leaflet layer: images by a pattern, or one PMTiles file of images or of vector
// tiles. When nothing comes from there the caller is told, and shows the built-in map instead.
import L from 'leaflet';
import { FetchSource, PMTiles, TileType, leafletRasterLayer } from 'pmtiles';
import { drawArchive } from './base-map.ts';
import type { BaseMap } from './base-map.ts';
import type { Scheme } from './map-colors.ts';

/** Tiles that fail, before any has come, until the address counts as dead. */
const ENOUGH = 3;

/** Images look the same in both schemes, and Leaflet asks again for what could not be had when the map moves. */
const still = (layer: L.GridLayer): BaseMap => ({
  layer,
  setScheme: () => undefined,
  refresh: () => void layer.redraw(),
});

/** Images by a pattern with {z}, {x} and {y}. `onDead` is called at most once. */
export function createTileMap(url: string, onDead: () => void): BaseMap {
  const layer = L.tileLayer(url, { maxZoom: 22, maxNativeZoom: 19 });
  let failed = 0;
  let isAlive = false;
  layer.on('tileload', () => (isAlive = true));
  layer.on('tileerror', () => {
    failed++;
    if (!isAlive && failed === ENOUGH) onDead();
  });
  return still(layer);
}

/** One file; raises an error where it cannot be read. */
export async function openArchiveMap(url: string, scheme: Scheme): Promise<BaseMap> {
  const archive = new PMTiles(new FetchSource(url));
  const { tileType, maxZoom } = await archive.getHeader();
  return tileType === TileType.Mvt
    ? drawArchive(archive, maxZoom, '', scheme)
    : still(leafletRasterLayer(archive, { maxZoom: 22, maxNativeZoom: maxZoom }) as L.GridLayer);
}
