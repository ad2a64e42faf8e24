// Ambiguous requests: none of them has an effect, in the service or in a gateway.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { freePort } from '../../scripts/test-process.ts';
import type { NewDevice } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { openTunnel } from '../store/tunnels.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { startBefore, TOKEN } from '../auth/test-gateway.ts';

let service: TestService;
let device: NewDevice;
before(async () => {
  service = await startTestService();
  device = (await (
    await service.call('POST', '/v1/devices', { DeviceName: 'stays', DeviceGroup: '' })
  ).json()) as NewDevice;
  await service.context.db.write(async (tx) => {
    await openTunnel(
      tx,
      { accountId: 1, deviceSeq: 1, run: 'r', protocol: 'HTTP', localDest: 'http://127.0.0.1:1' },
      Date.now(),
    );
  });
});
after(() => service.end());

/** Sends the bytes unchanged: every HTTP client would normalise them. */
function exchange(url: string, head: string, body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`));
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}
const withToken = (token = service.token) => `Host: x\r\nAuthorization: Bearer ${token}`;
const send = (method: string, target: string) =>
  exchange(service.url, `${method} ${target} HTTP/1.1\r\n${withToken()}`);

const toAllTunnels = [
  '/v1/devices/../tunnels',
  '/v1/devices/%2e%2e/tunnels',
  '/v1/devices/.%2E/tunnels',
  '/v1/./tunnels',
  '/v1/%2e/tunnels',
  '/v1/%74unnels',
  '/%761/tunnels',
  '//v1/tunnels',
  '/v1//tunnels',
  '/v1/tunnels/x/..',
  '/v1/devices/..\\tunnels',
  '/v1\\tunnels',
  '/v1/tunnels#/name',
  '/v1/tunnels/.',
  '/v1/tunnels%',
  'http://x/v1/devices/../tunnels',
  'http://x/v1/%74unnels',
];

test('a path that has to be tidied first is a 404, whatever the method, and nothing is deleted', async () => {
  for (const target of toAllTunnels)
    for (const method of ['DELETE', 'GET', 'POST', 'PATCH']) {
      const answer = await send(method, target);
      assert.match(answer, /^HTTP\/1\.1 404 /, `${method} ${target}`);
      assert.match(answer, /Content-Type: application\/problem\+json\r\n/i);
      assert.match(answer, /Content-Security-Policy: default-src 'none'; sandbox\r\n/i);
    }
  assert.match(await send('DELETE', `/v1/tunnels/../devices/${device.DeviceId}`), /^HTTP\/1\.1 404 /);
  assert.match(await send('HEAD', '/v1/./account'), /^HTTP\/1\.1 404 [^]*\r\n\r\n$/);
  assert.match(await send('GET', '/install.sh/../openapi.json'), /^HTTP\/1\.1 404 /);
  assert.match(await send('GET', '/%61uth/session'), /^HTTP\/1\.1 404 /);
  const { tunnels, devices } = (await service.context.db.get<{ tunnels: number; devices: number }>(
    'SELECT (SELECT count(*) FROM tunnels) AS tunnels, (SELECT count(*) FROM devices) AS devices',
  )) ?? { tunnels: 0, devices: 0 };
  assert.deepEqual([tunnels, devices], [1, 1]);
});

test('in front of another service too, which is not even asked', async (t) => {
  const { url, received } = await startBefore(t, (_request, response) => response.end('[]'));
  for (const target of toAllTunnels)
    assert.match(await exchange(url, `DELETE ${target} HTTP/1.1\r\n${withToken(TOKEN)}`), /^HTTP\/1\.1 404 /, target);
  assert.deepEqual(received, []);
  assert.match(await exchange(url, `DELETE /v1/tunnels HTTP/1.1\r\n${withToken(TOKEN)}`), /^HTTP\/1\.1 200 /);
});

test('ids and names with encoded characters still reach what they name', async () => {
  const names = ['a b', 'a/b', '50%', '%2e', '..a', 'Ünï-✓', 'a\\b', 'q?#&=+', "it's (1)*!"];
  for (const name of names)
    assert.equal((await service.call('POST', `/v1/tag/${encodeURIComponent(name)}`)).status, 200, name);
  const tags = (await (await service.call('GET', '/v1/tag')).json()) as Tag[];
  assert.deepEqual(tags.map(({ TagName }) => TagName).toSorted(), names.toSorted());
  const groups = '/v1/devices/1/25/filters?device_group=../%74unnels%2F%2e%2e//&device_id=%2e';
  assert.equal((await service.call('GET', groups)).status, 200, 'a query holds what it likes');
});

test('two Authorization or Host headers are a 400, and neither is looked at', async () => {
  const good = `Authorization: Bearer ${service.token}`;
  for (const other of [good, 'authorization: Bearer wrong', 'AUTHORIZATION: Basic YTpi']) {
    const answer = await exchange(service.url, `GET /v1/account HTTP/1.1\r\nHost: x\r\n${good}\r\n${other}`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /Authorization headers/);
  }
  assert.match(
    await exchange(service.url, `GET /v1/account HTTP/1.1\r\nHost: x\r\nHost: y\r\n${good}`),
    /^HTTP\/1\.1 400 /,
  );
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket';
  const key = `Authorization: Bearer ${device.DeviceKey}`;
  assert.match(
    await exchange(service.url, `GET /agent/link HTTP/1.1\r\nHost: x\r\n${key}\r\n${key}\r\n${upgrade}`),
    /^HTTP\/1\.1 400 /,
  );
});

test('HTTP/1.0 needs no Host: a load balancer asks so whether a node is alive and ready', async () => {
  for (const [target, shown] of [
    ['/healthz', /"alive"/],
    ['/readyz', /"ready"/],
    ['/openapi.json', /"openapi"/],
    ['/install.sh', /#!\/bin\/sh/],
  ] as const) {
    const answer = await exchange(service.url, `GET ${target} HTTP/1.0`);
    assert.match(answer, /^HTTP\/1\.1 200 /, target);
    assert.match(answer, shown);
  }
  assert.match(await exchange(service.url, 'HEAD /healthz HTTP/1.0'), /^HTTP\/1\.1 200 [^]*\r\n\r\n$/);
  const signedIn = `Authorization: Bearer ${service.token}`;
  assert.match(await exchange(service.url, `GET /v1/account HTTP/1.0\r\n${signedIn}`), /^HTTP\/1\.1 200 /);
  assert.match(
    await exchange(
      service.url,
      `POST /v1/tag/old HTTP/1.0\r\n${signedIn}\r\nContent-Type: application/json\r\nContent-Length: 0`,
    ),
    /^HTTP\/1\.1 200 /,
  );
  assert.match(await exchange(service.url, 'GET /v1/account HTTP/1.0'), /^HTTP\/1\.1 401 /);
});

test('HTTP/1.1 without a Host, and any empty one, stays a 400', async () => {
  assert.match(await exchange(service.url, 'GET /healthz HTTP/1.1'), /^HTTP\/1\.1 400 /);
  for (const version of ['1.0', '1.1']) {
    const answer = await exchange(service.url, `GET /healthz HTTP/${version}\r\nHost:`);
    assert.match(answer, /^HTTP\/1\.1 400 [^]*The Host header is empty/, version);
  }
});

test('HTTP/1.0 without Host on the port of tunnels is a 400 that says what is missing', async () => {
  const answer = await exchange(`http://127.0.0.1:${service.context.tunnelPort}`, 'GET / HTTP/1.0');
  assert.match(answer, /^HTTP\/1\.1 400 [^]*The address of a tunnel is needed here/);
});

test('HTTP/1.0 without Host reaches METRICS_PORT and a gateway', async (t) => {
  const port = await freePort();
  const measured = await startTestService({ METRICS_PORT: String(port) });
  t.after(() => measured.end());
  assert.match(await exchange(`http://127.0.0.1:${port}`, 'GET /readyz HTTP/1.0'), /^HTTP\/1\.1 200 /);
  const { url } = await startBefore(t, (_request, response) => response.end('[]'));
  assert.match(await exchange(url, 'GET /healthz HTTP/1.0'), /^HTTP\/1\.1 200 /);
});

test('a plain request for the address of a WebSocket is a 426 that names the proxy', async () => {
  for (const target of ['/agent/link', '/agent/tunnels'])
    for (const version of ['1.0', '1.1']) {
      const answer = await exchange(service.url, `GET ${target} HTTP/${version}\r\n${withToken(device.DeviceKey)}`);
      assert.match(answer, /^HTTP\/1\.1 426 Upgrade Required\r\n/, target);
      assert.match(answer, /\r\nUpgrade: websocket\r\n/i);
      assert.match(answer, /let it pass upgrades/);
    }
});
