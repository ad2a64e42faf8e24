// The history of states: what agents did, and what the service may say of times in which it was down.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Availability, DeviceStateChange, HistorySeries, Replay, ServiceGap } from '#/contract/history.ts';
import { CAUSES, noteState, openSettling, pruneStates, type Cause } from '../store/state-history.ts';
import { addSettledTotals } from '../store/state-totals.ts';
import { onPostgres } from '../store/test-database.ts';
import { FakeAgent } from '../test-agents.ts';
import { Availabilities } from './availability.ts';
import { limitedCaller } from '../test-limited.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';
import { wholeAccount } from '../store/scope.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let service: TestService;
let fleet: TestFleet;

async function start(): Promise<void> {
  service = await startTestService({}, service?.dataDir, service?.clock);
  fleet = testFleet((...asked) => service.call(...asked));
}
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(() => service.end());

async function read<Answer>(path: string): Promise<Answer> {
  const response = await service.call('GET', `/v1/history/${path}`);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Answer;
}
interface Changes {
  Items: DeviceStateChange[];
  Next: string;
}
interface Summary {
  From: string;
  To: string;
  Gaps: ServiceGap[];
  Items: Availability[];
  Next: string;
}
const causes = async (query = '') => (await read<Changes>(`devices?${query}`)).Items.map(({ Cause }) => Cause);
/** Lets time pass in which the service was up. */
async function later(length: number): Promise<void> {
  service.clock.offset += length;
  const { db, now } = service.context;
  await db.write((tx) => tx.run("UPDATE settings SET value = ? WHERE key = 'alive'", String(now())));
}
async function connect(device: { key: string }): Promise<FakeAgent> {
  const agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('welcome');
  return agent;
}
async function disconnect(agent: FakeAgent, device: { id: string }): Promise<void> {
  await agent.end();
  await until('the disconnect', async () => (await causes(`device_id=${device.id}`))[0] === 'Disconnected');
}

test('a series counts the devices in each state, and the jobs that ended, up to now', async () => {
  const device = await fleet.device();
  const agent = await connect(device);
  await fleet.run('true', { DeviceId: device.id });
  agent.finish((await agent.receive('run')).job);
  await until('its end', async () => (await fleet.jobs())[0]?.Status === 'Succeeded');
  await later(3 * MINUTE);
  const series = await read<HistorySeries>('series?hours=1');
  assert.deepEqual([series.Step, series.Online.length], [60, 60]);
  assert.deepEqual([series.Online.at(-1), series.Offline.at(-1), series.Unknown.at(-1)], [1, 0, 0]);
  assert.deepEqual([series.Online[0], series.Offline[0], series.Unknown[0]], [0, 0, 0], 'before it was created');
  assert.deepEqual(
    series.Jobs.map(({ Succeeded, Failed, Other }) => [Succeeded, Failed, Other]),
    [[1, 0, 0]],
  );
  assert.equal((await service.call('GET', '/v1/history/series?hours=2160&step=60')).status, 400);
});

test('a replay has the states at its beginning and each change after it', async () => {
  const [first, second, third] = await fleet.devices('', ['first', 'second', 'third']);
  const agent = await connect(first!);
  await later(2 * MINUTE);
  const From = new Date(service.context.now() - MINUTE).toISOString();
  await connect(second!);
  await disconnect(agent, first!);
  const replay = await read<Replay>(`replay?from=${From}`);
  const at = (id: string) => replay.Devices.indexOf(id);
  assert.equal(at(third!.id), -1, 'it never connected');
  assert.deepEqual([replay.States[at(first!.id)], replay.States[at(second!.id)]], ['O', '-']);
  assert.deepEqual(
    replay.Changes.Device.map((position, index) => [position, replay.Changes.State[index]]),
    [
      [at(second!.id), 'O'],
      [at(first!.id), 'F'],
    ],
  );
  assert.equal((await service.call('GET', '/v1/history/replay?from=2020-01-01T00:00:00Z')).status, 400);
  // Exactly seven days, whatever the milliseconds: it begins at a full second before.
  const week = 'from=2026-11-01T10:00:00.421Z&to=2026-11-08T10:00:00.421Z';
  assert.equal((await service.call('GET', `/v1/history/replay?${week}`)).status, 200);
  const longer = 'from=2026-11-01T10:00:00.421Z&to=2026-11-08T10:00:01.421Z';
  assert.equal((await service.call('GET', `/v1/history/replay?${longer}`)).status, 400);
});

