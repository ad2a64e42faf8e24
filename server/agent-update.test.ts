// Agents that update themselves, and agents with an incompatible link version: a real service, and an agent that
// install.sh has installed. Its program is a small wrapper of the source, so that each build is another file.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LINK_VERSION } from '#/contract/agent-link.ts';
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { FakeAgent, scratch } from './test-agents.ts';
import { TestProcess, until as waitUntil } from '../scripts/test-process.ts';
import { startTestService } from './test-service.ts';

/** Programs start one after the other: on a busy machine that takes long. */
const PATIENCE = 60_000;
const until = <T>(what: string, probe: () => Promise<T | undefined | false> | T | undefined | false) =>
  waitUntil(what, probe, PATIENCE);
const at = scratch();
const program = path.join(at.folder, 'published.mjs');
const main = pathToFileURL(path.join(import.meta.dirname, '../agent/main.ts')).href;
const publish = (build: string, text = `import '${main}';`) =>
  writeFileSync(program, `#!/usr/bin/env node\n// build ${build}\n${text}\n`);
publish('one');
const service = await startTestService({}, undefined, undefined, { agentFile: program });
const installed: string[] = [];
after(async () => {
  for (const folder of installed) await sh('sh "$CONTROL" remove >&2', { CONTROL: `${folder}/muster-agent` });
  await service.end();
  at.remove();
});

const answer = async <T>(method: string, where: string, body?: unknown) =>
  (await (await service.call(method, where, body)).json()) as T;
const create = (DeviceName: string) =>
  answer<{ DeviceId: string; DeviceKey: string }>('POST', '/v1/devices', { DeviceName, DeviceGroup: '' });
async function read(id: string): Promise<Device> {
  const [device] = await answer<Device[]>('GET', `/v1/devices/1/5/filters?device_id=${id}`);
  assert.ok(device);
  return device;
}
const update = async (id: string) => {
  const response = await service.call('POST', `/v1/device/${id}/update-agent`);
  const text = await response.text();
  return { status: response.status, ...(text ? (JSON.parse(text) as { title: string; detail: string }) : {}) };
};

async function sh(line: string, env: Record<string, string>): Promise<void> {
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH']}`;
  const ran = new TestProcess(['-c', line], { command: '/bin/sh', env: { PATH, HOME: at.folder, ...env } });
  assert.equal(await ran.ended, 0, `${line}\n${ran.printed}`);
}
/** The folder of an agent that runs as on a device. */
async function install(key: string, env: Record<string, string> = {}): Promise<string> {
  const base = path.join(at.folder, key.slice(-6));
  await sh(`curl -fsSL ${service.url}/install.sh | sh -s -- --no-systemd --no-cron >&2`, {
    DEVICE_KEY: key,
    MUSTER_HOME: base,
    ...env,
  });
  const folder = path.join(base, readdirSync(base)[0] ?? '');
  installed.push(folder);
  return folder;
}
test('an agent that is asked to update itself does when its job has ended; the next job runs with the new one', async () => {
  const { DeviceId, DeviceKey } = await create('pump');
  const folder = await install(DeviceKey);
  assert.equal((await until('the device', async () => (await read(DeviceId)).AgentUpdate)) ?? '', 'Current');
  assert.match((await update(DeviceId)).detail ?? '', /runs the program of this service already/);

  publish('two');
  const go = path.join(at.folder, 'go');
  const submit = async (Command: string) => {
    const { WorkflowId } = await answer<{ WorkflowId: string }>('POST', '/v1/workflow', { Name: 'w', Command });
    const draft = { Name: 'j', DeviceId, WorkflowId };
    return (await answer<{ JobId: string }>('POST', '/v1/job', draft)).JobId;
  };
  const job = async (id: string) => (await answer<Job[]>('GET', '/v1/job')).find(({ JobId }) => JobId === id);
  const running = await submit(`while [ ! -f '${go}' ]; do sleep 0.1; done; sed -n 2p '${folder}/agent.mjs'`);
  const waiting = await submit(`sed -n 2p '${folder}/agent.mjs'`);
  await until('the job to run', async () => (await job(running))?.Status === 'Running');
  assert.equal((await update(DeviceId)).status, 200);
  await until('it to wait for the job', async () => (await read(DeviceId)).AgentUpdate === 'Waiting');
  writeFileSync(go, '');
  await until('the new program', async () => (await read(DeviceId)).AgentUpdate === 'Current');
  const done = await until('the other job', async () => {
    const found = await job(waiting);
    return found?.Status === 'Succeeded' && found;
  });
  assert.match(done.Result ?? '', /build two/);
  assert.match((await job(running))?.Result ?? '', /build one/, 'the first ran below the old one to its end');
  assert.equal((await job(running))?.Status, 'Succeeded');
  await until('the end of its trial', () => !existsSync(path.join(folder, 'trial')));
});

