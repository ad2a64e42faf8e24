// `npm run demo`: a service with a fleet of 240 devices around the world. Everything is real but the hardware: each
// device has an agent with its own connection, and its jobs run in a shell on this machine, in temporary folders.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgent, type Agent } from '../agent/agent.ts';
import { readTunnels, type TunnelOption } from '../agent/tunnel-options.ts';
import { ConfigError } from '../server/config-error.ts';
import { startService } from '../server/service.ts';
import { addAlerts } from './demo/alerts.ts';
import { CITIES, CUSTOMERS, KINDS } from './demo/places.ts';
import { buildIfStale } from './dist.ts';

const DEVICES = 240;
/** Every this many milliseconds a device connects or disconnects. */
const CHANGE = 4_000;
/** About this share of the fleet is Offline at any time. */
const AWAY = 0.12;

/** Tags; every n-th device has one. */
const TAGS: [tag: string, every: number][] = [
  ['outdoor', 4],
  ['pilot', 15],
];

const REPORT = `#!/bin/sh
# Tells about the machine; harmless and quick.
echo "host: $(uname -n)"
echo "kernel: $(uname -sr)"
echo "disk:"
df -h / | tail -n 1
`;

/** A realistic update: most succeed, some fail, and one that rolled back still exits with 0. */
const updateTo = (version: string) => `#!/bin/sh
number=$(printf %s "$MUSTER_JOB_ID" | cksum | cut -d ' ' -f 1)
echo "Checking free space: $((number % 700 + 200)) MB"
sleep "$((number % 3)).$((number % 10))"
if [ $((number % 11)) -eq 0 ]; then
  echo "write /var/lib/firmware/part-$((number % 40)).img: No space left on device" >&2
  exit 28
fi
echo "Installing firmware ${version}"
sleep 1
if [ $((number % 13)) -eq 1 ]; then
  echo "self test $((number % 5)): sensor bus answered 0x$(printf %02x $((number % 256)))" >&2
  echo "starting the previous version"
  printf '\\033[33mrolled back\\033[0m, running the previous version\\n'
  exit 0
fi
if [ $((number % 17)) -eq 2 ]; then
  echo "connect to registry.local:$((5000 + number % 9)): timed out after $((number % 20 + 10)) s" >&2
  exit 1
fi
printf '\\033[32mDone\\033[0m, running ${version}\\n'
`;

interface DemoDevice {
  id: string;
  key: string;
  data: string;
  name: string;
  tunnels: TunnelOption[];
  agent: Agent | undefined;
}

