import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver, type Query, type QueryKey } from '@tanstack/react-query';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import type { Operation } from '#/contract/resource.ts';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { timelineEndpoints } from '#/contract/timeline.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { accountQueries } from './account.ts';
import { alertQueries } from './alerts.ts';
import { archiveQueries } from './archive.ts';
import { artifactQueries } from './artifacts.ts';
import { DeviceFeed, type DeviceChanges } from './device-feed.ts';
import { deviceQueries, type DeviceRows } from './devices.ts';
import { deviceVersionQueries } from './device-versions.ts';
import { ChangeFollower } from './follow-changes.ts';
import { historyQueries } from './history.ts';
import { jobQueries } from './jobs.ts';
import { changedBy, isAffected } from './query.ts';
import { rolloutQueries } from './rollouts.ts';
import { timelineQueries } from './timeline.ts';
import { tunnelQueries } from './tunnels.ts';

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

/** A client whose active queries count their fetches, and a service with these changes. */
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
    /** `name`: under which its fetches are counted. */
    show: async (name: string, options: { queryKey: QueryKey; meta?: object | undefined }, data: unknown) => {
      const { queryKey, meta = {} } = options;
      const queryFn = () => {
        readings.push(name);
        return data;
      };
      const leave = new QueryObserver(client, { queryKey, meta, queryFn }).subscribe(() => {});
      await settle();
      readings.length = 0;
      return leave;
    },
  };
}

const page = (filter: object = {}) => deviceQueries.page(1, 25, filter);
const rowsOf = (...rows: Device[]): DeviceRows => ({ rows, total: rows.length, more: false });

test('changed devices of a page are patched without a refetch, the others stay the same objects', async () => {
  const { client, feed, follower, readings, prepare, show } = setUp();
  await feed.begin();
  const leave = await show('page', page(), rowsOf(aRow('a'), aRow('b')));
  const before = client.getQueryData(page().queryKey)!;
  prepare({ changed: [{ device: aRow('b', 'pump'), position: undefined }] });
  follower.report({ Devices: ['b'] }, false);
  await settle();
  const after = client.getQueryData(page().queryKey)!;
  assert.deepEqual(
    after.rows.map(({ DeviceName }) => DeviceName),
    ['a', 'pump'],
  );
  assert.equal(after.rows[0], before.rows[0]);
  assert.deepEqual(readings, []);
  leave();
});

test('a change before the first version is refetched, because no later request shows it', async () => {
  const { follower, readings, show } = setUp();
  const leave = await show('a', deviceQueries.one('a'), aRow('a'));
  follower.report({ Devices: ['a'] }, false);
  await settle();
  assert.deepEqual(readings, ['a']);
  leave();
});

test('a page that opens while the first version is read is refetched too', async () => {
  const { client, follower, show } = setUp();
  const leave = await show('page', page(), rowsOf(aRow('a')));
  follower.report({ Devices: ['a'] }, false);
  const later = page({ group: 'lab' });
  client.setQueryData(later.queryKey, rowsOf(aRow('a')));
  const leaveLater = await show('later', later, rowsOf(aRow('a')));
  assert.equal(client.getQueryState(later.queryKey)?.dataUpdateCount, 2);
  leave();
  leaveLater();
});

test('a filtered page, a page that loses a device and one that may gain one are refetched', async () => {
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
    const leave = await show('page', page(filter), rowsOf(aRow('a')));
    prepare(changes);
    follower.report({ Devices: 'many' }, false);
    await settle();
    assert.equal(readings.length, 1, JSON.stringify(changes));
    leave();
  }
});

test('a change of jobs refetches the named ones, their lists, and resources that follow jobs', async () => {
  const { follower, readings, show } = setUp();
  const leave = [
    await show('children of p1', jobQueries.children('p1'), []),
    await show('children of p2', jobQueries.children('p2'), []),
    await show('child c1', jobQueries.one('c1'), { job: { ParentJobId: 'p1' } }),
    await show('list', jobQueries.list(), []),
    await show('queue of d1', jobQueries.ofDevice('d1'), []),
    await show('versions', deviceVersionQueries.counts(), []),
    await show('archive', archiveQueries.list(), { pages: [], pageParams: [] }),
    await show('history', historyQueries.lately(), {}),
  ];
  follower.report({ Jobs: ['p1'] }, false);
  await settle();
  assert.deepEqual(readings.toSorted(), ['archive', 'child c1', 'children of p1', 'list', 'queue of d1', 'versions']);
  for (const each of leave) each();
});

