// Every page and dialog as axe judges it (in both themes, see the fixtures), empty and filled, on a wide screen and on a
// phone.
import type { Page } from '@playwright/test';
import { endSession, expect, expectAccessible, expectAccessibleHere, signIn, test, type Service } from './fixtures.ts';

test.use({ ownService: true });

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1360, height: 800 };

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
  // Of a name that leads nowhere: what is sent waits.
  const webhook = { Name: 'Ops', Kind: 'webhook', Url: 'https://hooks.invalid/', Format: 'json' };
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', webhook);
  const rule = { Name: 'Failures', When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  await service.call('POST', '/v1/alerts/rules', rule);
  await service.call('PUT', '/v1/orders/labs', { DeviceGroup: 'later', ArtifactId });
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
    await expect.poll(overflow, `${name} scrolls sideways on a phone`).toBe(0);
    await page.setViewportSize(WIDE);
  });
}

/** Goes there as a link does, without loading everything anew. */
const visit = (page: Page, path: string) =>
  page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

test('each page is accessible while there is nothing', async ({ page, service }) => {
  const main = page.getByRole('main');
  await page.goto(`${service.url}/sign-in`);
  await expect(page.getByLabel('API token')).toBeVisible();
  await judge(page, 'sign-in', { phone: true });
  await signIn(page, service);
  await page.goto(service.url);
  for (const [path, seen] of [
    ['/', 'First steps'],
    ['/devices', 'No devices yet'],
    ['/devices?group=none', 'No device matches these filters.'],
    ['/devices/none', 'There is no device with this id.'],
    ['/map', 'No devices yet'],
    ['/artifacts', 'No artifacts yet'],
    ['/artifacts/none', 'There is no such artifact'],
    ['/deploy', 'No devices yet'],
    ['/jobs', 'No jobs yet'],
    ['/jobs/none', 'There is no such job'],
    ['/rollouts/orders', 'No standing orders yet'],
    ['/archive', 'No job is archived'],
    ['/workflows', 'No workflows'],
    ['/tunnels', 'No tunnels are open'],
    ['/activity/alerts', 'No rules'],
    ['/settings/people', 'One person signs in here'],
    ['/settings/tokens', 'Starts with'],
    ['/settings/sessions', 'This browser'],
    ['/settings/channels', 'No channels'],
    ['/settings/sign-in', 'Require a second factor'],
    ['/settings/usage', 'Artifact storage'],
    ['/settings/appearance', 'Nothing is stored.'],
    ['/nowhere', 'There is no page at this address.'],
  ] as const) {
    await visit(page, path);
    await expect(main.getByText(seen).filter({ visible: true }).first()).toBeVisible();
    await judge(page, path, { phone: true });
  }
});

test('each page is accessible with data @main', async ({ signedIn: page, service }) => {
  const { device, failed, group, child } = await fill(service);
  await withTunnels(page);
  const main = page.getByRole('main');
  await page.goto(service.url);
  for (const [path, seen] of [
    ['/', 'Failed, last 24 h'],
    ['/devices', 'outdoors'],
    [`/devices/${device}`, 'hello'],
    ['/map', '1 on the map'],
    ['/artifacts', 'hello.sh'],
    ['/artifacts/hello', 'hello.sh, script'],
    ['/deploy?group=lab', '1 online'],
    ['/jobs', 'group lab'],
    [`/jobs/${failed}`, 'on stderr'],
    [`/jobs/${group}`, '1 of 2 devices done'],
    [`/jobs/${group}?child=${child}`, 'on stderr'],
    ['/rollouts/orders', 'have it'],
    ['/workflows', 'Say hello'],
    ['/tunnels', 'localhost:22'],
    ['/activity/alerts', 'When a job fails'],
    ['/settings/tokens', 'Starts with'],
  ] as const) {
    await visit(page, path);
    await expect(main.getByText(seen).filter({ visible: true }).first()).toBeVisible();
    await judge(page, path, { phone: true });
  }
});

/** Where each dialog is, and its name. */
async function dialogs(service: Service, { device, failed }: Filled) {
  const [artifact] = await service.call<{ ArtifactId: string }[]>('GET', '/v1/artifact');
  const [workflow] = await service.call<{ WorkflowId: string }[]>('GET', '/v1/workflow');
  const invited = { Email: 'anna@example.com', Name: 'Anna', Role: 'Operator', Groups: ['lab'] };
  const { PersonId } = await service.call<{ PersonId: string }>('POST', '/v1/people', invited);
  return [
    [`/devices?dialog=edit&device=${device}`, 'Edit camera 1'],
    [`/devices?dialog=locate&device=${device}`, 'Location of camera 1'],
    [`/devices?dialog=delete&device=${device}`, 'Delete camera 1?'],
    [`/devices/${device}?dialog=new-key`, 'New key for camera 1?'],
    [`/artifacts?dialog=delete&artifact=${artifact?.ArtifactId}`, 'Delete artifact'],
    [`/jobs/${failed}?dialog=delete`, 'Delete hello'],
    ['/jobs?dialog=archive', 'Archive ended jobs'],
    [`/workflows?dialog=view&workflow=${workflow?.WorkflowId}`, 'Say hello'],
    ['/rollouts/orders?dialog=edit', 'New standing order'],
    ['/workflows?dialog=create', 'Create workflow'],
    ['/tunnels?dialog=delete&tunnel=plain-otter-7', 'Delete tunnel'],
    ['/tunnels?dialog=delete-all', 'Delete all tunnels'],
    ['/tunnels?dialog=open', 'Open a tunnel'],
    ['/activity/alerts?dialog=rule', 'Create rule'],
    ['/settings/channels?dialog=channel', 'Create channel'],
    ['/settings/tokens?dialog=make', 'Create API token'],
    ['/settings/people?dialog=invite', 'Invite a person'],
    [`/settings/people/${PersonId}?dialog=edit`, 'Edit Anna'],
    [`/settings/people/${PersonId}?dialog=link`, 'New invitation for Anna'],
    [`/settings/people/${PersonId}?dialog=disable`, 'Disable Anna'],
    [`/settings/people/${PersonId}?dialog=remove`, 'Remove Anna'],
  ] as const;
}