const folder = mkdtempSync(path.join(tmpdir(), 'muster-demo-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** A page in the device's own network, and the tunnels to it: open, with a login, as a TCP port. */
async function tunnelsTo(name: string, index: number): Promise<TunnelOption[]> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(
      `<!doctype html><title>${name}</title><h1>${name}</h1><p>All is well here at ${new Date().toISOString()}.`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = readTunnels([`http://${at}`], undefined);
  if (index % 3 === 0) return [...http, ...readTunnels([`tcp://${at}`], undefined)];
  return http.map((tunnel) => (index % 3 === 1 ? { ...tunnel, login: 'demo:demo' } : tunnel));
}

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
  const service = await startService({
    TUNNEL_PORT: '0',
    // The receivers of its alerts are on this machine.
    ALERT_PRIVATE_TARGETS: '1',
    ...process.env,
    DATA_DIR: path.join(folder, 'data'),
  });
  const { token } = service;
  if (!token) throw new Error('A new service always has a token.');

  const call = async <Answer>(method: string, at: string, body?: string | FormData, type?: string): Promise<Answer> => {
    const response = await fetch(service.url + at, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(type ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as Answer;
  };
  const send = <Answer>(method: string, at: string, body: object) =>
    call<Answer>(method, at, JSON.stringify(body), 'application/json');

  const upload = async (name: string, version: string, text: string): Promise<string> => {
    const form = new FormData();
    form.set('size', String(text.length));
    form.set('version', version);
    form.set('type', 'script');
    form.set('destination', path.join(folder, 'scripts'));
    form.set('command', `sh ./${name}`);
    form.set('file', new File([text], name));
    return (await call<{ ArtifactId: string }>('POST', '/v1/artifact', form)).ArtifactId;
  };

  const makeDevice = async (index: number): Promise<DemoDevice> => {
    const [city, lat, lng] = CITIES[index % CITIES.length] ?? ['Nowhere', 1, 1];
    const [group, kind] = KINDS[Math.floor(index / 3) % KINDS.length] ?? ['devices', 'device'];
    const plain = city
      .normalize('NFD')
      .replace(/\p{Mark}/gu, '')
      .replace(/[^a-z]+/gi, '-')
      .toLowerCase();
    const name = `${kind}-${plain}-${String(index + 1).padStart(3, '0')}`;
    const made = await send<{ DeviceId: string; DeviceKey: string }>('POST', '/v1/devices', {
      DeviceName: name,
      DeviceGroup: group,
    });
    await send('PATCH', `/v1/devices/${made.DeviceId}`, {
      CustomerName: CUSTOMERS[index % CUSTOMERS.length],
      CustomerSite: city,
    });
    // One in twelve has no location; the rest are around their city, some of them at the same spot.
    if (index % 12 !== 11) {
      const spread = index % 5 === 0 ? 0 : 1;
      const angle = index * 2.4;
      const Lat = lat + Math.sin(angle) * spread * 0.4;
      await send('POST', `/v1/devices/location/${made.DeviceId}`, { Lat, Lng: lng + Math.cos(angle) * spread * 0.6 });
    }
    return {
      id: made.DeviceId,
      key: made.DeviceKey,
      data: path.join(folder, 'agents', made.DeviceId),
      name,
      tunnels: [],
      agent: undefined,
    };
  };

  const connect = (device: DemoDevice) => {
    const { key, data, tunnels, name: hostname } = device;
    // Not installed, so that the dashboard says why they are not updated.
    const installed = { program: import.meta.filename, install: undefined };
    device.agent = startAgent({ server: service.url, key, data, tunnels, hostname, installed });
  };

  console.log(`A fleet of ${DEVICES} devices is coming up …`);
  const devices: DemoDevice[] = [];
  for (let start = 0; start < DEVICES; start += 16)
    devices.push(
      ...(await Promise.all(Array.from({ length: Math.min(16, DEVICES - start) }, (_, i) => makeDevice(start + i)))),
    );
  for (const [tag, every] of TAGS) {
    await call('POST', `/v1/tag/${tag}`);
    const known = await call<{ TagId: string; TagName: string }[]>('GET', '/v1/tag');
    const id = known.find(({ TagName }) => TagName === tag)?.TagId;
    for (const { id: device } of devices.filter((_, index) => index % every === 0))
      await call('POST', `/v1/devices/${device}/tag/${id}`);
  }
  for (const [index, device] of devices.entries())
    if (index % 40 === 6) device.tunnels = await tunnelsTo(device.name, index);
  devices.filter((_, index) => index % 9 !== 4).forEach(connect);
  await addAlerts(send);

  const report = await upload('report.sh', '1.0.0', REPORT);
  const updates: [version: string, ArtifactId: string][] = [];
  for (const version of ['2.2.0', '2.3.0', '2.4.0'])
    updates.push([version, await upload('update-firmware.sh', version, updateTo(version))]);
  await send('POST', '/v1/job', { Name: 'Report of the gateways', DeviceGroup: 'gateways', ArtifactId: report });
  // Two in a row: on an Offline camera, the second makes the first one stale while both wait.
  for (const [version, ArtifactId] of updates.slice(-2))
    await send('POST', '/v1/job', { Name: `Firmware ${version} for the cameras`, DeviceGroup: 'cameras', ArtifactId });
  const { WorkflowId } = await send<{ WorkflowId: string }>('POST', '/v1/workflow', {
    Name: 'Check the disk',
    Command: 'echo "self test of the disk: 14 pending sectors" >&2; exit 1',
  });
  for (const { id, name } of devices.slice(0, 2))
    await send('POST', '/v1/job', { Name: `Disk of ${name}`, DeviceId: id, WorkflowId });

  // One that passes, one that stops by itself when devices fail, and one that waits for its devices to stay Online.
  const versionOf = (wanted: string) => updates.find(([version]) => version === wanted)?.[1];
  const rollOut = (Name: string, DeviceGroup: string, more: object) =>
    send('POST', '/v1/rollout', { Name, DeviceGroup, Advance: 'auto', IncludeNew: true, ...more });
  await rollOut('Report of the kiosks', 'kiosks', {
    ArtifactId: report,
    Waves: [{ Count: 2 }, { Percent: 100 }],
    Gate: { SuccessPercent: 70, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedPercent: 20 },
  });
  await rollOut('Firmware 2.4.0 for the sensors', 'sensors', {
    ArtifactId: versionOf('2.4.0'),
    Waves: [{ Percent: 5 }, { Percent: 20 }, { Percent: 60 }, { Percent: 100 }],
    Gate: { SuccessPercent: 60, OnlineMinutes: 0, TimeoutMinutes: 120 },
    PauseAfter: { FailedCount: 0 },
  });
  await rollOut('Firmware 2.3.0 for the gateways', 'gateways', {
    ArtifactId: versionOf('2.3.0'),
    Waves: [{ Percent: 10 }, { Percent: 50 }, { Percent: 100 }],
    Gate: { SuccessPercent: 50, OnlineMinutes: 3, TimeoutMinutes: 120 },
    PauseAfter: { FailedPercent: 60 },
  });

  console.log(`Muster's demo is running at ${service.url}\nSign in: ${service.signinLink}\nToken:   ${token}`);
  console.log('All of it is removed when you stop it with Ctrl-C.');

  const change = setInterval(() => {
    const away = devices.filter(({ agent }) => !agent);
    const back = away.length > devices.length * AWAY;
    const pool = back ? away : devices.filter(({ agent }) => agent);
    const device = pool[Math.floor(Math.random() * pool.length)];
    if (!device) return;
    if (back) return connect(device);
    void device.agent?.stop();
    device.agent = undefined;
  }, CHANGE);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    clearInterval(change);
    await Promise.all(devices.flatMap(({ agent }) => agent?.stop() ?? []));
    await service.close();
    removeFolder();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
}
