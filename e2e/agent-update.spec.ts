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

/** What the agent of a device said when it connected last. */
async function versionOf(service: Service, id: string): Promise<string | undefined> {
  const [device] = await service.call<{ AgentVersion?: string }[]>('GET', `/v1/devices/1/25/filters?device_id=${id}`);
  return device?.AgentVersion;
}

test('an older agent is updated from the page of its device; in a selection each shows why it is left out', async ({
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
    await expect(agent).toContainText('Another version is ready');
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
    await expect(plan).toContainText('1 skipped: offline.');
  } finally {
    await run('remove');
  }
});

test('an agent of another version of the link is named in table, overview and on its page, with what to do', async ({
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
