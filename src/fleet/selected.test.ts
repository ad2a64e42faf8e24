import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { readSelected } from './selected.ts';

afterEach(() => mock.restoreAll());

/** A service with so many devices, "d0" and up, that gives at most `most` rows a page; counts what it is asked. */
function serve({ devices, most = 1000, gone = [] }: { devices: number; most?: number; gone?: string[] }) {
  const asked: string[] = [];
  const all = Array.from({ length: devices }, (_, index) => `d${index}`).filter((id) => !gone.includes(id));
  mock.method(globalThis, 'fetch', async (path: string) => {
    asked.push(path);
    const { pathname, searchParams } = new URL(path, 'http://service');
    const [page = 0, rows = 0] = pathname.split('/').slice(3, 5).map(Number);
    const id = searchParams.get('device_id');
    const listed = id === null ? all : all.filter((each) => each.includes(id));
    const size = Math.min(rows, most);
    const Devices = listed.slice((page - 1) * size, page * size).map((DeviceId) => ({ DeviceId }));
    return Response.json(id === null ? { Devices, TotalNumDevices: all.length } : Devices);
  });
  return asked;
}

const idsOf = async (ids: string[]) =>
  (await readSelected(ids, new AbortController().signal)).map(({ DeviceId }) => DeviceId);

test('a few are read one by one: the exact ones, in their order, without those that are gone', async () => {
  const asked = serve({ devices: 30, gone: ['d3'] });
  assert.deepEqual(await idsOf(['d2', 'd1', 'd3']), ['d2', 'd1']);
  assert.equal(asked.length, 3);
  assert.ok(asked.every((path) => path.includes('/filters?device_id=')));
});

test('many are read out of the listing, no further than needed', async () => {
  const asked = serve({ devices: 9_000 });
  const wanted = Array.from({ length: 500 }, (_, index) => `d${index * 2}`);
  assert.deepEqual(await idsOf(wanted), wanted);
  assert.ok(asked.length <= 3, `${asked.length} pages for what is on the first`);
});

test('many from a service with small pages, some of them gone', async () => {
  serve({ devices: 450, most: 100, gone: ['d7', 'd449'] });
  const wanted = Array.from({ length: 450 }, (_, index) => `d${449 - index}`);
  assert.deepEqual(
    await idsOf(wanted),
    wanted.filter((id) => id !== 'd7' && id !== 'd449'),
  );
});

test('what cannot be read is an error, not a smaller selection', async () => {
  mock.method(globalThis, 'fetch', async () =>
    Response.json({ title: 'The disk is gone', detail: 'Mend it' }, { status: 500 }),
  );
  await assert.rejects(idsOf(['d1']), /The disk is gone/);
  await assert.rejects(idsOf(Array.from({ length: 100 }, (_, index) => `d${index}`)), /The disk is gone/);
});
