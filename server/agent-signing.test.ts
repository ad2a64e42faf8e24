// Signed updates, with a real service and agents that install.sh has installed.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Account } from '#/contract/account.ts';
import { runtimeName } from '#/contract/agent-link.ts';
import type { Device } from '#/contract/devices.ts';
import { FakeAgent, scratch } from './test-agents.ts';
import { freePort, TestProcess, until as waitUntil } from '../scripts/test-process.ts';
import { makeBackup } from './backup/make-backup.ts';
import { readPlaces } from './backup/places.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { askToUpdate } from './store/devices.ts';
import { startTestService } from './test-service.ts';
import type { TestService } from './test-service.ts';

/** Programs start one after the other: on a busy machine that takes long. */
const until = <T>(what: string, probe: () => Promise<T | undefined | false> | T | undefined | false) =>
  waitUntil(what, probe, 60_000);
const at = scratch();
const program = path.join(at.folder, 'published.mjs');
const main = pathToFileURL(path.join(import.meta.dirname, '../agent/main.ts')).href;
const runtimesFolder = path.join(at.folder, 'runtimes');
let builds = 0;
/** Publishes a build of the agent that no other test has; returns its text. */
function publish(text = `#!/usr/bin/env node\n// build ${(builds += 1)}\nimport '${main}';\n`): string {
  writeFileSync(program, text);
  return text;
}
const start = async (env: Record<string, string> = {}, dataDir?: string) =>
  startTestService({ PORT: String(await freePort()), ...env }, dataDir, undefined, {
    agentFile: program,
    runtimesFolder,
  });
publish();
const service = await start();
const installed: string[] = [];
const services: TestService[] = [];
after(async () => {
  for (const folder of installed) await sh('sh "$CONTROL" remove >&2', { CONTROL: `${folder}/muster-agent` });
  for (const other of services) await other.end();
  await service.end();
  at.remove();
});
beforeEach(() => void publish());

async function sh(line: string, env: Record<string, string>): Promise<void> {
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH']}`;
  const ran = new TestProcess(['-c', line], { command: '/bin/sh', env: { PATH, HOME: at.folder, ...env } });
  assert.equal(await ran.ended, 0, `${line}\n${ran.printed}`);
}

const answer = async <T>(from: TestService, method: string, where: string, body?: unknown) =>
  (await (await from.call(method, where, body)).json()) as T;
const published = (from = service) =>
  answer<{ Version: string; Sequence: number; PublicKey: string }>(from, 'GET', '/v1/agent');

/** A device whose agent runs as on a machine of its own. */
async function install(from = service, url = from.url, options = '') {
  const { DeviceId, DeviceKey } = await answer<{ DeviceId: string; DeviceKey: string }>(from, 'POST', '/v1/devices', {
    DeviceName: `device ${installed.length}`,
    DeviceGroup: '',
  });
  const base = path.join(at.folder, DeviceId);
  const line = `curl -fsSL ${url}/install.sh | sh -s -- --server ${url} --no-systemd --no-cron ${options} >&2`;
  await sh(line, { DEVICE_KEY: DeviceKey, MUSTER_HOME: base });
  const folder = path.join(base, readdirSync(base)[0] ?? '');
  installed.push(folder);
  const read = async (): Promise<Device> => {
    const [device] = await answer<Device[]>(from, 'GET', `/v1/devices/1/5/filters?device_id=${DeviceId}`);
    assert.ok(device);
    return device;
  };
  const order = async (action: string, body?: unknown) => {
    const response = await from.call('POST', `/v1/device/${DeviceId}/${action}`, body);
    const text = await response.text();
    return { status: response.status, ...(text ? (JSON.parse(text) as { title: string; detail: string }) : {}) };
  };
  const device = {
    folder,
    read,
    update: () => order('update-agent'),
    downgrade: (Sequence: number) => order('downgrade-agent', { Sequence }),
    control: (verb: string) => sh(`sh "$CONTROL" ${verb} >&2`, { CONTROL: `${folder}/muster-agent` }),
    runs: () => readFileSync(path.join(folder, 'agent.mjs'), 'utf8'),
    trustFile: path.join(folder, 'data/trust.json'),
    trust: () =>
      JSON.parse(readFileSync(path.join(folder, 'data/trust.json'), 'utf8')) as { Key: string; Sequence: number },
    is: (state: string) =>
      until(`the agent to be ${state}`, async () => {
        const found = await read();
        return found.AgentUpdate === state && found.DeviceStatus === 'Online' && found;
      }),
    settled: () => until('the end of its trial', () => !existsSync(path.join(folder, 'trial'))),
  };
  await device.is('Current');
  return device;
}

