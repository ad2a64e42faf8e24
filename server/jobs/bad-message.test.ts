// One message that the database refuses, in one unit of work with those of other agents: only its own connection ends, and
// nothing of the others is lost or stored twice.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, test, type TestContext } from 'node:test';
import type { AgentMessage } from '#/contract/agent-link.ts';
import { until } from '../../scripts/test-process.ts';
import type { SqlValue, Tx } from '../store/database.ts';
import { Unavailable } from '../store/errors.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { HttpAgent } from '../test-http-agent.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { MessageBatcher } from './message-batcher.ts';
import type { Received } from './message-batcher.ts';

const INTERNAL_ERROR = 1011;
/** The database refuses each statement with this text in a value. */
const POISON = 'cannot be stored';

let service: TestService;
let fleet: TestFleet;
let groups = 0;
before(async () => {
  service = await startTestService({ MAX_DEVICES: '1000' });
  fleet = testFleet((...request) => service.call(...request));
  const { db } = service.context;
  const write = db.write.bind(db);
  db.write = (unit, options) => write((tx) => unit(refusing(tx)), options);
});
after(() => service.end());

/** What the engine says to such a statement. */
let refusal: (tx: Tx) => Promise<unknown>;
beforeEach(() => {
  refusal = (tx) => tx.run('INSERT INTO no_such_table VALUES (1)');
});

function refusing(tx: Tx): Tx {
  const isPoison = (value: SqlValue) =>
    (typeof value === 'string' || value instanceof Uint8Array) && Buffer.from(value as string).includes(POISON);
  const check = async (values: SqlValue[]) => {
    if (values.some(isPoison)) await refusal(tx);
  };
  return {
    ...tx,
    get: async (sql, ...values) => (await check(values), tx.get(sql, ...values)),
    run: async (sql, ...values) => (await check(values), tx.run(sql, ...values)),
  };
}

/** Holds the messages of agents until so many have arrived: then one unit of work gets them all. */
function inOneUnit(t: TestContext, messages: number): { arrived: () => boolean } {
  const held: { batcher: MessageBatcher; received: Received }[] = [];
  let isOver = false;
  const mocked = t.mock.method(MessageBatcher.prototype, 'add', function (this: MessageBatcher, received: Received) {
    held.push({ batcher: this, received });
    if (held.length < messages) return;
    mocked.mock.restore();
    for (const { batcher, received: message } of held) batcher.add(message);
    isOver = true;
  });
  return { arrived: () => isOver };
}

interface Unit {
  id: string;
  key: string;
  job: string;
  /** What its job prints. */
  text: string;
}

