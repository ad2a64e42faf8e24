// Devices that show a code: who may claim them, for how long, and how they get their key.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { CLOSE } from '#/contract/agent-link.ts';
import type { Device, NewDevice } from '#/contract/devices.ts';
import { PAIRING_LETTERS } from '#/contract/enrolment.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { limitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
const clock = { offset: 0, set: 0, boot: 'this one' };
beforeEach(async () => {
  clock.offset = 0;
  service = await startTestService({}, undefined, clock);
});
afterEach(() => service.end());

interface Pairing {
  PairingId: string;
  Code: string;
  ExpiresTime: string;
  Secret: string;
}
/** Asks as a device does, without any authorization. */
async function begin(machine: string, Secret = randomBytes(16).toString('base64url')): Promise<Pairing> {
  const answer = await fetch(`${service.url}/v1/pair/begin`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ MachineId: `machine-${machine}`, DeviceName: machine, Secret }),
  });
  assert.equal(answer.status, 200);
  return { ...((await answer.json()) as Pairing), Secret };
}
async function ask({ PairingId, Secret }: Pairing) {
  const answer = await fetch(`${service.url}/v1/pair/${PairingId}`, { headers: { 'Muster-Secret': Secret } });
  return { status: answer.status, ...((await answer.json()) as NewDevice) };
}
async function claim(code: string, DeviceName = 'pump', DeviceGroup = 'hall') {
  const path = `/v1/pair/${encodeURIComponent(code)}/claim`;
  const answer = await service.call('POST', path, { DeviceName, DeviceGroup });
  return { status: answer.status, ...((await answer.json()) as { DeviceId: string }) };
}
const device = async (id: string) => {
  const [found] = (await (await service.call('GET', `/v1/devices/1/1/filters?device_id=${id}`)).json()) as Device[];
  return found;
};
/** Connects an agent with this key, and waits for the service to know it. */
async function connect({ DeviceId, DeviceKey }: NewDevice): Promise<FakeAgent> {
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await until('the device to be Online', async () => (await device(DeviceId))?.DeviceStatus === 'Online');
  return agent;
}

test('a device that shows a code becomes the device of whoever types it, and gets its key', async () => {
  const pairing = await begin('a');
  assert.match(pairing.Code, new RegExp(`^[${PAIRING_LETTERS}]{8}$`));
  assert.equal((await ask(pairing)).status, 202);
  // As a person types it.
  const typed = `${pairing.Code.slice(0, 4)}-${pairing.Code.slice(4)}`.toLowerCase();
  const { status, DeviceId } = await claim(typed);
  assert.equal(status, 200);
  assert.deepEqual([(await device(DeviceId))?.DeviceName, (await device(DeviceId))?.DeviceGroup], ['pump', 'hall']);
  const given = await ask(pairing);
  assert.deepEqual([given.status, given.DeviceId], [200, DeviceId]);
  // Lost on its way, it is given again until it was used.
  assert.deepEqual(await ask(pairing), given);
  await (await connect(given)).end();
  assert.equal((await ask(pairing)).status, 404);
});

test('a code is good once, and for ten minutes', async () => {
  const first = await begin('a');
  assert.equal((await begin('a', first.Secret)).Code, first.Code);
  assert.equal((await claim(first.Code)).status, 200);
  assert.equal((await claim(first.Code)).status, 404);
  const second = await begin('b');
  clock.offset = 600_001;
  assert.equal((await claim(second.Code)).status, 404);
  assert.equal((await ask(second)).status, 404);
  assert.notEqual((await begin('b', second.Secret)).Code, second.Code);
});

test('nobody else gets the key: another secret, or another pairing', async () => {
  const pairing = await begin('a');
  await claim(pairing.Code);
  const other = randomBytes(16).toString('base64url');
  assert.equal((await ask({ ...pairing, Secret: other })).status, 404);
  assert.equal((await ask({ ...pairing, Secret: '' })).status, 404);
});

test('a machine that is a device already takes its place when somebody types the code; its old key ends', async () => {
  const first = await begin('a');
  const { DeviceId } = await claim(first.Code, 'pump');
  const agent = await connect(await ask(first));
  const again = await begin('a');
  assert.equal((await claim(again.Code, 'pump 2')).DeviceId, DeviceId);
  assert.equal(agent.closed, undefined);
  assert.equal((await ask(again)).status, 200);
  await until('the old key to end', () => agent.closed?.code === CLOSE.revoked);
  assert.equal((await device(DeviceId))?.DeviceName, 'pump 2');
});

test('wrong codes are limited, and a limited role pairs into its own groups only', async () => {
  const pairing = await begin('a');
  const deployer = await limitedCaller(service, { role: 'Deployer', groups: ['hall'] }, []);
  const path = `/v1/pair/${pairing.Code}/claim`;
  assert.equal(await deployer.status('POST', path, { DeviceName: 'x', DeviceGroup: 'plant' }), 403);
  // Ten within a minute, and from then on one every six seconds.
  for (let tries = 0; tries < 11; tries += 1) assert.equal((await claim('AAAAAAAA')).status, 404);
  assert.equal((await claim(pairing.Code)).status, 429);
  clock.offset = 61_000;
  assert.equal(await deployer.status('POST', path, { DeviceName: 'x', DeviceGroup: 'hall' }), 200);
  assert.equal((await claim('not a code')).status, 400);
});

test('a machine that is a device already is claimed by an Admin only', async () => {
  const { DeviceId } = await claim((await begin('a')).Code);
  const { Code } = await begin('a');
  const body = { DeviceName: 'pump', DeviceGroup: 'hall' };
  const deployer = await limitedCaller(service, { role: 'Deployer', groups: ['hall'] }, []);
  assert.equal(await deployer.status('POST', `/v1/pair/${Code}/claim`, body), 403);
  const admin = await limitedCaller(service, { role: 'Admin', groups: ['hall'] }, []);
  assert.deepEqual(await admin.json('POST', `/v1/pair/${Code}/claim`, body), { DeviceId });
});
