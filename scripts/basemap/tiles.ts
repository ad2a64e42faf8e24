// Cuts the sources into vector tiles, with the layer names of the Protomaps schema (earth, water, boundaries, places)
// so that the same drawing rules fit other Protomaps archives.
import GeoJSONVT from 'geojson-vt';
import vtpbf from 'vt-pbf';

import type { Feature } from './geometry.ts';
import { tileId } from './pmtiles-writer.ts';
import { countryLabels } from './sources/country-labels.ts';
import { countryBorders, type Detail, land } from './sources/land.ts';
import { places } from './sources/places.ts';
import { provinces } from './sources/provinces.ts';
import { lakes, rivers, seaLabels } from './sources/water.ts';

const extent = 4096;
/** Lines get a margin just wide enough for their own width, areas one that keeps their outline out of sight. */
const margin = { area: 64, line: 16, label: 0 };

/** Every tile that shows something, by growing id, uncompressed. */
export function* tiles(maxZoom: number): Generator<{ id: number; z: number; bytes: Uint8Array }> {
  const layersOf = prepare(maxZoom);
  for (const [id, z, x, y] of addresses(maxZoom)) {
    const layers = layersOf(z, x, y);
    if (Object.keys(layers).length > 0) yield { id, z, bytes: vtpbf.fromGeojsonVt(layers, { version: 2, extent }) };
  }
}

function prepare(maxZoom: number): (z: number, x: number, y: number) => Record<string, { features: object[] }> {
  const index = (features: Feature[], buffer: number, zoom = maxZoom): GeoJSONVT =>
    new GeoJSONVT(
      { type: 'FeatureCollection', features },
      { maxZoom: zoom, indexMaxZoom: Math.min(zoom, 4), indexMaxPoints: 0, extent, buffer, tolerance: 3 },
    );
  const detail = (level: Detail): { earth: GeoJSONVT; borders: GeoJSONVT } => ({
    earth: index(land(level), margin.area),
    borders: index(countryBorders(level), margin.line),
  });
  const [far, middle, near] = [detail('110m'), detail('50m'), detail('10m')];
  const lake = index(lakes(), margin.area);
  const river = index(rivers(), margin.line);
  const { borders, labels } = provinces();
  // A tile is drawn at its own zoom + 1, and the deepest one at every zoom after that.
  const byZoom = (features: Feature[], buffer: number): GeoJSONVT[] =>
    Array.from({ length: maxZoom + 1 }, (_, z) =>
      index(
        features.filter((f) => z === maxZoom || Number(f.properties.min_zoom) <= z + 1),
        buffer,
        z,
      ),
    );
  const region = byZoom(borders, margin.line);
  const named = byZoom([...countryLabels(), ...labels, ...places()], margin.label);
  const sea = byZoom(seaLabels(), margin.label);

  return (z, x, y) => {
    const level = z === 0 ? far : z <= 3 ? middle : near;
    const from = (...indexes: (GeoJSONVT | false | undefined)[]): object[] =>
      indexes.flatMap((i) => (i ? (i.getTile(z, x, y)?.features ?? []) : []));
    const layers = {
      earth: from(level.earth),
      water: from(z >= 1 && lake, z >= 3 && river, sea[z]),
      boundaries: from(region[z], level.borders),
      places: from(named[z]),
    };
    return Object.fromEntries(
      Object.entries(layers).flatMap(([name, features]) => (features.length > 0 ? [[name, { features }]] : [])),
    );
  };
}

function addresses(maxZoom: number): [id: number, z: number, x: number, y: number][] {
  const all: [number, number, number, number][] = [];
  for (let z = 0; z <= maxZoom; z++) {
    for (let x = 0; x < 2 ** z; x++) for (let y = 0; y < 2 ** z; y++) all.push([tileId(z, x, y), z, x, y]);
  }
  return all.toSorted((a, b) => a[0] - b[0]);
}
