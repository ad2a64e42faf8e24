// Devices that join by themselves: keys and their limits, approval, machines that come back, and answers that were lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { CLOSE } from '#/contract/agent-link.ts';
import type { Device, NewDevice } from '#/contract/devices.ts';
import { MOST_PENDING } from '#/contract/enrolment.ts';
import type { EnrolmentKey, NewEnrolmentKey, PendingDevice } from '#/contract/enrolment.ts';
import { until } from '../../scripts/test-process.ts';
import { createToken } from '../store/tokens.ts';
import { FakeAgent } from '../test-agents.ts';
import { limitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const DAY = 24 * 60 * 60 * 1000;
let service: TestService;
const clock = { offset: 0, set: 0, boot: 'this one' };
beforeEach(async () => {
  clock.offset = 0;
  service = await startTestService({}, undefined, clock);
});
afterEach(() => service.end());

async function json<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await service.call(method, path, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
const keyWith = (fields: object = {}) =>
  json<NewEnrolmentKey>('POST', '/v1/enrolment', { Name: 'line 1', DeviceGroup: 'plant', ...fields });
const keys = () => json<EnrolmentKey[]>('GET', '/v1/enrolment');
const pending = () => json<PendingDevice[]>('GET', '/v1/enrolment/pending');
const devices = async () =>
  (await json<{ Devices: Device[] }>('GET', '/v1/devices/1/100')).Devices.map(
    ({ DeviceName }) => DeviceName,
  ).toSorted();
const secret = () => randomBytes(16).toString('base64url');

/** Asks as a device does, without any authorization. */
async function enrol(EnrolKey: string, MachineId: string, fields: object = {}) {
  const answer = await fetch(`${service.url}/v1/enrol`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ EnrolKey, MachineId: `machine-${MachineId}`, DeviceName: `device ${MachineId}`, ...fields }),
  });
  const body = (await answer.json()) as NewDevice & { PendingId: string; title: string };
  return { status: answer.status, ...body };
}
const approve = (id: string, body = {}) => json('POST', `/v1/enrolment/pending/${id}/approve`, body);

/** Connects an agent with this key, and waits for the service to know it. */
async function connect({ DeviceId, DeviceKey }: NewDevice): Promise<FakeAgent> {
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await until('the device to be Online', async () => {
    const [found] = await json<Device[]>('GET', `/v1/devices/1/1/filters?device_id=${DeviceId}`);
    return found?.DeviceStatus === 'Online';
  });
  return agent;
}

test('a device joins with what its key says, and each joining is a use', async () => {
  const { EnrolKey } = await keyWith({
    CustomerName: 'Acme',
    CustomerSite: 'North',
    Tags: ['new', 'canary'],
    MaxUses: 2,
  });
  const joined = await enrol(EnrolKey, 'a');
  assert.equal(joined.status, 200);
  const [device] = await json<Device[]>('GET', `/v1/devices/1/1/filters?device_id=${joined.DeviceId}`);
  assert.deepEqual(
    [device?.DeviceName, device?.DeviceGroup, device?.CustomerName, device?.CustomerSite],
    ['device a', 'plant', 'Acme', 'North'],
  );
  assert.deepEqual(device?.Tags?.map(({ TagName }) => TagName).toSorted(), ['canary', 'new']);
  await (await connect(joined)).end();
  assert.equal((await enrol(EnrolKey, 'b')).status, 200);
  const third = await enrol(EnrolKey, 'c');
  assert.deepEqual([third.status, third.title], [403, 'The enrolment key is used up']);
  const [key] = await keys();
  assert.deepEqual([key?.Uses, key?.MaxUses, key?.LastUsedTime !== ''], [2, 2, true]);
  assert.deepEqual(await devices(), ['device a', 'device b']);
});

test('a key that was deleted, has expired or never was is refused, and says which', async () => {
  const { EnrolmentId, EnrolKey } = await keyWith();
  await json('DELETE', `/v1/enrolment/${EnrolmentId}`);
  const short = await keyWith({ ExpiresTime: new Date(Date.now() + DAY).toISOString() });
  assert.equal((await enrol(short.EnrolKey, 'in-time')).status, 200);
  clock.offset = DAY + 1000;
  for (const [key, title] of [
    [EnrolKey, 'The enrolment key is not valid'],
    ['mek_unknown', 'The enrolment key is not valid'],
    [short.EnrolKey, 'The enrolment key has expired'],
  ] as const) {
    const answer = await enrol(key, 'late');
    assert.deepEqual([answer.status, answer.title], [403, title]);
  }
});

