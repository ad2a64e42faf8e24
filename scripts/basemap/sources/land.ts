// Land and country borders at three levels of detail: world-atlas, a redistribution of Natural Earth (public domain).
import { feature as toFeature, mesh } from 'topojson-client';

import { type Feature, coastOf, feature, polygonsOf, unwrapLine, unwrapRing } from '../geometry.ts';
import { readJson } from '../packages.ts';

export type Detail = '110m' | '50m' | '10m';
interface Neighbour {
  properties: { name: string };
}
interface Atlas {
  objects: { countries: object; land: object } & Record<string, object>;
}

const atlases = new Map<Detail, Atlas>();

function atlas(detail: Detail): Atlas {
  const known = atlases.get(detail);
  if (known) return known;
  const read = readJson<Atlas>(`world-atlas/countries-${detail}.json`);
  atlases.set(detail, read);
  return read;
}

function features(detail: Detail, object: 'countries' | 'land'): Feature[] {
  const topology = atlas(detail);
  const result = toFeature<Feature>(topology, topology.objects[object]);
  return result.type === 'FeatureCollection' ? result.features : [result];
}

/** The countries with their names, as the atlas draws them. */
export function countries(detail: Detail): Feature[] {
  return features(detail, 'countries');
}

/**
 * All land, a feature for each island so that a tile carries only those it shows. Land cut at the antimeridian is marked
 * `bare` (its outline is not to be drawn) and followed by its coast as lines.
 */
export function land(detail: Detail): Feature[] {
  return features(detail, 'land')
    .flatMap((f) => polygonsOf(f.geometry))
    .flatMap((polygon) => {
      const rings = polygon.map(unwrapRing);
      const coasts = rings.map(coastOf);
      if (coasts.every((coast) => coast === undefined))
        return [feature({ type: 'Polygon', coordinates: rings }, { kind: 'earth' })];
      return [
        feature({ type: 'Polygon', coordinates: rings }, { kind: 'earth', bare: 1 }),
        feature(
          { type: 'MultiLineString', coordinates: coasts.flatMap((coast, i) => coast ?? [rings[i] ?? []]) },
          { kind: 'coast' },
        ),
      ];
    });
}

/** Leased ground that the atlas draws as countries of their own: circles and specks inside another. */
const leased = new Set(['Baikonur', 'USNB Guantanamo Bay']);

function isBorder(a: Neighbour, b: Neighbour): boolean {
  return a !== b && ![a, b].some((country) => leased.has(country.properties.name));
}

/** Borders between countries, without coasts. */
export function countryBorders(detail: Detail): Feature[] {
  const topology = atlas(detail);
  const lines = mesh(topology, topology.objects.countries, isBorder).coordinates.map(unwrapLine);
  return [feature({ type: 'MultiLineString', coordinates: lines }, { kind: 'country', kind_detail: 2 })];
}
