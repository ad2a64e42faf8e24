// Tunnels that people open here: where the device allows it, with real agents.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { hostname } from 'node:os';
import { after, afterEach, before, test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Device } from '#/contract/devices.ts';
import type { TimelineItem } from '#/contract/timeline.ts';
import type { NewTunnel } from '#/contract/tunnels.ts';
import { requestTunnel } from '../store/tunnels.ts';
import { limitedCaller } from '../test-limited.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { knock, listening, textOf, TunnelDevice, tunnelsOf, visit } from './test-tunnels.ts';

const LOGIN = 'anna:correct horse battery';
const basic = { Authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}` };

const ENV = { TUNNEL_TCP_PORTS: '22000-22999' };
let service: TestService;
let device: TunnelDevice;
let webAt: string;
let tcpAt: string;
const web = createServer((request, response) => void response.end(`hello ${request.headers.authorization ?? ''}`));
const tcp = createTcpServer((socket) => void socket.on('error', () => {}).end('greetings'));

before(async () => {
  service = await startTestService(ENV);
  webAt = `http://127.0.0.1:${await listening(web)}`;
  tcpAt = `tcp://127.0.0.1:${await listening(tcp)}`;
  device = await TunnelDevice.start(service, ['--allow-tunnels', 'loopback']);
  await isOnline(device.id);
});
afterEach(async () => void (await service.call('DELETE', '/v1/tunnels')));
after(async () => {
  await endProcesses();
  await device.remove();
  web.closeAllConnections();
  web.close();
  tcp.close();
  await service.end();
});

const read = async (id: string): Promise<Device> => {
  const answer = await service.call('GET', `/v1/devices/1/10/filters?device_id=${id}`);
  const [found] = (await answer.json()) as Device[];
  assert.ok(found);
  return found;
};
const isOnline = (id: string) => until('the device', async () => (await read(id)).DeviceStatus === 'Online');
const ask = (body: object, headers?: Record<string, string>) => service.call('POST', '/v1/tunnels', body, headers);
async function opened(body: object): Promise<NewTunnel> {
  const answer = await ask({ DeviceId: device.id, ...body });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as NewTunnel;
}

