// A newcomer's path, with nothing simulated: the printed link, this machine added with the copied command, an archive
// dropped and deployed, and its output on the screen while it runs. Then the same for a machine without a clone, with the
// command that installs the agent.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { TestProcess } from '../scripts/test-process.ts';
import { bareMachine } from './bare-machine.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

test.use({ ownService: true });

/** A device that nobody named has the name of its host. */
const HOST = hostname();
const ROOT = path.join(import.meta.dirname, '..');

/** A command in a user's shell. It has its own process group, because npm starts the agent as a child. */
class Line extends TestProcess {
  constructor(line: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
    super(['-c', line], { command: '/bin/sh', cwd, env: { ...process.env, ...env }, detached: true });
  }

  async stop(): Promise<void> {
    if (this.child.pid !== undefined && !this.hasEnded) process.kill(-this.child.pid, 'SIGTERM');
    await this.ended;
  }
}

/** What the page put on the clipboard. */
async function copied(page: Page, press: () => Promise<void>): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await press();
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(read).not.toBe('');
  return read();
}

/** Packs a folder with the system's tar. */
async function pack(folder: string, name: string, files: Record<string, string>, ...what: string[]): Promise<string> {
  const source = path.join(folder, `source of ${name}`);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(source, file)), { recursive: true });
    await writeFile(path.join(source, file), text, { mode: 0o755 });
  }
  const archive = path.join(folder, name);
  execFileSync('tar', ['-czf', archive, '-C', source, ...what]);
  return archive;
}

/** Drops a file on the page as a browser does when it is dragged from a file manager. */
async function drop(page: Page, file: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ name, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name));
      return data;
    },
    { name: path.basename(file), bytes: (await readFile(file)).toString('base64') },
  );
  const main = page.getByRole('main');
  for (const type of ['dragenter', 'dragover'])
    await main.dispatchEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
  await expect(page.getByText('Drop to check the file')).toBeVisible();
  await main.dispatchEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
  await expect(page.getByText('Drop to check the file')).toBeHidden();
}

/** Marks the document, to see later whether it was reloaded. */
const markDocument = (page: Page) => page.evaluate(() => void (document.body.dataset['since'] = 'the beginning'));
const isSameDocument = (page: Page) => page.evaluate(() => document.body.dataset['since'] === 'the beginning');

const log = (page: Page, device: string) => page.getByRole('region', { name: `Output of ${device}, text` });

/** Runs the command that the page copies to connect this machine. */
async function connectThisMachine(page: Page, service: Service, folder: string): Promise<Line> {
  const connect = page.getByRole('dialog', { name: 'Connect this-machine' });
  await expect(connect.getByText('Waiting for its first connection…')).toBeVisible();
  const shown = connect.getByLabel('Run this in the folder of the project');
  await expect(shown).toHaveText(`npm run agent -- --server ${service.url} --key •••••••• --allow-tunnels loopback`);
  const command = await copied(page, () => connect.getByRole('button', { name: 'Copy command' }).click());
  expect(command).toMatch(
    new RegExp(`^npm run agent -- --server ${service.url} --key [\\w.~+/=-]{20,} --allow-tunnels loopback$`),
  );
  await expect(connect.getByRole('button', { name: 'Done' })).toBeEnabled();
  return new Line(command, { cwd: ROOT, env: { XDG_STATE_HOME: path.join(folder, 'state') } });
}

/** Adds this machine with a chosen name and group. */
async function addThisMachine(page: Page, service: Service, folder: string): Promise<Line> {
  const add = page.getByRole('dialog', { name: 'Add this machine' });
  await expect(add.getByLabel('Name')).toHaveValue('this-machine');
  await add.getByLabel('Group').fill('bench');
  await add.getByRole('button', { name: 'Add this machine' }).click();
  return connectThisMachine(page, service, folder);
}

/** Uploads one archive through Browse, and one with a folder in it by a drop. */
async function uploadBoth(page: Page, folder: string, updateSh: string): Promise<void> {
  await page.getByRole('link', { name: 'Artifacts', exact: true }).click();
  const flat = await pack(folder, 'flat_0.9.tar.gz', { 'update.sh': updateSh, 'payload.txt': 'flat' }, '.');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Browse files' }).click();
  await (await choosing).setFiles(flat);
  const checks = page.getByRole('group', { name: 'Checks' });
  await expect(checks).toContainText('update.sh is at the root');
  await expect(page.getByLabel('Version')).toHaveValue('0.9');
  await page.getByRole('button', { name: /^Upload / }).click();
  await expect(page.getByText('flat_0.9.tar.gz 0.9 is stored and ready to deploy.')).toBeVisible();

  const files = { 'app/update.sh': updateSh, 'app/payload.txt': 'hello from the folder' };
  await drop(page, await pack(folder, 'app_1.2.0.tar.gz', files, 'app'));
  await expect(checks).toContainText('update.sh is in app/');
  await page.getByRole('button', { name: /^Upload / }).click();
  await expect(page.getByText('app_1.2.0.tar.gz 1.2.0 is stored and ready to deploy.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Artifacts' }).getByRole('row')).toHaveCount(3);
}