test('each change is listed with its cause, newest first and page by page', async () => {
  const [one, two] = [await fleet.device('', 'one'), await fleet.device('', 'two')];
  const agent = await connect(one);
  await later(MINUTE);
  await disconnect(agent, one);
  await later(MINUTE);
  const other = await connect(two);
  assert.equal((await service.call('POST', `/v1/devices/${two.id}/key`)).status, 200);
  assert.deepEqual(await causes(), ['NewKey', 'FirstConnected', 'Disconnected', 'FirstConnected']);
  assert.deepEqual(await causes(`device_id=${one.id}`), ['Disconnected', 'FirstConnected']);
  const first = await read<Changes>('devices?limit=3');
  assert.deepEqual(
    first.Items.map(({ DeviceId, State }) => [DeviceId, State]),
    [
      [two.id, 'Offline'],
      [two.id, 'Online'],
      [one.id, 'Offline'],
    ],
  );
  const rest = await read<Changes>(`devices?limit=3&before=${first.Next}`);
  assert.deepEqual([rest.Items.map(({ DeviceId }) => DeviceId), rest.Next], [[one.id], '']);
  const at = encodeURIComponent(first.Items[2]?.Time ?? '');
  assert.deepEqual(await causes(`from=${at}&to=${at}`), ['Disconnected']);
  assert.equal((await service.call('GET', '/v1/history/devices?device_id=no')).status, 404);
  assert.equal((await service.call('GET', '/v1/history/devices?before=x')).status, 400);
  await other.end();
});

test('while the service is stopped nobody is Offline, and who comes back in time has not been away', async () => {
  const [back, gone] = [await fleet.device('', 'back'), await fleet.device('', 'gone')];
  const agents = [await connect(back), await connect(gone)];
  await later(HOUR);
  await service.close();
  for (const agent of agents) await agent.end();
  service.clock.offset += HOUR;
  await start();
  const settle = openSettling(service.context.db, service.context.now);
  await settle();
  const again = await connect(back);
  await later(HOUR);
  await settle();
  assert.deepEqual(await causes(`device_id=${back.id}`), ['ServiceUp', 'ServiceDown', 'FirstConnected']);
  const [notBack, up] = (await read<Changes>(`devices?device_id=${gone.id}`)).Items;
  assert.deepEqual(
    [notBack?.Cause, notBack?.State, up?.Cause, up?.State],
    ['NotBack', 'Offline', 'ServiceUp', 'Online'],
  );
  assert.ok(Date.parse(notBack?.Time ?? '') - Date.parse(up?.Time ?? '') < MINUTE);

  const { Items, Gaps } = await read<Summary>('summary?hours=24');
  const hours = (seconds: number) => Math.round(seconds / 3600);
  assert.deepEqual(
    Items.map((item) => [
      item.Name,
      hours(item.OnlineSeconds),
      hours(item.OfflineSeconds),
      hours(item.UnknownSeconds),
      item.Changes,
    ]),
    [
      ['gone', 1, 1, 1, 2],
      ['back', 2, 0, 1, 1],
    ],
  );
  assert.equal(Gaps.length, 2); // the other is all the time before the first start
  await again.end();
});

test('a node that leads long after its start counts missing devices as Offline from its first look', async () => {
  const device = await fleet.device();
  const settle = openSettling(service.context.db, service.context.now);
  await later(24 * HOUR);
  await service.context.db.write((tx) => noteState(tx, 1, CAUSES.connected, service.context.now()));
  await later(HOUR);
  const seen = service.context.now();
  await settle();
  await later(HOUR);
  await settle();
  const [notBack] = (await read<Changes>(`devices?device_id=${device.id}`)).Items;
  assert.equal(notBack?.Cause, 'NotBack');
  assert.ok(Date.parse(notBack?.Time ?? '') >= seen);
});

test('a gap that begins with a change of a state is after it, on whatever page that change is the last', async () => {
  const device = await fleet.device();
  const began = service.context.now() + HOUR;
  await service.context.db.write(async (tx) => {
    await noteState(tx, 1, CAUSES.connected, began);
    await tx.run('INSERT INTO service_gaps (from_time, to_time) VALUES (?, ?)', began, began + HOUR);
    await noteState(tx, 1, CAUSES.disconnected, began + HOUR);
    await noteState(tx, 1, CAUSES.connected, began + HOUR + 1);
  });
  await later(3 * HOUR);
  const order = ['Connected', 'Disconnected', 'ServiceUp', 'ServiceDown', 'FirstConnected'];
  assert.deepEqual(await causes(`device_id=${device.id}`), order);
  for (const limit of [1, 2]) {
    const paged: string[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const { Items, Next }: Changes = await read(`devices?device_id=${device.id}&limit=${limit}&before=${next}`);
      paged.push(...Items.map(({ Cause }) => Cause));
      next = Next || undefined;
    }
    assert.deepEqual(paged, order);
  }
});

