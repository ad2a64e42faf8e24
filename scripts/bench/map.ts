// The map's clusters: from points in memory to an index, and from the index to what one window shows.
import { buildClusterIndex, project } from '#/pages/map/cluster-index.ts';
import { milliseconds, timeOf } from './section.ts';
import type { Row, Section } from './section.ts';

interface Window {
  west: number;
  north: number;
  east: number;
  south: number;
}
const WORLD: Window = { west: 0, north: 0, east: 1, south: 1 };
const WORLD_ZOOM = 2;
const CITY_ZOOM = 12;

/** What a screen of 1,200 by 800 pixels shows round one of the devices. */
function cityOf({ lat, lng }: ReturnType<typeof scatter>): Window {
  const { x, y } = project(lat[0] ?? 0, lng[0] ?? 0);
  const pixel = 1 / (256 * 2 ** CITY_ZOOM);
  return { west: x - 600 * pixel, north: y - 400 * pixel, east: x + 600 * pixel, south: y + 400 * pixel };
}

export const map: Section = async ({ points }) => ({
  subject: 'clusters, in one thread',
  rows: points.flatMap(rowsFor),
});

function rowsFor(count: number): Row[] {
  const places = scatter(count);
  const text = JSON.stringify(
    Array.from({ length: count }, (_, i) => ({ DeviceId: `device-${i}`, Lat: places.lat[i], Lng: places.lng[i] })),
  );
  const parse = milliseconds(timeOf(() => JSON.parse(text) as unknown, 3));
  const name = `${count.toLocaleString('en-US')} points`;
  const index = buildClusterIndex(places);
  const built = timeOf(() => buildClusterIndex(places), 3);
  const frame = { what: 'a frame', figure: milliseconds(1000 / 60) };
  // Cells and distances in pixels, as the map has them.
  const clusters = (window: Window, zoom: number) => {
    const pixel = 1 / (256 * 2 ** zoom);
    return milliseconds(timeOf(() => index.clusters(window, 64 * pixel, 44 * pixel), 20));
  };
  return [
    {
      what: `${name}: index`,
      figure: milliseconds(built),
      against: { what: 'JSON.parse of their locations', figure: parse },
    },
    { what: `${name}: clusters of the world`, figure: clusters(WORLD, WORLD_ZOOM), against: frame },
    { what: `${name}: clusters of a city`, figure: clusters(cityOf(places), CITY_ZOOM), against: frame },
  ];
}

/** Places round some cities and anywhere; the same at each run. */
function scatter(count: number) {
  let seed = 12_345;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const cities = Array.from({ length: 300 }, () => ({ lat: random() * 120 - 55, lng: random() * 360 - 180 }));
  const lat = new Float64Array(count);
  const lng = new Float64Array(count);
  const online = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const city = cities[Math.floor(random() * cities.length)];
    const near = city && random() < 0.9;
    lat[i] = near ? city.lat + (random() - 0.5) * 0.4 : random() * 160 - 80;
    lng[i] = near ? city.lng + (random() - 0.5) * 0.4 : random() * 360 - 180;
    online[i] = random() < 0.8 ? 1 : 0;
  }
  return { lat, lng, online };
}
