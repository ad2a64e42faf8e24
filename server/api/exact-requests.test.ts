// Unknown parameters are refused by name instead of ignored: a misspelt filter would mean the whole fleet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProblemBody } from '#/contract/problem.ts';
import { startBefore, TOKEN } from '../auth/test-gateway.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

/** A 400 whose first error is about this field; returns its message. */
async function refused(response: Response, field: string): Promise<string> {
  const problem = (await response.json()) as ProblemBody;
  assert.equal(response.status, 400, JSON.stringify(problem));
  assert.equal(problem.errors?.[0]?.field, field);
  assert.ok(problem.detail?.includes(field));
  return problem.errors[0].message;
}
const bodyOf = (body: string, at = '/v1/devices') =>
  fetch(new URL(at, service.url), { method: 'POST', headers: { Authorization: `Bearer ${service.token}` }, body });
const devices = async () =>
  (await service.context.db.get<{ count: number }>('SELECT count(*) AS count FROM devices'))?.count;

test('a query parameter that is unknown or there twice', async () => {
  const filters = '/v1/devices/1/25/filters';
  for (const [query, field] of [
    ['device_gruop=lab', 'device_gruop'],
    ['Device_Group=lab', 'Device_Group'],
    ['device_group=lab&page=2', 'page'],
    ['device_group=lab&device_group=field', 'device_group'],
    ['device_group=lab&device%5Fgroup=lab', 'device_group'],
    ['=x', '""'],
  ] as const)
    assert.match(
      await refused(await service.call('GET', `${filters}?${query}`), field),
      /device_name, device_group|sent twice/,
    );
  await refused(await service.call('GET', '/v1/devices/1/25?device_group=lab'), 'device_group');
  await refused(await service.call('DELETE', '/v1/tunnels?tunnel_id=x'), 'tunnel_id');
  await refused(await service.call('GET', '/v1/job/x/output?stdout=1&stdout=2'), 'stdout');
  assert.equal((await service.call('GET', `${filters}?device_group=a%20b&device_status=online`)).status, 200);
  assert.equal((await service.call('GET', '/v1/account?')).status, 200);
});

test('the same in front of another service, which is not asked', async (t) => {
  const { url, received } = await startBefore(t, (_request, response) => response.end('[]'));
  const ask = (query: string) =>
    fetch(`${url}/v1/devices/1/25/filters?${query}`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  await refused(await ask('device_gruop=lab'), 'device_gruop');
  await refused(await ask('device_group=a&device_group=b'), 'device_group');
  assert.equal(received.length, 0);
  assert.equal((await ask('device_group=lab')).status, 200);
  assert.equal(received[0]?.url, '/v1/devices/1/25/filters?device_group=lab');
});

test('a key that is twice in a body', async () => {
  await refused(await bodyOf('{"DeviceName":"a","DeviceGroup":"","DeviceName":"b"}'), 'DeviceName');
  await refused(await bodyOf('{"DeviceName":"a","DeviceGroup":"","Device\\u004eame":"b"}'), 'DeviceName');
  await refused(await bodyOf('{"DeviceName":"a","DeviceGroup":"","Own":{"x":1,"x":1}}'), 'x');
  await refused(await bodyOf('{"Token":"a","Token":"b"}', '/auth/session'), 'Token');
  assert.equal(await devices(), 0);
  // Unknown JSON fields are ignored, so that newer clients work.
  assert.equal((await bodyOf('{"DeviceName":"a","DeviceGroup":"","Later":{"x":[{"y":1},{"y":1}]}}')).status, 200);
});

test('a token and a code together are no sign-in', async () => {
  const body = JSON.stringify({ Token: service.token, Code: 'x' });
  assert.equal((await bodyOf(body, '/auth/session')).status, 400);
});

test('an empty second target, or an empty second work, of a job', async () => {
  const good = { Name: 'n', DeviceId: 'd', ArtifactId: 'a' };
  for (const [body, field] of [
    [{ ...good, DeviceGroup: '' }, 'DeviceGroup'],
    [{ ...good, TagId: '' }, 'TagId'],
    [{ ...good, WorkflowId: '' }, 'WorkflowId'],
    [{ ...good, DeviceId: '', DeviceGroup: 'lab' }, 'DeviceId'],
    [{ ...good, DeviceGroup: null }, 'DeviceGroup'],
  ] as const)
    await refused(await service.call('POST', '/v1/job', body), field);
  assert.equal((await service.call('POST', '/v1/job', good)).status, 404, 'there is no such artifact');
});

test('a field of an upload that is unknown, and a file that is none', async () => {
  const form = (more: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries({ size: '1', version: '1', type: 'script', ...more }))
      data.set(name, value);
    if (!('file' in more)) data.set('file', new File(['#!/bin/sh\n'], 'a.sh'));
    return service.call('POST', '/v1/artifact', data);
  };
  const script = { destination: '/opt', command: './a.sh' };
  assert.match(await refused(await form({ ...script, comand: './a.sh' }), 'comand'), /destination, command/);
  await refused(await form({ ...script, file: 'x' }), 'file');
  assert.equal((await form(script)).status, 200);
});

test('a part of an upload without a name', async () => {
  const send = (head: string) => {
    const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'multipart/form-data; boundary=b' };
    const body = `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\nx\r\n--b--\r\n`;
    return fetch(new URL('/v1/artifact', service.url), { method: 'POST', headers, body });
  };
  await refused(await send('nme="size"'), '""');
  assert.equal((await send('nme="file"; filename="a.sh"')).status, 400);
});

test("two of the session's cookies: neither counts", async () => {
  const headers = { Origin: service.url };
  const signIn = await fetch(new URL('/auth/session', service.url), {
    method: 'POST',
    headers,
    body: JSON.stringify({ Token: service.token }),
  });
  const cookie = signIn.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const name = cookie.split('=')[0] ?? '';
  const ask = (Cookie: string) => fetch(new URL('/v1/account', service.url), { headers: { Cookie } });
  for (const both of [`${cookie}; ${name}=x`, `${name}=x; ${cookie}`, `${cookie};${cookie}`]) {
    const response = await ask(both);
    assert.equal(response.status, 400);
    assert.ok((await response.text()).includes(name));
  }
  assert.equal((await ask(`other=1; ${cookie}; x${name}=2`)).status, 200);
});
