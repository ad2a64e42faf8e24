// Bulk work over real HTTP: each action, and what becomes of each item.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Bulk, BulkItem } from '#/contract/bulk.ts';
import type { Device, DeviceLocation, NewDevice } from '#/contract/devices.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { idsIn, TestStream } from '../test-events.ts';
import { testBulk } from '../test-bulk.ts';
import type { TestBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let bulk: TestBulk;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
  bulk = testBulk((...request) => service.call(...request));
});
after(() => service.end());

const GONE = 'Skipped It no longer exists';
const post = (body: unknown, headers?: Record<string, string>) => service.call('POST', '/v1/bulk', body, headers);
const deviceOf = async (id: string) =>
  ((await (await service.call('GET', `/v1/devices/1/9/filters?device_id=${id}`)).json()) as Device[])[0];
const auditOf = async (target: string) =>
  (
    await service.context.db.all<{ action: string }>(
      'SELECT action FROM audit WHERE target LIKE ? ORDER BY seq',
      target,
    )
  ).map(({ action }) => action);

test('a tag is put on many devices and taken off, with what became of each', async () => {
  const devices = await bulk.devices(450);
  const TagId = await bulk.tag('bulk');
  await service.call('POST', `/v1/devices/${devices[1]}/tag/${TagId}`);
  const draft = { Action: 'tag', Devices: [...devices, 'unknown', devices[0]], Values: { TagId } };

  const done = await bulk.ended(await bulk.begin(draft));
  assert.deepEqual(done.Counts, { Done: 449, Failed: 0, Skipped: 2, Left: 0 });
  assert.deepEqual([done.Action, done.Of, done.Values, done.State], ['tag', 'Devices', { TagId }, 'Done']);
  assert.notEqual(done.EndTime, '');
  assert.deepEqual(
    done.Items.map(({ Id }) => Id),
    [...devices, 'unknown'],
  );
  const [first, second] = done.Items;
  assert.deepEqual(first, { Id: devices[0], Name: 'device-0', Outcome: 'Done', Because: '' });
  assert.deepEqual([second?.Outcome, second?.Because], ['Skipped', 'It has the tag already']);
  assert.deepEqual((await deviceOf(devices[449] ?? ''))?.Tags, [{ TagId, TagName: 'bulk' }]);

  const off = await bulk.outcomes({
    Action: 'untag',
    Devices: [devices[0], devices[0], devices[2]],
    Values: { TagId },
  });
  assert.deepEqual(off, ['Done', 'Done']);
  assert.deepEqual((await deviceOf(devices[0] ?? ''))?.Tags, []);
});

test('fields and the location are set together; what is so already is skipped', async () => {
  const devices = await bulk.devices(3);
  const Values = { DeviceGroup: 'bulk', CustomerSite: 'Köln', Lat: 50.9, Lng: 6.9 };
  const draft = { Action: 'edit', Devices: devices, Values };
  assert.deepEqual(await bulk.outcomes(draft), ['Done', 'Done', 'Done']);
  const { DeviceGroup, CustomerSite } = (await deviceOf(devices[2] ?? '')) ?? {};
  assert.deepEqual([DeviceGroup, CustomerSite], ['bulk', 'Köln']);
  const places = (await (await service.call('GET', '/v1/devices/location')).json()) as DeviceLocation[];
  assert.deepEqual(
    places.find(({ DeviceId }) => DeviceId === devices[2]),
    { DeviceId: devices[2], Lat: 50.9, Lng: 6.9 },
  );
  assert.equal((await bulk.outcomes(draft))[0], 'Skipped It is so already');
});

test('devices are deleted with their jobs; the audit log has the bulk and each device', async () => {
  const devices = await bulk.devices(2);
  const job = await fleet.run('x', { DeviceId: devices[0] ?? '' });
  const id = await bulk.begin({ Action: 'delete', Devices: [...devices, 'unknown'] });
  const { Items } = await bulk.ended(id);
  assert.deepEqual(
    Items.map(({ Name, Outcome }) => `${Name} ${Outcome}`),
    ['device-0 Done', 'device-1 Done', ' Skipped'],
  );
  assert.equal((await fleet.job(job)).Status, 'Cancelled');
  assert.equal(await deviceOf(devices[0] ?? ''), undefined);
  assert.deepEqual(await auditOf(`${id}%`), ['bulk.delete']);
  assert.deepEqual(await auditOf(devices[1] ?? ''), ['device.create', 'device.remove']);
});