async function deployToBench(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Deploy it: app_1.2.0.tar.gz 1.2.0' }).click();
  await expect(page.getByRole('combobox', { name: 'Artifact' })).toHaveValue('app_1.2.0.tar.gz 1.2.0');
  await page.getByRole('radiogroup', { name: 'Kind of target' }).getByText('Group').click();
  await page.getByRole('combobox', { name: 'Group' }).fill('bench');
  const review = page.getByRole('region', { name: 'Review' });
  await expect(review.getByText('1 online')).toBeVisible();
  const deploy = review.getByRole('button', { name: 'Deploy', exact: true });
  await deploy.click();
  await expect(page).toHaveURL(/\/jobs\/[^/]+$/);
}

/** Reads what the job prints while it runs, then opens its gate and reads the rest. */
async function readAlong(page: Page, gate: string): Promise<void> {
  const devices = page.getByRole('table', { name: 'Devices of this job' });
  await devices.getByRole('link', { name: HOST, exact: true }).click();
  const output = log(page, HOST);
  await expect(output).toContainText(/unpacked in a folder with:.*payload\.txt.*update\.sh/);
  await expect(output).toContainText('a word on stderr');
  await expect(output).not.toContainText('the gate is open');
  const panel = page.getByRole('region', { name: `Output of ${HOST}, panel` });
  await expect(panel.getByText('Running')).toBeVisible();
  await writeFile(gate, '');
  await expect(output).toContainText('the gate is open, payload says: hello from the folder');
  await expect(panel.getByText('Succeeded')).toBeVisible();
  await expect(panel.getByText('exit code 0')).toBeVisible();
  await expect(page.getByText('Done on 1 device')).toBeVisible();
}

test('from the sign-in link it takes one paste and three clicks to the output of a sample @main', async ({
  page,
  service,
}) => {
  const folder = await service.folder('shortest');
  await page.goto(service.signInLink);
  await page.getByRole('link', { name: 'Add this machine' }).click();
  const agent = await connectThisMachine(page, service, folder);
  try {
    const success = page.getByRole('dialog', { name: `${HOST} is connected` });
    await expect(success).toBeVisible({ timeout: 60_000 });
    await expectAccessible(page);
    await success.getByRole('button', { name: 'Deploy a sample' }).click();
    await expect(log(page, HOST)).toContainText(/Hello from.*Done/s);
    await expect(page.getByRole('heading', { level: 1, name: /hello\.sh.*Succeeded/ })).toBeVisible();
  } finally {
    await agent.stop();
  }
});

