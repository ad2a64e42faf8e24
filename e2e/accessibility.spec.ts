// Every page and dialog as axe judges it (in both themes, see the fixtures), empty and filled, on a wide screen and on a phone; and every
// page reached, and its main action done, by keyboard alone.
import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, expectAccessibleHere, signIn, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

// The page of a device or job that is not there, and the end of a session, are looked at, too.
test.use({ expectedConsole: [/status of 40[14]/] });
test.setTimeout(240_000);

interface Filled {
  device: string;
  /** A job of one device, that failed with output on both streams. */
  failed: string;
  /** A job of a group: one device done, one still Offline. */
  group: string;
  child: string;
}

const TUNNELS = [
  {
    Name: 'plain-otter-7',
    PublicUrl: 'https://plain-otter-7.example.com',
    Protocol: 'http',
    LocalDest: 'localhost:3000',
    Created: '2026-11-02 14:03:09',
    Uptime: '3h2m',
    DeviceName: 'camera 1',
  },
  { Name: 'grey-heron-2', PublicUrl: 'N/A', Protocol: 'tcp', LocalDest: 'localhost:22', Created: '', Uptime: '' },
];

const ended = ({ EndTime }: { EndTime: string }) => EndTime !== '';

/** A fleet with something of everything; the agent and its jobs are real. */
async function fill(service: Service): Promise<Filled> {
  const camera = await service.createDevice('camera 1', 'lab');
  await service.createDevice('camera 2', 'lab');
  await service.agent(camera.DeviceKey);
  await service.locate(camera.DeviceId, 47.4, 8.5);
  await service.call('PATCH', `/v1/devices/${camera.DeviceId}`, { CustomerName: 'Acme', CustomerSite: 'Dock 4' });
  await service.call('POST', '/v1/tag/outdoors');
  const [tag] = await service.call<{ TagId: string }[]>('GET', '/v1/tag');
  await service.call('POST', `/v1/devices/${camera.DeviceId}/tag/${tag?.TagId}`);
  const script = '#!/bin/sh\nprintf "\\033[31mred\\033[0m and plain\\n"\necho "on stderr" >&2\nexit 3\n';
  const ArtifactId = await service.uploadScript('hello.sh', script, await service.folder('opt'));
  await service.call('POST', '/v1/workflow', { Name: 'Say hello', Command: 'echo hello\necho again' });
  const submit = async (target: object) =>
    (await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'hello', ...target, ArtifactId })).JobId;
  const failed = await submit({ DeviceId: camera.DeviceId });
  const group = await submit({ DeviceGroup: 'lab' });
  const children = () => service.call<{ JobId: string; EndTime: string }[]>('GET', `/v1/job/${group}/childjobs`);
  await expect.poll(async () => (await children()).some(ended)).toBe(true);
  const child = (await children()).find(ended)?.JobId ?? '';
  return { device: camera.DeviceId, failed, group, child };
}

/** Opening tunnels is another part's business: the list of two is put in the place of the service's own. */
const withTunnels = (page: Page) =>
  page.route('**/v1/tunnels', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: TUNNELS }) : route.continue(),
  );

/** Judges the page at hand; where it says so, also on a phone, where it may not scroll sideways either. */
async function judge(page: Page, name: string, { phone = false } = {}): Promise<void> {
  await test.step(name, async () => {
    await expectAccessible(page);
    if (!phone) return;
    await page.setViewportSize(PHONE);
    await expectAccessibleHere(page); // the colours are those of the wide page
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow(), `${name} scrolls sideways on a phone`).toBe(0);
    await page.setViewportSize(WIDE);
  });
}

/** Goes there as a link does, without loading everything anew. */
const visit = (page: Page, path: string) =>
  page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

