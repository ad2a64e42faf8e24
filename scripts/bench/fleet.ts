// The fleet index: from pages as a service sends them to rows in memory, and the queries of the table and the map.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { FleetIndex, tableOf } from '../../src/fleet/fleet-index.ts';
import { readList } from '../../src/api/list-text.ts';
import { Draft, emptyTable } from '../../src/fleet/table.ts';
import { sampleDevice } from './sample-fleet.ts';
import { median, milliseconds, timeOf, type Figure, type Row, type Section } from './section.ts';

const PAGE = 1000;
const SMALLER = 10_000;

export const fleet: Section = async ({ devices }) => {
  const rows: Row[] = [];
  // The first run creates shared objects that do not belong to the fleet.
  await built([pageText(0, PAGE)]);
  for (const count of new Set([Math.min(SMALLER, devices), devices])) rows.push(...(await rowsFor(count)));
  return { subject: 'the index of the whole fleet in the browser, in one thread', rows };
};

const reader = deviceEndpoints.filter.response;

async function rowsFor(count: number): Promise<Row[]> {
  const pages = Array.from({ length: Math.ceil(count / PAGE) }, (_, page) => pageText(page, count));
  const name = `${count.toLocaleString('en-US')} devices`;
  const frame = { what: 'a frame', figure: milliseconds(1000 / 60) };
  const { index, bytes } = await built(pages);
  const objects = await heldBy(async () => pages.flatMap((page) => JSON.parse(page) as Device[]));
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const begun = performance.now();
    await build(pages);
    times.push(performance.now() - begun);
  }
  const rest = new FleetIndex(tableOf(index));
  const devices = pages.flatMap((page) => JSON.parse(page) as Device[]);
  const collator = new Intl.Collator('en', { numeric: true });
  const perRow = (held: number): Figure => ({ value: held / count, unit: 'bytes' });

  return [
    {
      what: `${name}: read, checked and built`,
      figure: milliseconds(median(times)),
      against: {
        what: 'JSON.parse of the pages',
        figure: milliseconds(timeOf(() => pages.map((page) => JSON.parse(page) as unknown), 3)),
      },
    },
    {
      what: `${name}: read again, nothing changed`,
      figure: milliseconds(timeOf(() => again(index, devices), 3)),
      against: frame,
    },
    {
      what: `${name}: first sort by name`,
      figure: milliseconds(await firstSort(pages)),
      against: {
        what: 'Array.sort with Intl.Collator',
        figure: milliseconds(timeOf(() => devices.toSorted((a, b) => collator.compare(a.DeviceName, b.DeviceName)), 1)),
      },
    },
    {
      what: `${name}: sorted by name once more`,
      figure: milliseconds(timeOf(() => index.query({ sort: { by: 'DeviceName', down: true } }), 9)),
      against: frame,
    },
    {
      what: `${name}: first sort by last seen`,
      figure: milliseconds(timeOf(() => freshTimes(index).query({ sort: { by: 'LastSeenTime' } }), 5)),
      against: frame,
    },
    {
      // Each on an index without an earlier search: the first letter is the most expensive.
      what: `${name}: a letter of a search, sorted`,
      figure: milliseconds(
        timeOf(() => fresh(rest).query({ filter: { search: 'cam 7' }, sort: { by: 'DeviceName' } }), 9),
      ),
      against: frame,
    },
    {
      what: `${name}: facets under three filters`,
      figure: milliseconds(
        timeOf(() => index.facets({ group: ['group-3'], status: ['online'], tag: ['tag 1', 'tag 2'] }), 9),
      ),
      against: frame,
    },
    {
      what: `${name}: memory a device`,
      figure: perRow(bytes),
      against: { what: 'the parsed objects', figure: perRow(objects) },
    },
  ];
}

const fresh = (index: FleetIndex) => new FleetIndex(tableOf(index));

/** An index whose times have never been sorted. */
function freshTimes(index: FleetIndex): FleetIndex {
  const table = tableOf(index);
  const column = table.columns.get('LastSeenTime');
  return new FleetIndex({ ...table, columns: new Map(column && [['LastSeenTime', column.fork()]]) });
}

function again(index: FleetIndex, devices: Device[]): void {
  const table = tableOf(index);
  const draft = new Draft(table);
  if (draft.finish(Uint32Array.from(devices, (device) => draft.put(device))) !== table)
    throw new Error('The same devices made another table.');
}

async function firstSort(pages: string[]): Promise<number> {
  const index = await build(pages);
  const begun = performance.now();
  await index.prepare('DeviceName');
  return performance.now() - begun;
}

async function build(pages: string[]): Promise<FleetIndex> {
  const draft = new Draft(emptyTable());
  const order: number[] = [];
  for (const text of pages) {
    const { rows } = await readList({ status: 200, text }, reader);
    for (const device of rows) order.push(draft.put(device));
  }
  return new FleetIndex(draft.finish(Uint32Array.from(order)));
}

async function built(pages: string[]): Promise<{ index: FleetIndex; bytes: number }> {
  let index: FleetIndex | undefined;
  const bytes = await heldBy(async () => {
    index = await build(pages);
    // Searched and sorted once, as after use.
    await index.prepare('DeviceName');
    index.query({ filter: { search: 'camera' }, sort: { by: 'DeviceName' } });
    return index;
  });
  if (!index) throw new Error('No index was built.');
  return { index, bytes };
}

/** Bytes that the result of `make` occupies. */
async function heldBy(make: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const held = [await make()];
  const after = used();
  held.pop();
  return after - before;
}

function pageText(page: number, count: number): string {
  const from = page * PAGE;
  return JSON.stringify(Array.from({ length: Math.min(PAGE, count - from) }, (_, n) => sampleDevice(from + n)));
}