for (const { at, size } of [
  { at: 'a wide screen', size: WIDE },
  { at: 'a phone', size: PHONE },
])
  test(`each dialog is accessible on ${at} @sweep`, async ({ signedIn: page, service }) => {
    await page.setViewportSize(size);
    const filled = await fill(service);
    await withTunnels(page);
    await page.goto(service.url);
    for (const [path, name] of await dialogs(service, filled)) {
      await visit(page, path);
      await expect(page.getByRole('dialog', { name })).toBeVisible();
      await judge(page, name);
    }
  });

test('each menu is accessible on a wide screen and on a phone @sweep', async ({ signedIn: page, service }) => {
  await service.createDevice('camera 1');
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await page.goto(`${service.url}/devices`);
    for (const name of ['Actions for camera 1', /^View/]) {
      await page.getByRole('button', { name }).click();
      await expectAccessible(page, '[role="menu"]');
      await page.keyboard.press('Escape');
    }
  }
});

test('forced colors show what is selected, where one is, how jobs ended, and when a device was Online @sweep', async ({
  signedIn: page,
  service,
}) => {
  const { device } = await fill(service);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${service.url}/devices`);
  const selected = page.getByRole('radiogroup').first().locator('.mantine-SegmentedControl-indicator');
  await expect(selected).toHaveCSS('outline-style', 'solid');
  const current = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Devices' });
  await expect(current).toHaveCSS('outline-style', 'solid');
  const row = page.getByRole('row', { name: /camera 1/ });
  await row.getByRole('checkbox').check();
  await expect(row).toHaveCSS('outline-style', 'solid');
  await page.goto(`${service.url}/devices/${device}`);
  const strip = page.locator('[class*="strip"] svg').first();
  await expect(strip).toHaveCSS('outline-style', 'solid');
  await expect(strip).toHaveCSS('forced-color-adjust', 'none');
  await page.goto(`${service.url}/jobs`);
  await expect(page.locator('[data-state="Failed"]:not(:has(*))').first()).toHaveCSS('forced-color-adjust', 'none');
});

test('a title has its place at every width, beside the actions or above them @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices`);
  const title = page.getByRole('heading', { level: 1, name: 'Devices' });
  for (const width of [320, 660, 720, 860, 900, 1360]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await title.boundingBox())?.height, `at ${width} pixels`).toBeLessThan(40);
  }
});

test('a form, its errors and the key that it answers with are accessible', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/devices?dialog=add`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByRole('button', { name: 'Add device' }).click();
  await expect(add.getByText('Name must not be empty')).toBeVisible();
  await expectAccessible(page);
  await add.getByLabel('Name').fill('new');
  await add.getByRole('button', { name: 'Add device' }).click();
  const key = page.getByRole('dialog', { name: 'Connect new' });
  await expect(key.getByText('Waiting for its first connection…')).toBeVisible();
  await judge(page, 'the key', { phone: true });
  await key.getByRole('button', { name: 'Copy device key' }).click();
  await key.getByRole('button', { name: 'Done' }).click();
});

test('the menu of a device and the form of an upload are accessible @sweep', async ({ signedIn: page, service }) => {
  await service.createDevice('camera 1');
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
});

test('the review of a deploy and its list of artifacts are accessible', async ({ signedIn: page, service }) => {
  await fill(service);
  const [artifact] = await service.call<{ ArtifactId: string }[]>('GET', '/v1/artifact');
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact?.ArtifactId}`);
  await expect(page.getByRole('button', { name: 'Deploy to 2 devices' })).toBeEnabled();
  await judge(page, 'the deploy review', { phone: true });
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await expect(page.getByRole('option', { name: /hello\.sh/ })).toBeVisible();
  await expectAccessible(page, '[role="listbox"]');
});

test('the end of a session is accessible @sweep', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/account?dialog=make`);
  await page.getByLabel('Name').fill('too late');
  await endSession(page, async () => {
    await page.getByRole('dialog', { name: 'Create API token' }).getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByRole('dialog', { name: 'You’ve been signed out' })).toBeVisible();
  });
  await expectAccessible(page);
});
