// A host for measured pages: the built dashboard with the API of a fleet of any size, and a page with Mantine's own
// table and the same devices, as most dashboards have.
import path from 'node:path';
import { build, type Rolldown } from 'vite';
import { serveDist } from './dist-host.ts';
import { sampleDevice, scatter } from './sample-fleet.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PEER = '/mantine-table';

/** Draws the given devices, and draws them again at each letter of a filter. */
const PEER_CODE = `
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { MantineProvider, Table } from '@mantine/core';
const FIELDS = ['DeviceName', 'DeviceStatus', 'DeviceGroup', 'CustomerName', 'CustomerSite', 'LocalAddr', 'LastSeenTime'];
function Rows({ devices }) {
  const [text, setText] = useState('');
  window.type = (next) => flushSync(() => setText(next));
  const shown = text === '' ? devices : devices.filter(({ DeviceName }) => DeviceName.includes(text));
  return h(Table, null, h(Table.Tbody, null, shown.map((device) =>
    h(Table.Tr, { key: device.DeviceId }, FIELDS.map((field) => h(Table.Td, { key: field }, device[field]))))));
}
window.draw = (devices) => flushSync(() =>
  createRoot(document.getElementById('root')).render(h(MantineProvider, null, h(Rows, { devices }))));
`;

async function peerCode(): Promise<string> {
  const built = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'peer',
        resolveId: (id: string) => (id === 'peer.js' ? path.join(ROOT, 'peer.js') : null),
        load: (id: string) => (id === path.join(ROOT, 'peer.js') ? PEER_CODE : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: 'peer.js', output: { format: 'iife' } } },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

/** The API of a fleet of this size, with all devices on the map. */
function apiOf(count: number): (url: string) => string {
  const devices = Array.from({ length: count }, (_, n) => sampleDevice(n));
  const locations = JSON.stringify(
    scatter(count).map(({ Lat, Lng }, n) => ({ DeviceId: devices[n]?.DeviceId, Lat, Lng })),
  );
  return (url) => {
    if (url === '/auth/session') return JSON.stringify({ SignedIn: true, UserEmail: 'bench@muster.local' });
    if (url === '/v1/devices/location') return locations;
    const [, page, rows] = (/^\/v1\/devices\/(\d+)\/(\d+)$/.exec(url) ?? []).map(Number);
    if (page === undefined || rows === undefined) return '[]';
    return JSON.stringify({ Devices: devices.slice((page - 1) * rows, page * rows), TotalNumDevices: count });
  };
}

export interface PagesHost {
  url: string;
  /** The page with Mantine's table; it has `draw(devices)` and `type(text)`. */
  peer: string;
  /** Changes the size of the fleet. */
  setSize: (count: number) => void;
  close: () => void;
}

export async function startHost(): Promise<PagesHost> {
  const peer = await peerCode();
  let api = apiOf(0);
  const { url, close } = await serveDist((at) => {
    if (/^\/(?:v1|auth)\//.test(at)) return ['application/json', api(at)];
    if (at === PEER) return ['text/html', `<!doctype html><div id="root"></div><script src="${PEER}.js"></script>`];
    return at === `${PEER}.js` ? ['text/javascript', peer] : undefined;
  });
  return {
    url,
    peer: url + PEER,
    setSize: (count) => (api = apiOf(count)),
    close,
  };
}
