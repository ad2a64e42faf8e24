// Where each country's name stands, how it is written out, and from which zoom it is shown.
import polylabel from 'polylabel';

import { type Feature, type Line, type Position, feature, inside, largest, polygonsOf, ringArea } from '../geometry.ts';
import { countries } from './land.ts';
import { capitals } from './places.ts';

/** Natural Earth shortens names for narrow maps; and some have changed since. */
const written: Record<string, string> = {
  'Antigua and Barb.': 'Antigua and Barbuda',
  'Bosnia and Herz.': 'Bosnia and Herzegovina',
  'Cayman Is.': 'Cayman Islands',
  'Central African Rep.': 'Central African Republic',
  'Cook Is.': 'Cook Islands',
  'Dem. Rep. Congo': 'DR Congo',
  'Dominican Rep.': 'Dominican Republic',
  'Eq. Guinea': 'Equatorial Guinea',
  'Faeroe Is.': 'Faroe Islands',
  'Falkland Is.': 'Falkland Islands',
  'Fr. Polynesia': 'French Polynesia',
  'Marshall Is.': 'Marshall Islands',
  'N. Cyprus': 'Northern Cyprus',
  'N. Mariana Is.': 'Northern Mariana Islands',
  'Pitcairn Is.': 'Pitcairn Islands',
  'S. Geo. and the Is.': 'South Georgia',
  'S. Sudan': 'South Sudan',
  'Solomon Is.': 'Solomon Islands',
  'St. Kitts and Nevis': 'Saint Kitts and Nevis',
  'St. Pierre and Miquelon': 'Saint Pierre and Miquelon',
  'St. Vin. and Gren.': 'Saint Vincent and the Grenadines',
  'St-Barthélemy': 'Saint Barthélemy',
  'St-Martin': 'Saint Martin',
  'Turks and Caicos Is.': 'Turks and Caicos Islands',
  'U.S. Virgin Is.': 'US Virgin Islands',
  'United States of America': 'United States',
  'W. Sahara': 'Western Sahara',
  'Wallis and Futuna Is.': 'Wallis and Futuna',
  Macedonia: 'North Macedonia',
  eSwatini: 'Eswatini',
};

/** Specks that would only be in the way; and city states, whose city is named on the map (Vatican would hide Rome). */
const left = new Set([
  'Ashmore and Cartier Is.',
  'Br. Indian Ocean Ter.',
  'Fr. S. Antarctic Lands',
  'Heard I. and McDonald Is.',
  'Hong Kong',
  'Indian Ocean Ter.',
  'Macao',
  'Monaco',
  'San Marino',
  'Siachen Glacier',
  'Singapore',
  'Vatican',
]);

/** Where the middle of the largest part is not where a reader looks for the name. */
const placed: Record<string, Position> = {
  Antarctica: [20, -80],
  Canada: [-105, 58],
  Chile: [-70.6, -28.5],
  Japan: [138.3, 36.9],
  Malaysia: [102.3, 3.9],
  Norway: [9.2, 61.2],
  'New Zealand': [170.6, -44.2],
  Russia: [96, 62],
  'United States of America': [-98.5, 39.5],
  Vietnam: [105.2, 20.6],
};

/** The countries' names, the small ones from closer in. */
export function countryLabels(): Feature[] {
  return countries('50m').flatMap((country) => {
    const name = String(country.properties.name);
    const rings = largest(polygonsOf(country.geometry));
    if (!rings || left.has(name)) return [];
    const [x = 0, y = 0] = placed[name] ?? polylabel(rings, 0.05);
    const at = placed[name] ? ([x, y] as Position) : besideCapital([x, y], rings[0] ?? []);
    const properties = { kind: 'country', name: written[name] ?? name, min_zoom: zoomFor(ringArea(rings[0] ?? [])) };
    return [feature({ type: 'Point', coordinates: at }, properties)];
  });
}

/** Moves a name up or down, inside the country, where it would hide the capital: Spain's is right over Madrid. */
function besideCapital(middle: Position, ring: Line): Position {
  const [x, y] = middle;
  // A degree of latitude takes more of the screen the further it is from the equator.
  const degree = Math.cos((y * Math.PI) / 180);
  const hides = (at: Position): boolean =>
    capitals().some(([cx, cy]) => Math.abs(cx - at[0]) < 2.6 && Math.abs(cy - at[1]) < 0.8 * degree);
  const shifts = [0, -0.9, 0.9, -1.3, 1.3, -1.8, 1.8].map((shift): Position => [x, y + shift * degree]);
  return shifts.find((at) => inside(at, ring) && !hides(at)) ?? middle;
}

function zoomFor(area: number): number {
  if (area > 300) return 1;
  if (area > 100) return 2;
  if (area > 25) return 3;
  if (area > 5) return 4;
  if (area > 0.7) return 5;
  return area > 0.05 ? 6 : 7;
}