test('an HTTP tunnel opened here asks for its login, which appears in no other place', async () => {
  const answer = await ask({ DeviceId: device.id, LocalDest: webAt, Login: LOGIN });
  const text = await answer.text();
  const { PublicUrl, Name } = JSON.parse(text) as NewTunnel;
  assert.equal((await visit(PublicUrl)).statusCode, 401);
  assert.equal((await visit(PublicUrl, { headers: { Authorization: 'Basic YW5uYTp3cm9uZw==' } })).statusCode, 401);
  const let_in = await visit(PublicUrl, { headers: basic });
  assert.equal(let_in.statusCode, 200);
  // The device does not see it either.
  assert.equal(await textOf(let_in), 'hello ');

  const [listed] = await tunnelsOf(service);
  assert.equal(listed?.Auth, 'Basic');
  assert.equal(listed?.LocalDest, webAt);
  // `Created` has minutes only.
  assert.match(listed?.CreatedTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [entry] = await service.context.db.all<{ actor: string }>(
    "SELECT actor FROM audit WHERE action = 'tunnel.open' ORDER BY seq DESC LIMIT 1",
  );
  assert.equal(listed?.Source, entry?.actor);
  assert.ok(listed?.SourceName);
  const minutes = (Date.parse(listed?.ExpiresAt ?? '') - Date.now()) / 60_000;
  assert.ok(minutes > 59 && minutes <= 60, String(minutes));
  const audit = await (await service.call('GET', '/v1/audit')).text();
  const rows = await service.context.db.all('SELECT * FROM tunnels');
  const keys = await service.context.db.all('SELECT * FROM idempotency_keys');
  const said = [text, JSON.stringify([listed, rows, keys]), audit, device.agent?.printed ?? ''].join('\n');
  assert.ok(!said.includes('correct horse') && !said.includes(basic.Authorization.slice(6)), said);
  assert.ok(audit.includes(Name));
});

test('a TCP tunnel opened here has a port that works as soon as it is known', async () => {
  const { PublicUrl, PublicAddr } = await opened({ LocalDest: tcpAt });
  assert.equal(PublicUrl, 'N/A');
  const socket = await knock(PublicAddr?.split(':').at(-1) ?? '');
  assert.equal(await textOf(socket), 'greetings');
  socket.destroy();
});

test('a device allows what its agent was started with; the service says what to do, and the agent refuses anyway', async () => {
  assert.equal((await read(device.id)).TunnelsAllowed, 'loopback');
  for (const LocalDest of ['tcp://10.0.0.1:22', 'http://169.254.169.254', 'tcp://0.0.0.0:22', 'http://router.lan']) {
    const answer = await ask({ DeviceId: device.id, LocalDest });
    assert.equal(answer.status, 409, LocalDest);
    assert.match(await answer.text(), /allow-tunnels loopback/);
  }
  const silent = await TunnelDevice.start(service, []);
  await isOnline(silent.id);
  assert.equal((await read(silent.id)).TunnelsAllowed, 'none');
  const answer = await ask({ DeviceId: silent.id, LocalDest: webAt });
  assert.equal(answer.status, 409);
  assert.match(await answer.text(), /allows none to be opened from here/);

  await silent.remove();
});

test('whatever a hostile service asks for, the agent connects only to what it was started with', async () => {
  const asked = await TunnelDevice.start(service, ['--allow-tunnels', `loopback,10.0.0.1:80`]);
  const silent = await TunnelDevice.start(service, ['--tunnel', webAt]);
  const { db, link } = service.context;
  /** The answer of the device at this destination, asked for by a service that takes everything for allowed. */
  const answerOf = async ({ id }: TunnelDevice, localDest: string) => {
    const row = await db.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', id);
    const deviceSeq = row?.seq ?? 0;
    const agent = link.of(deviceSeq);
    assert.ok(agent);
    agent.allowsTunnels = '*:*';
    // Nor does it learn otherwise from a second welcome.
    const welcome = { type: 'welcome', version: 1, device: id, name: 'box', allowsTunnels: '*:*' } as const;
    agent.send(welcome);
    const draft = {
      accountId: 1,
      deviceSeq,
      protocol: 'HTTP',
      localDest,
      port: undefined,
      loginHash: '',
      openedBy: '',
    } as const;
    const name = await db.write((tx) =>
      requestTunnel(tx, { ...draft, idleSeconds: undefined, expires: Date.now() + 600_000 }, Date.now()),
    );
    await until('the tunnel', () => service.context.tunnels.find(name) !== undefined);
    const found = (await tunnelsOf(service)).find(({ Name }) => Name === name);
    const { statusCode } = await visit(found?.PublicUrl ?? '');
    await service.call('DELETE', `/v1/tunnels/${name}`);
    return statusCode;
  };
  await isOnline(asked.id);
  const { port } = new URL(webAt);
  assert.equal(await answerOf(asked, webAt), 200);
  assert.equal(await answerOf(asked, `http://localhost:${port}`), 200);
  for (const host of ['0.0.0.0', '[::]', '10.0.0.1', '10.0.0.2', '169.254.169.254', hostname()])
    assert.equal(await answerOf(asked, `http://${host}:${port}`), 502, host);
  assert.equal(await answerOf(silent, webAt), 502);
  const said = (agent: TunnelDevice) => agent.agent?.printed ?? '';
  await until('its word', () => said(silent).includes(`asked for "${webAt}", which --allow-tunnels does not allow`));
  for (const host of ['0.0.0.0', '10.0.0.2', '169.254.169.254'])
    assert.ok(said(asked).includes(`asked for "http://${host}:${port}", which --allow-tunnels does not allow`), host);
  await asked.remove();
  await silent.remove();
});

test('it keeps its address while agent and service restart, until it is closed', async () => {
  const made = [await opened({ LocalDest: webAt, Login: LOGIN }), await opened({ LocalDest: tcpAt })];
  await device.end();
  await until('nobody', async () => (await tunnelsOf(service)).every(({ Uptime }) => Uptime === 'N/A'));
  await device.start();
  const areUp = () =>
    until('both', async () => {
      const tunnels = await tunnelsOf(service);
      return tunnels.length === 2 && tunnels.every(({ Uptime }) => Uptime !== 'N/A');
    });
  await areUp();
  const addresses = async () =>
    (await tunnelsOf(service)).map(({ Name, PublicUrl, PublicAddr }) => ({
      Name,
      PublicUrl,
      ...(PublicAddr && { PublicAddr }),
    }));
  assert.deepEqual(await addresses(), made);
  const { port } = new URL(service.url);
  const { tunnelPort } = service.context;
  await service.close();
  service = await startTestService(
    { ...ENV, PORT: port, TUNNEL_PORT: String(tunnelPort) },
    service.dataDir,
    service.clock,
  );
  await areUp();
  assert.deepEqual(await addresses(), made);
  const [http] = made;
  assert.equal((await visit(http?.PublicUrl ?? '', { headers: basic })).statusCode, 200);
  assert.equal((await visit(http?.PublicUrl ?? '')).statusCode, 401);

  assert.equal((await service.call('DELETE', `/v1/tunnels/${http?.Name}`)).status, 200);
  const statusOf = async () => (await visit(http?.PublicUrl ?? '', { headers: basic })).statusCode;
  await until('it to be closed', async () => (await statusOf()) === 404);
  await device.end();
  await device.start();
  await until('the other', async () => (await tunnelsOf(service))[0]?.Uptime !== 'N/A');
  assert.deepEqual(
    (await tunnelsOf(service)).map(({ LocalDest }) => LocalDest),
    [tcpAt],
  );
});

test('an agent that allows less than before serves it no more', async () => {
  const { PublicUrl } = await opened({ LocalDest: webAt });
  await device.end();
  const less = new TunnelDevice(service, { DeviceId: device.id, DeviceKey: device.key }, ['--allow-tunnels', 'none']);
  await less.start();
  await isOnline(device.id);
  await until('its word', async () => (await read(device.id)).TunnelsAllowed === 'none');
  assert.equal((await visit(PublicUrl)).statusCode, 502);
  await less.remove();
  await device.start();
  await until('it again', async () => (await visit(PublicUrl)).statusCode === 200);
});

test('it closes when its time is over, connected or not, and the timeline says so', async () => {
  const here = await opened({ LocalDest: webAt, ExpiresMinutes: 1 });
  const away = await TunnelDevice.start(service, ['--allow-tunnels', 'loopback']);
  await isOnline(away.id);
  const answer = await ask({ DeviceId: away.id, LocalDest: webAt, ExpiresMinutes: 1 });
  const there = (await answer.json()) as NewTunnel;
  await away.remove();
  await until('it to leave', async () => (await read(away.id)).DeviceStatus === 'Offline');
  service.clock.offset += 61_000;
  await until('the end', async () => (await tunnelsOf(service)).length === 0);
  await until('it to be closed', async () => (await visit(here.PublicUrl)).statusCode === 404);
  const timeline = await service.call('GET', `/v1/device/${away.id}/timeline?kind=tunnel`);
  const { Items } = (await timeline.json()) as { Items: TimelineItem[] };
  assert.deepEqual(
    Items.map(({ Text }) => Text),
    [`Tunnel ended ${there.Name}`, `Opened tunnel ${there.Name}`],
  );
});

test('a request that is repeated opens one tunnel, and one with another login is refused', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { DeviceId: device.id, LocalDest: webAt, Login: LOGIN };
  const [first, second] = [await ask(body, headers), await ask(body, headers)];
  assert.equal(first.status, 200);
  assert.deepEqual(await second.json(), await first.json());
  assert.equal((await tunnelsOf(service)).length, 1);
  assert.equal((await ask({ ...body, Login: 'anna:another password' }, headers)).status, 409);
  const taken = await ask({ ...body, LocalDest: webAt.toUpperCase() });
  assert.equal(taken.status, 409);
  assert.match(await taken.text(), /already/);
  await service.call('DELETE', '/v1/tunnels');
  const late = await ask(body, headers);
  assert.equal(late.status, 409);
  assert.match(await late.text(), /is closed/);
});

