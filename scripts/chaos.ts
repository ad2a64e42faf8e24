// `npm run chaos`: a real service and real agents under all kinds of faults, and writers that remember everything that
// was acknowledged. At the end all of it must exist, and every job must have run once, in order, with all its output.
// The last lines are the counts. The run is limited in time; the same --seed gives the same faults.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Device, temporaryFolder } from './chaos/devices.ts';
import { alerts } from './chaos/alerts.ts';
import { checkAudit } from './chaos/audit-chain.ts';
import { bulkWork } from './chaos/bulk.ts';
import { faults, kindsFor, type Target } from './chaos/faults.ts';
import { followers } from './chaos/followers.ts';
import { outputs } from './chaos/outputs.ts';
import { rollouts } from './chaos/rollouts.ts';
import { FLEET, readJobs, type Run, type Scenario } from './chaos/scenario.ts';
import { standingOrders } from './chaos/standing-orders.ts';
import { stops } from './chaos/stops.ts';
import { openedTunnels } from './chaos/opened-tunnels.ts';
import { LocalServer, tunnels } from './chaos/tunnels.ts';
import { openRelay } from './chaos/relay.ts';
import { hasEngines, installEngines } from './engines/install.ts';
import { DURABLE, startPostgres } from './engines/postgres-server.ts';
import { FaultyService } from './chaos/service-process.ts';
import { mountSmallDisk } from './chaos/small-disk.ts';
import { drain, verify, type Check } from './chaos/verify.ts';
import { freePort } from './test-process.ts';
import { Client, newLedger, scriptForm, submitJobs, writeArtifacts, writeDevices } from './chaos/writer.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    nodes: { type: 'string' },
  },
});
const seconds = Number(values.seconds ?? (values.short ? 30 : 600));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
/** Nodes on one PostgreSQL, instead of a service with an embedded database. */
const nodes = Number(values.nodes ?? 0);
/** Devices that run jobs in order, and those of the scenarios. */
const DEVICES = values.short ? 3 : 6;
const FLEET_DEVICES = values.short ? 2 : 4;
/** Unfinished jobs that a device may have. */
const AHEAD = 3;
const LINES = 400;
const COMMAND = `echo "$MUSTER_JOB_ID" >> "$EFFECTS"; seq 1 ${LINES}; sleep 0.2; echo end`;
const STDOUT = `${Array.from({ length: LINES }, (_, n) => n + 1).join('\n')}\nend\n`;

if (nodes > 0 && !hasEngines()) {
  process.stdout.write(
    'Left out, because there is no PostgreSQL for this system in scripts/engines: chaos of nodes.\n',
  );
  process.exit();
}

/** mulberry32: small, and the same on every machine. */
function randomFrom(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const { folder, remove } = await temporaryFolder();
const dataDir = path.join(folder, 'service');
const random = randomFrom(seed);
const disk = nodes > 0 ? undefined : mountSmallDisk(dataDir);
if (nodes > 0) installEngines();
const postgres = nodes > 0 ? await startPostgres({ ...DURABLE, shared_buffers: '128MB' }) : undefined;
const forEachNode = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: Math.max(1, nodes) }, make));
const ports = await forEachNode(freePort);
const tunnelPorts = await forEachNode(freePort);
const relay = await openRelay(ports);
const databaseRelays = postgres ? await forEachNode(() => openRelay([Number(new URL(postgres.url).port)])) : [];
const randomSecret = randomBytes(32).toString('base64url');
const token = randomBytes(24).toString('base64url');
const services = ports.map(
  (port, index) =>
    new FaultyService(port, {
      DATA_DIR: dataDir,
      AUTH_TOKEN: token,
      PUBLIC_URL: relay.url,
      TUNNEL_PORT: String(tunnelPorts[index]),
      ALERT_PRIVATE_TARGETS: '1',
      ...(postgres && { DATABASE_URL: databaseUrl(index), CLUSTER_SECRET: randomSecret }),
    }),
);

/** PostgreSQL as one of the nodes reaches it. */
function databaseUrl(index: number): string {
  const url = new URL(postgres?.url ?? '');
  url.port = new URL(databaseRelays[index]?.url ?? '').port;
  return url.href;
}

const ledger = newLedger();
const begun = performance.now();
const isOver = () => performance.now() - begun > seconds * 1000;
const client = new Client(relay.url, token, ledger, isOver);
const devices: Device[] = [];
const fleet: Device[] = [];
let scenarios: Scenario[] = [];
const counts = new Map<string, number>();
process.stdout.write(`Chaos for ${seconds} s, --seed ${seed}${nodes > 0 ? `, --nodes ${nodes}` : ''}\n`);
if (!disk && !postgres)
  process.stdout.write('The full disk is left out: no right to mount a small file system (run as root on Linux).\n');