test('a lost answer is given again to the holder of the secret until the key was used, and to nobody else', async () => {
  const { EnrolKey } = await keyWith({ MaxUses: 1 });
  const Secret = secret();
  const first = await enrol(EnrolKey, 'a', { Secret });
  assert.deepEqual(await enrol(EnrolKey, 'a', { Secret }), first);
  // Installed again, or a copy: it does not have the secret of the first.
  for (const other of [{ Secret: secret() }, {}]) assert.equal((await enrol(EnrolKey, 'a', other)).status, 202);
  await (await connect(first)).end();
  assert.equal((await enrol(EnrolKey, 'a', { Secret })).status, 202);
  assert.deepEqual(await devices(), ['device a']);
  assert.equal((await keys())[0]?.Uses, 1);
});

test('the same machine is the same device only with its old key, which then ends', async () => {
  const { EnrolKey } = await keyWith({ MaxUses: 1 });
  const first = await enrol(EnrolKey, 'a');
  const agent = await connect(first);
  const again = await enrol(EnrolKey, 'a', { OldKey: first.DeviceKey });
  assert.deepEqual([again.status, again.DeviceId], [200, first.DeviceId]);
  assert.notEqual(again.DeviceKey, first.DeviceKey);
  await until('the old key to end', () => agent.closed?.code === CLOSE.revoked);
  // Its device's key is no proof for another machine.
  const other = await enrol((await keyWith()).EnrolKey, 'b', { OldKey: again.DeviceKey });
  assert.notEqual(other.DeviceId, first.DeviceId);
  assert.equal((await enrol(EnrolKey, 'a', { OldKey: other.DeviceKey })).status, 202);
});

test('the same machine without its key waits; until it is approved the old key counts', async () => {
  const { EnrolKey } = await keyWith();
  const first = await enrol(EnrolKey, 'a');
  const agent = await connect(first);
  const Secret = secret();
  assert.equal((await enrol(EnrolKey, 'a', { Secret })).status, 202);
  const [waiting] = await pending();
  assert.deepEqual([waiting?.Because, waiting?.DeviceId], ['PossibleClone', first.DeviceId]);
  assert.equal(agent.closed, undefined);
  await approve(waiting?.PendingId ?? '');
  assert.equal(agent.closed, undefined);
  // A copy that asks without that secret gains nothing by the approval.
  assert.equal((await enrol(EnrolKey, 'a', { Secret: secret() })).status, 202);
  const again = await enrol(EnrolKey, 'a', { Secret });
  assert.deepEqual([again.status, again.DeviceId], [200, first.DeviceId]);
  await until('the old key to end', () => agent.closed !== undefined);
  assert.equal((await keys())[0]?.Uses, 1);
});

test('a machine whose device has been silent for a day is no possible clone', async () => {
  const { EnrolKey } = await keyWith();
  await (await connect(await enrol(EnrolKey, 'a'))).end();
  clock.offset = 2 * DAY;
  await enrol(EnrolKey, 'a');
  assert.equal((await pending())[0]?.Because, 'KnownMachine');
});

test('a device that waits is shown with what it reports, and joins when somebody approves it', async () => {
  const { EnrolKey } = await keyWith({ NeedsApproval: true, MaxUses: 1, CustomerSite: 'Dock' });
  const fields = { Secret: secret(), Facts: { model: 'Pi 5', hostname: 'pi' } };
  const { status, PendingId } = await enrol(EnrolKey, 'a', fields);
  assert.equal(status, 202);
  assert.deepEqual(await enrol(EnrolKey, 'a', fields), { status: 202, PendingId });
  const [waiting, ...others] = await pending();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [waiting?.DeviceName, waiting?.DeviceGroup, waiting?.CustomerSite, waiting?.EnrolmentName, waiting?.Because],
    ['device a', 'plant', 'Dock', 'line 1', 'NeedsApproval'],
  );
  assert.deepEqual(waiting?.Facts, fields.Facts);
  assert.deepEqual(await devices(), []);
  await approve(PendingId, { DeviceName: 'pump', DeviceGroup: 'hall' });
  assert.deepEqual(await devices(), ['pump']);
  assert.deepEqual(await pending(), []);
  const joined = await enrol(EnrolKey, 'a', fields);
  assert.equal(joined.status, 200);
  await (await connect(joined)).end();
  assert.equal((await keys())[0]?.Uses, 1);
});

test('a rejected device stays out, with another secret too, until it is approved after all', async () => {
  const { EnrolKey } = await keyWith({ NeedsApproval: true });
  const fields = { Secret: secret() };
  const { PendingId } = await enrol(EnrolKey, 'a', fields);
  await json('POST', `/v1/enrolment/pending/${PendingId}/reject`);
  for (const each of [fields, { Secret: secret() }]) {
    const answer = await enrol(EnrolKey, 'a', each);
    assert.deepEqual([answer.status, answer.title], [403, 'This device was rejected']);
  }
  assert.deepEqual(
    (await pending()).map(({ State }) => State),
    ['Rejected'],
  );
  await approve(PendingId);
  assert.equal((await enrol(EnrolKey, 'a', fields)).status, 200);
});

