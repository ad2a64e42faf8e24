// kill -9 of a real service while alerts are decided and sent: each failed job is reported, under one Id.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { AlertMessage } from '#/contract/alerts.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { FakeAgent, scratch } from '../test-agents.ts';
import { engineOfTests, killableService, type KillableService } from '../test-killable.ts';

let at: ReturnType<typeof scratch>;
let engine: Awaited<ReturnType<typeof engineOfTests>>;
let service: KillableService;
let receiver: Server;
/** In the order in which they came. */
const received: AlertMessage[] = [];
/** What happens to the next request; by default it is answered. */
let onRequest: ((response: ServerResponse) => void) | undefined;

async function restart(): Promise<void> {
  await service.kill();
  await service.start();
}

before(async () => {
  at = scratch();
  engine = await engineOfTests();
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
  service = await killableService(path.join(at.folder, 'service'), { ALERT_PRIVATE_TARGETS: '1', ...engine.env });
});
after(async () => {
  await endProcesses();
  receiver.closeAllConnections();
  receiver.close();
  await engine.drop();
  at.remove();
});

async function addRule(name: string): Promise<void> {
  const Url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const webhook = { Name: name, Kind: 'webhook', Url, Format: 'json' };
  const { ChannelId } = (await (await service.call('POST', '/v1/alerts/channels', webhook)).json()) as {
    ChannelId: string;
  };
  const rule = { Name: name, When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  assert.equal((await service.call('POST', '/v1/alerts/rules', rule)).status, 200);
}
/** Jobs that fail on the device; returns their ids. */
async function fail({ id, key }: { id: string; key: string }, count: number): Promise<string[]> {
  const failed: string[] = [];
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('welcome');
  for (let n = 0; n < count; n++) {
    const job = await service.fleet.run('false', { DeviceId: id });
    await until('the job', () => agent.received.some((message) => message.type === 'run' && message.job === job));
    agent.finish(job, 1);
    await service.fleet.ended(job);
    failed.push(job);
  }
  await agent.end();
  return failed;
}
async function allDelivered(count: number): Promise<void> {
  await until('the deliveries', async () => {
    const { Items } = (await (await service.call('GET', '/v1/alerts/deliveries?limit=500')).json()) as {
      Items: { State: string }[];
    };
    return Items.length === count && Items.every(({ State }) => State === 'Delivered');
  });
}
function reportedOnce(failed: string[]): void {
  for (const job of failed) {
    const ids = new Set(received.filter(({ JobId }) => JobId === job).map(({ Id }) => Id));
    assert.equal(ids.size, 1, `the job ${job} was reported under ${ids.size} ids`);
  }
}

test('a kill before the evaluation, and one during a delivery, lose no message and repeat its Id', async () => {
  await addRule('Failures');
  const device = await service.fleet.device();
  // At once after the jobs ended: nothing was decided yet.
  const failed = await fail(device, 3);
  await restart();
  // The receiver has the message, but the service does not know it.
  const killed = Promise.withResolvers<void>();
  onRequest = (response) => {
    void service.kill().then(() => {
      response.destroy();
      killed.resolve();
    });
  };
  await killed.promise;
  await service.start();
  failed.push(...(await fail(device, 2)));
  await until('all of them', () => failed.every((job) => received.some(({ JobId }) => JobId === job)));
  await allDelivered(failed.length);
  assert.ok(received.length > failed.length, 'one was repeated');
  reportedOnce(failed);
});

test('a kill after any statement of the transactions that decide loses and doubles no message', async () => {
  const earlier = new Set(received.map(({ JobId }) => JobId)).size;
  // The last statement of what notes ended jobs, then those of what makes messages of them.
  const [first, ...others] = [
    'DELETE FROM alert_jobs',
    'DELETE FROM alert_events',
    'INSERT INTO alert_messages',
    'UPDATE alert_rules SET sent',
  ];
  await service.stop();
  let ending = (await service.start(first)).ended;
  const failed = await fail(await service.fleet.device(), 2);
  for (const next of others) {
    assert.equal(await ending, null, 'it did not end by itself');
    ending = service.launch(next).ended;
  }
  assert.equal(await ending, null, 'it did not end by itself');
  await service.start();
  await allDelivered(earlier + failed.length);
  reportedOnce(failed);
});