test('an update raises the Sequence; an older program comes only by an order that names it, or by hand', async () => {
  const first = publish();
  const device = await install();
  const { Sequence: old, PublicKey } = await published();
  assert.deepEqual(device.trust(), { Key: PublicKey, Sequence: old });
  const second = publish();
  assert.equal((await device.update()).status, 200);
  await until('the new program', () => device.runs() === second);
  await device.is('Current');
  await device.settled();
  const { Sequence: newer } = await published();
  assert.ok(newer > old);
  assert.deepEqual(device.trust(), { Key: PublicKey, Sequence: newer });

  // The service is set back to the build before.
  publish(first);
  assert.equal((await published()).Sequence, old, 'the build has the number that it had');
  const refused = await device.update();
  assert.equal(refused.status, 409);
  assert.match(refused.title ?? '', /has run a newer program than this service publishes/);
  assert.ok(refused.detail?.includes(`{"Sequence": ${old}}`), refused.detail);
  await device.control('restart');
  await device.is('Newer');
  assert.equal((await device.downgrade(newer)).status, 409);
  assert.equal(device.runs(), second);
  assert.equal((await device.downgrade(old)).status, 200);
  await until('the old program', () => device.runs() === first);
  await device.is('Current');
  await device.settled();
  assert.equal(device.trust().Sequence, old);
  const noted = await service.context.db.get<{ count: number }>(
    "SELECT count(*) AS count FROM audit WHERE action = 'device.downgrade-agent'",
  );
  assert.equal(noted?.count, 1);

  // Forward again, and back on the device.
  publish(second);
  assert.equal((await device.update()).status, 200);
  await until('the new program', () => device.runs() === second);
  await device.is('Current');
  await device.settled();
  assert.equal(device.trust().Sequence, newer);
  await device.control('back');
  assert.deepEqual([device.runs(), device.trust().Sequence], [first, old]);
  await device.is('Available');
});

test('a forged or repeated update is refused by the device, which says so on its page', async () => {
  const text = publish();
  const device = await install();
  const { signer } = service.context;
  const { signed: original } = signer;
  const before = await original();
  publish();
  const fresh = await original();
  const told = async (what: RegExp) =>
    until(`"${what}"`, async () => {
      const { AgentProblem, AgentProblemText = '' } = await device.read();
      return AgentProblem === 'UpdateFailed' && what.test(AgentProblemText);
    });
  // What is signed is another Sequence than what is sent.
  const { statement, signature } = fresh.signed;
  const raised = statement.replace(/"Sequence":\d+/, '"Sequence":9999999999');
  signer.signed = () => Promise.resolve({ ...fresh, signed: { statement: raised, signature } });
  assert.equal((await device.update()).status, 200);
  await told(/refused: it is not signed with the key that this device trusts/);
  signer.signed = original;

  assert.equal((await device.update()).status, 200);
  await until('the new program', () => device.runs() !== text);
  await device.is('Current');
  await device.settled();
  publish(text);
  signer.signed = () => Promise.resolve({ ...before, sequence: fresh.sequence + 1 });
  assert.equal((await device.update()).status, 200);
  await told(/refused: its Sequence \d+ is older than \d+, which ran here already/);
  signer.signed = original;
  assert.notEqual(device.runs(), text);
});

test('an agent without the key learns it from a service on its own machine, and with it its own Sequence', async () => {
  const device = await install();
  const before = device.trust();
  await device.control('stop');
  rmSync(device.trustFile);
  await device.control('start');
  await until('the key', () => existsSync(device.trustFile) && device.trust().Sequence > 0);
  assert.deepEqual(device.trust(), before);
});

test('over plain http from another address no key is learned, and the device says what to do', async () => {
  const address = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (address === undefined) return;
  const outside = await start({ HOST: address });
  services.push(outside);
  const device = await install(outside, outside.url, '--insecure');
  assert.equal(device.trust().Key, (await published(outside)).PublicKey, '--insecure trusts what it installs');
  await device.control('stop');
  rmSync(device.trustFile);
  publish();
  await device.control('start');
  const { AgentProblemText } = await device.is('Unable');
  assert.match(AgentProblemText ?? '', /over plain http it cannot learn it\. Run install\.sh on the device again/);
  const refused = await device.update();
  assert.deepEqual([refused.status, refused.detail], [409, AgentProblemText]);
  assert.ok(!existsSync(device.trustFile));
});

test('a changed key reaches devices that trust the one before; those of another service are named', async () => {
  const port = String(await freePort());
  let own = await start({ PORT: port });
  const device = await install(own);
  const { PublicKey: before } = await published(own);
  const { databaseUrl } = own.context.config;
  await own.close();
  const database = databaseUrl && { DATABASE_URL: databaseUrl.href, CLUSTER_SECRET: 'x'.repeat(40) };
  const change = new TestProcess(['server/update-key.ts', 'change'], { env: { DATA_DIR: own.dataDir, ...database } });
  assert.equal(await change.ended, 0, change.printed);
  own = await start({ PORT: port }, own.dataDir);
  const { PublicKey: changed } = await published(own);
  assert.ok(change.printed.startsWith(changed));
  assert.notEqual(changed, before);
  await until('the new key', () => device.trust().Key === changed);
  const text = publish();
  assert.equal((await device.update()).status, 200);
  await until('the new program', () => device.runs() === text);
  await device.is('Current');
  await device.settled();
  const { Sequence } = device.trust();
  const foreign = (await published()).PublicKey;
  await device.control('stop');
  writeFileSync(device.trustFile, JSON.stringify({ Key: foreign, Sequence }));
  publish();
  await device.control('start');
  const { AgentProblemText } = await device.is('Unable');
  assert.match(AgentProblemText ?? '', /trusts the update key of another service\. Run install\.sh/);
  await device.control('remove');
  installed.splice(installed.indexOf(device.folder), 1);
  await own.end();
});

