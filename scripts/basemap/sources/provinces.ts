// Borders and names of provinces, from the country map of Apache Superset (Apache-2.0, drawn from Natural Earth).
import { readdirSync } from 'node:fs';

import polylabel from 'polylabel';

import { type Feature, feature, largest, polygonsOf, ringArea } from '../geometry.ts';
import { packagePath, readJson } from '../packages.ts';
import { sharedBorders } from '../shared-borders.ts';

const folder = '@superset-ui/legacy-plugin-chart-country-map/esm/countries';

/** The two sides of a border differ by up to this much (measured: 99% of the differing points within 0.01°). */
const tolerance = 0.012;

/** India's file does not say where it comes from; the second ones regroup what another file already holds. */
const leftOut = /^india\.geojson$|_regions\.geojson$/;

/** Drawn in that package as insets beside the mainland, so in the wrong place on a map. */
const insets = new Set('US-AK US-HI FR-GF FR-GP FR-MQ FR-RE FR-YT PT-20 PT-30 ES-GC ES-TF NO-21'.split(' '));

/** Already named as countries of their own. */
const namedElsewhere = new Set(['CN-71', 'CN-91', 'CN-92', 'FI-01']);

interface Country {
  features: { geometry: Feature['geometry']; properties: { ISO?: string | null; NAME_1?: string | null } }[];
}

/** The borders of provinces and their names, those of small provinces from closer in. */
export function provinces(): { borders: Feature[]; labels: Feature[] } {
  const borders: Feature[] = [];
  const labels: Feature[] = [];
  const seen = new Set<string>();
  const files = readdirSync(packagePath(folder)).filter((f) => f.endsWith('.geojson') && !leftOut.test(f));
  for (const file of files.toSorted()) {
    const parts = readJson<Country>(`${folder}/${file}`)
      .features.map((f) => ({
        iso: f.properties.ISO?.trim() ?? '',
        name: f.properties.NAME_1 ?? '',
        polygons: polygonsOf(f.geometry),
      }))
      .filter((p) => p.polygons.length > 0 && !insets.has(p.iso) && !(p.iso && seen.has(p.iso)));
    for (const part of parts) if (part.iso) seen.add(part.iso);
    const zoom = zoomForBorders(parts.map((p) => areaOf(p.polygons)));
    if (zoom === undefined) continue;
    const lines = sharedBorders(
      parts.map((p) => p.polygons.flat()),
      tolerance,
    );
    borders.push(
      feature({ type: 'MultiLineString', coordinates: lines }, { kind: 'region', kind_detail: 4, min_zoom: zoom }),
    );
    for (const { iso, name, polygons } of parts) {
      const rings = largest(polygons);
      if (!rings || !name || namedElsewhere.has(iso)) continue;
      const [x = 0, y = 0] = polylabel(rings, 0.02);
      const min_zoom = Math.max(zoom, zoomForLabel(ringArea(rings[0] ?? [])));
      labels.push(feature({ type: 'Point', coordinates: [x, y] }, { kind: 'region', name: plain(name), min_zoom }));
    }
  }
  return { borders, labels };
}

function areaOf(polygons: ReturnType<typeof polygonsOf>): number {
  return polygons.reduce((sum, rings) => sum + ringArea(rings[0] ?? []), 0);
}

/** Undefined where the file holds districts rather than provinces (Latvia's 119): lines that fine are only noise. */
function zoomForBorders(areas: number[]): number | undefined {
  const mean = areas.reduce((sum, area) => sum + area, 0) / areas.length;
  if (areas.length < 2 || (areas.length > 60 && mean < 0.22)) return undefined;
  if (mean > 12) return 4;
  if (mean > 1.2) return 5;
  return mean > 0.4 ? 6 : 7;
}

function zoomForLabel(area: number): number {
  if (area > 22) return 5;
  if (area > 8) return 6;
  if (area > 2) return 7;
  return area > 0.5 ? 8 : 9;
}

/** "Bicol (Region V)" is "Bicol" on a map; and one name was garbled by a search and replace. */
function plain(name: string): string {
  return name
    .replace('Maga Buryatdan', 'Magadan')
    .replace(/\s*\(.*\)\s*$/, '')
    .trim();
}
