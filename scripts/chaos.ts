// `npm run chaos`: a real service and real agents under all kinds of faults, and writers that remember everything that
// was acknowledged. At the end all of it must exist, and every job must have run once, in order, with all its output.
// The last lines are the counts. The run is limited in time; the same --seed gives the same faults.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../server/test-agents.ts';
import { Device, temporaryFolder } from './chaos/devices.ts';
import { faults, kindsFor, type Target } from './chaos/faults.ts';
import { openRelay } from './chaos/relay.ts';
import { startPostgres } from './engines/postgres-server.ts';
import { ServiceProcess } from './chaos/service-process.ts';
import { mountSmallDisk } from './chaos/small-disk.ts';
import { drain, verify, type Check } from './chaos/verify.ts';
import { Client, newLedger, scriptForm, submitJobs, writeArtifacts, writeDevices } from './chaos/writer.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    nodes: { type: 'string' },
  },
});
const seconds = Number(values.seconds ?? (values.short ? 45 : 600));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
/** Nodes on one PostgreSQL, instead of a service with an embedded database. */
const nodes = Number(values.nodes ?? 0);
const DEVICES = values.short ? 3 : 6;
/** Unfinished jobs that a device may have. */
const AHEAD = 3;
const LINES = 400;
const COMMAND = `echo "$MUSTER_JOB_ID" >> "$EFFECTS"; seq 1 ${LINES}; sleep 0.2; echo end`;
const STDOUT = `${Array.from({ length: LINES }, (_, n) => n + 1).join('\n')}\nend\n`;

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
const postgres = nodes > 0 ? await startPostgres() : undefined;
const ports = await Promise.all(Array.from({ length: Math.max(1, nodes) }, freePort));
const relay = await openRelay(ports);
const randomSecret = randomBytes(32).toString('base64url');
const token = randomBytes(24).toString('base64url');
const services = ports.map(
  (port) =>
    new ServiceProcess(port, {
      DATA_DIR: dataDir,
      AUTH_TOKEN: token,
      PUBLIC_URL: relay.url,
      ...(postgres && { DATABASE_URL: postgres.url, CLUSTER_SECRET: randomSecret }),
    }),
);
const ledger = newLedger();
const begun = performance.now();
const isOver = () => performance.now() - begun > seconds * 1000;
const client = new Client(relay.url, token, ledger, isOver);
const devices: Device[] = [];
const counts = new Map<string, number>();
process.stdout.write(`Chaos for ${seconds} s, --seed ${seed}${nodes > 0 ? `, --nodes ${nodes}` : ''}\n`);
if (!disk && !postgres)
  process.stdout.write('The full disk is left out: no right to mount a small file system (run as root on Linux).\n');

let checks: Check[];
try {
  for (const service of services) await service.start();
  const newDevice = async (name: string) => {
    const made = await client.write('POST', '/v1/devices', { DeviceName: name, DeviceGroup: 'agents' });
    return (await made?.json()) as { DeviceId: string; DeviceKey: string };
  };
  for (let n = 0; n < DEVICES; n += 1) {
    const { DeviceId: id, DeviceKey: key } = await newDevice(`agent-${n}`);
    devices.push(new Device({ id, key, server: relay.url, folder }));
    devices.at(-1)?.start();
  }
  const cookie = await signIn();
  const workflow = await client.write('POST', '/v1/workflow', { Name: 'chaos', Command: COMMAND });
  const script = scriptForm('chaos-job.sh', `#!/bin/sh\n${COMMAND}\n`, path.join(folder, 'scripts'));
  const artifact = await client.write('POST', '/v1/artifact', script);
  const bodies = [await workflow?.json(), await artifact?.json()].map((made) => {
    const { WorkflowId, ArtifactId } = made as { WorkflowId?: string; ArtifactId?: string };
    return ArtifactId === undefined ? { WorkflowId } : { ArtifactId };
  });

  const writers = [
    writeDevices(client, ledger, isOver),
    writeDevices(client, ledger, isOver),
    writeArtifacts(client, ledger, isOver),
    ...devices.map(({ id, effects }) => {
      const done = () => (existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').length - 1 : 0);
      const mayGoOn = (submitted: number) => submitted - done() < AHEAD;
      return submitJobs(client, ledger, { deviceId: id, bodies, mayGoOn, isOver });
    }),
  ];
  const refused = { key: (await newDevice('another version')).DeviceKey };
  const target: Target = { services, postgres, relay, disk, devices, refused, client, random, wrong: [] };
  await Promise.all([Promise.all(writers), harm(target)]);

  const jobs = await drain(client);
  const stillIn = await fetch(`${relay.url}/auth/session`, { headers: { cookie } });
  checks = [
    ...(await verify(client, ledger, jobs, {
      stdout: STDOUT,
      effectsOf: (id) => devices.find((device) => device.id === id)?.effects ?? '',
      powerCuts: counts.get('power cut of a device') ?? 0,
      longestMs: performance.now() - begun,
    })),
    {
      what: 'who signed in at the start is still signed in',
      looked: 1,
      wrong: ((await stillIn.json()) as { SignedIn: boolean }).SignedIn ? [] : ['signed out'],
    },
    { what: 'the faults themselves were met as they should be', looked: total(counts), wrong: target.wrong },
    {
      what: 'the service printed no stack trace',
      looked: total(counts),
      wrong: services.flatMap(({ traces }) => traces),
    },
  ];
} finally {
  await Promise.all(devices.map((device) => device.cutPower()));
  await Promise.all(services.map((service) => service.end('SIGKILL')));
  await postgres?.remove();
  await relay.close();
  disk?.unmount();
  await remove();
}
report(checks);

/** One fault after the other until time is up; the seed decides the order, and every kind occurs. */
async function harm(target: Target): Promise<void> {
  const kinds = kindsFor(target);
  while (!isOver())
    for (const kind of kinds.toSorted(() => target.random() - 0.5)) {
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