test('an agent of before signatures is still asked in the old way, and hears of no key', async () => {
  const { DeviceKey } = await answer<{ DeviceKey: string; DeviceId: string }>(service, 'POST', '/v1/devices', {
    DeviceName: 'old',
    DeviceGroup: '',
  });
  const old = await FakeAgent.connect(service.url, DeviceKey, { update: { build: 'd'.repeat(64), unable: '' } });
  const { device } = await old.receive('welcome');
  assert.equal((await service.call('POST', `/v1/device/${device}/update-agent`)).status, 200);
  const { sha256 } = await old.receive('update');
  assert.equal(sha256, (await answer<{ Sha256: string }>(service, 'GET', '/v1/agent')).Sha256);
  assert.ok(!old.received.some(({ type }) => type === 'signer'));
  await old.end();
});

test('an update that was asked at a node of another version does not hang', async () => {
  const made = await answer<{ DeviceKey: string; DeviceId: string }>(service, 'POST', '/v1/devices', {
    DeviceName: 'between versions',
    DeviceGroup: '',
  });
  const agent = await FakeAgent.connect(service.url, made.DeviceKey, { update: { build: 'd'.repeat(64), unable: '' } });
  await agent.receive('welcome');
  await service.context.db.write(async (tx) => {
    const row = await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', made.DeviceId);
    assert.ok(row);
    await askToUpdate(tx, row.seq, 'e'.repeat(64));
  });
  const device = await until('the reason', async () => {
    const [found] = await answer<Device[]>(service, 'GET', `/v1/devices/1/5/filters?device_id=${made.DeviceId}`);
    return found?.AgentProblem === 'UpdateFailed' && found;
  });
  assert.equal(device.AgentUpdate, 'Available');
  assert.match(device.AgentProblemText ?? '', /try again when all nodes run the same version/);
  assert.ok(!agent.received.some(({ type }) => type === 'update'));
  await agent.end();
});

test('a backup has the key and the numbers of builds', async () => {
  const own = await start();
  publish();
  const before = await published(own);
  const file = path.join(at.folder, 'backup.tar');
  await makeBackup(own.context.config, file);
  await own.end();
  const folder = path.join(at.folder, 'restored');
  await restoreBackup(readPlaces({ DATA_DIR: folder }), file);
  const restored = await start({ DATABASE_URL: '' }, folder);
  services.push(restored);
  assert.deepEqual(await published(restored), before);
});

test('the Node.js that the service has for devices is signed with the agent as it is now, and named on the account', async () => {
  const signed = async () => {
    const { statement, signature } = (await service.context.signer.signed()).signed;
    const key = createPublicKey({
      key: Buffer.from((await published()).PublicKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    assert.ok(verify(null, Buffer.from(statement), key, Buffer.from(signature, 'base64')));
    return JSON.parse(statement) as { Sequence: number; Runtimes?: unknown[] };
  };
  const platforms = async () => (await answer<Account>(service, 'GET', '/v1/account')).AgentRuntimes;
  const first = await signed();
  assert.deepEqual([first.Runtimes, await platforms()], [undefined, []]);
  mkdirSync(runtimesFolder);
  const bytes = { x64: 'for x64', arm64: 'for arm64' };
  for (const [arch, text] of Object.entries(bytes))
    writeFileSync(path.join(runtimesFolder, runtimeName('99.1.0', `linux-${arch}`)), text);
  writeFileSync(path.join(runtimesFolder, `${runtimeName('99.2.0', 'linux-x64')}.1234`), 'half of it');
  const Sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const of = (arch: 'x64' | 'arm64', text = bytes[arch]) => ({
    Platform: `linux-${arch}`,
    Version: '99.1.0',
    Sha256: Sha256(text),
    Size: text.length,
  });
  const second = await signed();
  assert.deepEqual([second.Runtimes, second.Sequence], [[of('arm64'), of('x64')], first.Sequence]);
  assert.deepEqual(await platforms(), ['linux-arm64', 'linux-x64']);
  writeFileSync(path.join(runtimesFolder, runtimeName('99.1.0', 'linux-x64')), 'packed again');
  assert.deepEqual((await signed()).Runtimes, [of('arm64'), of('x64', 'packed again')]);
});
