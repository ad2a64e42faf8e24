// When a keep-alive connection breaks, browsers repeat a POST by themselves. Each request takes effect once.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { NewApiToken } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import type { NewDevice } from '#/contract/devices.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { deviceByKey } from '../store/devices.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ ARTIFACT_QUOTA_MB: '1' });
});
after(() => service.end());

/** Sends a whole request and closes the connection before an answer is possible. */
async function sendAndClose(at: string, body: string | FormData, key: string): Promise<void> {
  const request = new Request(`${service.url}${at}`, { method: 'POST', body });
  const bytes = Buffer.from(await request.arrayBuffer());
  const head = [
    `POST ${at} HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    `Authorization: Bearer ${service.token}`,
    `Content-Type: ${typeof body === 'string' ? 'application/json' : request.headers.get('content-type')}`,
    `Content-Length: ${bytes.length}`,
    `Idempotency-Key: ${key}`,
  ].join('\r\n');
  const { hostname, port } = new URL(service.url);
  await new Promise<void>((done, fail) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', fail).on('close', () => done());
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]), () => socket.destroy());
  });
}
const send = (at: string, body: unknown, key: string) => service.call('POST', at, body, { 'Idempotency-Key': key });
const read = async <T>(at: string) => (await (await service.call('GET', at)).json()) as T;

test('a device: the answer that got lost comes again, with the key of the one device', async () => {
  const order = { DeviceName: 'once', DeviceGroup: 'g' };
  await sendAndClose('/v1/devices', JSON.stringify(order), 'device-1');
  const answers = await Promise.all([send('/v1/devices', order, 'device-1'), send('/v1/devices', order, 'device-1')]);
  const [first, second] = (await Promise.all(answers.map((answer) => answer.json()))) as NewDevice[];
  assert.ok(first);
  assert.deepEqual(second, first);
  assert.equal((await deviceByKey(service.context.db, first.DeviceKey))?.id, first.DeviceId);
  const { TotalNumDevices } = await read<{ TotalNumDevices: number }>('/v1/devices/1/25');
  assert.equal(TotalNumDevices, 1);

  assert.equal((await send('/v1/devices', { ...order, DeviceName: 'other' }, 'device-1')).status, 409);
  const next = (await (await send('/v1/devices', order, 'device-2')).json()) as NewDevice;
  assert.notEqual(next.DeviceId, first.DeviceId);

  // A replaced key is never sent again.
  await service.call('POST', `/v1/devices/${next.DeviceId}/key`);
  assert.equal((await send('/v1/devices', order, 'device-2')).status, 409);
});

test('a device, after a restart: no second one, and its lost key is not returned again', async () => {
  const order = { DeviceName: 'restarted', DeviceGroup: '' };
  const made = (await (await send('/v1/devices', order, 'device-3')).json()) as NewDevice;
  await service.close();
  service = await startTestService({ ARTIFACT_QUOTA_MB: '1' }, service.dataDir);
  const answer = await send('/v1/devices', order, 'device-3');
  const { title, detail } = (await answer.json()) as ProblemBody;
  assert.deepEqual([answer.status, title], [409, 'The device was created, but its key is lost']);
  assert.match(detail ?? '', new RegExp(made.DeviceId));
  const named = await read<unknown[]>('/v1/devices/1/25/filters?device_name=restarted');
  assert.equal(named.length, 1);
  assert.ok(
    await deviceByKey(service.context.db, made.DeviceKey),
    'the key that may have arrived after all goes on opening',
  );
});

test('an artifact: stored once, even where a second would not fit', async () => {
  const form = (version: string) => {
    const data = new FormData();
    for (const [name, value] of Object.entries({ size: '1', type: 'script', destination: '/tmp', command: 'true' }))
      data.append(name, value);
    data.append('version', version);
    data.append('file', new Blob(['#!/bin/sh\n', ' '.repeat(700_000)]), 'large.sh');
    return data;
  };
  await sendAndClose('/v1/artifact', form('1'), 'artifact-1');
  const answers = await Promise.all([1, 2].map(() => send('/v1/artifact', form('1'), 'artifact-1')));
  const [first, second] = await Promise.all(
    answers.map(async (answer) => {
      assert.equal(answer.status, 200, await answer.clone().text());
      return (await answer.json()) as Artifact;
    }),
  );
  assert.deepEqual(second, first);
  assert.deepEqual(await read('/v1/artifact'), [first]);
  // The request whose client has left may be the last to remove its file.
  const arriving = () => readdirSync(path.join(service.dataDir, 'artifacts/arriving'));
  await until('one file to be left', () => service.stored().length === 1 && arriving().length === 0);
  assert.deepEqual(service.stored(), [first?.ArtifactId]);

  // Only the content shows that this is another request: the key belongs to the first.
  assert.equal((await send('/v1/artifact', form('2'), 'artifact-1')).status, 409);
  assert.equal((await send('/v1/artifact', form('1'), 'artifact-2')).status, 403);
});

test('a workflow: defined once', async () => {
  const order = { Name: 'w', Command: 'true' };
  await sendAndClose('/v1/workflow', JSON.stringify(order), 'workflow-1');
  assert.equal((await send('/v1/workflow', order, 'workflow-1')).status, 200);
  assert.equal((await read<unknown[]>('/v1/workflow')).length, 1);
});

test('a token: created once, returned again for a moment, and not after it is revoked', async () => {
  const order = { Name: 'build' };
  await sendAndClose('/v1/account/tokens', JSON.stringify(order), 'token-1');
  const [first, second] = await Promise.all(
    [1, 2].map(async () => (await (await send('/v1/account/tokens', order, 'token-1')).json()) as NewApiToken),
  );
  assert.ok(first?.Token);
  assert.deepEqual(second, first);
  const named = async () =>
    (await read<{ Name: string }[]>('/v1/account/tokens')).filter(({ Name }) => Name === 'build');
  assert.equal((await named()).length, 1);
  await service.call('DELETE', `/v1/account/tokens/${first.TokenId}`);
  assert.equal((await send('/v1/account/tokens', order, 'token-1')).status, 409);
  assert.equal((await named()).length, 0);
});
