// Nodes on one database: whatever arrives at one of them has its effect on agents that are connected to another.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { CLOSE } from '#/contract/agent-link.ts';
import type { Device } from '#/contract/devices.ts';
import type { NewTunnel } from '#/contract/tunnels.ts';
import { FakeAgent } from '../test-agents.ts';
import { TestStream } from '../test-events.ts';
import { until } from '../../scripts/test-process.ts';
import { createToken } from '../store/tokens.ts';
import { onPostgres } from '../store/test-database.ts';
import { listening, textOf, TunnelDevice, tunnelsOf, visit } from '../tunnels/test-tunnels.ts';
import { openNodeProofs } from './node-proof.ts';
import { startTestCluster } from './test-cluster.ts';
import type { TestCluster, TestNode } from './test-cluster.ts';

const onServer = (name: string, run: () => Promise<void>) => {
  if (onPostgres) void test(name, run);
};

let cluster: TestCluster;
let here: TestNode;
let there: TestNode;
if (onPostgres) {
  before(async () => {
    cluster = await startTestCluster(2);
    [here, there] = cluster.nodes as [TestNode, TestNode];
  });
  after(() => cluster.end());
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const output = (job: string, offset: number, text: string) =>
  ({ type: 'output', job, stream: 'stdout', offset, data: base64(text) }) as const;

/** A device whose agent is connected to the other node. */
async function deviceThere(group = '') {
  const device = await here.fleet.device(group);
  const agent = await FakeAgent.connect(there.url, device.key);
  await agent.receive('welcome');
  return { ...device, agent };
}

onServer('a stream of events at one node names what was changed at another', async () => {
  const stream = await TestStream.open(there);
  const { id } = await here.fleet.device();
  const event = (await stream.naming(id)).at(-1);
  const changes = await here.call('GET', `/v1/changes?since=${event?.id}`);
  assert.deepEqual(((await changes.json()) as { Devices: unknown[] }).Devices, []);
  stream.close();
});

onServer(
  'a device that one node moves between groups is seen, and no longer seen, by limited roles at another',
  async () => {
    const { db } = here.context;
    const setGroups = (id: string, groups: string[]) =>
      db.write((tx) => tx.run('UPDATE tokens SET groups_json = ? WHERE id = ?', JSON.stringify(groups), id));
    const { id: token, secret } = await db.write((tx) => createToken(tx, 1, 'limited', Date.now()));
    await setGroups(token, ['quay']);
    const headers = { Authorization: `Bearer ${secret}` };
    const seen = async () =>
      (
        (await (await there.call('GET', '/v1/devices/1/9', undefined, headers)).json()) as { Devices: Device[] }
      ).Devices.map(({ DeviceId }) => DeviceId);
    const { id } = await here.fleet.device('dock');
    const stream = await TestStream.open(there, headers);
    assert.deepEqual(await seen(), []);
    for (const [group, devices] of [
      ['quay', [id]],
      ['dock', []],
    ] as const) {
      await here.call('PATCH', `/v1/devices/${id}`, { DeviceGroup: group });
      await until(`the device in ${group}`, async () => (await seen()).length === devices.length);
      await stream.naming(id);
    }
    // Its groups change at one node: the stream at the other ends.
    await setGroups(token, ['dock']);
    await stream.over();
    assert.deepEqual(await seen(), [id]);
  },
);

onServer('jobs submitted at one node run in order on an agent of another, and are shown by both', async () => {
  const { id, agent } = await deviceThere();
  const jobs: string[] = [];
  for (const command of ['a', 'b', 'c']) jobs.push(await here.fleet.run(command, { DeviceId: id }));
  for (const job of jobs) {
    assert.equal((await agent.receive('run')).job, job);
    agent.finish(job, 0, `of ${job}`);
    await agent.receive('settled');
  }
  for (const { fleet } of cluster.nodes)
    for (const job of jobs) assert.equal((await fleet.job(job)).Stdout, `of ${job}`);
  await agent.end();
});

onServer('a job to a group reaches the agents of all nodes', async () => {
  const agents = [];
  for (let n = 0; n < 10; n++) {
    const { key } = await here.fleet.device('spread');
    const agent = await FakeAgent.connect((n % 2 ? here : there).url, key);
    await agent.receive('welcome');
    agents.push(agent);
  }
  const parent = await here.fleet.run('x', { DeviceGroup: 'spread' });
  for (const agent of agents) agent.finish((await agent.receive('run')).job);
  assert.equal((await there.fleet.ended(parent)).Result, '10 of 10 succeeded');
  await Promise.all(agents.map((agent) => agent.end()));
});

onServer('a running job is stopped, and another deleted, from a node that does not have the agent', async () => {
  const { id, agent } = await deviceThere();
  const stopped = await here.fleet.run('x', { DeviceId: id });
  await agent.receive('run');
  agent.say({ type: 'started', job: stopped, ago: 0 });
  await here.fleet.reached(stopped, 'Running');
  assert.deepEqual(await here.fleet.stop(stopped), { Cancelled: 0, Stopping: 1 });
  assert.equal((await agent.receive('cancel')).job, stopped);
  agent.say({ type: 'ended', job: stopped, outcome: 'cancelled', endedAgo: 0 });
  await here.fleet.reached(stopped, 'Cancelled');

  const deleted = await here.fleet.run('y', { DeviceId: id });
  await agent.receive('run');
  const removal = here.fleet.remove(deleted);
  assert.equal((await agent.receive('cancel')).job, deleted);
  agent.say({ type: 'ended', job: deleted, outcome: 'cancelled', endedAgo: 0 });
  await removal;
  assert.equal((await there.call('GET', `/v1/job/${deleted}`)).status, 404);
  await agent.end();
});

onServer('a device that is deleted, or gets another key, loses its agent on another node', async () => {
  const deleted = await deviceThere();
  await here.call('DELETE', `/v1/devices/${deleted.id}`);
  const rekeyed = await deviceThere();
  await here.call('POST', `/v1/devices/${rekeyed.id}/key`);
  for (const { agent } of [deleted, rekeyed]) {
    await until('the end of the connection', () => agent.closed);
    assert.equal(agent.closed?.code, CLOSE.revoked);
  }
  assert.equal(await there.fleet.status(rekeyed.id), 'Offline');
});

onServer('a device moves to another node in the middle of a job: what the first still hears is refused', async () => {
  const { id, key, agent: old } = await deviceThere();
  const job = await here.fleet.run('x', { DeviceId: id });
  await old.receive('run');
  old.say({ type: 'started', job, ago: 0 });
  old.say(output(job, 0, 'one '));
  await old.receive('stored');
  old.socket.pause();

  const agent = await FakeAgent.connect(here.url, key, { jobs: [job] });
  assert.deepEqual((await agent.receive('run')).have, { stdout: 4, stderr: 0 });
  old.say(output(job, 4, 'too late'));
  old.say({ type: 'ended', job, outcome: 'exited', exitCode: 1, endedAgo: 0 });
  await until('the old connection to be cut', () => {
    if (!old.closed) old.socket.ping();
    return old.closed;
  });
  assert.equal(await there.fleet.status(id), 'Online', 'the old node must not mark it Offline');
  agent.say(output(job, 4, 'two'));
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  const { Status, Stdout } = await there.fleet.ended(job);
  assert.deepEqual([Status, Stdout], ['Succeeded', 'one two']);
  await agent.end();
});

onServer('a second agent with the key of a device ends the first, on whichever node', async () => {
  const { id, key, agent: first } = await deviceThere();
  const second = await FakeAgent.connect(here.url, key);
  await second.receive('welcome');
  await until('the end of the first', () => first.closed);
  assert.equal(first.closed?.code, CLOSE.replaced);
  assert.equal(await there.fleet.status(id), 'Online');
  await second.end();
  await until('Offline', async () => (await there.fleet.status(id)) === 'Offline');
});

onServer('a list is never older than a change that was answered by another node', async () => {
  const list = async (node: TestNode) => {
    const answer = await node.call('GET', '/v1/devices/1/500');
    const { Devices } = (await answer.json()) as { Devices: Device[] };
    return { tag: answer.headers.get('ETag') ?? '', names: Devices.map(({ DeviceName }) => DeviceName) };
  };
  const { id } = await here.fleet.device('', 'seen everywhere');
  const first = await list(there);
  assert.ok(first.names.includes('seen everywhere'));
  assert.deepEqual(await list(here), first, 'a version is the same on each node');

  await here.call('PATCH', `/v1/devices/${id}`, { DeviceName: 'renamed' });
  const changed = await there.call('GET', '/v1/devices/1/500', undefined, { 'If-None-Match': first.tag });
  assert.equal(changed.status, 200);
  const places = async () => (await (await there.call('GET', '/v1/devices/location')).json()) as { DeviceId: string }[];
  assert.ok((await places()).some(({ DeviceId }) => DeviceId === id));
  await here.call('DELETE', `/v1/devices/${id}`);
  assert.ok(!(await list(there)).names.includes('renamed'));
  assert.ok(!(await places()).some(({ DeviceId }) => DeviceId === id));
});

onServer('a tunnel is visited through a node that does not have its agent, and closed by it', async () => {
  const target = createServer((asked, answer) => {
    asked.pipe(answer.writeHead(200, { 'X-Path': asked.url ?? '' }));
  });
  const dest = `http://127.0.0.1:${await listening(target)}`;
  const device = await TunnelDevice.start(there, ['--tunnel', dest]);
  const { Name, PublicUrl } = await device.tunnel(dest);
  // The address names the port of the node that opened it; below any node it is the same tunnel.
  const url = new URL(PublicUrl);
  url.port = String(here.context.tunnelPort);

  const body = 'x'.repeat(300_000);
  const answer = await visit(url.origin, { method: 'POST', path: '/echo?a=1', body });
  assert.deepEqual([answer.statusCode, answer.headers['x-path']], [200, '/echo?a=1']);
  assert.equal(await textOf(answer), body);
  const traffic = async () => (await tunnelsOf(here)).find((tunnel) => tunnel.Name === Name)?.BytesIn ?? 0;
  await until('its traffic in the list of the other node', async () => (await traffic()) >= body.length);

  assert.equal((await here.call('DELETE', `/v1/tunnels/${Name}`)).status, 200);
  await until('the tunnel to be closed', () => there.context.tunnels.find(Name) === undefined);
  assert.equal((await visit(url.origin)).statusCode, 404);
  await device.remove();
  target.close();
});

onServer('a tunnel that needs a login needs it at every node', async () => {
  const target = createServer((_asked, answer) => answer.end('secret page'));
  const dest = `http://127.0.0.1:${await listening(target)}`;
  const config = path.join(there.dataDir, 'tunnels.json');
  writeFileSync(config, JSON.stringify({ tunnels: [{ to: dest, login: 'user:open sesame' }] }));
  const device = await TunnelDevice.start(there, ['--config', config]);
  const { PublicUrl } = await until('the tunnel', () => device.tunnel(dest).catch(() => undefined));
  const url = new URL(PublicUrl);
  url.port = String(here.context.tunnelPort);
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  assert.equal((await visit(url.origin)).statusCode, 401);
  assert.equal((await visit(url.origin, { headers: basic('user:wrong') })).statusCode, 401);
  const answer = await visit(url.origin, { headers: basic('user:open sesame') });
  assert.equal(await textOf(answer), 'secret page');
  await device.remove();
  target.close();
});

onServer('a tunnel is opened at one node to a device that is connected to another', async () => {
  const target = createServer((_asked, answer) => answer.end('asked page'));
  const dest = `http://127.0.0.1:${await listening(target)}`;
  const device = await TunnelDevice.start(there, ['--allow-tunnels', 'loopback']);
  await until('the device', async () => (await here.fleet.status(device.id)) === 'Online');
  const body = { DeviceId: device.id, LocalDest: dest, Login: 'user:open sesame now' };
  const opened = await here.call('POST', '/v1/tunnels', body);
  const { Name, PublicUrl } = (await opened.json()) as NewTunnel;
  assert.ok(there.context.tunnels.find(Name), 'it is connected when it is answered');
  const url = new URL(PublicUrl);
  const headers = { Authorization: `Basic ${base64('user:open sesame now')}` };
  for (const { context } of [here, there]) {
    url.port = String(context.tunnelPort);
    assert.equal((await visit(url.origin)).statusCode, 401);
    assert.equal(await textOf(await visit(url.origin, { headers })), 'asked page');
  }
  assert.equal((await here.call('DELETE', `/v1/tunnels/${Name}`)).status, 200);
  await until('the tunnel to be closed', () => there.context.tunnels.find(Name) === undefined);
  await device.remove();
  target.close();
});

/** Passes on what both say. A killed agent resets its connection: the other one, read by nobody then, would stay open. */
function relay(near: Socket, far: Socket): void {
  near.once('close', () => far.destroy());
  far.on('error', () => {}).once('close', () => near.destroy());
  near.pipe(far).pipe(near);
}

/** A device whose link goes to one node and everything else to another, as a load balancer may do; what its tunnel answers. */
async function visitAcross({ link, rest, answer }: { link: TestNode; rest: TestNode; answer: string }) {
  const target = createServer((_asked, answering) => answering.end(answer));
  const dest = `http://127.0.0.1:${await listening(target)}`;
  const balancer = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (first: Buffer) => {
        const to = connect((first.includes('GET /agent/link') ? link : rest).port, '127.0.0.1');
        to.write(first);
        relay(socket, to);
      });
  });
  const port = await listening(balancer);
  const device = await TunnelDevice.start({ ...link, url: `http://127.0.0.1:${port}` }, ['--tunnel', dest]);
  const visited = await visit((await device.tunnel(dest)).PublicUrl);
  const text = await textOf(visited);
  await device.remove();
  balancer.close();
  target.close();
  return { status: visited.statusCode, text, key: device.key };
}