test('a clock that was set ahead leaves a gap, and nobody was Online in it', async () => {
  const device = await fleet.device();
  const agent = await connect(device);
  service.clock.set += 100 * HOUR;
  await service.context.clock.check();
  const { Items } = await read<Summary>('summary?hours=24');
  assert.ok((Items[0]?.OnlineSeconds ?? 0) < 60, JSON.stringify(Items));
  await agent.end();
});

test('sites and groups are summed up, sorted as asked for, page by page', async () => {
  for (const [name, group, site] of [
    ['a', 'pumps', 'Hamburg'],
    ['b', 'pumps', 'Hamburg'],
    ['c', 'mills', 'Kiel'],
    ['not connected yet', 'mills', 'Hamburg'],
  ] as const) {
    const device = await fleet.device(group, name);
    await service.call('PATCH', `/v1/devices/${device.id}`, { CustomerSite: site });
    // They count from their first connection.
    const times = name === 'c' ? 3 : name.length === 1 ? 1 : 0;
    for (let time = 0; time < times; time++) await disconnect(await connect(device), device);
  }
  const keys = async (query: string) => (await read<Summary>(`summary?${query}`)).Items.map(({ Key }) => Key);
  await later(HOUR);
  assert.deepEqual(await keys('by=site'), ['Kiel', 'Hamburg']);
  assert.deepEqual(await keys('by=group&sort=offline'), ['pumps', 'mills']);
  const { Items, Next } = await read<Summary>('summary?limit=2');
  assert.equal(Items.length, 2);
  assert.equal((await read<Summary>(`summary?limit=2&before=${Next}`)).Items.length, 1);
  const [site] = (await read<Summary>('summary?by=site&sort=offline')).Items;
  assert.equal(site?.Devices, 2);
  for (const wrong of ['hours=0', 'hours=2161', 'by=me', 'sort=name'])
    assert.equal((await service.call('GET', `/v1/history/summary?${wrong}`)).status, 400, wrong);
});

test('each row has a strip of how much of each step its devices were Online', async () => {
  const ids: string[] = [];
  const mill = await fleet.device('mills', 'mill');
  await service.call('PATCH', `/v1/devices/${mill.id}`, { CustomerSite: 'Hamburg' });
  await disconnect(await connect(mill), mill);
  for (const name of ['never', 'for an hour']) {
    const device = await fleet.device('pumps', name);
    await service.call('PATCH', `/v1/devices/${device.id}`, { CustomerSite: 'Hamburg' });
    ids.push(device.id);
    if (name === 'never') continue;
    const agent = await connect(device);
    await later(HOUR);
    await disconnect(agent, device);
    await later(HOUR / 2);
  }
  const pumps = await limitedCaller(service, { role: 'Viewer', groups: ['pumps'] }, [mill.id, 'mill']);
  const strips = async (query: string, isLimited = false) => {
    const path = `summary?hours=4&steps=4&${query}`;
    const { Items } = await (isLimited ? pumps.json<Summary>('GET', `/v1/history/${path}`) : read<Summary>(path));
    return Object.fromEntries(Items.map(({ Key, Strip = [] }) => [Key, Strip]));
  };
  // They were created an hour and a half ago, and one of them connected a moment later.
  const near = (strip: number[] | undefined, expected: number[]) =>
    assert.ok(
      strip?.length === 4 && expected.every((share, at) => Math.abs(share - (strip[at] ?? 0)) <= (share < 0 ? 0 : 1)),
      JSON.stringify(strip),
    );
  const byDevice = await strips('by=device');
  assert.equal(byDevice[ids[0] ?? ''], undefined);
  near(byDevice[mill.id], [-1, -1, 0, 0]);
  near(byDevice[ids[1] ?? ''], [-1, -1, 100, 50]);
  near((await strips('by=site'))['Hamburg'], [-1, -1, 50, 25]);
  // Whoever may see only the pumps is shown a site without its mill.
  near((await strips('by=site', true))['Hamburg'], [-1, -1, 100, 50]);
  near((await strips('by=site'))['Hamburg'], [-1, -1, 50, 25]);
  near((await strips('by=group'))['pumps'], [-1, -1, 100, 50]);
  // What was computed is kept, and still that of its row.
  near((await strips('by=group'))['pumps'], [-1, -1, 100, 50]);
  const worst = (await read<Summary>('summary?hours=4&sort=worst')).Items;
  assert.deepEqual(
    worst.map(({ Key, Strip }) => [Key, Strip]),
    [mill.id, ids[1]].map((id) => [id, undefined]),
  );
  for (const wrong of ['steps=0', 'steps=201', 'steps=x'])
    assert.equal((await service.call('GET', `/v1/history/summary?${wrong}`)).status, 400, wrong);
});

