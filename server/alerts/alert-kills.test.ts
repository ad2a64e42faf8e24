// kill -9 of a real service while alerts are decided and sent: each failed job is reported, under one Id.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { AlertMessage } from '#/contract/alerts.ts';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { createTestDatabase, onPostgres, type TestDatabase } from '../store/test-database.ts';
import { FakeAgent, freePort, scratch } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';

const TOKEN = 'test-token-of-alerts';
let at: ReturnType<typeof scratch>;
let database: TestDatabase | undefined;
let url: string;
let service: TestProcess;
let receiver: Server;
/** In the order in which they came. */
const received: AlertMessage[] = [];
/** What happens to the next request; by default it is answered. */
let onRequest: ((response: ServerResponse) => void) | undefined;

const call = (method: string, where: string, body?: unknown) =>
  fetch(`${url}${where}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const fleet = testFleet(call);

async function start(): Promise<void> {
  const env = {
    PORT: new URL(url).port,
    TUNNEL_PORT: '0',
    DATA_DIR: path.join(at.folder, 'service'),
    AUTH_TOKEN: TOKEN,
    ALERT_PRIVATE_TARGETS: '1',
    ...(database && { DATABASE_URL: database.url.href, CLUSTER_SECRET: 'a secret of the nodes in this test' }),
  };
  service = new TestProcess(['server/main.ts'], { env });
  await until('the service to answer', () => {
    assert.ok(!service.hasEnded, service.printed);
    return call('GET', '/v1/account').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
}
async function restart(): Promise<void> {
  await service.end('SIGKILL');
  await start();
}

before(async () => {
  at = scratch();
  database = onPostgres ? await createTestDatabase() : undefined;
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push(JSON.parse(body) as AlertMessage);
      const act = onRequest ?? ((open) => open.end());
      onRequest = undefined;
      act(response);
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${await freePort()}`;
  await start();
});
after(async () => {
  await endProcesses();
  receiver.closeAllConnections();
  receiver.close();
  await database?.drop();
  at.remove();
});

test('a kill before the evaluation, and one during a delivery, lose no message and repeat its Id', async () => {
  const Url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const webhook = { Name: 'Ops', Kind: 'webhook', Url, Format: 'json' };
  const { ChannelId } = (await (await call('POST', '/v1/alerts/channels', webhook)).json()) as { ChannelId: string };
  const rule = { Name: 'Failures', When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  assert.equal((await call('POST', '/v1/alerts/rules', rule)).status, 200);
  const { id, key } = await fleet.device();
  const failed: string[] = [];
  const fail = async (count: number) => {
    const agent = await FakeAgent.connect(url, key);
    await agent.receive('welcome');
    for (let n = 0; n < count; n++) {
      const job = await fleet.run('false', { DeviceId: id });
      await until('the job', () => agent.received.some((message) => message.type === 'run' && message.job === job));
      agent.finish(job, 1);
      await fleet.ended(job);
      failed.push(job);
    }
    await agent.end();
  };

  // At once after the jobs ended: nothing was decided yet.
  await fail(3);
  await restart();
  // The receiver has the message, but the service does not know it.
  const killed = Promise.withResolvers<void>();
  onRequest = (response) => {
    void service.end('SIGKILL').then(() => {
      response.destroy();
      killed.resolve();
    });
  };
  await killed.promise;
  await start();
  await fail(2);
  await until('all of them', () => failed.every((job) => received.some(({ JobId }) => JobId === job)));
  await until('their deliveries', async () => {
    const { Items } = (await (await call('GET', '/v1/alerts/deliveries')).json()) as { Items: { State: string }[] };
    return Items.length === failed.length && Items.every(({ State }) => State === 'Delivered');
  });
  assert.ok(received.length > failed.length, 'one was repeated');
  for (const job of failed) {
    const ids = new Set(received.filter(({ JobId }) => JobId === job).map(({ Id }) => Id));
    assert.equal(ids.size, 1, `the job ${job} was reported under ${ids.size} ids`);
  }
});
