// Old agents: one that updates itself on request, and one whose protocol version the service does not speak.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { bareMachine } from './bare-machine.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const VERSION = '0.0.9';

/** Installs an agent as on a device, in an earlier version; `run` is its own program. */
async function installOlder(service: Service, key: string) {
  const folder = await service.folder('install');
  const env = { MUSTER_HOME: path.join(folder, 'muster'), HOME: folder, PATH: await bareMachine(folder) };
  const sh = async (line: string) => {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { env: { ...env, DEVICE_KEY: key } });
    return stdout;
  };
  const script = path.join(folder, 'install.sh');
  await writeFile(script, await (await fetch(`${service.url}/install.sh`)).text());
  await sh(`sh '${script}'`);
  const home = path.join(env.MUSTER_HOME, (await readdir(env.MUSTER_HOME))[0] ?? '');
  const run = (verb: string) => sh(`sh '${home}/muster-agent' ${verb}`);
  const program = path.join(home, 'agent.mjs');
  const text = await readFile(program, 'utf8');
  const older = text.replace(/(AGENT_VERSION = )"[^"]+"/, `$1"${VERSION}"`);
  expect(older).not.toBe(text);
  await writeFile(program, older);
  await run('restart');
  return run;
}

/** What the agent of a device reported when it last connected. */
async function versionOf(service: Service, id: string): Promise<string | undefined> {
  const [device] = await service.call<{ AgentVersion?: string }[]>('GET', `/v1/devices/1/25/filters?device_id=${id}`);
  return device?.AgentVersion;
}

test('an older agent is updated from the page of its device; in a selection, devices left out show why', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
  await service.createDevice('pump 2');
  const run = await installOlder(service, DeviceKey);
  try {
    const { Version } = await service.call<{ Version: string }>('GET', '/v1/agent');
    await expect.poll(() => versionOf(service, DeviceId)).toBe(VERSION);
    await page.goto(`${service.url}/devices/${DeviceId}`);
    const agent = page.getByRole('region', { name: 'Agent', exact: true });
    await expect(agent).toContainText(`Version${VERSION}`);
    await expect(agent).toContainText('Another version is available');
    await agent.getByRole('link', { name: 'Update agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update the agent of pump 1?' });
    await expect(dialog).toContainText(`Agent ${VERSION} is replaced by ${Version}`);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Update agent' }).click();
    await expect(agent).toContainText(`Version${Version}`);
    await expect(agent).toContainText('Up to date');
    await expect(agent.getByRole('button', { name: 'Update agent' })).toBeDisabled();
    await expect(page.getByRole('heading', { level: 1, name: /pump 1\s*Online/ })).toBeVisible();

    await page.goto(`${service.url}/devices`);
    await page.getByRole('checkbox', { name: /^Select (this page|all \d+ matching)$/ }).check();
    const bar = page.getByRole('region', { name: 'Selected devices' });
    await bar.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Update agent', exact: true }).click();
    const plan = page.getByRole('dialog').getByRole('region', { name: 'Plan' });
    await expect(plan).toContainText('1 skipped: up to date.');
    await expect(plan).toContainText('1 skipped: not connected yet.');
  } finally {
    await run('remove');
  }
});

/** An agent that only reports its abilities to update. */
async function connect(service: Service, key: string, update: Record<string, unknown>): Promise<WebSocket> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/agent/link`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await once(socket, 'open');
  const texts = { os: 'x', arch: 'x', hostname: 'x', localAddr: '10.0.0.7', localPort: '1' };
  const hello = { type: 'hello', version: 1, journal: 'j', server: service.url, agentVersion: '9.0.0', jobs: [] };
  socket.send(JSON.stringify({ ...hello, ...texts, update: { build: 'd'.repeat(64), ...update } }));
  return socket;
}

test('a device that has run a newer agent gets an older one only on request', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('lift 2');
  const { Version, Sequence, PublicKey } = await service.call<{ Version: string; Sequence: number; PublicKey: string }>(
    'GET',
    '/v1/agent',
  );
  const trust = { key: PublicKey, sequence: Sequence + 1, nonce: 'nonce' };
  const socket = await connect(service, DeviceKey, { unable: '', trust });
  const messages: { type: string; order?: { statement: string } }[] = [];
  socket.on('message', (frame: Buffer) => messages.push(JSON.parse(frame.toString()) as (typeof messages)[number]));

  await page.goto(`${service.url}/devices/${DeviceId}`);
  const agent = page.getByRole('region', { name: 'Agent', exact: true });
  await expect(agent).toContainText('Has run a newer agent than this service publishes');
  await agent.getByRole('link', { name: 'Downgrade agent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Downgrade the agent of lift 2?' });
  await expect(dialog).toContainText(`(Sequence ${Sequence})`);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: `Downgrade to ${Version}` }).click();
  await expect(dialog).toBeHidden();
  await expect(agent).toContainText('Being updated');
  await expect.poll(() => messages.find(({ type }) => type === 'update')?.order?.statement).toContain(DeviceId);
  socket.close();
});

test('a device that cannot verify updates says why, and what to do', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('lift 3');
  const unable = 'It does not know the key that its service signs updates with. Run install.sh on the device again.';
  const socket = await connect(service, DeviceKey, { unable });
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const agent = page.getByRole('region', { name: 'Agent', exact: true });
  await expect(agent).toContainText(unable);
  await expect(agent.getByRole('button', { name: 'Update agent' })).toBeDisabled();
  await expectAccessible(page);
  socket.close();
});

test('an agent with another protocol version is marked in the table, on the overview and on its page, with what to do', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, DeviceKey } = await service.createDevice('gate 7');
  await service.createDevice('gate 8');
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/agent/link`, {
    headers: { Authorization: `Bearer ${DeviceKey}` },
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', version: 0, agentVersion: VERSION }));
  await once(socket, 'close');

  const words = `Agent too old (${VERSION}): update it`;
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const agent = page.getByRole('region', { name: 'Agent', exact: true });
  await expect(agent).toContainText(words);
  await expect(agent.getByLabel('Update it on the device')).toHaveText(
    `curl -fsSL ${service.url}/install.sh | sudo sh -s -- --update`,
  );
  await expect(agent.getByRole('button', { name: 'Update agent' })).toBeDisabled();
  await expectAccessible(page);
  await page.goto(service.url);
  await page.getByRole('link', { name: '1 agent too old' }).click();
  await expect(page.getByRole('row', { name: /gate 7/ }).getByRole('img', { name: words })).toBeVisible();
  await expect(page.getByRole('row', { name: /gate 8/ })).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Filters in use' })).toContainText('Agent too old');
});
