// The API over loopback HTTP with many devices: pages, filters, all locations at once, durable writes.
import { ask, type Request } from './load.ts';
import { withService, type MeasuredService } from './measured-service.ts';
import { median, milliseconds, perSecond, type Figure, type Row, type Section } from './section.ts';

const CLIENTS = 16;
const ROWS = 25;
const READS = 10_000;
const SCANS = 200;
const WRITES = 5_000;
const SINGLE_WRITES = 500;
const DOWNLOADS = 7;

export const service: Section = ({ devices, postgres }) =>
  withService(
    async (measured) => {
      const before = await measured.send('memory', null);
      await measured.send('devices', { count: devices, group: 'bench', keys: false });
      const rows = [...(await pages(measured, devices)), ...(await locations(measured)), ...(await writes(measured))];
      const after = await measured.send('memory', null);
      rows.push({
        what: 'memory of the process (RSS) after all that',
        figure: { value: after.rss / 1e6, unit: 'MB' },
        against: { what: 'before there were devices', figure: { value: before.rss / 1e6, unit: 'MB' } },
      });
      const engine = postgres ? 'PostgreSQL' : 'SQLite';
      return {
        subject: `${devices.toLocaleString('en-US')} devices on ${engine}, ${CLIENTS} clients on loopback`,
        rows,
      };
    },
    { postgres },
  );

/** Requests per second, of `count`; a tenth as many run first, uncounted. */
async function rate(url: string, request: Request, count: number, clients = CLIENTS): Promise<Figure> {
  await ask(url, request, clients, (answered) => answered >= count / 10);
  const { answered, elapsed } = await ask(url, request, clients, (done) => done >= count);
  return perSecond(answered, elapsed, 'req');
}

/** The same bytes from a server that does nothing else. */
async function bareRate({ url, bare, headers, send }: MeasuredService, path: string, count: number) {
  const answer = await fetch(url + path, { headers });
  await send('bareAnswer', { body: await answer.text() });
  return { what: 'the same bytes, bare server', figure: await rate(bare, { method: 'GET', path: '/' }, count) };
}

async function pages(measured: MeasuredService, devices: number): Promise<Row[]> {
  const { url, headers } = measured;
  const get = (path: string, count = READS) => rate(url, { method: 'GET', path, headers }, count);
  const deep = Math.max(1, Math.min(4_000, Math.floor(devices / ROWS)));
  const bare = await bareRate(measured, `/v1/devices/1/${ROWS}`, READS);
  const first = await get(`/v1/devices/1/${ROWS}`);
  const firstPage = { what: 'page 1', figure: first };
  const needle = String(Math.floor(devices / 2)).padStart(6, '0');
  const idle = await measured.send('processor', null);
  const found = await get(`/v1/devices/1/${ROWS}/filters?device_name=${needle}`, SCANS);
  const searched = await measured.send('processor', null);
  return [
    { what: `GET a page of ${ROWS}, page 1`, figure: first, against: bare },
    {
      what: `GET a page of ${ROWS}, page ${deep.toLocaleString('en-US')}`,
      figure: await get(`/v1/devices/${deep}/${ROWS}`),
      against: firstPage,
    },
    {
      what: 'filter by name, one device matches',
      figure: found,
      against: firstPage,
    },
    // A tenth of the requests come before those that the rate counts.
    { what: 'processor time for one', figure: milliseconds((searched.used - idle.used) / (SCANS * 1.1)) },
    {
      what: 'filter by group, all match',
      figure: await get(`/v1/devices/1/${ROWS}/filters?device_group=bench`),
      against: firstPage,
    },
  ];
}

async function locations(measured: MeasuredService): Promise<Row[]> {
  const { url, headers } = measured;
  const request = { method: 'GET', path: '/v1/devices/location', headers };
  const one = async (address: string, what: Request) => (await ask(address, what, 1, () => true)).elapsed;
  const some = async (address: string, what: Request) => {
    const times: number[] = [];
    for (let i = 0; i < DOWNLOADS; i++) times.push(await one(address, what));
    return median(times);
  };
  const alone = await some(url, request);
  const answer = await fetch(url + request.path, { headers });
  await measured.send('bareAnswer', { body: await answer.text() });
  const bare = await some(measured.bare, { method: 'GET', path: '/' });

  const page = { method: 'GET', path: `/v1/devices/1/${ROWS}`, headers };
  const undisturbed = await rate(url, page, READS);
  let downloading = true;
  const others = ask(url, page, CLIENTS, () => !downloading);
  const busy = await some(url, request);
  downloading = false;
  const { answered, elapsed } = await others;
  return [
    {
      what: 'GET all locations, alone',
      figure: milliseconds(alone),
      against: { what: 'the same bytes, bare server', figure: milliseconds(bare) },
    },
    {
      what: `GET all locations, while ${CLIENTS} others ask for pages`,
      figure: milliseconds(busy),
      against: { what: 'alone', figure: milliseconds(alone) },
    },
    {
      what: 'the others meanwhile',
      figure: perSecond(answered, elapsed, 'req'),
      against: { what: 'undisturbed', figure: undisturbed },
    },
  ];
}

async function writes({ url, headers, send }: MeasuredService): Promise<Row[]> {
  const body = JSON.stringify({ DeviceName: 'bench', DeviceGroup: 'bench' });
  const request = { method: 'POST', path: '/v1/devices', headers, body };
  const alone = await rate(url, request, SINGLE_WRITES, 1);
  const before = await send('processor', null);
  const together = await rate(url, request, WRITES);
  const after = await send('processor', null);
  return [
    {
      what: `create a device, durable, ${CLIENTS} clients`,
      figure: together,
      against: { what: 'one client, a commit each', figure: alone },
    },
    // Of those that were not counted for the rate, too.
    { what: 'processor time for one', figure: milliseconds((after.used - before.used) / (WRITES * 1.1)) },
  ];
}
