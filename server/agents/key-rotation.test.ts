// Keys that are replaced over the connection: whatever is lost on the way, the agent has a key that counts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Account } from '#/contract/account.ts';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Bulk, BulkItem } from '#/contract/bulk.ts';
import type { Device } from '#/contract/devices.ts';
import type { TimelineItem } from '#/contract/timeline.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { HttpAgent } from '../test-http-agent.ts';
import { limitedCaller } from '../test-limited.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { openKeyRotation, UNUSED_AFTER_MS } from './key-rotation.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

const CAN = { newKey: { unable: '' } };
const DAY_MS = 24 * 60 * 60 * 1000;
const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');
const said = ({ status, text }: { status: number; text: string }) => `${status} ${text}`.trim();

async function read<T>(path: string, from = service): Promise<T> {
  return (await (await from.call('GET', path)).json()) as T;
}
const rotate = async (id: string, from = service) => (await from.call('POST', `/v1/device/${id}/rotate-key`)).status;
const deviceOf = async (id: string, from = service) => {
  const [found] = await read<Device[]>(`/v1/devices/1/9/filters?device_id=${id}`, from);
  assert.ok(found);
  return found;
};
const stateOf = async (id: string) => {
  const { DeviceStatus, KeyRotation, KeyProblem } = await deviceOf(id);
  return [DeviceStatus, KeyRotation, KeyProblem];
};
const reached = (id: string, state: string) =>
  until(`the rotation to be "${state}"`, async () => (await deviceOf(id)).KeyRotation === state);
/** What the task of the leading node does. */
const askDue = () => openKeyRotation({ ...service.context, now: service.context.now }).askDue();

/** The agent of a device, which was sent a new key. */
async function sentKey(hello: Parameters<typeof FakeAgent.connect>[2] = CAN) {
  const { id, key } = await fleet.device();
  const agent = await FakeAgent.connect(service.url, key, hello);
  await agent.receive('welcome');
  assert.equal(await rotate(id), 200);
  const { key: next } = await agent.receive('key');
  return { id, key, agent, next };
}

/** Whether an agent with this key may connect. */
async function counts(key: string, from = service): Promise<boolean> {
  const agent = new FakeAgent(from.url, key);
  const opened = await new Promise<boolean>((resolve) => {
    agent.socket.once('open', () => resolve(true));
    agent.socket.once('error', () => resolve(false));
  });
  await agent.end().catch(() => {});
  return opened;
}

test('both keys count until the agent has stored the new one; the connection stays', async () => {
  const { id, key, agent, next } = await sentKey();
  assert.deepEqual(await stateOf(id), ['Online', 'Sent', '']);
  assert.deepEqual([await counts(key), await counts(next)], [true, true]);
  agent.say({ type: 'key-stored', sha256: sha256(next) });
  await reached(id, '');
  assert.deepEqual([await counts(key), await counts(next)], [false, true]);
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await agent.receive('run')).job, job);
  assert.equal(agent.closed, undefined);
  assert.equal(await fleet.status(id), 'Online');

  const { Items } = await read<{ Items: TimelineItem[] }>(`/v1/device/${id}/timeline?kind=key`);
  assert.deepEqual(
    Items.map(({ Text }) => Text),
    ['Took new key', 'Asked device to take new key'],
  );
  const { Items: entries } = await read<{ Items: AuditEntry[] }>(`/v1/audit?object=${id}&action=device.take-key`);
  assert.deepEqual(
    entries.map(({ Actor }) => Actor),
    [`device:${id}`],
  );
  await agent.end();
});

test('only hashes are stored, and no answer contains the key', async () => {
  const { id, agent, next } = await sentKey();
  const [row] = await service.context.db.all<Record<string, unknown>>('SELECT * FROM devices WHERE id = ?', id);
  assert.equal(Buffer.from(row?.['next_key_hash'] as Uint8Array).toString('hex'), sha256(next));
  for (const value of Object.values(row ?? {})) assert.notEqual(value, next);
  assert.ok(!(await (await service.call('GET', '/v1/devices/1/25')).text()).includes(next));
  await agent.end();
});