let checks: Check[];
try {
  for (const service of services) await service.start();
  const newDevice = async (name: string, group: string) => {
    const made = await client.write('POST', '/v1/devices', { DeviceName: name, DeviceGroup: group });
    if (!made) throw new Error('The run was over before its devices were created.');
    const { DeviceId: id, DeviceKey: key } = (await made.json()) as { DeviceId: string; DeviceKey: string };
    return { id, key, server: relay.url, folder };
  };
  for (let n = 0; n < DEVICES; n += 1) devices.push(new Device(await newDevice(`agent-${n}`, 'agents')));
  const log = path.join(folder, 'fleet-log');
  const servers: LocalServer[] = [];
  const served: string[] = [];
  for (let n = 0; n < FLEET_DEVICES; n += 1) {
    const server = new LocalServer(`server ${n}`);
    const tunnel = await server.start();
    const options = { tunnel, env: { FLEET_LOG: log } };
    servers.push(server);
    served.push(tunnel);
    fleet.push(new Device({ ...(await newDevice(`fleet-${n}`, FLEET)), ...options }));
  }
  for (const device of [...devices, ...fleet]) device.start();
  const cookie = await signIn();
  const workflow = await client.write('POST', '/v1/workflow', { Name: 'chaos', Command: COMMAND });
  const script = scriptForm('chaos-job.sh', `#!/bin/sh\n${COMMAND}\n`, path.join(folder, 'scripts'));
  const artifact = await client.write('POST', '/v1/artifact', script);
  const bodies = [await workflow?.json(), await artifact?.json()].map((made) => {
    const { WorkflowId, ArtifactId } = made as { WorkflowId?: string; ArtifactId?: string };
    return ArtifactId === undefined ? { WorkflowId } : { ArtifactId };
  });

  const run: Run = { client, urls: services.map(({ url }) => url), token, isOver, random: Math.random, fleet, log };
  scenarios = [
    rollouts(run),
    standingOrders(run, path.join(folder, 'scripts')),
    bulkWork(run),
    stops(run),
    outputs(run),
    alerts(run),
    tunnels(run, tunnelPorts, servers),
    openedTunnels(run, tunnelPorts, servers, served),
    followers(run, ledger),
  ];
  const writers = [
    ...scenarios.map(({ write }) => write()),
    writeDevices(client, ledger, isOver),
    writeDevices(client, ledger, isOver),
    writeArtifacts(client, ledger, isOver),
    ...devices.map(({ id, effects }) => {
      const done = () => (existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').length - 1 : 0);
      const mayGoOn = (submitted: number) => submitted - done() < AHEAD;
      return submitJobs(client, ledger, { deviceId: id, bodies, mayGoOn, isOver });
    }),
  ];
  const { key } = await newDevice('another version', 'agents');
  const target: Target = {
    services,
    postgres,
    relay,
    databaseRelays,
    disk,
    devices: [...devices, ...fleet],
    refused: { key },
    client,
    random,
    wrong: [],
    isShort: values.short,
  };
  await Promise.all([Promise.all(writers), harm(target)]);

  await Promise.all(scenarios.map(async ({ settle }) => settle?.()));
  await drain(client);
  const jobs = await readJobs(client);
  const stillIn = await fetch(`${relay.url}/auth/session`, { headers: { cookie } });
  checks = [
    ...(await verify(client, ledger, jobs, {
      stdout: STDOUT,
      effects: new Map([...devices, ...fleet].map(({ id, effects }) => [id, effects])),
      powerCuts: counts.get('power cut of a device') ?? 0,
      // The clocks of nodes differ while one of them is wrong: what one has started, another may have ended.
      longestMs: nodes > 0 ? Number.NaN : performance.now() - begun,
    })),
    ...(await Promise.all(scenarios.map(async ({ check }) => check(jobs)))).flat(),
    ...(await checkAudit(client, ledger, services[0]?.env ?? {})),
    {
      what: 'who signed in at the start is still signed in',
      looked: 1,
      wrong: ((await stillIn.json()) as { SignedIn: boolean }).SignedIn ? [] : ['signed out'],
    },
    {
      what: 'the service was killed',
      looked: counts.get('kill -9 of the service') ?? 0,
      wrong: counts.has('kill -9 of the service') ? [] : ['never'],
    },
    { what: 'the faults themselves were met as they should be', looked: total(counts), wrong: target.wrong },
    {
      what: 'the service printed no stack trace',
      looked: total(counts),
      wrong: services.flatMap(({ traces }) => traces),
    },
  ];
} finally {
  await Promise.all([...devices, ...fleet].map((device) => device.cutPower()));
  await Promise.all(scenarios.map(async ({ close }) => close?.()));
  await Promise.all(services.map((service) => service.end('SIGKILL')));
  await Promise.all(databaseRelays.map((each) => each.close()));
  await postgres?.remove();
  await relay.close();
  disk?.unmount();
  await remove();
}
report(checks);

/** One fault after the other until time is up; the seed decides the order. */
async function harm(target: Target): Promise<void> {
  const kinds = kindsFor(target);
  const inAnyOrder = () => kinds.toSorted(() => target.random() - 0.5);
  // First, so that the shortest run has them.
  const kills = kinds.filter((kind) => kind.startsWith('kill -9'));
  for (let round = [...kills, ...inAnyOrder()]; !isOver(); round = inAnyOrder())
    for (const kind of round) {
      if (isOver()) return;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      await faults[kind](target);
      await sleep(300 + target.random() * 1_500);
    }
}

/** Signs a browser in; returns its cookie. */
async function signIn(): Promise<string> {
  const answer = await fetch(`${relay.url}/auth/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: relay.url },
    body: JSON.stringify({ Token: token }),
  });
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

function total(of: Map<string, number>): number {
  return [...of.values()].reduce((sum, count) => sum + count, 0);
}

function report(done: Check[]): void {
  for (const { what, looked, wrong } of done) {
    process.stdout.write(`${wrong.length === 0 ? '✔' : '✖'} ${what} (${wrong.length} wrong of ${looked})\n`);
    for (const line of wrong.slice(0, 10)) process.stdout.write(`    ${line.slice(0, 400)}\n`);
  }
  const failed = done.filter(({ wrong }) => wrong.length > 0).length;
  const list = [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
  process.stdout.write(
    `\nFaults: ${list}\n` +
      `Acknowledged: ${ledger.writes} writes, of which ${ledger.devices.size + ledger.deletedDevices.size} devices, ` +
      `${ledger.artifacts.size + ledger.deletedArtifacts.size} artifacts, ${ledger.jobs.length} jobs; ${ledger.repeats} sent again\n` +
      `${done.length - failed} passed, ${failed} failed\n`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
