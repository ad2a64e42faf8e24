// A connection that becomes silent without closing: the device still goes Offline.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { FIRST_ACCOUNT, setUpFirstAccount } from '../store/accounts.ts';
import { readConfig } from '../config.ts';
import { openTestDatabase } from '../store/test-database.ts';
import { beginSession, insertDevice } from '../store/devices.ts';
import { FakeAgent, scratch } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
import { openLink } from './link.ts';

test('a silent agent is dropped, one that pings is not', async () => {
  const at = scratch();
  const db = await openTestDatabase();
  const [quiet, lively] = await db.write(async (tx) => {
    await setUpFirstAccount(tx, readConfig({ DATA_DIR: at.folder }), 1);
    const add = (DeviceName: string) => insertDevice(tx, FIRST_ACCOUNT, { DeviceName, DeviceGroup: '' }, 1);
    return [await add('quiet'), await add('lively')];
  });
  assert.ok(quiet && lively);
  const link = openLink({ db, node: 'n', now: Date.now, lostAfterMs: 1_500, sweepEveryMs: 20 });
  const gone: number[] = [];
  link.listen({
    hello: (connection) => {
      const { deviceSeq: seq, keyHash = new Uint8Array() } = connection;
      const inventory = {
        addr: '',
        port: '',
        version: '',
        os: '',
        arch: '',
        hostname: '',
        tunnelsAllowed: '',
        keyFixed: '',
        at: 1,
      };
      void db.write(async (tx) => {
        connection.session = (await beginSession(tx, { seq, keyHash, node: 'n' }, inventory)) ?? 0;
      });
    },
    message: () => {},
    closed: ({ deviceSeq }) => gone.push(deviceSeq),
  });
  const server = createServer().on('upgrade', (...request) => link.upgrade(...request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const agents = [await FakeAgent.connect(url, quiet.key), await FakeAgent.connect(url, lively.key)] as const;
  const pings = setInterval(() => agents[1].socket.ping(), 50);
  await until('the silent one to be dropped', () => agents[0].closed);
  const online = async (seq: number) =>
    (await db.get<{ online: number }>('SELECT online FROM devices WHERE seq = ?', seq))?.online;
  await until('Offline', async () => (await online(quiet.seq)) === 0);
  // Longer than several intervals of the check.
  const pongs: number[] = [];
  agents[1].socket.on('pong', () => pongs.push(1));
  await until('ten more pings', () => pongs.length >= 10);
  assert.deepEqual([gone, await online(lively.seq), agents[1].closed], [[quiet.seq], 1, undefined]);

  clearInterval(pings);
  await link.close();
  await until('the rest to be closed', () => agents[1].closed);
  server.close();
  await db.close();
  at.remove();
});

test('nothing but the agents’ path can be upgraded', async () => {
  const at = scratch();
  const db = await openTestDatabase();
  const link = openLink({ db, node: 'n', now: Date.now });
  const server = createServer().on('upgrade', (...request) => link.upgrade(...request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'a2V5',
  };
  const { get } = await import('node:http');
  const status = async (where: string) => {
    const request = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, path: where, headers });
    const [response] = (await once(request, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    return response.statusCode;
  };
  assert.equal(await status('/elsewhere'), 404);
  assert.equal(await status('/agent/link'), 401);
  await link.close();
  server.close();
  await db.close();
  at.remove();
});
