import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { DeviceFeed, type DeviceChanges } from './device-feed.ts';
import type { DeviceRows } from './devices.ts';
import { ChangeFollower } from './follow-changes.ts';
import { EVERYTHING } from './live-connection.ts';

async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const aRow = (id: string, name = id): Device => ({
  DeviceId: id,
  DeviceName: name,
  DeviceGroup: '',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
});

/** A client whose queries are shown, and count their readings; a service with these changes. */
function setUp() {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity, retry: false } },
  });
  let changes: Partial<DeviceChanges> = {};
  let version = 1;
  const feed = new DeviceFeed(async () => {
    const read = { reset: false, changed: [], removed: [], ...changes, version: `v${version++}` };
    changes = {};
    return read;
  });
  const follower = new ChangeFollower(client, feed);
  const readings: string[] = [];
  return {
    client,
    feed,
    follower,
    readings,
    prepare: (next: Partial<DeviceChanges>) => void (changes = next),
    show: async (queryKey: readonly unknown[], data: unknown) => {
      const queryFn = () => {
        readings.push(queryKey.join(' '));
        return data;
      };
      const leave = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
      await settle();
      readings.length = 0;
      return leave;
    },
  };
}

const page = (filter: object = {}) => ['devices', 'page', 1, 25, filter] as const;
const rowsOf = (...rows: Device[]): DeviceRows => ({ rows, total: rows.length, more: false });

test('devices of a page are patched without reading it, the others stay the same objects', async () => {
  const { client, feed, follower, readings, prepare, show } = setUp();
  await feed.begin();
  const leave = await show(page(), rowsOf(aRow('a'), aRow('b')));
  const before = client.getQueryData<DeviceRows>(page())!;
  prepare({ changed: [{ device: aRow('b', 'pump'), position: undefined }] });
  follower.report({ Devices: ['b'] }, false);
  await settle();
  const after = client.getQueryData<DeviceRows>(page())!;
  assert.deepEqual(
    after.rows.map(({ DeviceName }) => DeviceName),
    ['a', 'pump'],
  );
  assert.equal(after.rows[0], before.rows[0]);
  assert.deepEqual(readings, []);
  leave();
});

test('a change before the first version was known is read, since no later question shows it', async () => {
  const { follower, readings, show } = setUp();
  const leave = await show(['devices', 'one', 'a'], aRow('a'));
  follower.report({ Devices: ['a'] }, false);
  await settle();
  assert.deepEqual(readings, ['devices one a']);
  leave();
});

test('a page that opens while the first version is read is read again as well', async () => {
  const { client, follower, show } = setUp();
  const leave = await show(page(), rowsOf(aRow('a')));
  follower.report({ Devices: ['a'] }, false);
  const later = page({ group: 'lab' });
  client.setQueryData(later, rowsOf(aRow('a')));
  const leaveLater = await show(later, rowsOf(aRow('a')));
  assert.equal(client.getQueryState(later)?.dataUpdateCount, 2);
  leave();
  leaveLater();
});

test('a filtered page, a page that loses a device and one that may gain one are read again', async () => {
  const CreatedTime = new Date().toISOString();
  const cases: [filter: object, changes: Partial<DeviceChanges>][] = [
    [{ device_name: 'x' }, { changed: [{ device: aRow('b', 'x'), position: undefined }] }],
    [{}, { removed: ['zz'] }],
    [{}, { changed: [{ device: { ...aRow('new'), CreatedTime }, position: undefined }] }],
    [{}, { reset: true }],
  ];
  for (const [filter, changes] of cases) {
    const { feed, follower, readings, prepare, show } = setUp();
    await feed.begin();
    const leave = await show(page(filter), rowsOf(aRow('a')));
    prepare(changes);
    follower.report({ Devices: 'many' }, false);
    await settle();
    assert.equal(readings.length, 1, JSON.stringify(changes));
    leave();
  }
});

test('of jobs those are read that the change names, and what lists them all', async () => {
  const { follower, readings, show } = setUp();
  const leave = [
    await show(['jobs', 'children', 'p1'], []),
    await show(['jobs', 'children', 'p2'], []),
    await show(['jobs', 'one', 'c1'], { job: { ParentJobId: 'p1' } }),
    await show(['jobs', 'list'], []),
    await show(['jobs', 'runs', 'art'], []),
    await show(['devices', 'jobs', 'd1'], []),
  ];
  follower.report({ Jobs: ['p1'] }, false);
  await settle();
  assert.deepEqual(readings.toSorted(), ['devices jobs d1', 'jobs children p1', 'jobs list', 'jobs one c1']);
  for (const each of leave) each();
});

test('of rollouts those are read that were steered, and open ones when jobs or devices change', async () => {
  const { follower, readings, show } = setUp();
  const leaves = [
    await show(['rollouts', 'open'], { State: 'Running' }),
    await show(['rollouts', 'open', 'states'], []),
    await show(['rollouts', 'over'], { State: 'Succeeded' }),
  ];
  follower.report({ Jobs: ['a'] }, false);
  await settle();
  assert.deepEqual(readings, ['rollouts open', 'rollouts open states']);
  readings.length = 0;
  follower.report({ Rollouts: ['over'] }, false);
  await settle();
  assert.deepEqual(readings, ['rollouts over']);
  for (const leave of leaves) leave();
});

test('what nothing shows is marked, and read when it is shown', async () => {
  const { client, follower, readings, show } = setUp();
  const leave = await show(['tunnels'], []);
  leave();
  follower.report({ Tunnels: true }, false);
  await settle();
  assert.deepEqual(readings, []);
  assert.equal(client.getQueryState(['tunnels'])?.isInvalidated, true);
});

test('when nothing is reported any more, everything that was is read', async () => {
  const { follower, readings, show } = setUp();
  const leave = [await show(['tunnels'], []), await show(['account', 'usage'], {}), await show(['own-build'], {})];
  follower.lose();
  await settle();
  assert.deepEqual(readings.toSorted(), ['account usage', 'tunnels']);
  for (const each of leave) each();
});

test('after a gap all is read again that is reported, whatever its kind', async () => {
  const { follower, readings, show } = setUp();
  const keys = [
    'jobs list',
    'rollouts',
    'rollouts over',
    'tunnels',
    'artifacts',
    'workflows',
    'tags',
    'account',
    'alerts',
    'bulk',
  ];
  const leave = [];
  for (const key of keys) leave.push(await show(key.split(' '), { State: 'Succeeded' }));
  follower.report(EVERYTHING, false);
  await settle();
  assert.deepEqual(readings.toSorted(), keys.toSorted());
  for (const each of leave) each();
});