test('an agent whose answer was lost comes with the new key, and the old one ends', async () => {
  const { id, key, agent, next } = await sentKey();
  await agent.end();
  const back = await FakeAgent.connect(service.url, next, CAN);
  await back.receive('welcome');
  assert.deepEqual(await stateOf(id), ['Online', '', '']);
  assert.deepEqual([await counts(key), await counts(next)], [false, true]);
  await back.end();
});

test('an agent that did not get the key is sent another one when it is back', async () => {
  const { id, key, agent, next } = await sentKey();
  await agent.end();
  const back = await FakeAgent.connect(service.url, key, CAN);
  const { key: another } = await back.receive('key');
  assert.notEqual(another, next);
  assert.equal(await counts(next), false);
  back.say({ type: 'key-stored', sha256: sha256(another) });
  await reached(id, '');
  assert.deepEqual([await counts(key), await counts(another)], [false, true]);
  await back.end();
});

test('a device that is Offline gets its new key when it is back', async () => {
  const { id, key } = await fleet.device();
  assert.equal(await rotate(id), 200);
  assert.deepEqual(await stateOf(id), ['Offline', 'Asked', '']);
  const agent = await FakeAgent.connect(service.url, key, CAN);
  const { key: next } = await agent.receive('key');
  agent.say({ type: 'key-stored', sha256: sha256(next) });
  await reached(id, '');
  await agent.end();
});

test('a late or foreign answer changes nothing', async () => {
  const { id, key, agent, next } = await sentKey();
  agent.say({ type: 'key-stored', sha256: sha256('another') });
  agent.say({ type: 'key-stored', sha256: sha256(next) });
  await reached(id, '');
  agent.say({ type: 'key-stored', sha256: sha256(key) });
  agent.say({ type: 'key-refused', reason: 'too late' });
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await agent.receive('run')).job, job);
  assert.deepEqual(await stateOf(id), ['Online', '', '']);
  assert.deepEqual([await counts(key), await counts(next)], [false, true]);
  await agent.end();
});

test('a key that is replaced at once ends the one that was sent, too', async () => {
  const { id, agent, next } = await sentKey();
  const { DeviceKey } = (await (await service.call('POST', `/v1/devices/${id}/key`)).json()) as { DeviceKey: string };
  await until('the agent to be cut off', () => agent.closed);
  assert.deepEqual([await counts(next), await counts(DeviceKey)], [false, true]);
  assert.deepEqual(await stateOf(id), ['Offline', '', '']);
});

test('an agent that is too old, or cannot store a key, says what to do', async () => {
  const { id, key } = await fleet.device();
  const old = await FakeAgent.connect(service.url, key);
  await old.receive('welcome');
  const refused = await service.call('POST', `/v1/device/${id}/rotate-key`);
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /too old to take a new key .*: update the agent first/);
  await old.end();
  // While it is Offline it may be updated.
  assert.equal(await rotate(id), 200);
  const unable = await FakeAgent.connect(service.url, key, { newKey: { unable: 'Start it with --key-file.' } });
  await unable.receive('welcome');
  assert.deepEqual(await stateOf(id), ['Online', 'Asked', 'Start it with --key-file.']);
  const job = await fleet.run('x', { DeviceId: id });
  assert.equal((await unable.receive('run')).job, job);
  assert.deepEqual(
    unable.received.filter(({ type }) => type === 'key'),
    [],
  );
  await unable.end();
});

test('an agent that could not store its key says why, and is sent the same one when it is asked again', async () => {
  const { id, key, agent, next } = await sentKey();
  agent.say({ type: 'key-refused', reason: 'Disk full on the device' });
  await until('the reason', async () => (await deviceOf(id)).KeyProblem === 'Disk full on the device');
  assert.equal(await counts(key), true);
  assert.equal(await rotate(id), 200);
  assert.equal((await agent.receive('key')).key, next);
  assert.deepEqual(await stateOf(id), ['Online', 'Sent', '']);
  await agent.end();
});

