// A device without Node.js: the agent of plain sh is installed by the command of the dialog with --sh, and its first log is
// on the screen.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TestProcess } from '../scripts/test-process.ts';
import { bareMachine } from './bare-machine.ts';
import { expect, test } from './fixtures.ts';

test('the agent of plain sh is installed with --sh, and runs a script whose log is displayed', async ({
  signedIn: page,
  service,
}) => {
  const folder = await service.folder('install-sh');
  const home = path.join(folder, 'muster');
  const env = { ...process.env, MUSTER_HOME: home, HOME: folder, PATH: await bareMachine(folder) };
  const run = async (line: string) => {
    const shell = new TestProcess(['-c', line], { command: '/bin/sh', cwd: folder, env, detached: true });
    expect(await shell.ended, shell.printed).toBe(0);
    return shell.printed;
  };
  const { DeviceId, DeviceKey } = await service.createDevice('router 7');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const install = page.getByRole('region', { name: 'Install' });
  await expect(install).toContainText('--sh at the end');
  await expect(install).toContainText(/nothing needs to be installed first|Devices need Node\.js 20/);

  const printed = await run(`curl -fsSL ${service.url}/install.sh | DEVICE_KEY=${DeviceKey} sh -s -- --sh`);
  const [name = ''] = await readdir(home);
  const control = `sh '${path.join(home, name, 'muster-agent')}'`;
  try {
    expect(printed).toContain(`${control} status | stop | start | restart | back | remove`);
    await expect(page.getByRole('heading', { level: 1, name: /router 7\s*Online/ })).toBeVisible();
    const script = '#!/bin/sh\necho "hello from $0"\necho problem >&2\nexit 3\n';
    const artifact = await service.uploadScript('hello.sh', script, path.join(folder, 'opt'));
    await page.goto(`${service.url}/deploy?device=${DeviceId}&artifact=${artifact}`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const log = page.getByRole('region', { name: 'Output of router 7, text' });
    await expect(log).toContainText('hello from ./hello.sh');
    await expect(log).toContainText('problem');
    await expect(page.getByRole('heading', { level: 1, name: /hello\.sh 1\.0\.0 to router 7\s*Failed/ })).toBeVisible();
    await run(`${control} stop`);
    await run(`${control} start`);
    await page.goto(`${service.url}/devices/${DeviceId}`);
    await expect(page.getByRole('heading', { level: 1, name: /router 7\s*Online/ })).toBeVisible();
  } finally {
    await run(`${control} remove`);
  }
});