onServer('an agent’s carrier that arrives at another node reaches the one that asked for it', async () => {
  assert.equal((await visitAcross({ link: there, rest: here, answer: 'by the other door' })).text, 'by the other door');
});

onServer('between nodes no key of a device travels, and what proves nothing gets no carrier', async () => {
  let heard = '';
  let isFalse = false;
  const line = createTcpServer((near) => {
    near.on('error', () => {});
    near.on('data', (piece) => (heard += piece.toString('latin1')));
    if (isFalse) {
      near.once('data', () =>
        near.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      );
      return;
    }
    relay(near, connect(behind.port, '127.0.0.1'));
  });
  const behind = await cluster.join({ NODE_URL: `http://127.0.0.1:${await listening(line)}` });

  const { text, key } = await visitAcross({ link: behind, rest: here, answer: 'over the line' });
  assert.equal(text, 'over the line');
  assert.match(heard, /GET \/agent\/tunnels/);
  assert.match(heard, /muster-proof: /i);
  assert.ok(!heard.includes(key), 'the key');
  assert.doesNotMatch(heard, /authorization/i);

  isFalse = true;
  heard = '';
  assert.equal((await visitAcross({ link: behind, rest: here, answer: 'x' })).status, 502);
  const heads = heard.split('\r\n\r\n').filter((part) => part !== '');
  assert.ok(heads.length > 0 && heads.every((part) => part.startsWith('GET /agent/tunnels ')), 'nothing but heads');
  line.close();
});

onServer('what is no node reaches no tunnel by the path of nodes', async () => {
  const ask = async (headers: Record<string, string>) => {
    const asked = request(new URL('/node/tunnel', here.url), {
      headers: { Connection: 'Upgrade', Upgrade: 'muster-tunnel', ...headers },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  assert.equal(await ask({}), 400);
  const named = { 'Muster-Tunnel': 'x', 'Muster-Session': '1' };
  assert.equal(await ask(named), 403);
  const of = (secret: string) => openNodeProofs(secret).request(here.context.cluster.id, 'tunnel x 1').headers;
  assert.equal(await ask({ ...named, ...of('another secret of thirty-two chars') }), 403);
  assert.equal(
    await ask({ ...named, ...of(here.context.config.clusterSecret ?? '') }),
    410,
    'a node, but no such tunnel',
  );
});
