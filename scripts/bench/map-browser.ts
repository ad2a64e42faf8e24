// The same clusters in a real Chromium page: ours and supercluster's in a worker, leaflet.markercluster's in the page, as
// intended. Besides the time, the longest task of the page, during which nothing moves.
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { kilobytes, milliseconds, type Row } from './section.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const file = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

/** With more, markercluster takes minutes and gigabytes. */
const MOST_MARKERS = 100_000;

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

/** Rows of one fleet; none, with a note, on a machine without a browser. */
export async function browserRows(count: number, locations: string): Promise<Row[]> {
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the map is measured without one.\n');
    return [];
  }
  const files: Record<string, [type: string, text: string]> = {
    '/': [
      'text/html',
      '<!doctype html><div id="map" style="width:1200px;height:800px"></div><script src="leaflet.js"></script><script src="markercluster.js"></script><script type="module" src="page.js"></script>',
    ],
    '/page.js': ['text/javascript', PAGE],
    '/ours.js': ['text/javascript', OURS],
    '/theirs.js': ['text/javascript', THEIRS],
    '/cluster-index.js': ['text/javascript', stripTypeScriptTypes(file('src/pages/map/cluster-index.ts'))],
    '/supercluster.js': ['text/javascript', file('node_modules/supercluster/dist/supercluster.min.js')],
    '/leaflet.js': ['text/javascript', file('node_modules/leaflet/dist/leaflet.js')],
    '/markercluster.js': ['text/javascript', readFileSync(require.resolve('leaflet.markercluster'), 'utf8')],
    '/locations.json': ['application/json', locations],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', ''];
    // Only an isolated page may measure its memory.
    const isolated = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'content-type': type,
    };
    response.writeHead(url in files ? 200 : 404, isolated).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = launchOptions();
  const browser = await chromium.launch({
    ...options,
    // Otherwise the browser measures memory only after some seconds, up to half a minute.
    args: [...(options.args ?? []), '--enable-blink-features=ForceEagerMeasureMemory'],
  });
  try {
    const measure = async (name: 'ours' | 'theirs' | 'markers') => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const result = (await page.evaluate(`${name}()`)) as Measured;
      await page.close();
      if (result.clusters === 0) throw new Error(`${name} drew no clusters of ${count} points.`);
      return result;
    };
    const name = `${count.toLocaleString('en-US')} points`;
    const our = await measure('ours');
    const their = await measure('theirs');
    const rows: Row[] = [
      {
        what: `${name}: bytes to clusters, Chromium`,
        figure: milliseconds(our.took),
        against: { what: 'supercluster in a worker', figure: milliseconds(their.took) },
      },
      {
        what: `${name}: memory of the page and its worker`,
        figure: kilobytes(our.held),
        against: { what: 'supercluster in a worker', figure: kilobytes(their.held) },
      },
      {
        what: `${name}: longest task of the page`,
        figure: milliseconds(our.longest),
        against: { what: 'what a browser calls long', figure: milliseconds(50) },
      },
    ];
    if (count > MOST_MARKERS) return rows;
    const marker = await measure('markers');
    return [
      ...rows,
      {
        what: `${name}: the same`,
        figure: milliseconds(our.took),
        against: { what: 'leaflet.markercluster', figure: milliseconds(marker.took) },
      },
      {
        what: `${name}: longest task of the page`,
        figure: milliseconds(our.longest),
        against: { what: 'leaflet.markercluster', figure: milliseconds(marker.longest) },
      },
    ];
  } finally {
    await browser.close();
    server.close();
  }
}