test('what cannot be a tunnel is refused with the field', async () => {
  for (const [body, field] of [
    [{ LocalDest: 'ssh://127.0.0.1:22' }, 'LocalDest'],
    [{ LocalDest: '127.0.0.1:22' }, 'LocalDest'],
    [{ LocalDest: tcpAt, Login: LOGIN }, 'Login'],
    [{ LocalDest: webAt, Login: 'anna:short' }, 'Login'],
    [{ LocalDest: webAt, Login: 'no colon but long' }, 'Login'],
    [{ LocalDest: webAt, ExpiresMinutes: 0 }, 'ExpiresMinutes'],
    [{ LocalDest: webAt, IdleMinutes: 0.5 }, 'IdleMinutes'],
  ] as const) {
    const answer = await ask({ DeviceId: device.id, ...body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.ok((await answer.text()).includes(field));
  }
});

test('of another group there is no device to open one to', async () => {
  const limited = await limitedCaller(service, { role: 'Operator', groups: ['hall'] }, [device.id]);
  const body = { DeviceId: device.id, LocalDest: webAt };
  assert.equal(await limited.status('POST', '/v1/tunnels', body), 404);
  const deployer = await limitedCaller(service, { role: 'Deployer', groups: [''] }, ['hidden-word']);
  assert.equal(await deployer.status('POST', '/v1/tunnels', body), 403);
  const operator = await limitedCaller(service, { role: 'Operator', groups: [''] }, ['hidden-word']);
  assert.equal(await operator.status('POST', '/v1/tunnels', body), 200);
});

test('the same destination may be open from the device too, and each is closed for itself', async () => {
  const both = await TunnelDevice.start(service, ['--allow-tunnels', 'loopback', '--tunnel', webAt]);
  const answer = await ask({ DeviceId: both.id, LocalDest: webAt });
  const { Name } = (await answer.json()) as NewTunnel;
  assert.equal((await tunnelsOf(service)).length, 2);
  await service.call('DELETE', `/v1/tunnels/${Name}`);
  await both.end();
  await both.start();
  const [own, ...others] = await tunnelsOf(service);
  assert.deepEqual(others, []);
  assert.equal((await visit(own?.PublicUrl ?? '')).statusCode, 200);
  await both.remove();
});

test('who opened it is in the audit log', async () => {
  const { Name } = await opened({ LocalDest: webAt });
  const { Items } = (await (await service.call('GET', '/v1/audit?action=tunnel.open')).json()) as {
    Items: AuditEntry[];
  };
  const [entry] = Items;
  assert.equal(entry?.Object, `${Name} ${device.id}`);
  assert.match(entry?.Actor ?? '', /^token:/);
});
