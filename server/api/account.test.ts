// The account, its tokens, and the separation of accounts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Account, ApiToken } from '#/contract/account.ts';
import type { NewDevice } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ MAX_DEVICES: '7', ARTIFACT_QUOTA_MB: '2', ACCOUNT_EMAIL: 'ann@example.com' });
});
after(() => service.end());

const tokens = async () => (await (await service.call('GET', '/v1/account/tokens')).json()) as ApiToken[];
const withToken = (token: string) =>
  service.call('GET', '/v1/account', undefined, { Authorization: `Bearer ${token}` });

test('the account tells its limits and what is used of them', async () => {
  await service.call('POST', '/v1/devices', { DeviceName: 'a', DeviceGroup: '' });
  const account = (await (await service.call('GET', '/v1/account')).json()) as Account;
  // Depends on this machine's disk.
  delete account.DiskState;
  delete account.DiskBytesFree;
  // What was packed here.
  delete account.AgentRuntimes;
  // See job-list.test.ts.
  delete account.Capabilities;
  assert.deepEqual(account, {
    UserEmail: 'ann@example.com',
    PlanMaxDeviceLimit: 7,
    NumDevicesAdded: 1,
    ArtifactBytesUsed: 0,
    ArtifactBytesLimit: 2 * 1024 * 1024,
    ArtifactBytesMax: 10 * 1024 * 1024,
    OutputBytesUsed: 0,
    OutputBytesLimit: 10 * 1024 * 1024 * 1024,
    JobDevicesLimit: 50_000,
    AlertsFiring: 0,
    IdempotencyKeyHours: 24,
  });
});

test('a token is shown once, works, is listed by how it begins, and dies at once when revoked', async () => {
  const response = await service.call('POST', '/v1/account/tokens', { Name: 'ci' });
  assert.equal(response.headers.get('Cache-Control'), 'no-store');
  const { Token, TokenId } = (await response.json()) as { Token: string; TokenId: string };
  assert.ok(Token.length >= 22);
  assert.equal((await withToken(Token)).status, 200);

  const listed = (await tokens()).find((token) => token.TokenId === TokenId);
  assert.equal(listed?.Name, 'ci');
  assert.ok(Token.startsWith(listed.Prefix) && listed.Prefix.length < 12);
  assert.ok(!JSON.stringify(await tokens()).includes(Token));
  const stored = service.context.db.get<Record<string, unknown>>('SELECT * FROM tokens WHERE id = ?', TokenId);
  for (const value of Object.values(stored ?? {})) assert.notEqual(value, Token);

  assert.equal((await service.call('DELETE', `/v1/account/tokens/${TokenId}`)).status, 200);
  assert.equal((await withToken(Token)).status, 401);
  assert.equal((await tokens()).length, 1);
  assert.equal((await service.call('DELETE', `/v1/account/tokens/${TokenId}`)).status, 404);
  assert.equal((await service.call('POST', '/v1/account/tokens', { Name: ' ' })).status, 400);
});

test('without a valid token: 401, a challenge, and nothing about why', async () => {
  for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic YTpi', 'Bearer a b']) {
    const response = await service.call('GET', '/v1/account', undefined, { Authorization: authorization });
    assert.equal(response.status, 401);
    assert.match(response.headers.get('WWW-Authenticate') ?? '', /^Bearer/);
    assert.equal(((await response.json()) as { status: number }).status, 401);
  }
  const unknown = await service.call('GET', '/v1/nothing-here', undefined, { Authorization: 'Bearer wrong' });
  assert.equal(unknown.status, 401, 'strangers do not learn which paths there are');
});

test("another account's things are not there", async () => {
  const { db } = service.context;
  const other = await db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@b', 5, 5, 0)`);
    return createToken(tx, 2, 'theirs', Date.now());
  });
  const asOther = (method: string, at: string, body?: unknown) =>
    service.call(method, at, body, { Authorization: `Bearer ${other.secret}` });
  const read = async <T>(response: Promise<Response>) => (await (await response).json()) as T;

  const { DeviceId } = await read<NewDevice>(
    service.call('POST', '/v1/devices', { DeviceName: 'm', DeviceGroup: 'g' }),
  );
  await service.call('POST', '/v1/tag/mine');
  const [tag] = await read<Tag[]>(service.call('GET', '/v1/tag'));
  const theirs = await read<NewDevice>(asOther('POST', '/v1/devices', { DeviceName: 't', DeviceGroup: 'g' }));
  await asOther('POST', '/v1/tag/mine'); // the same name is free in another account
  const [theirTag] = await read<Tag[]>(asOther('GET', '/v1/tag'));

  const [ownToken] = await tokens();
  for (const [method, at, body] of [
    ['PATCH', `/v1/devices/${DeviceId}`, { DeviceName: 'x' }],
    ['POST', `/v1/devices/location/${DeviceId}`, { Lat: 1, Lng: 1 }],
    ['POST', `/v1/devices/${DeviceId}/key`],
    ['GET', `/v1/device/${DeviceId}/queue`],
    ['DELETE', `/v1/devices/${DeviceId}`],
    ['POST', `/v1/devices/${DeviceId}/tag/${theirTag?.TagId}`],
    ['POST', `/v1/devices/${theirs.DeviceId}/tag/${tag?.TagId}`],
    ['DELETE', `/v1/tag/${tag?.TagId}`],
    ['DELETE', `/v1/account/tokens/${ownToken?.TokenId}`],
  ] as const)
    assert.equal((await asOther(method, at, body)).status, 404, `${method} ${at}`);

  const page = await read<{ TotalNumDevices: number }>(asOther('GET', '/v1/devices/1/25'));
  assert.equal(page.TotalNumDevices, 1);
  assert.deepEqual(await read(asOther('GET', '/v1/devices/location')), [{ DeviceId: theirs.DeviceId, Lat: 0, Lng: 0 }]);
  assert.equal((await read<unknown[]>(asOther('GET', `/v1/devices/1/25/filters?device_group=g`))).length, 1);
  assert.equal((await read<unknown[]>(asOther('GET', '/v1/account/tokens'))).length, 1);
});

test('an ETag of one account says nothing to another', async () => {
  const made = await service.context.db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (3, 'c@c', 5, 5, 0)`);
    return createToken(tx, 3, 'theirs', Date.now());
  });
  const etag = (await service.call('GET', '/v1/devices/1/25')).headers.get('ETag') ?? '';
  const response = await service.call('GET', '/v1/devices/1/25', undefined, {
    Authorization: `Bearer ${made.secret}`,
    'If-None-Match': etag,
  });
  assert.equal(response.status, 200);
});

test('every change is in the audit log, without secrets', async () => {
  const { DeviceId, DeviceKey } = (await (
    await service.call('POST', '/v1/devices', { DeviceName: 'audited', DeviceGroup: '' })
  ).json()) as NewDevice;
  await service.call('DELETE', `/v1/devices/${DeviceId}`);
  const rows = await service.context.db.all<Record<string, unknown>>(
    'SELECT * FROM audit WHERE target = ? ORDER BY seq',
    DeviceId,
  );
  assert.deepEqual(
    rows.map(({ action, account_id, address, outcome }) => [action, account_id, address, outcome]),
    [
      ['device.create', 1, '127.0.0.1', 'done'],
      ['device.remove', 1, '127.0.0.1', 'done'],
    ],
  );
  assert.match(String(rows[0]?.['actor']), /^token:/);
  const everything = JSON.stringify(await service.context.db.all('SELECT * FROM audit'));
  assert.ok(!everything.includes(DeviceKey) && !everything.includes(service.token ?? ''));
});
