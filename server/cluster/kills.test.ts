// Nodes as processes of their own, under load: kill -9 of a node and of PostgreSQL, and the end of the bus's sessions.
// Each job leaves a line on its device: none is missing, none is there twice, and they are in order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { startPostgres } from '../../scripts/engines/postgres-server.ts';
import type { PostgresServer } from '../../scripts/engines/postgres-server.ts';
import { endProcesses, freePort, ServiceProcess, until, type TestProcess } from '../../scripts/test-process.ts';
import { onPostgres } from '../store/test-database.ts';
import { FakeAgent, scratch, spawnAgent } from '../test-agents.ts';
import { idsIn, TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';

const TOKEN = 'test-token-of-kills';
const SECRET = 'a secret of the nodes in this test';
const DEVICES = 3;

interface KilledNode {
  url: string;
  port: number;
  process: TestProcess;
  call: ServiceProcess['call'];
  fleet: TestFleet;
}

/** A device with a real agent, which connects through the balancer. */
interface Worker {
  id: string;
  effects: string;
  /** Jobs whose submission was acknowledged, in this order: what each writes, and its id. */
  submitted: { mark: string; job: string }[];
}

let at: ReturnType<typeof scratch>;
let postgres: PostgresServer;
let balancer: Server;
let here: KilledNode;
let there: KilledNode;
let workers: Worker[];

async function startNode(): Promise<KilledNode> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    TUNNEL_PORT: '0',
    NODE_URL: url,
    DATA_DIR: path.join(at.folder, 'service'),
    AUTH_TOKEN: TOKEN,
    DATABASE_URL: postgres.url,
    CLUSTER_SECRET: SECRET,
  };
  const node = new ServiceProcess(env);
  const running = await node.start();
  const call: KilledNode['call'] = (...request) => node.call(...request);
  return { url, port, process: running, call, fleet: testFleet(call) };
}