/** Devices with a job each, all of one parent. */
async function units(count: number): Promise<{ parent: string; devices: Unit[] }> {
  const group = `group-${++groups}`;
  const devices = await Promise.all(Array.from({ length: count }, (_, n) => fleet.device(group, `unit-${n}`)));
  const parent = await fleet.run('true', { DeviceGroup: group });
  const children = new Map((await fleet.children(parent)).map(({ DeviceId, JobId }) => [DeviceId, JobId]));
  return {
    parent,
    devices: devices.map(({ id, key }, n) => ({ id, key, job: children.get(id) ?? '', text: `output of unit ${n}\n` })),
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const output = ({ job, text }: Unit): AgentMessage => ({
  type: 'output',
  job,
  stream: 'stdout',
  offset: 0,
  data: base64(text),
});
const endOf = ({ job }: Unit, reason?: string): AgentMessage => ({
  type: 'ended',
  job,
  outcome: 'exited',
  exitCode: 0,
  endedAgo: 0,
  ...(reason !== undefined && { reason }),
});

/** Each job has succeeded with its output, once. */
async function allRan(parent: string, devices: readonly Unit[]): Promise<void> {
  await fleet.ended(parent);
  const jobs = await Promise.all(devices.map(({ job }) => fleet.job(job)));
  assert.deepEqual(
    jobs.map(({ Status, Stdout }) => [Status, Stdout]),
    devices.map(({ text }) => ['Succeeded', text]),
  );
}

const offered = async (unit: Unit, jobs: string[] = []) => {
  const agent = await FakeAgent.connect(service.url, unit.key, { jobs });
  assert.deepEqual((await agent.receive('run')).have, { stdout: 0, stderr: 0 });
  return agent;
};

/** Connected, and its hello not said yet. */
const opened = async ({ key }: Unit) => {
  const agent = new FakeAgent(service.url, key);
  await once(agent.socket, 'open');
  return agent;
};

test('of 100 WebSocket agents, 99 go on: hello, output and end in one unit of work', async (t) => {
  const { parent, devices } = await units(100);
  const [bad, ...good] = devices as [Unit, ...Unit[]];
  const [hellos, sending, ending] = [good.slice(0, 50), good.slice(50, 75), good.slice(75)];
  const agents = new Map<Unit, FakeAgent>();
  await Promise.all([
    ...[bad, ...sending, ...ending].map(async (unit) => agents.set(unit, await offered(unit))),
    ...hellos.map(async (unit) => agents.set(unit, await opened(unit))),
  ]);
  for (const unit of ending) agents.get(unit)?.say(output(unit));
  for (const unit of ending) await agents.get(unit)?.receive('stored');

  const all = inOneUnit(t, hellos.length + sending.length + ending.length + 2);
  const badAgent = agents.get(bad);
  badAgent?.say(output(bad));
  badAgent?.say(endOf(bad, POISON));
  for (const unit of sending) agents.get(unit)?.say(output(unit));
  for (const unit of ending) agents.get(unit)?.say(endOf(unit));
  for (const unit of hellos) agents.get(unit)?.hello();
  await until('all messages', all.arrived);
  assert.equal((await until('the bad one to be closed', () => badAgent?.closed)).code, INTERNAL_ERROR);
  for (const unit of sending) {
    const { have } = (await agents.get(unit)?.receive('stored')) ?? {};
    assert.deepEqual(have, { stdout: unit.text.length, stderr: 0 });
    agents.get(unit)?.say(endOf(unit));
  }
  for (const unit of hellos) {
    await agents.get(unit)?.receive('welcome');
    assert.deepEqual((await agents.get(unit)?.receive('run'))?.have, { stdout: 0, stderr: 0 });
    agents.get(unit)?.finish(unit.job, 0, unit.text);
  }
  for (const unit of good) await agents.get(unit)?.receive('settled');

  // Nothing of the bad unit of work was stored.
  assert.equal((await fleet.job(bad.job)).Stdout, '');
  const back = await offered(bad, [bad.job]);
  back.say(output(bad));
  back.say(endOf(bad));
  await back.receive('settled');
  await allRan(parent, devices);
  for (const unit of good) assert.equal(agents.get(unit)?.closed, undefined);
  for (const agent of [back, ...agents.values()]) await agent.end();
});

test('an agent whose hello cannot be stored is closed alone, and its device stays Offline', async (t) => {
  const { devices } = await units(3);
  const agents = await Promise.all(devices.map(opened));
  const all = inOneUnit(t, 3);
  for (const [n, agent] of agents.entries()) agent.hello(n === 1 ? { hostname: POISON } : {});
  await until('all hellos', all.arrived);
  await until('the bad one to be closed', () => agents[1]?.closed?.code === INTERNAL_ERROR);
  for (const agent of [agents[0], agents[2]]) await agent?.receive('welcome');
  assert.deepEqual(await Promise.all(devices.map(({ id }) => fleet.status(id))), ['Online', 'Offline', 'Online']);
  for (const agent of agents) await agent.end();
});

/** The service handles no more hellos of this kind at a time. */
const AT_ONCE = 4;

test('of agents that speak HTTP, all but the bad one go on', async (t) => {
  const { parent, devices } = await units(50);
  const [bad, ...good] = devices as [Unit, ...Unit[]];
  const [hellos, sending, ending] = [good.slice(0, AT_ONCE), good.slice(AT_ONCE, 25), good.slice(25)];
  const agents = new Map<Unit, HttpAgent>();
  const agentOf = (unit: Unit) => agents.get(unit) ?? assert.fail();
  const said = ({ status, text }: { status: number; text: string }) => `${status} ${text}`.trim();
  const take = async (unit: Unit) => {
    assert.match((await agentOf(unit).next()).text, new RegExp(`^job ${unit.job} `));
    assert.equal(said(await agentOf(unit).taken(unit.job)), '200 run');
  };
  const sent = (unit: Unit) => `200 next ${unit.text.length}`;
  for (const unit of [bad, ...sending, ...ending]) agents.set(unit, await HttpAgent.connect(service.url, unit.key));
  await Promise.all([...agents.keys()].map(take));
  for (const unit of ending) assert.equal(said(await agentOf(unit).output(unit.job, 0, unit.text)), sent(unit));
  for (const unit of hellos) agents.set(unit, new HttpAgent(service.url, unit.key));

  // A hello is two messages: it brings the facts of its device.
  inOneUnit(t, 2 * hellos.length + sending.length + ending.length + 1);
  const answers = await Promise.all([
    agentOf(bad).output(bad.job, 0, POISON),
    ...sending.map((unit) => agentOf(unit).output(unit.job, 0, unit.text)),
    ...ending.map((unit) => agentOf(unit).ended(unit.job, 'exit=0')),
    ...hellos.map((unit) => agentOf(unit).hello()),
  ]);
  assert.match(said(answers[0] ?? assert.fail()), /^409 hello: /);
  assert.deepEqual(answers.slice(1, 1 + sending.length + ending.length).map(said), [
    ...sending.map(sent),
    ...ending.map(() => '200 ok'),
  ]);
  for (const answer of answers.slice(1 + sending.length + ending.length)) assert.match(said(answer), /^200 session \d/);

  for (const unit of sending) assert.equal(said(await agentOf(unit).ended(unit.job, 'exit=0')), '200 ok');
  for (const unit of hellos) await take(unit);
  assert.match(said(await agentOf(bad).hello([`job=${bad.job}`])), /^200 session/);
  assert.equal(said(await agentOf(bad).taken(bad.job)), '200 run');
  for (const unit of [bad, ...hellos]) {
    assert.equal(said(await agentOf(unit).output(unit.job, 0, unit.text)), sent(unit));
    assert.equal(said(await agentOf(unit).ended(unit.job, 'exit=0')), '200 ok');
  }
  await allRan(parent, devices);
});

test('messages that follow the bad one in another unit of work keep their order', async (t) => {
  const { parent, devices } = await units(2);
  const [bad, good] = devices as [Unit, Unit];
  const [badAgent, agent] = [await offered(bad), await offered(good)];
  // More than one batch.
  const pieces = Array.from({ length: 120 }, (_, n) => `line ${n}\n`);
  const all = inOneUnit(t, pieces.length + 1);
  badAgent.say({ ...output(bad), data: base64(POISON) } as AgentMessage);
  let offset = 0;
  for (const piece of pieces) {
    agent.say({ type: 'output', job: good.job, stream: 'stdout', offset, data: base64(piece) });
    offset += piece.length;
  }
  await until('all messages', all.arrived);
  agent.say(endOf(good));
  await until('the bad one to be closed', () => badAgent.closed);
  await agent.receive('settled');
  assert.equal(agent.closed, undefined);
  const back = await offered(bad, [bad.job]);
  back.finish(bad.job, 0, bad.text);
  await allRan(parent, [bad, { ...good, text: pieces.join('') }]);
  for (const each of [back, agent]) await each.end();
});

test('when the database itself fails, all of them connect again', async (t) => {
  refusal = () => Promise.reject(new Unavailable('The disk of the service is full', 'Free some.'));
  const { devices } = await units(3);
  const agents: FakeAgent[] = [];
  for (const unit of devices) agents.push(await offered(unit));
  inOneUnit(t, 3);
  for (const [n, agent] of agents.entries())
    agent.say({ ...output(devices[n] as Unit), ...(n === 0 && { data: base64(POISON) }) });
  for (const agent of agents) assert.equal((await until('it to be closed', () => agent.closed)).code, INTERNAL_ERROR);
});