test('a rejected machine stays out with the key that it had, and with the secret of an answer that was lost', async () => {
  const { EnrolKey } = await keyWith();
  const Secret = secret();
  const { DeviceId, DeviceKey: OldKey } = await enrol(EnrolKey, 'a', { Secret });
  const { PendingId } = await enrol(EnrolKey, 'a', { Secret: secret() });
  await json('POST', `/v1/enrolment/pending/${PendingId}/reject`);
  for (const each of [{ OldKey }, { OldKey, Secret }, { Secret }]) {
    const answer = await enrol(EnrolKey, 'a', each);
    assert.deepEqual([answer.status, answer.title], [403, 'This device was rejected'], JSON.stringify(each));
  }
  await approve(PendingId);
  assert.equal((await enrol(EnrolKey, 'a', { OldKey })).DeviceId, DeviceId);
});

test('a machine that was approved and then rejected gets no key, not even after another was approved', async () => {
  const { EnrolKey } = await keyWith({ NeedsApproval: true });
  const [first, second] = [{ Secret: secret() }, { Secret: secret() }];
  const approved = await enrol(EnrolKey, 'a', first);
  const other = await enrol(EnrolKey, 'a', second);
  await approve(approved.PendingId);
  await json('POST', `/v1/enrolment/pending/${other.PendingId}/reject`);
  assert.equal((await enrol(EnrolKey, 'a', first)).status, 403);
  await approve(other.PendingId);
  assert.equal((await enrol(EnrolKey, 'a', first)).status, 202);
  assert.equal((await enrol(EnrolKey, 'a', second)).status, 200);
});

test('an account has room for so many waiting and rejected machines, which may ask again', async () => {
  const { EnrolKey, EnrolmentId } = await keyWith({ NeedsApproval: true });
  const { PendingId } = await enrol(EnrolKey, 'waits', { Secret: 'the secret of the machine that waits' });
  await service.context.db.write(async (tx) => {
    const { seq = 0 } =
      (await tx.get<{ seq: number }>('SELECT seq FROM enrolment_keys WHERE id = ?', EnrolmentId)) ?? {};
    const others = Array.from({ length: MOST_PENDING - 1 }, (_, index) => `machine ${index}`);
    for (let from = 0; from < others.length; from += 500) {
      const some = others.slice(from, from + 500);
      const row = "(?, 1, ?, ?, ?, 'Rejected', 'NeedsApproval', 'many', 'plant', '{}', '', 0, 0)";
      await tx.run(
        `INSERT INTO enrolments (id, account_id, key_seq, machine, secret_hash, state, because, name, grp, facts_json, address,
           first_asked, last_asked) VALUES ${some.map(() => row).join(', ')}`,
        ...some.flatMap((each) => [each, seq, Buffer.from(each), Buffer.from(each)]),
      );
    }
  });
  const late = await enrol(EnrolKey, 'late');
  assert.equal(late.status, 409);
  assert.match(late.title, /devices that wait for approval/);
  const again = await enrol(EnrolKey, 'waits', { Secret: 'the secret of the machine that waits' });
  assert.deepEqual([again.status, again.PendingId], [202, PendingId]);
  await approve(PendingId);
  assert.equal((await enrol(EnrolKey, 'late')).status, 202);
});

test('an Idempotency-Key gives nobody the enrolment key of somebody else', async () => {
  const body = { Name: 'line 1', DeviceGroup: 'plant' };
  const header = { 'Idempotency-Key': 'one-key' };
  const other = await service.context.db.write((tx) => createToken(tx, 1, 'other', service.context.now()));
  const make = (token: string) =>
    service.call('POST', '/v1/enrolment', body, { ...header, Authorization: `Bearer ${token}` });
  const first = await make(service.token ?? '');
  assert.equal(first.status, 200);
  assert.deepEqual(await (await make(service.token ?? '')).json(), await first.json(), 'a repetition');
  assert.equal((await make(other.secret)).status, 409);
});

test('a deleted device may join again as a new one, and a deleted key takes its waiting devices along', async () => {
  const { EnrolmentId, EnrolKey } = await keyWith();
  const { DeviceId } = await enrol(EnrolKey, 'a');
  await json('DELETE', `/v1/devices/${DeviceId}`);
  const again = await enrol(EnrolKey, 'a');
  assert.equal(again.status, 200);
  assert.notEqual(again.DeviceId, DeviceId);
  await enrol(EnrolKey, 'a');
  assert.equal((await pending()).length, 1);
  await json('DELETE', `/v1/enrolment/${EnrolmentId}`);
  assert.deepEqual(await pending(), []);
  assert.deepEqual(await devices(), ['device a']);
});