test('an old refusal of a key is not shown after another request, key or answer', async () => {
  const refuse = async () => {
    const sent = await sentKey();
    sent.agent.say({ type: 'key-refused', reason: 'Disk full' });
    await until('the reason', async () => (await deviceOf(sent.id)).KeyProblem === 'Disk full');
    return sent;
  };
  const asked = await refuse();
  await asked.agent.end();
  await until('the device to be Offline', async () => (await deviceOf(asked.id)).DeviceStatus === 'Offline');
  assert.equal((await deviceOf(asked.id)).KeyProblem, 'Disk full');
  assert.equal(await rotate(asked.id), 200);
  assert.deepEqual(await stateOf(asked.id), ['Offline', 'Sent', '']);

  const back = await refuse();
  await back.agent.end();
  const again = await FakeAgent.connect(service.url, back.key, CAN);
  await again.receive('key');
  assert.deepEqual(await stateOf(back.id), ['Online', 'Sent', '']);
  await again.end();

  const stored = await refuse();
  stored.agent.say({ type: 'key-stored', sha256: sha256(stored.next) });
  await reached(stored.id, '');
  assert.deepEqual(await stateOf(stored.id), ['Online', '', '']);
  await stored.agent.end();

  const replaced = await refuse();
  assert.equal((await service.call('POST', `/v1/devices/${replaced.id}/key`)).status, 200);
  assert.equal((await deviceOf(replaced.id)).KeyProblem, '');
  await replaced.agent.end();
});

test('an agent that does not use its key for an hour keeps the old one', async () => {
  const { id, key, agent } = await sentKey();
  service.clock.offset += UNUSED_AFTER_MS + 1_000;
  await askDue();
  const [status, rotation, problem] = await stateOf(id);
  assert.deepEqual([status, rotation], ['Online', 'Sent']);
  assert.match(problem ?? '', /did not use the new key within an hour/);
  assert.equal(await counts(key), true);
  await agent.end();
});

test('over HTTP the key is handed out until a request has it, in the same session', async () => {
  const { id, key } = await fleet.device();
  const agent = await HttpAgent.connect(service.url, key);
  const job = await fleet.run('true', { DeviceId: id });
  assert.match(said(await agent.next()), /^200 job /);
  assert.equal(said(await agent.taken(job)), '200 run');
  const waiting = agent.next(20, job);
  assert.equal(await rotate(id), 200);
  const [, next = ''] = /^200 key (\S+)$/.exec(said(await waiting)) ?? [];
  assert.equal(said(await agent.output(job, 0, 'old ')), '200 next 4');
  const late = new HttpAgent(service.url, key);
  late.session = agent.session;
  agent.key = next;
  const [first, second] = await Promise.all([agent.output(job, 4, 'new'), agent.next(0, job)]);
  assert.deepEqual([said(first), said(second)], ['200 next 7', '204']);
  assert.equal((await late.next(0)).status, 401);
  assert.equal((await late.hello()).status, 401);
  assert.deepEqual(await stateOf(id), ['Online', '', '']);
  assert.equal(said(await agent.ended(job, 'exit=0')), '200 ok');
  assert.equal((await fleet.job(job)).Stdout, 'old new');
  // Another one in the same session.
  assert.equal(await rotate(id), 200);
  assert.match(said(await agent.next()), /^200 key /);
});

test('over HTTP an agent can begin another session with the new key, or say why it has none', async () => {
  const { id, key } = await fleet.device();
  const agent = await HttpAgent.connect(service.url, key);
  assert.equal(await rotate(id), 200);
  const [, next = ''] = /^200 key (\S+)$/.exec(said(await agent.next())) ?? [];
  const back = await HttpAgent.connect(service.url, next);
  assert.equal((await back.next(0)).status, 204);
  assert.equal((await agent.hello()).status, 401);

  assert.equal(await rotate(id), 200);
  assert.match(said(await back.next()), /^200 key /);
  assert.equal(said(await back.ask('POST', '/key', 'The disk is full.')), '200 ok');
  assert.deepEqual(await stateOf(id), ['Online', 'Sent', 'The disk is full.']);
  assert.equal((await back.next(0)).status, 204);
});

