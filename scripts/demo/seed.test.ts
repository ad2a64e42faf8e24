// What a visitor of the demo finds: a month with a bad night, rollouts at each stage, alerts past and present, and people.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { AlertEvent } from '#/contract/alerts.ts';
import type { HistorySeries } from '#/contract/history.ts';
import type { RolloutSummary } from '#/contract/rollouts.ts';
import { startService } from '../../server/service.ts';
import type { Service } from '../../server/service.ts';
import { withToken } from './client.ts';
import type { Client } from './client.ts';
import { seedMonth } from './seed.ts';
import type { Seeded } from './seed.ts';

const DAY = 24 * 60 * 60 * 1000;
const folder = mkdtempSync(path.join(tmpdir(), 'muster-demo-test-'));
let seeded: Seeded;
let service: Service;
let client: Client;
const get = <Answer>(at: string) => client.call<Answer>('GET', at);

before(async () => {
  const env = { DATA_DIR: path.join(folder, 'data'), ALERT_PRIVATE_TARGETS: '1' };
  seeded = await seedMonth({ env, devices: 240, scripts: path.join(folder, 'scripts') });
  // The service that takes over, with the clock of this machine.
  service = await startService({ ...env, HOST: '127.0.0.1', PORT: '0', TUNNEL_PORT: '0' });
  client = withToken(service.url, seeded.token);
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('the history knows 30 days, with the hours in which the service was down', async () => {
  const { Online, Offline, Unknown } = await get<HistorySeries>('/v1/history/series?hours=720&step=3600');
  assert.equal(Online.length, 720);
  const unknown = Unknown.filter((devices) => devices > 0);
  assert.deepEqual([unknown.length, Unknown[0], Unknown.at(-1)], [4, 0, 0]);
  const known = Online.map((online, index) => online + (Offline[index] ?? 0)).filter((devices) => devices > 0);
  assert.deepEqual([known[0], known.at(-1)], [192, 240], 'the fleet has grown');
});

test('one site had a bad night, and was back the next day', async () => {
  const night = Math.floor(Date.now() / DAY) * DAY - 11 * DAY;
  const { Items } = await get<{ Items: { DeviceId: string; Cause: string }[] }>(
    `/v1/history/devices?from=${new Date(night + 2 * 3_600_000).toISOString()}&to=${new Date(night + 2.5 * 3_600_000).toISOString()}&limit=200`,
  );
  const lost = new Set(Items.filter(({ Cause }) => Cause === 'Disconnected').map(({ DeviceId }) => DeviceId));
  const site = seeded.devices.filter(({ city }) => city.name === 'Hamburg');
  const gone = site.filter(({ id }) => lost.has(id));
  assert.ok(gone.length > 15 && gone.length > site.length * 0.7, `${gone.length} of ${site.length} devices`);
});

test('jobs ended on each day, most of them well', async () => {
  const { Jobs } = await get<HistorySeries>('/v1/history/series?hours=720');
  assert.ok(Jobs.length >= 30, `${Jobs.length} days`);
  const total = (of: 'Succeeded' | 'Failed') => Jobs.reduce((sum, day) => sum + day[of], 0);
  assert.ok(total('Failed') > 20 && total('Succeeded') > 20 * total('Failed'), `${total('Failed')} failed`);
});

test('rollouts are over, scheduled, wait for a person, and one is paused because devices failed', async () => {
  const rollouts = await get<RolloutSummary[]>('/v1/rollout');
  const states = new Set(rollouts.map(({ State }) => State));
  for (const state of ['Succeeded', 'Aborted', 'Scheduled', 'Waiting'] as const) assert.ok(states.has(state), state);
  const paused = rollouts.filter(({ State }) => State === 'Paused');
  assert.deepEqual(
    paused.map(({ Name }) => Name),
    ['Firmware 2.4.0 for the cameras'],
  );
  assert.match(paused[0]?.Because ?? '', /^\d+ of 24 devices failed in wave 3, more than 3$/);
});

test('devices have different versions, and a sensor that joined later got one by the standing order', async () => {
  const counts = await get<{ ArtifactName: string; Version: string; Devices: number }[]>('/v1/versions/counts');
  const firmware = counts.filter(({ ArtifactName, Devices }) => ArtifactName === 'update-firmware' && Devices > 0);
  assert.deepEqual(firmware.map(({ Version }) => Version).toSorted(), ['2.2.0', '2.3.0', '2.3.1', '2.4.0']);
  const [order] = await get<{ Counts: Record<string, number>; Devices: number }[]>('/v1/orders');
  assert.ok((order?.Counts['Has'] ?? 0) > 50, JSON.stringify(order));
});

test('alerts are open and past, and a rule is silenced', async () => {
  const firing =
    await get<{ Event: AlertEvent; Devices: object[]; Silence?: { Reason: string } }[]>('/v1/alerts/firing');
  assert.ok(firing.some(({ Silence }) => !Silence));
  assert.ok(firing.some(({ Silence }) => Silence?.Reason === 'Firmware update'));
  const events = new Set<string>();
  let oldest = Infinity;
  for (let next = ''; ;) {
    const page = await get<{ Items: { Event: string; Time: string }[]; Next: string }>(
      `/v1/alerts/deliveries?before=${encodeURIComponent(next)}`,
    );
    for (const { Event, Time } of page.Items) {
      events.add(Event);
      oldest = Math.min(oldest, Date.parse(Time));
    }
    if (page.Next === '') break;
    next = page.Next;
  }
  assert.deepEqual([...events].toSorted(), ['DeviceOffline', 'JobFailed', 'RolloutPaused']);
  assert.ok(oldest < Date.now() - 25 * DAY, new Date(oldest).toISOString());
});

test('the audit log names people and the pipeline', async () => {
  const { Items } = await get<{ Items: { ActorName: string; Action: string }[] }>('/v1/audit?limit=200');
  const actors = new Set(Items.map(({ ActorName }) => ActorName));
  for (const name of ['Mara Lindqvist', 'Tom Okafor', 'Priya Raman', 'Build pipeline'])
    assert.ok(actors.has(name), name);
  assert.ok(Items.some(({ Action }) => Action === 'rollout.advance'));
});