test('many devices that join at once use a key exactly as often as it may be used', async () => {
  const { EnrolKey } = await keyWith({ MaxUses: 10 });
  const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => enrol(EnrolKey, `m${index}`)));
  assert.deepEqual(
    [200, 403].map((code) => answers.filter(({ status }) => status === code).length),
    [10, 15],
  );
  assert.equal((await devices()).length, 10);
});

test('secrets are in no list, and not in the log of what was done', async () => {
  const { EnrolKey } = await keyWith();
  const { DeviceKey } = await enrol(EnrolKey, 'a', { Secret: secret() });
  const shown = JSON.stringify([await keys(), await pending(), await json('GET', '/v1/audit')]);
  assert.ok(!shown.includes(EnrolKey) && !shown.includes(DeviceKey));
  const { Items } = await json<{ Items: { Action: string; Actor: string; ActorName: string }[] }>('GET', '/v1/audit');
  const created = Items.find(({ Action }) => Action === 'device.create');
  assert.match(created?.Actor ?? '', /^enrolment:/);
  assert.equal(created?.ActorName, 'line 1');
});

test('a key says whether its command was to allow tunnels, if whoever made it said so', async () => {
  await keyWith();
  await keyWith({ AllowTunnels: false });
  await keyWith({ AllowTunnels: true });
  assert.deepEqual(
    (await keys()).map(({ AllowTunnels }) => AllowTunnels),
    [true, false, undefined],
  );
});

test('an Admin of one group sees and makes keys of that group only, and approves only its devices', async () => {
  const { EnrolKey, EnrolmentId } = await keyWith({ NeedsApproval: true });
  const { PendingId } = await enrol(EnrolKey, 'a');
  const admin = await limitedCaller(service, { role: 'Admin', groups: ['hall'] }, ['line 1', 'device a']);
  assert.deepEqual(await admin.json('GET', '/v1/enrolment'), []);
  assert.deepEqual(await admin.json('GET', '/v1/enrolment/pending'), []);
  assert.equal(await admin.status('DELETE', `/v1/enrolment/${EnrolmentId}`), 404);
  assert.equal(await admin.status('POST', `/v1/enrolment/pending/${PendingId}/approve`, {}), 404);
  assert.equal(await admin.status('POST', '/v1/enrolment', { Name: 'k', DeviceGroup: 'plant' }), 403);
  const own = await admin.json<NewEnrolmentKey>('POST', '/v1/enrolment', {
    Name: 'k',
    DeviceGroup: 'hall',
    NeedsApproval: true,
  });
  const waiting = await enrol(own.EnrolKey, 'b');
  assert.equal(
    await admin.status('POST', `/v1/enrolment/pending/${waiting.PendingId}/approve`, { DeviceGroup: 'plant' }),
    403,
  );
  assert.equal(await admin.status('POST', `/v1/enrolment/pending/${waiting.PendingId}/approve`, {}), 200);
});

test('an Admin of one group cannot take over a device of another one by approving its machine', async () => {
  const { DeviceId } = await enrol((await keyWith()).EnrolKey, 'a');
  const admin = await limitedCaller(service, { role: 'Admin', groups: ['hall'] }, []);
  const own = await admin.json<NewEnrolmentKey>('POST', '/v1/enrolment', { Name: 'k', DeviceGroup: 'hall' });
  const { status, PendingId } = await enrol(own.EnrolKey, 'a', { Secret: secret() });
  assert.equal(status, 202);
  assert.equal(await admin.status('POST', `/v1/enrolment/pending/${PendingId}/approve`, {}), 404);
  const [shown] = await admin.json<PendingDevice[]>('GET', '/v1/enrolment/pending');
  assert.equal(shown?.DeviceId, '', `${DeviceId} is in a group of others`);
});

test('only an Admin lets a machine take the place of a device, and a Deployer a new one', async () => {
  const { EnrolKey } = await keyWith();
  await enrol(EnrolKey, 'a');
  const again = await enrol(EnrolKey, 'a', { Secret: secret() });
  const anew = await enrol((await keyWith({ NeedsApproval: true })).EnrolKey, 'b');
  const deployer = await limitedCaller(service, { role: 'Deployer', groups: ['plant'] }, []);
  const path = ({ PendingId }: { PendingId: string }) => `/v1/enrolment/pending/${PendingId}/approve`;
  assert.equal(await deployer.status('POST', path(again), {}), 403);
  assert.equal(await deployer.status('POST', path(anew), {}), 200);
  await approve(again.PendingId);
});

test('no device joins an account that was removed', async () => {
  const { EnrolKey } = await keyWith();
  await service.context.db.write((tx) => tx.run('UPDATE accounts SET removed = ? WHERE id = 1', Date.now()));
  const { status, title } = await enrol(EnrolKey, 'a');
  assert.deepEqual([status, title], [403, 'The enrolment key is not valid']);
});
