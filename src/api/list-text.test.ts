import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceEndpoints } from '#/contract/devices.ts';
import { ApiError } from './api-error.ts';
import { cutList, readList } from './list-text.ts';

const reader = deviceEndpoints.filter.response;
const locations = deviceEndpoints.locations.response;
const read = (text: string) => readList({ status: 200, text }, reader);
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ DeviceId: `d${n}`, DeviceName: `a "}],[{" ${n}\\` }));

test('cuts a list into pieces that are JSON, whatever its strings contain', () => {
  for (const count of [0, 1, 2, 3, 7])
    for (const text of [
      JSON.stringify(rows(count)),
      JSON.stringify({ Total: 3, Rows: rows(count), More: { a: 1 } }, null, 2),
    ]) {
      const pieces: unknown[][] = [];
      const cut = cutList(text, 3);
      let step = cut.next();
      for (; !step.done; step = cut.next()) pieces.push(JSON.parse(step.value) as unknown[]);
      assert.deepEqual(pieces.flat(), rows(count));
      assert.ok(pieces.every(({ length }) => length <= 3));
      assert.equal(JSON.stringify(JSON.parse(step.value)).includes('[]'), true);
    }
});

test('reads the same formats as any list: bare, in an object, null, empty', async () => {
  for (const [text, count] of [
    [JSON.stringify(rows(700)), 700],
    [JSON.stringify({ Devices: rows(700), TotalNumDevices: 700 }), 700],
    [JSON.stringify({ nested: { list: [1] }, Devices: rows(2) }), 2],
    ['[]', 0],
    ['{"Devices":[]}', 0],
    ['{"Devices":null,"TotalNumDevices":0}', 0],
    ['null', 0],
    ['', 0],
    [' ', 0],
  ] as const)
    assert.equal((await read(text)).rows.length, count, text.slice(0, 40));
  const { frame } = await read(JSON.stringify({ Devices: rows(3), TotalNumDevices: '12' }));
  assert.deepEqual(frame, { Devices: [], TotalNumDevices: '12' });
});

test('anything else is an error that shows the response unless that is a page, and never an empty list', async () => {
  for (const text of [
    '<!doctype html><title>Log in</title>',
    '"hello"',
    '{"a":[],"b":[]}',
    '{"a":[{"DeviceId":"x"}],"b":[2]}',
    '{"error":"x"}',
    '[{"DeviceId":"x"}',
    '[{"DeviceId":"x"}}',
    '[{"DeviceId":"x"',
    '["x',
    '[1,2]',
    '[{"DeviceName":"without an id"}]',
    '[{"DeviceId":"x"}] and more',
  ])
    await assert.rejects(read(text), (error) => {
      assert.ok(error instanceof ApiError, text);
      assert.equal(error.kind, 'unexpected');
      assert.equal(error.detail.endsWith(text), !text.startsWith('<'), text);
      assert.equal(/a sign-in page or proxy/.test(error.detail), text.startsWith('<'), text);
      return true;
    });
});

test('one bad coordinate does not hide other locations', async () => {
  const text = '[{"DeviceId":"a","Lat":"52.5","Lng":13},{"DeviceId":"b","Lat":null,"Lng":1}]';
  assert.deepEqual((await readList({ status: 200, text }, locations)).rows, [
    { DeviceId: 'a', Lat: 52.5, Lng: 13 },
    { DeviceId: 'b', Lat: Number.NaN, Lng: 1 },
  ]);
});

test('the rows of a named list are read, wherever it is in the response', async () => {
  const isFrame = (value: unknown): value is { Gone: string[] } => typeof value === 'object';
  const text = '{"Version":"a","Gone":["x"],"Rows":[{"Rows":["no"]},{"a":1}],"More":[1]}';
  const anyRow = { safeParse: (value: unknown) => ({ success: true as const, data: value as object[] }) };
  const answer = await readList({ status: 200, text }, anyRow, { name: 'Rows', isFrame });
  assert.deepEqual(answer.rows, [{ Rows: ['no'] }, { a: 1 }]);
  assert.deepEqual(answer.frame, { Version: 'a', Gone: ['x'], Rows: [], More: [1] });
});

test('bad rows are left out, and a list of only bad rows is an error', async () => {
  const good = rows(249);
  const bad = [7, null, { DeviceName: 'no id' }];
  const text = JSON.stringify([bad[0], ...good, ...bad]);
  const answer = await readList({ status: 200, text }, reader);
  assert.equal(answer.rows.length, 249);
  assert.equal(answer.unreadable, 4);
  await assert.rejects(read(JSON.stringify(bad)), { kind: 'unexpected' });
});