test('the entries of the audit log name the bulk action that they belong to, and others name none', async () => {
  const devices = await bulk.devices(2);
  const TagId = await bulk.tag('named');
  await service.call('PATCH', `/v1/devices/${devices[0]}`, { CustomerName: 'alone' });
  const JobId = await fleet.run('x', { DeviceId: devices[0] ?? '' });
  const bodies = [
    { Action: 'edit', Devices: devices, Values: { DeviceGroup: 'named' } },
    { Action: 'tag', Devices: devices, Values: { TagId } },
    { Action: 'stop', Jobs: [JobId] },
    { Action: 'newKey', Devices: devices },
    { Action: 'delete', Devices: devices },
  ];
  const entries = async (query: string) =>
    ((await (await service.call('GET', `/v1/audit?${query}`)).json()) as { Items: AuditEntry[] }).Items;
  for (const body of bodies) {
    const BulkId = await bulk.begin(body);
    await bulk.ended(BulkId);
    for (const object of [BulkId, ...(body.Jobs ?? body.Devices)]) {
      const own = (await entries(`object=${object}`)).filter((entry) => entry.BulkId === BulkId);
      assert.equal(own.length, 1, `${body.Action} ${object}`);
    }
    assert.equal((await entries(`object=${BulkId}`))[0]?.Action, `bulk.${body.Action}`);
  }
  const [alone] = (await entries(`object=${devices[0]}&action=device.update`)).slice(-1);
  assert.equal(alone?.BulkId, undefined);
});

test('jobs are stopped, those that wait for themselves only if asked; children count in their parent', async () => {
  const [away, here] = [await fleet.device('stops'), await fleet.device('stops')];
  const agent = await FakeAgent.connect(service.url, here.key);
  const parent = await fleet.run('x', { DeviceGroup: 'stops' });
  await agent.receive('run');
  const children = (await fleet.children(parent)).toSorted((one) => (one.DeviceId === away.id ? -1 : 1));
  const Jobs = [...children.map(({ JobId }) => JobId), 'unknown'];
  agent.say({ type: 'started', job: Jobs[1] ?? '', ago: 0 });
  await fleet.reached(Jobs[1] ?? '', 'Running');

  assert.deepEqual(await bulk.outcomes({ Action: 'stop', Jobs, Values: { OnlyWaiting: true } }), [
    'Done',
    'Skipped It has already started',
    GONE,
  ]);
  assert.deepEqual((await fleet.job(parent)).Counts, { Running: 1, Cancelled: 1 });
  assert.deepEqual(await bulk.outcomes({ Action: 'stop', Jobs }), ['Skipped It has already ended', 'Done', GONE]);
  assert.equal((await agent.receive('cancel')).job, Jobs[1]);
  await agent.end();
});

test('jobs are deleted, a running one after its agent has stopped it', async () => {
  const device = await fleet.device();
  const agent = await FakeAgent.connect(service.url, device.key);
  const running = await fleet.run('x', { DeviceId: device.id });
  const waiting = await fleet.run('y', { DeviceId: device.id });
  await agent.receive('run');
  agent.say({ type: 'started', job: running, ago: 0 });
  await fleet.reached(running, 'Running');
  const id = await bulk.begin({ Action: 'delete', Jobs: [running, waiting] });
  assert.equal((await agent.receive('cancel')).job, running);
  assert.deepEqual(
    (await bulk.get(id)).Items.map(({ Outcome }) => Outcome),
    ['Left', 'Done'],
  );
  agent.say({ type: 'ended', job: running, outcome: 'cancelled', reason: 'Stopped.', endedAgo: 0 });
  assert.deepEqual((await bulk.ended(id)).Counts, { Done: 2, Failed: 0, Skipped: 0, Left: 0 });
  for (const job of [running, waiting]) assert.equal((await service.call('GET', `/v1/job/${job}`)).status, 404);
  await agent.end();
});

test('a parent that loses its children one by one counts those that are left', async () => {
  for (let count = 0; count < 3; count++) await fleet.device('losing');
  const parent = await fleet.run('x', { DeviceGroup: 'losing' });
  const [one, two, three] = (await fleet.children(parent)).map(({ JobId }) => JobId);
  await fleet.stop(three ?? '');
  assert.deepEqual(await bulk.outcomes({ Action: 'delete', Jobs: [one, two] }), ['Done', 'Done']);
  const { Counts, Status } = await fleet.job(parent);
  assert.deepEqual([Counts, Status], [{ Cancelled: 1 }, 'Cancelled']);
});