test('the service may be restarted in between', async () => {
  const own = await startTestService();
  const ownFleet = testFleet((...request) => own.call(...request));
  const [stored, unstored] = [await ownFleet.device(), await ownFleet.device()];
  const keys: string[] = [];
  for (const { id, key } of [stored, unstored]) {
    const agent = await FakeAgent.connect(own.url, key, CAN);
    await agent.receive('welcome');
    await rotate(id, own);
    keys.push((await agent.receive('key')).key);
  }
  await own.close();
  const again = await startTestService({}, own.dataDir);
  const [withNew = '', lost = ''] = keys;
  const one = await FakeAgent.connect(again.url, withNew, CAN);
  await one.receive('welcome');
  assert.equal(await counts(stored.key, again), false);
  const two = await FakeAgent.connect(again.url, unstored.key, CAN);
  const { key: another } = await two.receive('key');
  two.say({ type: 'key-stored', sha256: sha256(another) });
  await until('it to be used', async () => (await deviceOf(unstored.id, again)).KeyRotation === '');
  assert.deepEqual([await counts(lost, again), await counts(another, again)], [false, true]);
  await one.end();
  await two.end();
  await again.end();
});

test('many devices are asked in one request, and those that cannot are named', async () => {
  const { id: can, key } = await fleet.device();
  const { id: cannot, key: oldKey } = await fleet.device();
  const agent = await FakeAgent.connect(service.url, key, CAN);
  const old = await FakeAgent.connect(service.url, oldKey);
  await agent.receive('welcome');
  await old.receive('welcome');
  const asked = await service.call('POST', '/v1/bulk', { Action: 'rotateKey', Devices: [can, cannot, 'unknown'] });
  const { BulkId } = (await asked.json()) as { BulkId: string };
  const { key: next } = await agent.receive('key');
  agent.say({ type: 'key-stored', sha256: sha256(next) });
  await reached(can, '');
  const ended = await until('its end', async () => {
    const bulk = await read<Bulk & { Items: BulkItem[] }>(`/v1/bulk/${BulkId}`);
    return bulk.State === 'Done' && bulk;
  });
  assert.deepEqual(
    ended.Items.map(({ Outcome }) => Outcome),
    ['Done', 'Failed', 'Skipped'],
  );
  assert.match(ended.Items[1]?.Because ?? '', /update the agent first/);
  await agent.end();
  await old.end();
});

test('only Admins have keys rotated', async () => {
  const { id } = await fleet.device('own');
  const operator = await limitedCaller(service, { role: 'Operator', groups: ['own'] }, []);
  assert.equal(await operator.status('POST', `/v1/device/${id}/rotate-key`), 403);
  assert.equal(await operator.status('POST', '/v1/bulk', { Action: 'rotateKey', Devices: [id] }), 403);
});

test('keys rotate by themselves after the days that the account sets', async () => {
  const { id } = await fleet.device();
  const set = (KeyRotationDays: number) => service.call('PATCH', '/v1/account', { KeyRotationDays });
  for (const days of [-1, 1.5, 3651]) assert.equal((await set(days)).status, 400);
  assert.equal((await read<Account>('/v1/account')).KeyRotationDays, undefined);
  assert.equal((await set(30)).status, 200);
  assert.equal((await read<Account>('/v1/account')).KeyRotationDays, 30);
  service.clock.offset += 29 * DAY_MS;
  await askDue();
  assert.equal((await deviceOf(id)).KeyRotation, '');
  service.clock.offset += DAY_MS;
  const { id: young } = await fleet.device();
  await askDue();
  assert.deepEqual([(await deviceOf(id)).KeyRotation, (await deviceOf(young)).KeyRotation], ['Asked', '']);
  const { Items } = await read<{ Items: AuditEntry[] }>(`/v1/audit?object=${id}&action=device.rotate-key`);
  assert.deepEqual(
    Items.map(({ Actor }) => Actor),
    ['schedule'],
  );
  await set(0);
  assert.equal((await read<Account>('/v1/account')).KeyRotationDays, undefined);
});