test('strips that were asked for are computed again before the next sums are shown', async (t) => {
  const device = await fleet.device('pumps', 'pump');
  await disconnect(await connect(device), device);
  const { db, now } = service.context;
  let asked = 0;
  const counting: typeof db = {
    ...db,
    all: (sql, ...args) => {
      if (sql.includes('FROM state_changes') && sql.includes('device_seq IN')) asked++;
      return db.all(sql, ...args);
    },
  };
  let elapsed = 0;
  t.mock.method(performance, 'now', () => (elapsed += 15_000));
  const availabilities = new Availabilities(counting, now);
  const list = { by: 'group', steps: 4, scope: wholeAccount(1) } as const;
  const first = await availabilities.of(1, HOUR);
  await first.strips(counting, list, ['pumps']);
  const second = await availabilities.of(1, HOUR);
  assert.notEqual(second, first);
  asked = 0;
  const [after] = await second.strips(counting, list, ['pumps']);
  assert.deepEqual([after?.length, asked], [4, 0]);
  const [rest] = await second.strips(counting, { ...list, steps: 2 }, ['pumps']);
  assert.deepEqual([rest?.length, asked > 0], [2, true]);
});

test('a small account is shown what its devices are now, however long that takes to compute', async (t) => {
  await fleet.device();
  const { db, now } = service.context;
  let elapsed = 0;
  t.mock.method(performance, 'now', () => (elapsed += 15_000));
  let time = now();
  const availabilities = new Availabilities(db, () => (time += 1_000));
  const first = await availabilities.of(1, HOUR);
  const second = await availabilities.of(1, HOUR);
  assert.ok(second.span.to > first.span.to);
});

test('a summary of a large account that took a minute to compute is remembered for longer', async (t) => {
  const { db, now } = service.context;
  const keyHash = onPostgres ? "convert_to('key ' || i, 'UTF8')" : "CAST('key ' || i AS BLOB)";
  await db.write((tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO devices (account_id, id, key_hash, name, name_folded, grp, created)
       SELECT 1, 'many ' || i, ${keyHash}, 'd', 'd', '', 0 FROM n`,
    ),
  );
  let elapsed = 0;
  t.mock.method(performance, 'now', () => (elapsed += 15_000));
  const availabilities = new Availabilities(db, now);
  const first = await availabilities.of(1, HOUR);
  elapsed += 11 * MINUTE;
  assert.equal(await availabilities.of(1, HOUR), first);
});

test('the last 24 hours of a large account are computed before anybody asks', async () => {
  await fleet.device();
  const { db, now } = service.context;
  await db.write(async (tx) => {
    await tx.run('UPDATE accounts SET num_devices = 5000');
    await tx.run('UPDATE devices SET last_seen = created');
  });
  let computed = 0;
  const counting: typeof db = {
    ...db,
    all: (sql, ...args) => {
      if (sql.includes('FROM devices')) computed++;
      return db.all(sql, ...args);
    },
  };
  const availabilities = new Availabilities(counting, now);
  availabilities.keepReady();
  await until('the sums', () => computed > 0);
  const ready = await availabilities.of(1, 24 * HOUR);
  assert.equal(ready.sorted('device', 'changes', wholeAccount(1)).length, 1);
  assert.equal(computed, 1);
  await availabilities.close();
});

test('totals are added to what is settled, and again to what comes after a late change', async () => {
  await fleet.device();
  const { db, now } = service.context;
  const note = (cause: Cause, ago: number) => db.write((tx) => noteState(tx, 1, cause, now() - ago));
  const totals = async () =>
    (await db.all<{ number: number | null }>('SELECT number FROM state_changes ORDER BY at')).map(
      ({ number }) => number,
    );
  await note(CAUSES.connected, 3 * HOUR);
  await note(CAUSES.disconnected, HOUR);
  await note(CAUSES.connected, MINUTE);
  await addSettledTotals(db, now());
  assert.deepEqual(await totals(), [1, 2, null]);
  await note(CAUSES.disconnected, 2 * HOUR);
  await addSettledTotals(db, now());
  assert.deepEqual(await totals(), [1, 2, 3, null]);
});

test('old changes are removed but the last one before, and what is older is unknown', async () => {
  const device = await fleet.device();
  const first = await connect(device);
  await later(HOUR);
  await disconnect(first, device);
  await later(HOUR);
  const second = await connect(device);
  await later(24 * HOUR);
  await pruneStates(service.context.db, service.context.now() - HOUR);
  const { Items } = await read<Changes>(`devices?device_id=${device.id}`);
  assert.deepEqual(
    Items.map(({ Cause }) => Cause),
    ['ServiceUp', 'Connected'],
  );
  await second.end();
});
