// What an agent sends over HTTP may be wrong in any way: it is refused in a sentence, and other devices are not harmed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { HttpAgent } from '../test-http-agent.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

const connected = async () => {
  const device = await fleet.device();
  return { ...device, agent: await HttpAgent.connect(service.url, device.key) };
};
const said = ({ status, text }: { status: number; text: string }) => `${status} ${text}`.trim();

test('requests that no agent should send are refused with a sentence', async () => {
  const { agent } = await connected();
  const refused: [method: string, path: string, status: number, says: RegExp][] = [
    ['GET', '/hello', 405, /takes POST/],
    ['POST', '/next', 405, /takes GET/],
    ['POST', '/facts', 405, /takes PUT/],
    ['GET', '/elsewhere', 404, /no such request/],
    ['POST', '/job/../taken', 404, /dot segment|no such request/],
    ['POST', `/job/${'x'.repeat(65)}/taken`, 404, /no such request/],
    ['GET', '/next?wait=56', 400, /"wait" must be a number up to 55/],
    ['GET', '/next?wait=-1', 400, /"wait"/],
    ['GET', '/next?wait=0&running=a%20b', 400, /"running" names no job/],
    ['PUT', '/job/x/output?stream=other&offset=0', 400, /"stream"/],
    ['PUT', '/job/x/output?stream=stdout', 400, /"offset" is missing/],
    ['PUT', '/job/x/output?stream=stdout&offset=1e3', 400, /"offset" must be a number/],
    ['POST', '/job/x/ended', 400, /either "exit", up to 255, or "how", one of stopped, /],
    ['POST', '/job/x/ended?exit=0&how=stopped', 400, /either "exit"/],
    ['POST', '/job/x/ended?exit=256', 400, /"exit" must be a number up to 255: .* 128 \+ its number\.$/],
    ['POST', '/job/x/ended?exit=-1', 400, /"exit" must be a number up to 255/],
    ['POST', '/job/x/ended?exit=1&ago=soon', 400, /"ago" must be a number/],
    ['POST', '/job/x/ended?how=toString', 400, /must be one of stopped/],
  ];
  for (const [method, path, status, says] of refused) {
    const reply = await agent.ask(method, path);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    assert.match(reply.text.split('\n')[0] ?? '', says);
  }
  assert.equal((await agent.next(0)).status, 204);
});

test('a fact may have the name of something that every object has, and is found by it', async () => {
  const { id, key } = await fleet.device();
  const agent = await HttpAgent.connect(service.url, key, ['constructor=Acme', '__proto__=yes']);
  assert.equal((await agent.next(0)).status, 204);
  const read = async <T>(path: string) => (await (await service.call('GET', path)).json()) as T;
  const { Items, Problems } = await read<{ Items: { Name: string; Value: string }[]; Problems: string[] }>(
    `/v1/device/${id}/facts`,
  );
  assert.equal(Items.find(({ Name }) => Name === 'constructor')?.Value, 'Acme');
  assert.match(Problems[0] ?? '', /^"__proto__" is not the name of a fact/);
  assert.deepEqual((await read<{ Items: unknown }>('/v1/facts/constructor/counts')).Items, [
    { Value: 'Acme', Devices: 1 },
  ]);
  const filtered = (facts: string) => `/v1/devices/1/9/filters?facts=${encodeURIComponent(facts)}`;
  const found = await read<{ DeviceId: string }[]>(filtered('{"constructor":"Acme"}'));
  assert.deepEqual(
    found.map(({ DeviceId }) => DeviceId),
    [id],
  );
  // Without that condition all devices would match.
  assert.equal((await service.call('GET', filtered('{"__proto__":"yes"}'))).status, 400);
});

