// The map's clusters: from the bytes of an answer to the content of one window, compared with supercluster in the same
// process, and in a real browser with supercluster in a worker and leaflet.markercluster.
import Supercluster from 'supercluster';
import { ClusterIndex, KIND_COUNT, buildCurve, project, type Window } from '#/pages/map/cluster-index.ts';
import { browserRows } from './map-browser.ts';
import { scatter, type Location } from './sample-fleet.ts';
import { milliseconds, timeOf, type Row, type Section } from './section.ts';

const WORLD: Window = { west: 0, north: 0, east: 1, south: 1 };
const WORLD_ZOOM = 2;
const CITY_ZOOM = 12;

/** The view of a screen of 1,200 by 800 pixels around one of the devices. */
function cityOf({ Lat, Lng }: Location): Window {
  const { x, y } = project(Lat, Lng);
  const pixel = 1 / (256 * 2 ** CITY_ZOOM);
  return { west: x - 600 * pixel, north: y - 400 * pixel, east: x + 600 * pixel, south: y + 400 * pixel };
}

export const map: Section = async ({ points }) => {
  const rows: Row[] = [];
  for (const count of points) {
    const text = JSON.stringify(scatter(count));
    rows.push(...rowsFor(count, text), ...(await browserRows(count, text)));
  }
  return { subject: 'clusters of the whole world, from the text of the locations', rows };
};

function ours(text: string): ClusterIndex {
  const locations = JSON.parse(text) as Location[];
  return new ClusterIndex(
    buildCurve({
      rows: Uint32Array.from(locations, (_, i) => i),
      lat: Float64Array.from(locations, ({ Lat }) => Lat),
      lng: Float64Array.from(locations, ({ Lng }) => Lng),
      kinds: new Uint8Array(locations.length),
    }),
  );
}

function theirs(text: string): number {
  const index = new Supercluster({ radius: 64, maxZoom: 18 });
  index.load(
    (JSON.parse(text) as Location[]).map(({ DeviceId, Lat, Lng }) => ({
      type: 'Feature',
      properties: { DeviceId },
      geometry: { type: 'Point', coordinates: [Lng, Lat] },
    })),
  );
  return index.getClusters([-180, -85, 180, 85], WORLD_ZOOM).length;
}

function rowsFor(count: number, text: string): Row[] {
  const name = `${count.toLocaleString('en-US')} points`;
  // Cells and distances in pixels, as on the map.
  const clusters = (of: ClusterIndex, window: Window, zoom: number) => {
    const pixel = 1 / (256 * 2 ** zoom);
    const kinds = new Uint32Array(KIND_COUNT);
    for (const cluster of of.clusters(window, 76 * pixel, 42 * pixel)) of.countKinds(cluster, kinds);
  };
  const index = ours(text);
  const runs = count > 200_000 ? 1 : 3;
  const begun = performance.now();
  theirs(text);
  const peer = { what: 'supercluster', figure: milliseconds(performance.now() - begun) };
  const frame = { what: 'a frame', figure: milliseconds(1000 / 60) };
  const show = (window: Window, zoom: number) => milliseconds(timeOf(() => clusters(index, window, zoom), 20));
  return [
    {
      what: `${name}: text to clusters, one thread`,
      figure: milliseconds(timeOf(() => clusters(ours(text), WORLD, WORLD_ZOOM), runs)),
      against: peer,
    },
    {
      what: `${name}: the same`,
      figure: milliseconds(timeOf(() => ours(text), runs)),
      against: { what: 'JSON.parse alone', figure: milliseconds(timeOf(() => JSON.parse(text) as unknown, runs)) },
    },
    { what: `${name}: clusters of the world`, figure: show(WORLD, WORLD_ZOOM), against: frame },
    {
      what: `${name}: clusters of a city`,
      figure: show(cityOf((JSON.parse(text) as Location[])[0]!), CITY_ZOOM),
      against: frame,
    },
  ];
}