test('each page is accessible while there is nothing @main', async ({ page, service }) => {
  const main = page.getByRole('main');
  await page.goto(`${service.url}/sign-in`);
  await expect(page.getByLabel('API token')).toBeVisible();
  await judge(page, 'sign-in', { phone: true });
  await signIn(page, service);
  await page.goto(service.url);
  for (const [path, seen] of [
    ['/', 'First steps'],
    ['/devices', 'No devices yet.'],
    ['/devices?group=none', 'No device matches these filters.'],
    ['/devices/none', 'There is no device with this id.'],
    ['/map', 'There are no devices yet.'],
    ['/artifacts', 'No artifacts yet'],
    ['/deploy', 'There are no devices yet'],
    ['/jobs', 'No jobs yet'],
    ['/jobs/none', 'There is no such job'],
    ['/archive', 'Nothing is archived in this browser'],
    ['/archive/none', 'There is no such job in this browser’s archive'],
    ['/workflows', 'No workflows'],
    ['/tunnels', 'No tunnels are open'],
    ['/account', 'Begins with'],
    ['/nowhere', 'There is no page at this address.'],
  ] as const) {
    await visit(page, path);
    await expect(main.getByText(seen).first()).toBeVisible();
    await judge(page, path, { phone: true });
  }
});

test('each page is accessible with data @main', async ({ signedIn: page, service }) => {
  const { device, failed, group, child } = await fill(service);
  await withTunnels(page);
  const main = page.getByRole('main');
  await page.goto(service.url);
  for (const [path, seen] of [
    ['/', 'Failed in the last 24 hours'],
    ['/devices', 'outdoors'],
    [`/devices/${device}`, 'hello'],
    ['/map', '1 on the map'],
    ['/artifacts', 'hello.sh'],
    ['/deploy?group=lab', '1 Online'],
    ['/jobs', 'group lab'],
    [`/jobs/${failed}`, 'on stderr'],
    [`/jobs/${group}`, '1 of 2 devices done'],
    [`/jobs/${group}?child=${child}`, 'on stderr'],
    ['/workflows', 'Say hello'],
    ['/tunnels', 'localhost:22'],
    ['/account', 'Begins with'],
  ] as const) {
    await visit(page, path);
    await expect(main.getByText(seen).first()).toBeVisible();
    await judge(page, path, { phone: true });
  }
});

test('each dialog is accessible @main', async ({ signedIn: page, service }) => {
  const { device, failed } = await fill(service);
  await withTunnels(page);
  const [artifact] = await service.call<{ ArtifactId: string }[]>('GET', '/v1/artifact');
  const [workflow] = await service.call<{ WorkflowId: string }[]>('GET', '/v1/workflow');
  await page.goto(service.url);
  for (const [path, name] of [
    [`/devices?dialog=edit&device=${device}`, 'Edit camera 1'],
    [`/devices?dialog=locate&device=${device}`, 'Location of camera 1'],
    [`/devices?dialog=delete&device=${device}`, 'Delete camera 1?'],
    [`/devices/${device}?dialog=new-key`, 'New key for camera 1?'],
    [`/artifacts?dialog=details&artifact=${artifact?.ArtifactId}`, 'hello.sh 1.0.0'],
    [`/artifacts?dialog=delete&artifact=${artifact?.ArtifactId}`, 'Delete artifact'],
    [`/jobs/${failed}?dialog=delete`, 'Delete hello'],
    ['/jobs?dialog=archive', 'Archive executed jobs'],
    [`/workflows?dialog=view&workflow=${workflow?.WorkflowId}`, 'Say hello'],
    ['/workflows?dialog=create', 'Create workflow'],
    ['/tunnels?dialog=delete&tunnel=plain-otter-7', 'Delete tunnel'],
    ['/tunnels?dialog=delete-all', 'Delete all tunnels'],
    ['/tunnels?dialog=open', 'Open a tunnel'],
    ['/account?dialog=make', 'Make an API token'],
  ] as const) {
    await visit(page, path);
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await judge(page, name);
  }
});