test('keys and sessions that do not count', async () => {
  const { key, agent } = await connected();
  assert.equal((await new HttpAgent(service.url, 'mdk_unknown').hello()).status, 401);
  assert.equal((await fetch(`${service.url}/agent/v1/next`)).status, 401);
  const other = new HttpAgent(service.url, key);
  assert.match(said(await other.next(0)), /^400 .*Muster-Session is missing/);
  for (const [session, answer] of [
    ['0', /^409 replaced: /],
    ['99999', /^409 hello: /],
    ['1e1', /^400 /],
  ] as const) {
    other.session = session;
    assert.match(said(await other.next(0)), answer);
  }
  const stranger = await connected();
  stranger.agent.session = agent.session;
  assert.equal((await agent.next(0)).status, 204);
});

test('a hello that names no job, or no address, is refused with the number of the line', async () => {
  const { key } = await fleet.device();
  const agent = new HttpAgent(service.url, key);
  for (const [lines, says] of [
    [['job=../x'], /^400 .*Line 5 names no job/],
    [['ok=1', 'job=%zz'], /^400 .*Line 6 has a value that is not percent-encoded/],
    [['server=%zz'], /^400 .*Line 5 has a value that is not percent-encoded/],
    [['server=javascript:alert(1)'], /^400 .*no http or https address/],
    [Array.from({ length: 1_001 }, () => 'job=x'), /^400 .*one job too many/],
  ] as const)
    assert.match(said(await agent.hello([...lines])), says);
});

test('facts that are not as described are left out, and the device says which; the agent is connected all the same', async () => {
  const { id, agent } = await connected();
  const factsOf = async () =>
    (await (await service.call('GET', `/v1/device/${id}/facts`)).json()) as {
      Items: { Name: string; Value: string }[];
      Problems: string[];
    };
  const many = Array.from({ length: 300 }, (_, n) => `f${n}=${n}`);
  for (const report of [
    () => agent.hello(['Not a fact', 'bad=%zz', ...many]),
    () => agent.facts(['Not a fact', 'bad=%zz', ...many]),
  ]) {
    assert.match(said(await report()), /^(200 session \d+|204)$/);
    assert.equal((await agent.next(0)).status, 204);
    const { Items, Problems } = await factsOf();
    const line = Items.some(({ Name }) => Name === 'agent_version') ? 5 : 1;
    assert.deepEqual(Problems.slice(0, 2), [
      `Line ${line} is left out: it is not name=value with a name of a-z, 0-9, "_" and "."`,
      `Line ${line + 1} is left out: it has a value that is not percent-encoded UTF-8`,
    ]);
    assert.match(Problems[2] ?? '', /^f\d+ is one too many: a device has at most 200 facts$/);
    assert.equal(Items.length, 200);
    assert.equal(Items.find(({ Name }) => Name === 'f150')?.Value, '150');
  }
});

test('a body that is too large is refused', async () => {
  const { agent } = await connected();
  assert.match(said(await agent.hello([`long=${'x'.repeat(70_000)}`])), /^413 .*64 kB/);
  const reply = await agent.output('x', 0, new Uint8Array(300 * 1024));
  assert.match(said(reply), /^413 .*256 kB/);
  assert.match(said(await agent.facts([`long=${'x'.repeat(70_000)}`])), /^413 .*64 kB/);
});

test('a connection that is cut while a request waits leaves nothing behind, and the job is handed out again', async () => {
  const { id, key, agent } = await connected();
  const socket = connect(service.port, '127.0.0.1');
  socket.write(
    `GET /agent/v1/next?wait=50 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nMuster-Session: ${agent.session}\r\n\r\n`,
  );
  await once(socket, 'connect');
  socket.destroy();
  const job = await fleet.run('true', { DeviceId: id });
  assert.match((await agent.next(20)).text, new RegExp(`^job ${job} `));
});

test('a job of another device is none of its business', async () => {
  const [one, other] = [await connected(), await connected()];
  const job = await fleet.run('true', { DeviceId: one.id });
  await one.agent.next();
  await one.agent.taken(job);
  assert.equal(said(await other.agent.output(job, 0, 'forged')), '200 next 6\nfull');
  assert.equal(said(await other.agent.ended(job, 'exit=0')), '200 ok');
  assert.equal(said(await other.agent.taken(job)), '200 drop');
  const { Status, Stdout } = await fleet.job(job);
  assert.deepEqual([Status, Stdout], ['Running', '']);
});