test('new keys are in the answer only, and again for a moment if it was lost', async () => {
  const [id = ''] = await bulk.devices(1);
  const draft = { Action: 'newKey', Devices: [id, 'unknown'] };
  const key = { 'Idempotency-Key': 'of new keys' };
  const made = (await (await post(draft, key)).json()) as { BulkId: string; Keys: NewDevice[] };
  assert.deepEqual(
    made.Keys.map(({ DeviceId }) => DeviceId),
    [id],
  );
  assert.deepEqual(await (await post(draft, key)).json(), made);
  assert.deepEqual((await bulk.get(made.BulkId)).Counts, { Done: 1, Failed: 0, Skipped: 1, Left: 0 });
  const stored = JSON.stringify(await service.context.db.all('SELECT * FROM bulk, bulk_items'));
  assert.ok(!stored.includes(made.Keys[0]?.DeviceKey ?? ''));
  const agent = await FakeAgent.connect(service.url, made.Keys[0]?.DeviceKey ?? '');
  await agent.receive('welcome');
  await agent.end();
});

test('the same Idempotency-Key begins it once', async () => {
  const TagId = await bulk.tag('once');
  const draft = { Action: 'tag', Devices: await bulk.devices(1), Values: { TagId } };
  const send = async () =>
    ((await (await post(draft, { 'Idempotency-Key': 'once' })).json()) as { BulkId: string }).BulkId;
  const id = await send();
  assert.equal(await send(), id);
  const { status } = await post({ ...draft, Action: 'untag' }, { 'Idempotency-Key': 'once' });
  assert.equal(status, 409);
});

test('it is listed newest first, read page by page, and ended by a cancel', async () => {
  const TagId = await bulk.tag('pages');
  const Devices = Array.from({ length: 250 }, (_, index) => `none-${index}`);
  const id = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
  await bulk.ended(id);
  const seen: BulkItem[] = [];
  for (let next = '0'; next !== '';) {
    const page = await bulk.get(id, `?limit=100&before=${next}`);
    seen.push(...page.Items);
    next = page.Next;
  }
  assert.deepEqual(
    seen.map(({ Id }) => Id),
    Devices,
  );
  const [newest] = (await (await service.call('GET', '/v1/bulk')).json()) as Bulk[];
  assert.equal(newest?.BulkId, id);
  assert.equal((await service.call('POST', `/v1/bulk/${id}/cancel`)).status, 200);
  assert.equal((await bulk.get(id)).State, 'Done');
  assert.equal((await service.call('POST', '/v1/bulk/unknown/cancel')).status, 404);
});

test('50,000 ids are one request, and a cancel leaves the rest as it is', async () => {
  const TagId = await bulk.tag('many');
  const Devices = Array.from({ length: 50_000 }, (_, index) => `an-id-as-long-as-ours-${index}`);
  const id = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
  assert.equal((await service.call('POST', `/v1/bulk/${id}/cancel`)).status, 200);
  const { State, Counts } = await bulk.get(id);
  assert.equal(State, 'Cancelled');
  assert.ok(Counts.Left > 0);
  assert.equal(Counts.Left + Counts.Skipped, 50_000);
  // A portion that began before the cancel is over by now, and none begins after it.
  await bulk.outcomes({ Action: 'tag', Devices: ['another'], Values: { TagId } });
  assert.equal((await bulk.get(id)).Counts.Left, Counts.Left);
  assert.equal((await post({ Action: 'tag', Devices: [...Devices, 'more'], Values: { TagId } })).status, 400);
});

test('a tag that is deleted meanwhile fails the rest', async () => {
  const TagId = await bulk.tag('short');
  const [id = ''] = await bulk.devices(1);
  const { db, bulk: runner } = service.context;
  const [token] = (await (await service.call('GET', '/v1/account/tokens')).json()) as { TokenId: string }[];
  const actor = `token:${token?.TokenId}`;
  const caller = { account: { id: 1, email: '' }, actor, credential: actor, address: '', role: 'Admin' as const };
  await service.call('DELETE', `/v1/tag/${TagId}`);
  const made = await db.write((tx) =>
    runner.begin(tx, { caller, action: 'tag', of: 'Devices', values: { TagId }, items: [id] }),
  );
  const { Items } = await bulk.ended(made);
  assert.deepEqual([Items[0]?.Outcome, Items[0]?.Because.startsWith(`No tag "${TagId}"`)], ['Failed', true]);
});

