// A made-up resource: everything that the dashboard knows about a resource comes from its table.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { QueryObserver, type MutationMeta } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { pathId } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';
import { DeviceFeed } from './device-feed.ts';
import { ChangeFollower } from './follow-changes.ts';
import { live } from './live.ts';
import { polled, query, requestMutation } from './query.ts';
import { queryClient } from './query-client.ts';

const POLL = 4_000;
const params = z.object({ widget_id: pathId });
const widgets = resource('widgets', { live: 'ids', id: 'widget_id', poll: POLL, follows: ['tags'] }).operations({
  list: { method: 'GET', path: '/v1/widgets', permission: 'read', summary: 'List widgets', response: z.unknown() },
  get: { method: 'GET', path: '/v1/widgets/:widget_id', permission: 'read', summary: 'Get one', params },
  paint: { method: 'POST', path: '/v1/widgets/:widget_id/paint', permission: 'operate', summary: 'Paint one', params },
  remove: { method: 'DELETE', path: '/v1/widgets/:widget_id', permission: 'operate', summary: 'Delete one', params },
});
const gadgets = resource('gadgets', {}).operations({
  list: { method: 'GET', path: '/v1/gadgets', permission: 'read', summary: 'List gadgets' },
  build: { method: 'POST', path: '/v1/gadgets', permission: 'operate', summary: 'Build', changes: ['widgets'] },
});

const one = (id: string) => query(widgets.get, { params: { widget_id: id } });
const list = query(widgets.list, {});
const client = queryClient;
const isStale = ({ queryKey }: { queryKey: readonly unknown[] }) => client.getQueryState(queryKey)?.isInvalidated;

/** Fills the cache with fresh data for all of them. */
function read(): void {
  for (const { queryKey, meta = {} } of [list, one('a'), one('b'), query(gadgets.list, {})])
    client.getQueryCache().build(client, { queryKey, meta }).setData({});
}

/** Runs the mutation as if the service had accepted it. */
const write = ({ meta = {} }: { meta?: MutationMeta | undefined }) =>
  client
    .getMutationCache()
    .build(client, { mutationFn: async () => {}, meta })
    .execute(undefined);

afterEach(() => {
  live.set('off');
  client.clear();
});

test('a key is the resource, the operation and the request', () => {
  assert.deepEqual(one('a').queryKey, ['widgets', 'get', { params: { widget_id: 'a' } }]);
  assert.deepEqual(query(widgets.list, {}, { part: 'summary', read: async () => 0 }).queryKey, [
    'widgets',
    'list',
    {},
    'summary',
  ]);
});

test('a write makes its own resource stale, and those that it names', async () => {
  read();
  await write(requestMutation(widgets.paint, { params: { widget_id: 'a' } }));
  assert.deepEqual([list, one('a'), one('b'), query(gadgets.list, {})].map(isStale), [true, true, true, false]);
  read();
  await write(requestMutation(gadgets.build, {}));
  assert.deepEqual([list, one('a'), query(gadgets.list, {})].map(isStale), [true, true, true]);
});

test('a deleted object is not refetched', async () => {
  read();
  await write(requestMutation(widgets.remove, { params: { widget_id: 'a' } }));
  assert.deepEqual([list, one('a'), one('b')].map(isStale), [true, false, true]);
});

test('a report makes the named resources and their followers stale; a gap everything that is reported', () => {
  const follower = new ChangeFollower(client, new DeviceFeed(() => Promise.reject(new Error('No devices here'))));
  const after = (change: Parameters<typeof follower.report>[0]) => {
    read();
    follower.report(change, false);
    return [list, one('a'), one('b'), query(gadgets.list, {})].map(isStale);
  };
  assert.deepEqual(after({ Widgets: ['a'] }), [true, true, false, false]);
  assert.deepEqual(after({ Widgets: 'many' }), [true, true, true, false]);
  assert.deepEqual(after({ Tags: true }), [true, true, true, false]);
  assert.deepEqual(after({ Jobs: 'many' }), [false, false, false, false]);
  assert.deepEqual(after('everything'), [true, true, true, false]);
});

test('neither a write, a report nor a gap makes a snapshot stale', async () => {
  const moment = query(widgets.list, {}, { part: 'moment', isSnapshot: true });
  client
    .getQueryCache()
    .build(client, { queryKey: moment.queryKey, meta: moment.meta ?? {} })
    .setData({});
  const follower = new ChangeFollower(client, new DeviceFeed(() => Promise.reject(new Error('No devices here'))));
  await write(requestMutation(widgets.paint, { params: { widget_id: 'a' } }));
  follower.report({ Widgets: 'many' }, false);
  follower.report('everything', false);
  follower.pollEverything();
  assert.equal(isStale(moment), false);
});

test('a resource is polled as its table says until changes are reported, and then fresh until one is', () => {
  const pace = (options: object) => {
    const observer = new QueryObserver(client, { ...(options as typeof list), enabled: false });
    const { refetchInterval } = observer.options;
    return typeof refetchInterval === 'function' ? refetchInterval(observer.getCurrentQuery()) : refetchInterval;
  };
  read();
  assert.equal(pace(list), POLL);
  assert.equal(pace(polled(list, 60_000)), 60_000);
  assert.equal(pace(polled(list, false)), false);
  assert.equal(pace(query(gadgets.list, {})), false);
  live.set('live');
  assert.ok(Number(pace(list)) > 60_000);
  const { staleTime } = client.getDefaultOptions().queries ?? {};
  const holds = (options: { queryKey: readonly unknown[] }) => {
    const observed = new QueryObserver(client, { ...(options as typeof list), enabled: false }).getCurrentQuery();
    return typeof staleTime === 'function' ? staleTime(observed) : staleTime;
  };
  assert.equal(holds(list), Infinity);
  assert.notEqual(holds(query(gadgets.list, {})), Infinity);
});