test('the command for a tunnel works where the agent of this machine runs', async ({ signedIn: page, service }) => {
  const folder = await service.folder('tunnel');
  const env = { XDG_STATE_HOME: path.join(folder, 'state') };
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Add this machine' }).click();
  const first = await connectThisMachine(page, service, folder);
  await page
    .getByRole('button', { name: 'Open the device' })
    .or(page.getByRole('link', { name: 'Open the device' }))
    .click({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open a tunnel' });
  await dialog.getByText('A tunnel without an end, opened by the device itself').click();
  const command = await copied(page, () => dialog.getByRole('button', { name: 'Copy command' }).first().click());
  expect(command).toBe(`npm run agent -- --server ${service.url} --tunnel http://127.0.0.1:3000`);
  const second = new Line(command, { cwd: ROOT, env });
  try {
    expect(await first.ended, 'the second one takes over').toBe(3);
    await page.keyboard.press('Escape');
    const tunnels = page.getByRole('table', { name: 'Tunnels of this device' });
    await expect(tunnels).toContainText('http://127.0.0.1:3000', { timeout: 30_000 });
  } finally {
    await first.stop();
    await second.stop();
  }
});

test('a newcomer adds this machine, deploys an archive to its group and follows its output', async ({
  page,
  service,
}) => {
  const folder = await service.folder('stranger');
  const effects = path.join(folder, 'effects');
  const gate = path.join(folder, 'go on');
  // It also ends if the test has failed and removed its folder.
  const updateSh = `#!/bin/sh
echo "unpacked in a folder with: $(ls)"
echo "ran" >> '${effects}'
echo "a word on stderr" >&2
while [ ! -e '${gate}' ] && [ -d '${folder}' ]; do sleep 0.1; done
echo "the gate is open, payload says: $(cat payload.txt)"
`;

  await page.goto(service.signInLink);
  await expect(page.getByRole('heading', { level: 2, name: 'First steps' })).toBeVisible();
  await page.goto(`${service.url}/devices?dialog=add-this-machine`);
  await markDocument(page);
  const agent = await addThisMachine(page, service, folder);
  try {
    await expect(page.getByText(`${HOST} is online`), agent.printed).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Open the device' }).click();
    await expect(page.getByRole('heading', { level: 1, name: `${HOST} Online` })).toBeVisible();
    await uploadBoth(page, folder, updateSh);
    await deployToBench(page);
    await readAlong(page, gate);
    expect(await isSameDocument(page), 'the page was never loaded again').toBe(true);
    expect(await readFile(effects, 'utf8')).toBe('ran\n');
  } finally {
    await agent.stop();
  }
});

function downloader(): 'curl' | 'wget' {
  const has = (name: string) =>
    (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));
  return has('curl') ? 'curl' : 'wget';
}

async function addDevice(page: Page, service: Service, name: string): Promise<void> {
  await page.goto(`${service.url}/devices?dialog=add`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByLabel('Name').fill(name);
  await add.getByRole('button', { name: 'Add device' }).click();
}

/** Adds a device and returns the copied command that installs its agent. */
async function installLine(page: Page, service: Service): Promise<string> {
  await addDevice(page, service, 'shelf 4');
  const connect = page.getByRole('dialog', { name: 'Connect shelf 4' });
  const tool = downloader();
  const label = `On the device, with ${tool}`;
  await expect(connect.getByLabel(label)).toContainText(`${service.url}/install.sh | DEVICE_KEY=•••••••• sh`);
  const nth = tool === 'curl' ? 0 : 1;
  const command = await copied(page, () => connect.getByRole('button', { name: 'Copy command' }).nth(nth).click());
  expect(command.startsWith(tool)).toBe(true);
  return command;
}

/** Follows the dialog to the deployment of the script, until that has failed as it should. */
async function deployHello(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Deploy to it' }).click();
  await expect(page.getByRole('combobox', { name: 'Device' })).toHaveValue('shelf 4');
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /hello\.sh/ }).click();
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: /hello\.sh 1\.0\.0 to shelf 4\s*Failed/ })).toBeVisible();
  await expect(page.getByText('Exit code').locator('..')).toContainText('3');
}

test('a machine without a clone becomes a device with the displayed command, and runs a script', async ({
  signedIn: page,
  service,
}) => {
  const folder = await service.folder('install');
  const home = path.join(folder, 'muster');
  const env = { MUSTER_HOME: home, HOME: folder, PATH: await bareMachine(folder) };
  const command = await installLine(page, service);

  const install = new Line(command, { cwd: folder, env });
  let control = '';
  try {
    expect(await install.ended, install.printed).toBe(0);
    const [name = ''] = await readdir(home);
    control = path.join(home, name, 'muster-agent');
    expect(install.printed).toContain(
      `sh '${control}' status | stop | start | restart | tunnel ADDRESS | allow-tunnels LIST | back | remove`,
    );
    await expect(page.getByText('shelf 4 is online')).toBeVisible();
    const effects = path.join(folder, 'effects');
    const script = `#!/bin/sh\necho "here is $(pwd)"\necho "ran" >> '${effects}'\nexit 3\n`;
    await service.uploadScript('hello.sh', script, path.join(folder, 'opt/hello'));
    await deployHello(page);
    await expect(log(page, 'shelf 4')).toContainText(`here is ${path.join(folder, 'opt/hello')}`);
    expect(await readFile(effects, 'utf8')).toBe('ran\n');

    await page.getByRole('link', { name: 'shelf 4', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: /shelf 4\s*Online/ })).toBeVisible();
    const removal = new Line('sh "$CONTROL" remove', { cwd: folder, env: { ...env, CONTROL: control } });
    expect(await removal.ended, removal.printed).toBe(0);
    await expect(page.getByRole('heading', { level: 1, name: /shelf 4\s*Offline/ })).toBeVisible();
    expect(existsSync(path.dirname(control))).toBe(false);
  } finally {
    await install.stop();
    if (existsSync(control))
      await new Line('sh "$CONTROL" remove', { cwd: folder, env: { ...env, CONTROL: control } }).ended;
  }
});
