// The map's clusters in Chromium, from the bytes of an answer to the content of one window: ours and supercluster's in
// a worker, leaflet.markercluster's in the page, as each is meant to be used. Besides the time, the longest task of the
// page, during which nothing moves.
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import type { Browser } from '@playwright/test';
import { inBrowser } from './in-browser.ts';
import { scatter } from './sample-fleet.ts';
import { kilobytes, milliseconds, type Row, type Section } from './section.ts';
import { startStaticHost, type Answer } from './static-host.ts';
import { LONG } from './watched-page.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

/** With more, markercluster takes minutes and gigabytes. */
const MOST_MARKERS = 100_000;
/** Otherwise the browser measures memory only after some seconds, up to half a minute. */
const EAGER_MEMORY = '--enable-blink-features=ForceEagerMeasureMemory';

const OURS = `
import { ClusterIndex, buildCurve } from './cluster-index.js';
onmessage = ({ data }) => {
  const places = JSON.parse(new TextDecoder().decode(data));
  const curve = buildCurve({
    rows: Uint32Array.from(places, (_, i) => i),
    lat: Float64Array.from(places, ({ Lat }) => Lat),
    lng: Float64Array.from(places, ({ Lng }) => Lng),
    kinds: new Uint8Array(places.length),
  });
  postMessage(curve, { transfer: Object.values(curve).map(({ buffer }) => buffer) });
};`;
const THEIRS = `
importScripts('supercluster.js');
onmessage = ({ data }) => {
  const index = new Supercluster({ radius: 64, maxZoom: 18 });
  index.load(JSON.parse(new TextDecoder().decode(data)).map(({ Lat, Lng }) => ({
    type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [Lng, Lat] },
  })));
  self.index = index;
  postMessage(index.getClusters([-180, -85, 180, 85], 2));
};`;
const PAGE = `
import { ClusterIndex } from './cluster-index.js';
const ask = (worker, bytes) => new Promise((resolve, fail) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => fail(new Error(message));
  worker.postMessage(bytes, [bytes]);
});
const memory = async () => (await performance.measureUserAgentSpecificMemory()).bytes;
const measured = async (work) => {
  const empty = await memory();
  const bytes = await (await fetch('locations.json')).arrayBuffer();
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: 'longtask' });
  const begun = performance.now();
  // The index remains in memory, here or in the worker, to answer the next query of another zoom.
  const { clusters, kept } = await work(bytes);
  const took = performance.now() - begun;
  await new Promise((resolve) => setTimeout(resolve, 100));
  observer.disconnect();
  const held = (await memory()) - empty;
  return { took, longest, clusters, held, kept: kept !== undefined };
};
Object.assign(window, {
  ours: () => measured(async (bytes) => {
    const worker = new Worker('ours.js', { type: 'module' });
    const kept = new ClusterIndex(await ask(worker, bytes));
    worker.terminate();
    const { length } = kept.clusters({ west: 0, north: 0, east: 1, south: 1 }, 76 / 1024, 42 / 1024);
    return { clusters: length, kept };
  }),
  theirs: () => measured(async (bytes) => {
    const kept = new Worker('theirs.js');
    return { clusters: (await ask(kept, bytes)).length, kept };
  }),
  markers: () => measured(async (bytes) => {
    const map = L.map('map', { maxZoom: 18 }).setView([20, 0], 2);
    const group = L.markerClusterGroup();
    group.addLayers(JSON.parse(new TextDecoder().decode(bytes)).map(({ Lat, Lng }) => L.marker([Lat, Lng])));
    map.addLayer(group);
    return { clusters: document.querySelectorAll('.marker-cluster').length, kept: map };
  }),
});`;

/** `held`: memory of the page and its workers at the end. */
type Measured = { took: number; longest: number; clusters: number; held: number };

export const map: Section = async ({ points }) => ({
  subject: 'clusters of the whole world, from the text of the locations',
  rows: await inBrowser(
    async (browser) => {
      const rows: Row[] = [];
      for (const count of points) rows.push(...(await rowsFor(browser, count)));
      return rows;
    },
    [EAGER_MEMORY],
  ),
});

async function rowsFor(browser: Browser, count: number): Promise<Row[]> {
  const script = (text: string): Answer => ['text/javascript', text];
  const file = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
  const files: Record<string, Answer> = {
    '/map-bench': [
      'text/html',
      '<!doctype html><div id="map" style="width:1200px;height:800px"></div><script src="leaflet.js"></script><script src="markercluster.js"></script><script type="module" src="page.js"></script>',
    ],
    '/page.js': script(PAGE),
    '/ours.js': script(OURS),
    '/theirs.js': script(THEIRS),
    '/cluster-index.js': script(stripTypeScriptTypes(file('src/pages/map/cluster-index.ts'))),
    '/supercluster.js': script(
      readFileSync(path.join(require.resolve('supercluster'), '../dist/supercluster.min.js'), 'utf8'),
    ),
    '/leaflet.js': script(file('node_modules/leaflet/dist/leaflet.js')),
    '/markercluster.js': script(readFileSync(require.resolve('leaflet.markercluster'), 'utf8')),
    '/locations.json': ['application/json', JSON.stringify(scatter(count))],
  };
  const host = await startStaticHost(({ pathname }) => files[pathname]);
  try {
    const measure = async (name: 'ours' | 'theirs' | 'markers') => {
      const page = await browser.newPage();
      await page.goto(`${host.url}/map-bench`);
      const result = (await page.evaluate(`${name}()`)) as Measured;
      await page.close();
      if (result.clusters === 0) throw new Error(`${name} drew no clusters of ${count} points.`);
      return result;
    };
    const name = `${count.toLocaleString('en-US')} points`;
    const our = await measure('ours');
    const their = await measure('theirs');
    const marker = count > MOST_MARKERS ? undefined : await measure('markers');
    const peer = (value: Row['figure'], what = 'supercluster in a worker') => ({ what, figure: value });
    const took = { what: `${name}: bytes to clusters`, figure: milliseconds(our.took) };
    const task = { what: `${name}: longest task of the page`, figure: milliseconds(our.longest) };
    const rows: Row[] = [
      { ...took, against: peer(milliseconds(their.took)) },
      {
        what: `${name}: memory of the page and its worker`,
        figure: kilobytes(our.held),
        against: peer(kilobytes(their.held)),
      },
      { ...task, against: LONG },
    ];
    if (marker)
      rows.push(
        { ...took, against: peer(milliseconds(marker.took), 'leaflet.markercluster') },
        { ...task, against: peer(milliseconds(marker.longest), 'leaflet.markercluster') },
      );
    return rows;
  } finally {
    host.close();
  }
}