test('forms, what they answer and what hangs on them are accessible @main', async ({ signedIn: page, service }) => {
  await fill(service);
  const [artifact] = await service.call<{ ArtifactId: string }[]>('GET', '/v1/artifact');
  await page.goto(`${service.url}/devices?dialog=add`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByRole('button', { name: 'Add device' }).click();
  await expect(add.getByText('Name must not be empty')).toBeVisible();
  await expectAccessible(page);
  await add.getByLabel('Name').fill('new');
  await add.getByRole('button', { name: 'Add device' }).click();
  const key = page.getByRole('dialog', { name: 'Connect new' });
  await expect(key.getByText('Waiting for it to come Online…')).toBeVisible();
  await judge(page, 'the key', { phone: true });
  await key.getByRole('button', { name: 'Copy device key' }).click();
  await key.getByRole('button', { name: 'Done' }).click();

  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Actions for camera 1' }).click();
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeVisible();
  await expectAccessible(page, '[role="menu"]');

  await page.goto(`${service.url}/artifacts`);
  await page.getByLabel('Artifact file').setInputFiles({
    name: 'broken.tar.gz',
    mimeType: 'application/gzip',
    buffer: Buffer.from([0x1f, 0x8b, 8, 0, 0]),
  });
  await expect(page.getByRole('group', { name: 'Checks' }).getByRole('img', { name: 'Error' }).first()).toBeVisible();
  await judge(page, 'the upload form', { phone: true });

  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact?.ArtifactId}`);
  await expect(page.getByLabel(/Type lab or 2 to confirm/)).toBeVisible();
  await judge(page, 'the deploy review', { phone: true });
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await expect(page.getByRole('option', { name: /hello\.sh/ })).toBeVisible();
  await expectAccessible(page, '[role="listbox"]');

  await page.goto(`${service.url}/account?dialog=make`);
  await page.getByLabel('Name').fill('too late');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Make token' }).click();
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await expectAccessible(page);
});

// ---- By keyboard ---------------------------------------------------------------------------------------------------

/** Goes on with one key until the focus is on it. (A radio button is drawn by its label, so it is not visible itself.) */
async function keyTo(page: Page, key: 'Tab' | 'ArrowDown', target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; !(await isFocused()); presses += 1) {
    expect(presses, `${key} never comes there`).toBeLessThan(100);
    await page.keyboard.press(key);
  }
}

const tabTo = (page: Page, target: Locator) => keyTo(page, 'Tab', target);
const arrowTo = (page: Page, target: Locator) => keyTo(page, 'ArrowDown', target);

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

/** By way of the navigation, which comes after what is before the page in the order of Tab. */
async function goTo(page: Page, name: string): Promise<void> {
  await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }));
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

test.describe('with motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('by keyboard: in, past the navigation, to every page, and to a device with its key', async ({
    page,
    service,
  }) => {
    await page.goto(service.url);
    await expect(page.getByLabel('API token')).toBeFocused();
    await page.keyboard.type(service.token);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();

    // The first thing that Tab comes to leads past the navigation.
    await page.getByRole('link', { name: 'Add this machine' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the page' });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').getByRole('button', { name: 'Show as curl' })).toBeFocused();

    for (const name of ['Map', 'Artifacts', 'Deploy', 'Jobs', 'Workflows', 'Tunnels', 'Account', 'Overview', 'Devices'])
      await goTo(page, name);

    await press(page, page.getByRole('link', { name: 'Add a device' }));
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect(name).toBeFocused();
    await page.keyboard.type('pump');
    await page.keyboard.press('Enter');
    const key = page.getByRole('dialog', { name: 'Connect pump' });
    await press(page, key.getByRole('button', { name: 'Copy device key' }));
    await expect(key.getByRole('button', { name: 'Done' })).toBeEnabled();
    await press(page, key.getByRole('button', { name: 'Done' }));
    await expect(page.getByRole('heading', { level: 1, name: /pump/ })).toBeVisible();
  });

  test('by keyboard: find a device, change it from its menu, choose it in the list of the map @main', async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceId } = await service.createDevice('gate 1', 'gates');
    await service.locate(DeviceId, 47, 8);
    await service.createDevice('pump 1', 'pumps');
    await page.goto(`${service.url}/devices`);
    const links = page.getByRole('table', { name: 'Devices' }).getByRole('link');
    await expect(links).toHaveCount(2);
    await page.keyboard.press('/');
    await expect(page.getByLabel('Search devices by name or ID')).toBeFocused();
    await page.keyboard.type('gate');
    await expect(links).toHaveText(['gate 1']);
    await tabTo(page, page.getByRole('radio', { name: 'All' }));
    await page.keyboard.press('ArrowRight');
    await expect(page.getByText('No device matches these filters.')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(links).toHaveText(['gate 1']);

    const menu = page.getByRole('button', { name: 'Actions for gate 1' });
    await press(page, menu);
    await expect(page.getByRole('menuitem', { name: 'Open' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Edit' })).toBeVisible();
    await arrowTo(page, page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('Enter');
    const edit = page.getByRole('dialog', { name: 'Edit gate 1' });
    await typeInto(page, edit.getByLabel('Site'), 'Dock 4');
    await page.keyboard.press('Enter');
    await expect(edit).toBeHidden();
    await expect(page.getByRole('cell', { name: 'Dock 4' })).toBeVisible();
    await expect(menu).toBeFocused();

    await goTo(page, 'Map');
    await press(page, page.getByRole('region', { name: 'Devices in view' }).getByRole('button', { name: /^gate 1/ }));
    await press(page, page.getByRole('link', { name: 'gate 1', exact: true }));
    await expect(page.getByRole('heading', { level: 1, name: /gate 1/ })).toBeVisible();
  });

  test('by keyboard: upload a script, deploy it to a group, read its log @main', async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceKey } = await service.createDevice('camera 1', 'lab');
    await service.agent(DeviceKey);
    const folder = await service.folder('opt');
    await page.goto(`${service.url}/artifacts`);
    const choosing = page.waitForEvent('filechooser');
    await press(page, page.getByRole('button', { name: 'Browse files' }));
    await (
      await choosing
    ).setFiles({
      name: 'hello.sh',
      mimeType: 'text/x-sh',
      buffer: Buffer.from('#!/bin/sh\necho "typed, never clicked"\n'),
    });
    await expect(page.getByLabel('Version')).toBeFocused();
    await page.keyboard.type('1.0');
    await typeInto(page, page.getByLabel('Destination folder'), folder);
    await expect(page.getByRole('button', { name: 'Upload' })).toBeEnabled();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('link', { name: 'Deploy it' })).toBeFocused();
    await page.keyboard.press('Enter');

    await tabTo(page, page.getByRole('radio', { name: 'Device' }));
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Group' })).toBeChecked();
    await typeInto(page, page.getByRole('combobox', { name: 'Group' }), 'lab');
    await typeInto(page, page.getByLabel(/Type lab or 1 to confirm/), 'lab');
    await expect(page.getByRole('button', { name: 'Deploy', exact: true })).toBeEnabled();
    await page.keyboard.press('Enter');

    await expect(page).toHaveURL(/\/jobs\/[^/]+$/);
    await press(page, page.getByRole('link', { name: 'camera 1', exact: true }));
    const log = page.getByRole('region', { name: 'Output of camera 1, text' });
    await expect(log).toContainText('typed, never clicked');
    await tabTo(page, log);
    await typeInto(page, page.getByRole('textbox', { name: 'Search the output' }), 'never');
    await expect(page.getByRole('search', { name: 'Search the output' }).getByRole('status')).toHaveText(/1/);
    await press(page, page.getByRole('button', { name: 'Close the output' }));
    await expect(log).toBeHidden();
  });

  test('by keyboard: make a workflow and a token, and take the token back', async ({ signedIn: page, service }) => {
    await page.goto(`${service.url}/workflows`);
    await press(page, page.getByRole('button', { name: 'Create workflow' }));
    const create = page.getByRole('dialog', { name: 'Create workflow' });
    await expect(create.getByLabel('Name')).toBeFocused();
    await page.keyboard.type('Restart');
    await typeInto(page, create.getByLabel('Command'), '/bin/true');
    await press(page, create.getByRole('button', { name: 'Create workflow' }));
    await expect(create).toBeHidden();
    await expect(page.getByRole('link', { name: 'Restart', exact: true })).toBeVisible();

    await goTo(page, 'Account');
    await press(page, page.getByRole('button', { name: 'Make a token' }));
    await expect(page.getByLabel('Name')).toBeFocused();
    await page.keyboard.type('Build server');
    await typeInto(page, page.getByLabel('Your proof'), service.token);
    await page.keyboard.press('Enter');
    const token = page.getByRole('dialog', { name: 'API token “Build server”' });
    await press(page, token.getByRole('button', { name: 'Copy API token' }));
    await expect(token.getByRole('button', { name: 'Done' })).toBeEnabled();
    await press(page, token.getByRole('button', { name: 'Done' }));
    await expect(token).toBeHidden();
    await press(page, page.getByRole('button', { name: 'Revoke Build server' }));
    const revoke = page.getByRole('dialog', { name: 'Revoke API token' });
    await expect(revoke.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await press(page, revoke.getByRole('button', { name: 'Revoke token' }));
    await expect(revoke).toBeHidden();
    await expect(page.getByRole('button', { name: 'Revoke Build server' })).toBeHidden();
  });
});