test('an unclear request is refused before anything is stored', async () => {
  const TagId = await bulk.tag('clear');
  const Devices = ['a'];
  const stored = await service.context.db.all('SELECT seq FROM bulk');
  for (const [draft, why] of [
    [{ Action: 'copy', Jobs: ['a'] }, /must be one of edit, tag/],
    [{ Action: 'archive', Devices }, /needs Jobs/],
    [{ Action: 'tag', Devices }, /must hold a TagId/],
    [{ Action: 'tag', Jobs: ['a'], Values: { TagId } }, /needs Devices/],
    [{ Action: 'stop', Devices }, /needs Jobs/],
    [{ Action: 'delete' }, /needs Devices or Jobs/],
    [{ Action: 'delete', Devices, Jobs: ['b'] }, /not both/],
    [{ Action: 'delete', Devices, Values: { TagId } }, /TagId is not a value of delete/],
    [{ Action: 'edit', Devices, Values: {} }, /at least one of DeviceName/],
    [{ Action: 'edit', Devices, Values: { Lat: 1 } }, /belong together/],
    [{ Action: 'edit', Devices: [] }, /at least one/],
    [{ Action: 'newKey', Devices: Array.from({ length: 201 }, (_, index) => `${index}`) }, /at most 200/],
  ] as const) {
    const response = await post(draft);
    assert.equal(response.status, 400, JSON.stringify(draft));
    assert.match(await response.text(), why);
  }
  assert.equal((await post({ Action: 'tag', Devices, Values: { TagId: 'unknown' } })).status, 404);
  assert.deepEqual(await service.context.db.all('SELECT seq FROM bulk'), stored);
});

const undo = (id: string) => service.call('POST', `/v1/bulk/${id}/undo`);
/** Undoes it and waits: each item as "Outcome Because". */
async function undone(id: string): Promise<string[]> {
  const answer = await undo(id);
  assert.equal(answer.status, 200, await answer.clone().text());
  const { BulkId } = (await answer.json()) as { BulkId: string };
  const { Action, Items } = await bulk.ended(BulkId);
  assert.equal(Action, 'undo');
  return Items.map(({ Outcome, Because }) => `${Outcome} ${Because}`.trim());
}
async function begun(draft: object): Promise<string> {
  const id = await bulk.begin(draft);
  await bulk.ended(id);
  return id;
}

test('an undo gives each device its own earlier fields and location', async () => {
  const Devices = await bulk.devices(3);
  const [one = '', two = '', three = ''] = Devices;
  await service.call('PATCH', `/v1/devices/${one}`, { DeviceGroup: 'east', CustomerName: 'Acme' });
  await service.call('PATCH', `/v1/devices/${two}`, { DeviceGroup: 'west' });
  await service.call('PATCH', `/v1/devices/${three}`, { DeviceGroup: 'all', CustomerName: 'Both' });
  await service.call('POST', `/v1/devices/location/${two}`, { Lat: 1, Lng: 2 });
  const Values = { DeviceGroup: 'all', CustomerName: 'Both', Lat: 1, Lng: 9 };
  const edit = await begun({ Action: 'edit', Devices, Values });
  assert.deepEqual(await undone(edit), ['Done', 'Done', 'Done']);
  const found = await Promise.all(Devices.map(deviceOf));
  assert.deepEqual(
    found.map((device) => [device?.DeviceGroup, device?.CustomerName]),
    [
      ['east', 'Acme'],
      ['west', ''],
      ['all', 'Both'],
    ],
  );
  const places = (await (await service.call('GET', '/v1/devices/location')).json()) as DeviceLocation[];
  const placeOf = (id: string) => places.find(({ DeviceId }) => DeviceId === id);
  assert.deepEqual(placeOf(two), { DeviceId: two, Lat: 1, Lng: 2 });
  // 0, 0 is no location.
  for (const id of [one, three]) assert.deepEqual([placeOf(id)?.Lat ?? 0, placeOf(id)?.Lng ?? 0], [0, 0]);
  assert.deepEqual(await auditOf(two), [
    'device.create',
    'device.update',
    'device.locate',
    'device.update',
    'device.locate',
    'device.update',
    'device.locate',
  ]);
});

