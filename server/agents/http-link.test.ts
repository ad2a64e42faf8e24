// Agents that speak HTTP: from hello to the end of a job, with everything that may come in between.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import { cutMark } from '#/contract/agent-link.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { HttpAgent } from '../test-http-agent.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import type { AgentConnection } from './agent-connection.ts';
import { HttpConnection } from './http-connection.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

const connected = async (lines: string[] = []) => {
  const device = await fleet.device();
  return { ...device, agent: await HttpAgent.connect(service.url, device.key, lines) };
};
const deviceOf = async (id: string) =>
  ((await (await service.call('GET', `/v1/devices/1/9/filters?device_id=${id}`)).json()) as Device[])[0];
const isWaiting = (connection: AgentConnection) => connection instanceof HttpConnection && connection.isWaiting;
const said = ({ status, text }: { status: number; text: string }) => `${status} ${text}`.trim();

/** A job that an agent has taken. */
const running = async () => {
  const device = await connected();
  const job = await fleet.run('true', { DeviceId: device.id });
  assert.match((await device.agent.next()).text, /^job /);
  assert.equal(said(await device.agent.taken(job)), '200 run');
  return { ...device, job };
};

test('a job goes from the queue to the agent and its output and end come back', async () => {
  const { id, agent } = await connected();
  const command = 'printf "one\\n\\ntwo"\n# and a line break at the end\n';
  const job = await fleet.run(command, { DeviceId: id });
  assert.equal(said(await agent.next()), `200 job ${job} 3600\n\n${command}`.replace(/\n$/, ''));
  assert.equal((await fleet.job(job)).Status, 'Waiting');
  assert.equal(said(await agent.taken(job)), '200 run');
  assert.equal((await fleet.job(job)).Status, 'Running');
  assert.equal(said(await agent.output(job, 0, 'one\0 ')), '200 next 5');
  assert.equal(said(await agent.output(job, 0, 'bad', 'stderr')), '200 next 3');
  assert.equal(said(await agent.output(job, 5, 'two')), '200 next 8');
  assert.equal(said(await agent.ended(job, 'exit=3')), '200 ok');
  const { Status, Stdout, Stderr, ExitCode } = await fleet.job(job);
  assert.deepEqual([Status, Stdout, Stderr, ExitCode], ['Failed', 'one\0 two', 'bad', 3]);
});

test('the device is Online with what its agent says of itself, and cannot have tunnels', async () => {
  const { id } = await connected(['arch=mips', 'addresses=10.0.0.7%2010.0.0.8', 'odd=%C3%A9%25']);
  const device = await deviceOf(id);
  assert.deepEqual(
    [device?.DeviceStatus, device?.AgentVersion, device?.TunnelsAllowed, device?.SysArch, device?.SysHostname],
    ['Online', '9.9.9 (sh)', 'none', 'mips', 'fake'],
  );
  const opened = await service.call('POST', '/v1/tunnels', { DeviceId: id, LocalDest: 'tcp://127.0.0.1:22' });
  const { title, detail } = (await opened.json()) as { title: string; detail: string };
  assert.deepEqual([opened.status, title], [409, '"device" has no tunnels']);
  assert.match(detail, /^Its agent speaks HTTP/);
});

test('facts change within a session, and replace those of before; what lists show is that of the hello', async () => {
  const { id, agent } = await connected(['rack=7', 'arch=mips']);
  const values = async () => {
    const { Items } = (await (await service.call('GET', `/v1/device/${id}/facts`)).json()) as {
      Items: { Name: string; Value: string }[];
    };
    return Object.fromEntries(Items.map(({ Name, Value }) => [Name, Value]));
  };
  assert.equal((await values())['rack'], '7');
  const waiting = agent.next();
  const lines = ['agent=9.9.10', 'kind=other', 'arch=arm64', 'rack=8%209', 'job=x', 'server=http://elsewhere'];
  assert.equal(said(await agent.facts(lines)), '204');
  assert.deepEqual(await values(), { agent_version: '9.9.10', agent_kind: 'other', arch: 'arm64', rack: '8 9' });
  const device = await deviceOf(id);
  assert.deepEqual([device?.AgentVersion, device?.SysArch, device?.DeviceStatus], ['9.9.9 (sh)', 'mips', 'Online']);
  const job = await fleet.run('true', { DeviceId: id });
  assert.match((await waiting).text, new RegExp(`^job ${job} `));
  assert.equal(said(await agent.facts([])), '204');
  assert.deepEqual(await values(), {});
});

test('facts are confirmed only when they are stored', async () => {
  const { agent } = await connected();
  const { db } = service.context;
  const gate = Promise.withResolvers<void>();
  const held = db.write(async (tx) => {
    await tx.get('SELECT 1');
    await gate.promise;
  });
  let isConfirmed = false;
  const reported = agent.facts(['rack=7']).then(({ status }) => {
    isConfirmed = true;
    return status;
  });
  await until('them to wait for the database', () => db.waiting() > 0);
  assert.equal((await agent.next(0)).status, 204);
  assert.equal(isConfirmed, false);
  gate.resolve();
  await held;
  assert.equal(await reported, 204);
});