test('changed rollouts are refetched, and open ones when jobs or devices change', async () => {
  const { follower, readings, show } = setUp();
  const leaves = [
    await show('open', rolloutQueries.one('open'), { State: 'Running' }),
    // Refetched with the rollout itself.
    await show('states', rolloutQueries.states('open'), []),
    await show('ended', rolloutQueries.one('ended'), { State: 'Succeeded' }),
  ];
  follower.report({ Jobs: ['a'] }, false);
  await settle();
  assert.deepEqual(readings, ['open']);
  readings.length = 0;
  follower.report({ Rollouts: ['ended'] }, false);
  await settle();
  assert.deepEqual(readings, ['ended']);
  for (const leave of leaves) leave();
});

test('a timeline follows its own device, and jobs of any', async () => {
  const { follower, readings, show } = setUp();
  const leave = await show('timeline', timelineQueries.list('d1', [], 'Online'), { pages: [], pageParams: [] });
  follower.report({ Devices: ['d2'] }, false);
  await settle();
  assert.deepEqual(readings, []);
  follower.report({ Devices: ['d1', 'd2'] }, false);
  await settle();
  assert.deepEqual(readings, ['timeline']);
  leave();
});

test('every write that makes an entry of a timeline makes the timelines stale', () => {
  const { queryKey, meta } = timelineQueries.list('d1', [], 'Online');
  const writes: Operation[] = [
    deviceEndpoints.update,
    deviceEndpoints.locate,
    deviceEndpoints.rotateKey,
    deviceEndpoints.rekey,
    tagEndpoints.attach,
    tagEndpoints.detach,
    jobEndpoints.submit,
    jobEndpoints.stop,
    tunnelEndpoints.open,
    tunnelEndpoints.remove,
    bulkEndpoints.create,
    bulkEndpoints.undo,
    enrolmentEndpoints.approve,
    timelineEndpoints.addNote,
    timelineEndpoints.removeNote,
    rolloutEndpoints.create,
    rolloutEndpoints.retry,
  ];
  assert.deepEqual(
    writes
      .filter((write) => !isAffected({ meta, queryKey } as unknown as Query, changedBy(write)))
      .map(({ path }) => path),
    [],
  );
});

test('a query that nothing shows is marked as stale, and refetched when it is shown', async () => {
  const { client, follower, readings, show } = setUp();
  const leave = await show('tunnels', tunnelQueries.list(), []);
  leave();
  follower.report({ Tunnels: true }, false);
  await settle();
  assert.deepEqual(readings, []);
  assert.equal(client.getQueryState(tunnelQueries.list().queryKey)?.isInvalidated, true);
});

/** Queries of reported resources, and of the history, which is not reported. */
const shown = {
  account: accountQueries.get(),
  alerts: alertQueries.firing(),
  artifacts: artifactQueries.list(),
  ended: rolloutQueries.one('ended'),
  jobs: jobQueries.list(),
  page: page(),
  tunnels: tunnelQueries.list(),
};

test('after a gap, and when reports stop, everything that is reported is refetched', async () => {
  for (const report of [
    (follower: ChangeFollower) => follower.pollEverything(),
    (follower: ChangeFollower) => follower.report('everything', false),
  ]) {
    const { follower, readings, show } = setUp();
    const leave = [await show('history', historyQueries.lately(), {})];
    for (const [name, options] of Object.entries(shown))
      leave.push(await show(name, options, name === 'page' ? rowsOf() : { State: 'Succeeded' }));
    report(follower);
    await settle();
    assert.deepEqual(readings.toSorted(), Object.keys(shown));
    for (const each of leave) each();
  }
});
