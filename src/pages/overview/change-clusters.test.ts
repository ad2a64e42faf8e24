// What "Down now" and "Recent disconnects" show as one line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { indexOf } from '#/fleet/index-of.ts';
import { downNow, listOf } from './down-list.ts';
import { flappingOf, recentChanges } from './recent-changes.ts';
import { clusterChanges, clusterText, spanText, type ChangeCluster, type ChangedState } from './change-clusters.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const moved = (id: string, minute: number, where: Partial<ChangedState> = {}): ChangedState => ({
  id,
  at: NOW - minute * MINUTE,
  site: '',
  customer: '',
  group: '',
  ...where,
});
const texts = (clusters: ChangeCluster<ChangedState>[]) =>
  clusters.map((cluster) =>
    cluster.rows.length > 1 ? `${clusterText(cluster)} ${spanText(cluster)}` : cluster.rows[0]?.id,
  );
const berlin = { site: 'Berlin', customer: 'Kestrel' };

test('a site that lost its uplink is one line; other devices are listed one by one, the longest first', () => {
  const rows = [
    moved('late', 10, { site: 'Oslo' }),
    ...[30, 30.5, 31].map((minute) => moved(`b${minute}`, minute, berlin)),
    moved('alone', 40, berlin),
    moved('x', 30, { site: 'Oslo' }),
    moved('y', 30, { site: 'Oslo' }),
  ];
  assert.deepEqual(texts(clusterChanges(rows, 1000)), [
    'alone',
    '3 devices of site Berlin within 60 seconds',
    'x',
    'y',
    'late',
  ]);
});

test('devices without a site are grouped by customer, or else by group', () => {
  const three = (where: Partial<ChangedState>, from: number) =>
    [0, 1, 2].map((each) => moved(`${from}-${each}`, from, where));
  assert.deepEqual(
    texts(clusterChanges([...three({ customer: 'Kestrel' }, 20), ...three({ group: 'pumps' }, 10)], 1000)),
    ['3 devices of customer Kestrel at the same moment', '3 devices of group pumps at the same moment'],
  );
});

test('an outage across many sites is one line, not thirty', () => {
  const rows = Array.from({ length: 60 }, (_, each) => moved(`d${each}`, 5 + each / 60, { site: `site ${each % 30}` }));
  assert.deepEqual(texts(clusterChanges(rows, 100)), ['60 devices from 30 sites or groups within 59 seconds']);
});

const offline = (DeviceId: string, LastSeenTime: string | undefined, CustomerSite = '') =>
  device.parse({ DeviceId, DeviceStatus: 'Offline', LastSeenTime, CustomerSite });

test('the linked list shows as many devices as the line says', () => {
  const index = indexOf([
    offline('a', '2026-11-21T11:00:00.200Z', 'Berlin'),
    offline('b', '2026-11-21T11:00:30.000Z', 'Berlin'),
    offline('c', '2026-11-21T11:01:00.700Z', 'Berlin'),
    offline('d', '2026-11-21T10:00:00.000Z', 'Berlin'),
    offline('never', '', 'Berlin'),
    device.parse({ DeviceId: 'e', DeviceStatus: 'Online', LastSeenTime: '2026-11-21T11:00:30.000Z' }),
  ]);
  const [first, cluster, ...more] = downNow(index);
  assert.deepEqual([first?.rows[0]?.id, cluster?.rows.length, more.length], ['d', 3, 0]);
  assert.deepEqual(cluster && listOf(index, cluster), {
    count: 3,
    to: '/devices?state=offline&site=Berlin&seen=2026-11-21T11%3A00%3A00Z%2F2026-11-21T11%3A01%3A01Z&sort=lastSeen',
  });
});

test('a device without a reported time has none shown, and links to no list', () => {
  const index = indexOf([offline('a', undefined)]);
  const [known] = downNow(index);
  assert.deepEqual([known?.rows[0]?.id, known?.from], ['a', Number.NaN]);
  assert.equal(known && listOf(index, known), undefined);
});

test('recent changes leave out first connections and flapping devices, and include the time when the service was down', () => {
  const index = indexOf(
    ['a', 'flap', 'new'].map((id) => device.parse({ DeviceId: id, DeviceName: id, DeviceStatus: 'Online' })),
  );
  const event = (id: string, state: string, minute: number, cause = '') => ({
    id,
    state,
    cause,
    at: NOW - minute * MINUTE,
  });
  const events = [
    event('a', 'Offline', 50),
    event('flap', 'Online', 60),
    event('flap', 'Offline', 70),
    event('new', 'Online', 80, 'FirstConnected'),
    event('gone', 'Offline', 400),
    event('a', 'Online', 500),
    event('a', 'Offline', 600),
  ];
  const gap = { from: NOW - 200 * MINUTE, to: NOW - 100 * MINUTE };
  const restart = { from: NOW - 20 * MINUTE, to: NOW - 20 * MINUTE + 5000 };
  const sum = (Key: string, Changes: number) => ({
    Key,
    Name: Key,
    Changes,
    Devices: 1,
    OnlineSeconds: 0,
    OfflineSeconds: 0,
    UnknownSeconds: 0,
  });
  const flapping = flappingOf([sum('flap', 7), sum('a', 3)]);
  assert.deepEqual(flapping, [{ id: 'flap', name: 'flap', times: 3 }]);
  const entries = recentChanges(index, events, [gap, restart], new Set(['flap']));
  assert.deepEqual(
    entries.map((each) => (each.kind === 'gap' ? 'gap' : `${each.cluster.rows[0]?.id} ${each.to}`)),
    ['a Offline', 'gap', 'a Online', 'a Offline'],
  );
  const back = entries[2];
  assert.equal(back?.kind === 'changed' && back.cluster.rows[0]?.away, 100 * MINUTE);
});