/** Passes each connection to a node that listens, in turn. */
async function startBalancer(): Promise<Server> {
  let turn = 0;
  const pass = (near: Socket, attempts: number) => {
    const { port } = turn++ % 2 ? here : there;
    const far = connect(port, '127.0.0.1');
    far.once('error', () => (attempts > 1 ? pass(near, attempts - 1) : near.destroy()));
    far.once('connect', () => {
      near.once('close', () => far.destroy());
      far.on('error', () => {}).once('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  };
  const server = createServer((near) =>
    pass(
      near.on('error', () => {}),
      2,
    ),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const effectsOf = ({ effects }: Worker) =>
  existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
const isOnline = async ({ id }: Worker, node: KilledNode) => (await node.fleet.status(id)) === 'Online';

/** Creates devices and submits jobs at both nodes in turn, until it is ended. */
function startLoad() {
  const devices: string[] = [];
  let refused = 0;
  const over = new AbortController();
  const loads = workers.map(async (worker) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const { fleet } = n % 2 ? here : there;
      const mark = `${worker.submitted.length}-${n}`;
      // The queue stays short, so that jobs go on all the time.
      await until('earlier jobs', () => worker.submitted.length - effectsOf(worker).length < 4);
      try {
        devices.push((await fleet.device()).id);
        const job = await fleet.run(`echo ${mark} >> ${worker.effects}`, { DeviceId: worker.id });
        worker.submitted.push({ mark, job });
      } catch {
        refused += 1;
      }
    }
  });
  const all = Promise.all(loads);
  all.catch(() => {});
  return {
    /** Waits until each device has run this many further jobs. */
    async goesOn(jobs: number) {
      const goals = workers.map((worker) => effectsOf(worker).length + jobs);
      await until('jobs to go on', () => workers.every((worker, n) => effectsOf(worker).length >= (goals[n] ?? 0)));
    },
    async end() {
      over.abort();
      await all;
      return { devices, refused };
    },
  };
}

/** Nothing acknowledged is lost, nothing ran twice, and all in order. */
async function checkAll(devices: string[], node: KilledNode): Promise<void> {
  for (const worker of workers) {
    for (const { job } of worker.submitted) assert.equal((await node.fleet.ended(job)).Status, 'Succeeded');
    const effects = effectsOf(worker);
    assert.equal(new Set(effects).size, effects.length, 'a job ran twice');
    const marks = worker.submitted.map(({ mark }) => mark);
    // A submission without an answer may have been stored all the same.
    assert.deepEqual(
      effects.filter((mark) => marks.includes(mark)),
      marks,
    );
  }
  const stored = new Set((await query<{ id: string }>('SELECT id FROM devices')).map(({ id }) => id));
  assert.deepEqual(
    devices.filter((id) => !stored.has(id)),
    [],
  );
}

if (onPostgres) {
  before(async () => {
    at = scratch();
    postgres = await startPostgres();
    here = await startNode();
    there = await startNode();
    balancer = await startBalancer();
    const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    workers = [];
    for (let n = 0; n < DEVICES; n++) {
      const { id, key } = await here.fleet.device('', `worker ${n}`);
      const worker = { id, effects: path.join(at.folder, `effects-${n}`), submitted: [] };
      workers.push(worker);
      spawnAgent(['--server', url, '--key', key], path.join(at.folder, `agent-${n}`));
      await until('its agent', () => isOnline(worker, here));
    }
  });
  after(async () => {
    await endProcesses();
    balancer.close();
    await postgres.remove();
    at.remove();
  });

  void test('the sessions of the bus end: a job still reaches the agent of another node', async () => {
    const { id, key } = await here.fleet.device();
    const agent = await FakeAgent.connect(there.url, key);
    await agent.receive('welcome');
    const ended = await query<{ pid: number }>(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'muster bus'",
    );
    assert.equal(ended.length, 2);
    const job = await here.fleet.run('x', { DeviceId: id });
    assert.equal((await agent.receive('run')).job, job);
    agent.finish(job);
    assert.equal((await here.fleet.ended(job)).Status, 'Succeeded');
    await agent.end();
  });

  void test('PostgreSQL is killed under load and comes back: both nodes go on by themselves', async () => {
    const load = startLoad();
    await load.goesOn(3);
    await postgres.kill();
    await postgres.start();
    await load.goesOn(6);
    const { devices } = await load.end();
    for (const node of [here, there]) {
      assert.ok(!node.process.hasEnded, node.process.printed);
      for (const worker of workers) await until('Online', () => isOnline(worker, node));
    }
    await checkAll(devices, there);
  });

  void test('a node is killed under an open stream: another resumes it, and no change is missed', async () => {
    const third = await startNode();
    const stream = await TestStream.open(third);
    const first = await there.fleet.device();
    const seen = await stream.naming(first.id);
    const creating = Promise.all(Array.from({ length: 20 }, () => there.fleet.device()));
    await third.process.end('SIGKILL');
    await stream.over();
    seen.push(...stream.events);
    const devices = [first, ...(await creating), await there.fleet.device()];

    const resumed = await TestStream.open(there, { 'Last-Event-ID': seen.at(-1)?.id ?? '' });
    await until('all devices to be named', () => {
      const named = new Set([...seen, ...resumed.events].flatMap(({ data }) => idsIn(data['Devices'])));
      return devices.every(({ id }) => named.has(id));
    });
    assert.ok(resumed.events.every(({ event }) => event === 'change'));
    resumed.close();
  });

  void test('a node is killed under load: the other leads, and has its agents', async () => {
    const { id, key } = await here.fleet.device();
    const agent = await FakeAgent.connect(here.url, key);
    await agent.receive('welcome');
    const load = startLoad();
    await load.goesOn(3);
    await here.process.end('SIGKILL');
    await load.goesOn(6);
    const { devices, refused } = await load.end();
    assert.ok(refused > 0, 'the kill was noticed');
    await until('Offline', async () => (await there.fleet.status(id)) === 'Offline');
    await until('the other node to lead', async () => {
      const [leader] = await query<{ url: string }>('SELECT url FROM leases JOIN nodes ON nodes.id = leases.node');
      return leader?.url === there.url;
    });
    for (const worker of workers) await until('Online', () => isOnline(worker, there));
    await checkAll(devices, there);
  });
}
