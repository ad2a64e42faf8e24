// Tunnels over real HTTP; stored as if an agent had opened them.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';
import type { NewDevice } from '#/contract/devices.ts';
import type { TimelineItem } from '#/contract/timeline.ts';
import type { Tunnel } from '#/contract/tunnels.ts';
import { wholeAccount } from '../store/scope.ts';
import { deleteTunnels, openTunnel } from '../store/tunnels.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { uptimeText } from './tunnels.ts';

const ACCOUNT = 1;
let service: TestService;
let device: NewDevice;
before(async () => {
  service = await startTestService();
  const made = await service.call('POST', '/v1/devices', { DeviceName: 'pump', DeviceGroup: '' });
  device = (await made.json()) as NewDevice;
});
after(() => service.end());
beforeEach(() => service.context.db.write(async (tx) => void (await deleteTunnels(tx, wholeAccount(ACCOUNT)))));

const open = (draft: { protocol: 'HTTP' | 'TCP'; localDest: string; port?: number }, accountId = ACCOUNT) =>
  service.context.db.write(async (tx) => {
    const deviceSeq =
      (await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', device.DeviceId))?.seq ?? 0;
    return (await openTunnel(tx, { accountId, deviceSeq, run: 'run', ...draft }, service.context.now())).name;
  });
const list = async () => (await (await service.call('GET', '/v1/tunnels')).json()) as Tunnel[];

test('tunnels are listed as documented', async () => {
  // In the middle of a minute: the service's clock may be a fraction of a millisecond behind this one.
  service.clock.offset = Date.UTC(2026, 10, 2, 14, 3, 30) - Date.now();
  const web = await open({ protocol: 'HTTP', localDest: 'http://localhost:3000' });
  const shell = await open({ protocol: 'TCP', localDest: 'ssh://localhost:22', port: 40_022 });
  service.clock.offset += 2 * 60 * 60 * 1000 + 5 * 60 * 1000;
  const common = {
    Created: 'Nov 2 2026 2:03 PM',
    Source: 'device',
    Uptime: '2h 5m',
    DeviceId: device.DeviceId,
    DeviceName: 'pump',
    DeviceStatus: 'Offline',
    Connections: 0,
    BytesIn: 0,
    BytesOut: 0,
  };
  const listed = await list();
  for (const each of listed) {
    assert.match(each.CreatedTime ?? '', /^2026-11-02T14:03:3\d\.\d{3}Z$/);
    delete each.CreatedTime;
  }
  assert.deepEqual(listed, [
    {
      Name: web,
      PublicUrl: `http://${web}.localhost:${service.context.tunnelPort}`,
      Protocol: 'HTTP',
      LocalDest: 'http://localhost:3000',
      Auth: 'None',
      ...common,
    },
    {
      Name: shell,
      PublicUrl: 'N/A',
      Protocol: 'TCP',
      LocalDest: 'ssh://localhost:22',
      PublicAddr: '127.0.0.1:40022',
      ...common,
    },
  ]);
  assert.match(web, /^[a-z0-9]{20}$/);
  await service.context.db.write(async (tx) => void (await tx.run('UPDATE tunnels SET connected = NULL')));
  assert.equal((await list())[0]?.Uptime, 'N/A');
  service.clock.offset = 0;
});

test('one is deleted, or all, and never all by mistake', async () => {
  const [one, two] = [
    await open({ protocol: 'HTTP', localDest: 'http://localhost:1' }),
    await open({ protocol: 'HTTP', localDest: 'http://localhost:2' }),
  ];
  const gone = await service.call('DELETE', `/v1/tunnels/${one}`);
  assert.deepEqual([gone.status, await gone.text()], [200, '']);
  assert.deepEqual(
    (await list()).map(({ Name }) => Name),
    [two],
  );
  assert.equal((await service.call('DELETE', `/v1/tunnels/${one}`)).status, 404);

  for (const path of [
    '/v1/tunnels/',
    '/v1/tunnels/.',
    '/v1/tunnels/..',
    '/v1/tunnels/%2e',
    '/v1/tunnels/%2E%2e',
    '/v1/tunnels//',
  ]) {
    const answer = await rawDelete(path);
    assert.match(answer, /^HTTP\/1\.1 40[045] /, path);
    assert.equal((await list()).length, 1, path);
  }
  const all = await service.call('DELETE', '/v1/tunnels');
  assert.deepEqual([all.status, await all.text()], [200, '']);
  assert.deepEqual(await list(), []);
});

test('who closes a tunnel is in the timeline of its device', async () => {
  const one = await open({ protocol: 'HTTP', localDest: 'http://localhost:1' });
  const two = await open({ protocol: 'HTTP', localDest: 'http://localhost:2' });
  const timeline = async () => {
    const { Items } = (await (
      await service.call('GET', `/v1/device/${device.DeviceId}/timeline?kind=tunnel`)
    ).json()) as { Items: TimelineItem[] };
    return Items.filter(({ Text }) => Text.includes(one) || Text.includes(two));
  };
  await service.call('DELETE', `/v1/tunnels/${one}`);
  const [closed, ...others] = await timeline();
  assert.deepEqual([closed?.Kind, closed?.Text, others], ['tunnel', `Closed tunnel ${one}`, []]);
  assert.match(closed?.Actor ?? '', /^token:/);
  await service.call('DELETE', '/v1/tunnels');
  assert.deepEqual(
    (await timeline()).map(({ Text }) => Text).sort(),
    [`Closed tunnel ${one}`, `Closed tunnel ${two}`].sort(),
  );
});

/** Sends the path unchanged, which fetch would not. */
async function rawDelete(path: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
  socket.write(
    `DELETE ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${service.token}\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'close');
  return answer;
}

test("another account's tunnels are not there, and stay when all are deleted", async () => {
  await service.context.db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 1, 1, 0)`);
  });
  const theirs = await open({ protocol: 'HTTP', localDest: 'http://localhost:1' }, 2);
  assert.deepEqual(await list(), []);
  assert.equal((await service.call('DELETE', `/v1/tunnels/${theirs}`)).status, 404);
  assert.equal((await service.call('DELETE', '/v1/tunnels')).status, 200);
  assert.ok(service.context.db.get('SELECT 1 FROM tunnels WHERE name = ?', theirs));
});

test('a deleted device takes its tunnels along', async () => {
  const made = await service.call('POST', '/v1/devices', { DeviceName: 'brief', DeviceGroup: '' });
  const brief = (await made.json()) as NewDevice;
  await service.context.db.write(async (tx) => {
    const seq = (await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', brief.DeviceId))?.seq ?? 0;
    const draft = {
      accountId: ACCOUNT,
      deviceSeq: seq,
      run: 'run',
      protocol: 'HTTP',
      localDest: 'http://x:1',
    } as const;
    await openTunnel(tx, draft, 0);
  });
  assert.equal((await list()).length, 1);
  assert.equal((await service.call('DELETE', `/v1/devices/${brief.DeviceId}`)).status, 200);
  assert.deepEqual(await list(), []);
});

test('uptime in words', () => {
  const minute = 60_000;
  for (const [milliseconds, words] of [
    [-5, '<1m'],
    [59_999, '<1m'],
    [minute, '1m'],
    [60 * minute, '1h 0m'],
    [(24 * 60 + 61) * minute, '1d 1h'],
  ] as const)
    assert.equal(uptimeText(milliseconds), words);
});