test('facts of a session that is over change nothing', async () => {
  const { id, key, agent } = await connected(['rack=7']);
  const newer = await HttpAgent.connect(service.url, key, ['rack=8']);
  assert.match(said(await agent.facts(['rack=9'])), /^409 replaced: /);
  const { Items } = (await (await service.call('GET', `/v1/device/${id}/facts`)).json()) as {
    Items: { Name: string; Value: string }[];
  };
  assert.equal(Items.find(({ Name }) => Name === 'rack')?.Value, '8');
  assert.equal((await newer.next(0)).status, 204);
});

test('a request that waits gets the job as soon as there is one', async () => {
  const { id, agent } = await connected();
  const waiting = agent.next();
  const job = await fleet.run('true', { DeviceId: id });
  assert.match((await waiting).text, new RegExp(`^job ${job} `));
});

test('a second request for the next message ends the first with nothing', async () => {
  const { agent } = await connected();
  const first = agent.next();
  await until('it to wait', () => agent.next(0).then(({ status }) => status === 204));
  assert.equal((await first).status, 204);
});

test('jobs run one after the other, in order', async () => {
  const { id, agent } = await connected();
  const jobs = [await fleet.run('a', { DeviceId: id }), await fleet.run('b', { DeviceId: id })];
  for (const job of jobs) {
    assert.match((await agent.next()).text, new RegExp(`^job ${job} `));
    await agent.taken(job);
    assert.equal((await agent.next(0, job)).status, 204);
    assert.equal(said(await agent.ended(job, 'exit=0')), '200 ok');
  }
  for (const job of jobs) assert.equal((await fleet.job(job)).Status, 'Succeeded');
});

test('output that is sent again is stored once, and a hole is refused with the right offset', async () => {
  const { agent, job } = await running();
  await agent.output(job, 0, 'abcdef');
  assert.equal(said(await agent.output(job, 0, 'abcdef')), '200 next 6');
  assert.equal(said(await agent.output(job, 3, 'defghi')), '200 next 9');
  assert.equal(said(await agent.output(job, 12, 'no')), '409 next 9');
  assert.equal(said(await agent.output(job, 9, '')), '200 next 9');
  await agent.ended(job, 'exit=0');
  assert.equal((await fleet.job(job)).Stdout, 'abcdefghi');
});

test('output beyond the limit is cut with the mark of all agents, and the rest is thrown away', async () => {
  const { agent, job } = await running();
  const limit = 10 * 1024 * 1024;
  const piece = new Uint8Array(256 * 1024).fill(120);
  let offset = 0;
  /** As an agent does, it waits where that is too much at once. */
  const sent = async (bytes: string | Uint8Array<ArrayBuffer>) => {
    for (;;) {
      const reply = await agent.output(job, offset, bytes);
      if (reply.status !== 429) return said(reply);
    }
  };
  for (; offset < limit; offset += piece.length) assert.equal(await sent(piece), `200 next ${offset + piece.length}`);
  assert.equal(await sent('more'), `200 next ${offset + 4}\nfull`);
  assert.equal(await sent('more and more'), `200 next ${offset + 13}\nfull`);
  await agent.ended(job, 'exit=0');
  const { Stdout = '' } = await fleet.job(job);
  assert.equal(Stdout.length, limit + cutMark(limit).length);
  assert.ok(Stdout.endsWith(cutMark(limit)));
});

test('each end that is not an exit has its status, and the reason is shown', async () => {
  const statuses = [];
  for (const how of ['stopped', 'timeout', 'interrupted', 'refused']) {
    const { agent, job } = await running();
    assert.equal(said(await agent.ended(job, `how=${how}`, `because of ${how}\n`)), '200 ok');
    const { Status, Result } = await fleet.job(job);
    statuses.push(`${Status}: ${Result}`);
  }
  assert.deepEqual(statuses, [
    'Cancelled: because of stopped',
    'Failed: because of timeout',
    'Interrupted: because of interrupted',
    'Failed: because of refused',
  ]);
});

test('an end that is sent again changes nothing', async () => {
  const { agent, job } = await running();
  await agent.ended(job, 'exit=0');
  assert.equal(said(await agent.ended(job, 'how=interrupted')), '200 ok');
  assert.equal(said(await agent.output(job, 0, 'late')), '200 next 4\nfull');
  assert.equal(said(await agent.taken(job)), '200 drop');
  const { Status, Stdout } = await fleet.job(job);
  assert.deepEqual([Status, Stdout], ['Succeeded', '']);
});