test('a program that does not reach the service, or is not the announced one, is given up with its reason', async () => {
  publish('one');
  const { DeviceId, DeviceKey } = await create('valve');
  await install(DeviceKey, { MUSTER_TRIAL_SECONDS: '2' });
  await until('the device', async () => (await read(DeviceId)).AgentUpdate === 'Current');
  const before = (await read(DeviceId)).AgentVersion ?? '';

  publish('deaf', "if (process.argv.includes('--version')) console.log('9.8.7'); else setInterval(() => {}, 1000);");
  assert.equal((await update(DeviceId)).status, 200);
  const failed = await until('the failure', async () => {
    const device = await read(DeviceId);
    return device.AgentProblem === 'UpdateFailed' && device;
  });
  const reason = `it did not reach ${service.url} within 2 seconds`;
  assert.equal(failed.AgentProblemText, `The update to 9.8.7 failed and it went back to ${before}: ${reason}`);
  assert.deepEqual([failed.DeviceStatus, failed.AgentVersion, failed.AgentUpdate], ['Online', before, 'Available']);
  assert.match(failed.AgentProblemTime ?? '', /^\d{4}-/);

  publish('broken', "if (process.argv.includes('--version')) console.log('9.8.8'); else throw new Error('x');");
  // The announced hash is not that of the download.
  const { published } = service.context;
  const { program: original } = published;
  const real = original();
  assert.ok(real);
  published.program = () => ({ ...real, sha256: 'c'.repeat(64) });
  assert.equal((await update(DeviceId)).status, 200);
  const told = /^The update to 9\.8\.8 failed: what http:\S+ answered is not the program that the service announced/;
  await until('the refusal', async () => told.test((await read(DeviceId)).AgentProblemText ?? ''));
  published.program = original;

  publish('dead', 'throw new TypeError("cannot start");');
  const refused = await update(DeviceId);
  assert.deepEqual([refused.status, refused.title], [503, 'The published agent cannot be run']);
});

test('an agent that cannot be updated says why', async () => {
  publish('one');
  const { DeviceId, DeviceKey } = await create('gate');
  assert.match((await update(DeviceId)).title ?? '', /^The agent of "gate" is Offline$/);
  assert.equal((await read(DeviceId)).AgentUpdate, '');
  assert.equal((await update('nobody')).status, 404);

  const old = await FakeAgent.connect(service.url, DeviceKey);
  await old.receive('welcome');
  const { status, title } = await update(DeviceId);
  assert.deepEqual([status, title], [409, 'The agent of "gate" is too old to update itself']);

  const unable = 'It was not installed by install.sh.';
  const clone = await FakeAgent.connect(service.url, DeviceKey, { update: { build: '', unable } });
  await clone.receive('welcome');
  assert.equal((await read(DeviceId)).AgentUpdate, 'Unable');
  assert.equal((await update(DeviceId)).detail, unable);
  await clone.end();

  const able = await FakeAgent.connect(service.url, DeviceKey, { update: { build: 'd'.repeat(64), unable: '' } });
  await able.receive('welcome');
  assert.equal((await read(DeviceId)).AgentUpdate, 'Available');
  assert.equal((await update(DeviceId)).status, 200);
  const { version, sha256, size } = await able.receive('update');
  const published = await answer<{ Version: string; Sha256: string; Size: number }>('GET', '/v1/agent');
  assert.deepEqual([version, sha256, size], [published.Version, published.Sha256, published.Size]);
  const noted = await service.context.db.get<{ target: string }>(
    "SELECT target FROM audit WHERE action = 'device.update-agent' ORDER BY seq DESC LIMIT 1",
  );
  assert.equal(noted?.target, DeviceId);
  able.say({ type: 'update-state', state: 'waiting' });
  await until('its word', async () => (await read(DeviceId)).AgentUpdate === 'Waiting');
  await able.end();
});

test('an agent of another version of the link is shown as too old or too new, until one comes that is not', async () => {
  const { DeviceId, DeviceKey } = await create('lamp');
  for (const [version, agentVersion, problem, what] of [
    [LINK_VERSION - 1, '0.0.9', 'TooOld', /update the agent/],
    [LINK_VERSION + 1, '7.0.0', 'TooNew', /update the service/],
  ] as const) {
    const other = new FakeAgent(service.url, DeviceKey);
    await once(other.socket, 'open');
    // In another version a hello may have another format.
    other.socket.send(JSON.stringify({ type: 'hello', version, agentVersion, who: 'else' }));
    const closed = await until('the refusal', () => other.closed);
    assert.match(closed.reason, what);
    const device = await until(problem, async () => {
      const found = await read(DeviceId);
      return found.AgentProblem === problem && found;
    });
    assert.deepEqual([device.DeviceStatus, device.AgentVersion, device.AgentUpdate], ['Offline', agentVersion, '']);
    assert.match(
      device.AgentProblemText ?? '',
      new RegExp(`speaks version ${version} of the link, the service version`),
    );
    assert.match(device.AgentProblemTime ?? '', /^\d{4}-/);
  }
  const good = await FakeAgent.connect(service.url, DeviceKey);
  await good.receive('welcome');
  const { AgentProblem, AgentProblemText, AgentProblemTime } = await read(DeviceId);
  assert.deepEqual([AgentProblem, AgentProblemText, AgentProblemTime], ['', '', '']);

  // A second, outdated agent does not change a device whose agent works.
  const second = new FakeAgent(service.url, DeviceKey);
  await once(second.socket, 'open');
  second.hello({ version: LINK_VERSION - 1 });
  await until('the refusal', () => second.closed);
  assert.equal((await read(DeviceId)).AgentProblem, '');
  await good.end();
});