test('an undo leaves what was changed since, and says so', async () => {
  const Devices = await bulk.devices(4);
  const [one = '', two = '', , four = ''] = Devices;
  const id = await begun({ Action: 'edit', Devices, Values: { DeviceGroup: 'all', CustomerSite: 'hall' } });
  await service.call('PATCH', `/v1/devices/${one}`, { CustomerSite: 'yard' });
  await service.call('PATCH', `/v1/devices/${two}`, { CustomerSite: 'yard', DeviceGroup: 'own' });
  await service.call('DELETE', `/v1/devices/${four}`);
  assert.deepEqual(await undone(id), [
    'Done Changed since, and left as it is: site',
    'Skipped Changed since, and left as it is: group, site',
    'Done',
    GONE,
  ]);
  assert.deepEqual([(await deviceOf(one))?.DeviceGroup, (await deviceOf(one))?.CustomerSite], ['', 'yard']);
  assert.deepEqual([(await deviceOf(two))?.DeviceGroup, (await deviceOf(two))?.CustomerSite], ['own', 'yard']);
  // A second click finds nothing that is as the edit left it.
  assert.equal((await undone(id))[2], 'Skipped Changed since, and left as it is: group, site');
});

test('an undo of a tag takes it off only where it was put on, and the other way round', async () => {
  const TagId = await bulk.tag('undone');
  const Devices = await bulk.devices(3);
  const [one = '', two = '', three = ''] = Devices;
  await service.call('POST', `/v1/devices/${one}/tag/${TagId}`);
  const tagged = await begun({ Action: 'tag', Devices, Values: { TagId } });
  await service.call('DELETE', `/v1/devices/${three}/tag/${TagId}`);
  assert.deepEqual(await undone(tagged), ['Done', 'Skipped It was changed since']);
  const tagsOf = async (id: string) => (await deviceOf(id))?.Tags?.length;
  assert.deepEqual(await Promise.all(Devices.map(tagsOf)), [1, 0, 0]);

  const untagged = await begun({ Action: 'untag', Devices: [one, two], Values: { TagId } });
  assert.deepEqual(await undone(untagged), ['Done']);
  assert.deepEqual(await Promise.all(Devices.map(tagsOf)), [1, 0, 0]);

  const again = await begun({ Action: 'untag', Devices: [one], Values: { TagId } });
  await service.call('DELETE', `/v1/tag/${TagId}`);
  assert.match((await undone(again))[0] ?? '', /^Failed No tag/);
});

test('an undo is refused after a minute, and for what cannot be put back', async () => {
  const Devices = await bulk.devices(2);
  const edit = await begun({ Action: 'edit', Devices, Values: { CustomerName: 'late' } });
  const same = await begun({ Action: 'edit', Devices, Values: { CustomerName: 'late' } });
  assert.match(await (await undo(same)).text(), /nothing to undo/);
  const back = (await (await undo(edit)).json()) as { BulkId: string };
  await bulk.ended(back.BulkId);
  assert.equal((await undo(back.BulkId)).status, 409);
  const late = await begun({ Action: 'edit', Devices, Values: { CustomerName: 'later' } });
  service.clock.offset += 61_000;
  const refused = await undo(late);
  assert.deepEqual([refused.status, /too late/.test(await refused.text())], [409, true]);
  assert.equal((await undo(await begun({ Action: 'delete', Devices }))).status, 409);
  assert.equal((await undo('unknown')).status, 404);
});

test('an undo cancels work that still runs', async () => {
  const TagId = await bulk.tag('under way');
  const [first = ''] = await bulk.devices(1);
  const Devices = [first, ...Array.from({ length: 40_000 }, (_, index) => `none-${index}`)];
  const id = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
  await until('the first device', async () => (await bulk.get(id, '?limit=1')).Counts.Done === 1);
  assert.deepEqual(await undone(id), ['Done']);
  assert.equal((await bulk.get(id, '?limit=1')).State, 'Cancelled');
  assert.deepEqual((await deviceOf(first))?.Tags, []);
});

test('it is an event for everybody of the account', async () => {
  const stream = await TestStream.open(service);
  const id = await bulk.begin({
    Action: 'delete',
    Devices: Array.from({ length: 500 }, (_, index) => `none-${index}`),
  });
  await until('an event', async () => stream.events.some(({ data }) => idsIn(data['Bulk']).includes(id)));
  stream.close();
});

test('it is removed a week after its end, and not before', async () => {
  const DAY = 24 * 60 * 60 * 1000;
  const id = await bulk.begin({ Action: 'delete', Devices: ['nothing'] });
  await bulk.ended(id);
  service.clock.offset += 4 * DAY;
  const later = await bulk.begin({ Action: 'delete', Devices: ['nothing'] });
  await bulk.ended(later);
  service.clock.offset += 4 * DAY;
  await until('it to be gone', async () => (await service.call('GET', `/v1/bulk/${id}`)).status === 404);
  assert.equal((await bulk.get(later)).State, 'Done');
});
