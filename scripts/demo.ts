// `npm run demo`: a service with a fleet of 240 devices around the world, and the month that it has behind it. From then on
// everything is real but the hardware: each device has an agent with its own connection, and its jobs run in a shell on this
// machine, in temporary folders.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgent, type Agent } from '../agent/agent.ts';
import { ConfigError } from '../server/config-error.ts';
import { logWarningsOnly } from '../server/operation/log.ts';
import { startService } from '../server/service.ts';
import { asPerson } from './demo/client.ts';
import type { DemoDevice } from './demo/fleet.ts';
import { PASSWORD, PEOPLE } from './demo/month.ts';
import { seedMonth } from './demo/seed.ts';
import { COMMANDS, FIRMWARE } from './demo/software.ts';
import { openPages } from './demo/pages.ts';
import { buildIfStale } from './dist.ts';

const DEVICES = 240;
/** Every this many milliseconds a device connects or disconnects. */
const CHANGE = 15_000;

const folder = mkdtempSync(path.join(tmpdir(), 'muster-demo-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Ends what runs by then. */
let close = async () => {};
let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  await close();
  removeFolder();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());

try {
  await buildIfStale();
  await run();
} catch (cause) {
  removeFolder();
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  logWarningsOnly();
  const env = {
    TUNNEL_PORT: '0',
    // The receivers of its alerts are on this machine.
    ALERT_PRIVATE_TARGETS: '1',
    ...process.env,
    DATA_DIR: path.join(folder, 'data'),
  };
  console.log(`A fleet of ${DEVICES} devices lives through its last 30 days …`);
  const seeded = await seedMonth({ env, devices: DEVICES, scripts: path.join(folder, 'scripts') });
  const { devices, token } = seeded;

  const service = await startService(env);
  const { call, send } = asPerson(
    { address: service.url, origin: service.url, now: Date.now },
    { Email: PEOPLE.mara.Email, Password: PASSWORD },
  );
  const agents = new Map<DemoDevice, Agent>();
  const pages = await openPages(devices);
  const connect = (device: DemoDevice) => {
    const { id, key, name: hostname } = device;
    // Not installed, so that the dashboard says why they are not updated.
    const installed = { program: import.meta.filename, install: undefined };
    const data = path.join(folder, 'agents', id);
    agents.set(device, startAgent({ server: service.url, key, data, hostname, installed, ...pages.of(device) }));
  };
  devices.filter(seeded.isOnline).forEach(connect);
  const away = devices.length - agents.size;

  // What happens while one looks: a rollout that passes from wave to wave, and jobs that may fail.
  await send('POST', '/v1/rollout', {
    Name: 'Firmware 2.4.0 for the gateways',
    DeviceGroup: 'gateways',
    ArtifactId: seeded.programs.get(FIRMWARE['2.4.0']),
    Waves: [{ Percent: 10 }, { Percent: 50 }, { Percent: 100 }],
    Gate: { SuccessPercent: 50, OnlineMinutes: 3, TimeoutMinutes: 120 },
    PauseAfter: { FailedPercent: 60 },
    Advance: 'auto',
    IncludeNew: true,
  });
  const workflows = await call<{ WorkflowId: string; Name: string }[]>('GET', '/v1/workflow');
  const WorkflowId = workflows.find(({ Name }) => Name === COMMANDS.checkDisk.name)?.WorkflowId;
  for (const { id, name } of devices.filter(seeded.isOnline).slice(0, 3))
    await send('POST', '/v1/job', { Name: `Disk of ${name}`, DeviceId: id, WorkflowId });

  console.log(`Muster's demo is running at ${service.url}\nSign in: ${service.signinLink}\nToken:   ${token}`);
  const people = Object.values(PEOPLE).map(({ Email, Role }) => `${Email} (${Role})`);
  console.log(`People:  ${people.join(', ')}, all with the password "${PASSWORD}"`);
  console.log('All of it is removed when you stop it with Ctrl-C.');

  const change = setInterval(() => {
    const offline = devices.filter((device) => !agents.has(device));
    const back = offline.length > away;
    const pool = back ? offline : [...agents.keys()];
    const device = pool[Math.floor(Math.random() * pool.length)];
    if (!device) return;
    if (back) return connect(device);
    void agents.get(device)?.stop();
    agents.delete(device);
  }, CHANGE);

  close = async () => {
    clearInterval(change);
    await Promise.all([...agents.values()].map((agent) => agent.stop()));
    await service.close();
  };
}