test('a running job that is stopped is named by next, until its end is reported', async () => {
  const { agent, job } = await running();
  const waiting = agent.next(20, job);
  await fleet.stop(job);
  assert.equal(said(await waiting), `200 stop ${job}`);
  assert.equal(said(await agent.ended(job, 'how=stopped')), '200 ok');
  assert.equal((await fleet.job(job)).Status, 'Cancelled');
  assert.equal((await agent.next(0)).status, 204);
});

test('a job that is stopped before it is taken is dropped, and the next one comes', async () => {
  const { id, agent } = await connected();
  const jobs = [await fleet.run('a', { DeviceId: id }), await fleet.run('b', { DeviceId: id })] as const;
  await agent.next();
  await fleet.stop(jobs[0]);
  assert.equal(said(await agent.taken(jobs[0])), '200 drop');
  assert.equal((await fleet.job(jobs[0])).Status, 'Cancelled');
  assert.equal(said(await agent.taken(jobs[0])), '200 drop');
  await until('the next job', async () => (await agent.next()).text.startsWith(`job ${jobs[1]} `));
});

test('a job that is deleted before it is taken is dropped', async () => {
  const { id, agent } = await connected();
  const job = await fleet.run('a', { DeviceId: id });
  await agent.next();
  const removed = fleet.remove(job);
  await until('drop', async () => (await agent.taken(job)).text === 'drop');
  await removed;
  assert.equal(said(await agent.ended(job, 'how=stopped')), '200 ok');
});

test('what an agent has on disk is not handed out again after a hello that names it', async () => {
  const { agent, job, id } = await running();
  await agent.output(job, 0, 'before ');
  await agent.hello([`job=${job}`]);
  assert.equal((await agent.next(0)).status, 204);
  assert.equal(said(await agent.taken(job)), '200 run');
  assert.equal(said(await agent.output(job, 99, '')), '409 next 7');
  await agent.output(job, 7, 'and after');
  await agent.ended(job, 'exit=0');
  assert.equal((await fleet.job(job)).Stdout, 'before and after');
  assert.equal(await fleet.status(id), 'Online');
});

test('a job that was taken, and that a later hello does not name, is Interrupted', async () => {
  const { agent, job } = await running();
  await agent.hello();
  assert.equal((await fleet.job(job)).Status, 'Interrupted');
});

test('a job that is over is stopped when a hello or next names it', async () => {
  const { agent, job } = await running();
  await agent.hello();
  await agent.hello([`job=${job}`]);
  assert.equal(said(await agent.next()), `200 stop ${job}`);
  await agent.ended(job, 'how=stopped');
  assert.equal(said(await agent.next(20, job)), `200 stop ${job}`);
});

test('a newer hello ends older sessions, here and over the WebSocket link', async () => {
  const { id, key, agent } = await connected();
  const waiting = agent.next();
  const newer = await HttpAgent.connect(service.url, key);
  for (const reply of [await waiting, await agent.next(), await agent.taken('x')])
    assert.match(said(reply), /^409 replaced: /);
  const socket = await FakeAgent.connect(service.url, key);
  await socket.receive('welcome');
  assert.match(said(await newer.next()), /^409 replaced: /);
  assert.equal((await deviceOf(id))?.AgentVersion, '9.9.9');
  const back = await HttpAgent.connect(service.url, key);
  await until('the socket to be closed', () => socket.closed);
  assert.equal(socket.closed?.code, 4000);
  assert.equal((await back.next(0)).status, 204);
  assert.equal(await fleet.status(id), 'Online');
});

test('a new key and a deleted device end the session with 401', async () => {
  for (const [method, path] of [
    ['POST', '/key'],
    ['DELETE', ''],
  ] as const) {
    const { id, agent } = await connected();
    const waiting = agent.next();
    await service.call(method, `/v1/devices/${id}${path}`);
    assert.equal((await waiting).status, 401);
    assert.equal((await agent.next()).status, 401);
    assert.equal((await agent.hello()).status, 401);
  }
});

test('after a restart of the service an agent is asked for another hello, and its job goes on', async () => {
  const own = await startTestService();
  const ownFleet = testFleet((...request) => own.call(...request));
  const { id, key } = await ownFleet.device();
  const agent = await HttpAgent.connect(own.url, key);
  const job = await ownFleet.run('true', { DeviceId: id });
  await agent.next();
  await agent.taken(job);
  const waiting = agent.next();
  await until('it to wait', () => [...own.context.link.all()].some((each) => isWaiting(each)));
  await own.close();
  assert.match(said(await waiting), /^409 hello: /);
  const again = await startTestService({}, own.dataDir);
  const back = agent.at(again.url);
  assert.match(said(await back.output(job, 0, 'x')), /^409 hello: /);
  await back.hello([`job=${job}`]);
  assert.equal(said(await back.output(job, 0, 'x')), '200 next 1');
  assert.equal(said(await back.ended(job, 'exit=0')), '200 ok');
  const { Status, Stdout } = await testFleet((...request) => again.call(...request)).job(job);
  assert.deepEqual([Status, Stdout], ['Succeeded', 'x']);
  await again.end();
});
