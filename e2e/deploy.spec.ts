// Deploy, with real agents: reviewed before it is sent, carried out once whatever happens, for the devices that were
// reviewed and no others; to a selection; and only to devices that pass a preflight.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import {
  deployButton,
  heading,
  isJobPost,
  jobs,
  openDeploy,
  review,
  script,
  submit,
  jobSandbox,
} from './job-sandbox.ts';

/** The orders that a page sends, as the service gets them. */
function ordersOf(page: Page): { body: string; key: string | undefined }[] {
  const orders: { body: string; key: string | undefined }[] = [];
  page.on('request', (request) => {
    if (isJobPost(request)) orders.push({ body: request.postData() ?? '', key: request.headers()['idempotency-key'] });
  });
  return orders;
}

test('a double click, and a click and an Enter at once, submit one job', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId } = await service.createDevice('gate');
  const artifact = await script(service, sandbox, 'open.sh', 'true');
  const orders = ordersOf(page);

  await openDeploy(page, service, { device: DeviceId, artifact });
  await deployButton(page).dblclick();
  await expect(heading(page)).toContainText('Waiting');
  expect(orders).toHaveLength(1);

  // Both within one frame, before the button can be drawn disabled; and again while the answer is on its way.
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/v1/job', async (route) => {
    if (isJobPost(route.request())) await held;
    await route.continue();
  });
  await openDeploy(page, service, { device: DeviceId, artifact });
  const twice = () =>
    deployButton(page).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.form?.requestSubmit();
    });
  await twice();
  await expect(deployButton(page)).toBeDisabled();
  await twice();
  answer();
  await expect(heading(page)).toContainText('Waiting');
  expect(orders).toHaveLength(2);
  expect(await jobs(service)).toHaveLength(2);
});

test.describe('when no answer comes', () => {
  // The browser itself reports each request that got no answer.
  test.use({ expectedConsole: [/net::ERR_/] });

  /** A device and a script for it, with what the page sends as orders. */
  async function ready(page: Page, service: Service) {
    const sandbox = await jobSandbox(service);
    const { DeviceId } = await service.createDevice('valve');
    const artifact = await script(service, sandbox, 'close.sh', 'true');
    return { orders: ordersOf(page), choice: { device: DeviceId, artifact } };
  }
  const unconfirmed = (page: Page) => page.getByRole('region', { name: 'Unconfirmed deploy' });
  const expectFound = (page: Page) => expect(heading(page)).toHaveText('close.sh 1.0.0 to valve Waiting');

  test('a deploy that was sent before a reload is sent again under the same key', async ({
    signedIn: page,
    service,
  }) => {
    const { orders, choice } = await ready(page, service);
    const arrived = Promise.withResolvers<void>();
    await page.route('**/v1/job', async (route) => {
      if (!isJobPost(route.request())) return route.continue();
      await route.fetch();
      // Its answer would come after the reload.
      arrived.resolve();
    });
    await openDeploy(page, service, choice);
    await deployButton(page).click();
    await arrived.promise;
    await page.reload();
    await expect(unconfirmed(page)).toContainText('close.sh 1.0.0 to valve');
    expect(orders).toHaveLength(1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await unconfirmed(page).getByRole('button', { name: 'Send again' }).click();
    await expectFound(page);
    expect(await jobs(service)).toHaveLength(1);
    await page.goto(`${service.url}/deploy`);
    await expect(unconfirmed(page)).toBeHidden();
  });
});

test('the review of a group shows what is queued, what ran before, its sites and its map', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'check.sh', 'echo checked');
  const other = await script(service, sandbox, 'other.sh', 'true');
  const one = await service.createDevice('unit-one', 'lab');
  const two = await service.createDevice('unit-two', 'lab');
  await service.call('PATCH', `/v1/devices/${one.DeviceId}`, { CustomerName: 'Acme', CustomerSite: 'Harbour' });
  await service.locate(one.DeviceId, 59.9, 10.7);
  const agent = await service.agent(one.DeviceKey);
  const first = await submit(service, { Name: 'first', DeviceId: one.DeviceId, ArtifactId: artifact });
  await expect
    .poll(async () => (await service.call<{ Status: string }>('GET', `/v1/job/${first}`)).Status)
    .toBe('Succeeded');
  await agent.end();
  await submit(service, { Name: 'Earlier one', DeviceId: two.DeviceId, ArtifactId: other });
  await submit(service, { Name: 'Check all', DeviceGroup: 'lab', ArtifactId: artifact });
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await expect(review(page)).toContainText('2 devices');
  await expect(review(page)).toContainText('2 devices have 3 jobs ahead');
  const overlaps = review(page).getByRole('note', { name: 'Overlapping jobs' });
  await expect(overlaps).toContainText('The same is already queued or running on 2 devices: Check all');
  await expect(review(page)).toContainText('It has run on 1 of 2 devices');
  await expect(review(page).getByRole('row', { name: /unit-one/ })).toContainText('Succeeded');
  await review(page).getByText('By site').click();
  const sites = review(page).getByRole('table', { name: 'Devices by customer and site' });
  await sites.getByRole('button', { name: 'Acme · Harbour' }).click();
  await expect(sites.getByRole('link', { name: 'unit-one' })).toBeVisible();
  await review(page).getByText('Map', { exact: true }).click();
  await expect(review(page).getByRole('region', { name: 'Map of the target devices' })).toBeVisible();
  await expect(review(page)).toContainText('1 on the map. 1 device has no location.');
  await expectAccessible(page);
});

test('a change of the members of a group has to be accepted before the deploy @main', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'check.sh', 'echo checked');
  await service.createDevice('unit-one', 'lab');
  const two = await service.createDevice('unit-two', 'lab');
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await expect(review(page)).toContainText('2 devices');
  // One joins and one leaves meanwhile.
  await service.createDevice('unit-three', 'lab');
  await service.call('PATCH', `/v1/devices/${two.DeviceId}`, { DeviceGroup: 'field' });
  await page.getByRole('button', { name: 'Deploy to 2 devices' }).click();
  const changed = review(page).getByRole('alert');
  await expect(changed).toContainText('1 device joined: unit-three');
  await expect(changed).toContainText('1 device left: unit-two');
  expect(await jobs(service)).toHaveLength(0);
  await changed.getByRole('button', { name: 'Go on with 2 devices' }).click();
  await expect(review(page).getByRole('row', { name: /unit-three/ })).toBeVisible();
  await page.getByRole('button', { name: 'Deploy to 2 devices' }).click();
  await expect(heading(page)).toContainText('check.sh 1.0.0 to group lab');
  await expect(page.getByRole('table', { name: 'Devices of this job' }).getByRole('row')).toHaveCount(3);
});

test('a deploy to more than 50 devices asks for their number or the name of the group', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'check.sh', 'true');
  const Devices = Array.from({ length: 51 }, (_, at) => ({ DeviceName: `unit ${at + 1}`, DeviceGroup: 'lab' }));
  const { BulkId } = await service.call<{ BulkId: string }>('POST', '/v1/bulk', { Action: 'create', Devices });
  await expect
    .poll(async () => (await service.call<{ State: string }>('GET', `/v1/bulk/${BulkId}`)).State)
    .toBe('Done');
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  const button = page.getByRole('button', { name: 'Deploy to 51 devices' });
  await expect(button).toBeDisabled();
  await expect(page.getByText('Type the confirmation first.')).toBeVisible();
  const word = page.getByLabel(/^Type lab or 51 to confirm/);
  await word.fill('50');
  await expect(button).toBeDisabled();
  await word.fill('lab');
  await word.press('Enter');
  await expect(heading(page)).toContainText('check.sh 1.0.0 to group lab');
});

test('Enter in a field of the form settles it and sends nothing', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'check.sh', 'true');
  await service.createDevice('unit-one', 'lab');
  await service.createDevice('unit-two', 'lab 2');
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await expect(deployButton(page)).toBeEnabled();
  await page.getByRole('combobox', { name: 'Group' }).fill('lab 2');
  await page.keyboard.press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.keyboard.press('Enter');
  await expect(review(page).getByRole('row', { name: /unit-two/ })).toBeVisible();
  await expect(page).toHaveURL(/group=lab\+2/);
  expect(await jobs(service)).toEqual([]);
});

/** Opens the deploy of a script to six devices, chosen in the device table. */
async function openSelection(page: Page, service: Service): Promise<void> {
  const sandbox = await jobSandbox(service);
  await script(service, sandbox, 'hello.sh', 'echo hello');
  for (const name of ['cam 1', 'cam 2', 'cam 3', 'cam 4', 'cam 5', 'cam 6']) await service.createDevice(name);
  await page.goto(`${service.url}/devices`);
  await page
    .getByRole('checkbox', { name: /^Select (this page|all)/ })
    .first()
    .check();
  await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Deploy' }).click();
  await expect(heading(page)).toHaveText('Deploy');
  await expect(page.getByText('6 devices, as they were selected.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /hello\.sh/ }).click();
  await expect(page).toHaveURL(/artifact=/);
  await page.reload();
  await expect(review(page)).toContainText('6 devices6 not connected yet');
}

test('a selection is one job with all its devices @main', async ({ signedIn: page, service }) => {
  const orders = ordersOf(page);
  await openSelection(page, service);
  await page.getByLabel(/^Name/).fill('Hello to six');
  await page.getByRole('button', { name: 'Deploy to 6 devices' }).click();
  await expect(heading(page)).toContainText('Hello to six Waiting');
  await expect(page.getByRole('table', { name: 'Devices of this job' }).getByRole('row')).toHaveCount(7);
  expect(orders).toHaveLength(1);
  expect(await jobs(service)).toHaveLength(1);
});

test('only the devices that pass a preflight are offered for the deploy', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(service, sandbox, 'update.sh', sandbox.trace('updated $UNIT'));
  for (const unit of ['one', 'two', 'three']) {
    const { DeviceKey } = await service.createDevice(`unit-${unit}`, 'lab');
    await service.agent(DeviceKey, { env: { UNIT: unit } });
  }
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await page.getByRole('heading', { name: 'Safety' }).click();
  await page.getByRole('checkbox', { name: 'Run a pre-check' }).check();
  await page.getByRole('textbox', { name: 'Custom shell lines' }).fill('echo "unit $UNIT"\n[ "$UNIT" != two ]');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Check 3 devices first' }).click();

  await expect(heading(page)).toHaveText('Preflight');
  await expect(page.getByRole('status').filter({ hasText: 'passed' })).toHaveText('2 of 3 devices passed1 Failed');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await expect(row('unit-two')).toContainText('own check ended with 1');
  await expect(row('unit-one')).toContainText('Passed');
  expect(await sandbox.traces()).toEqual([]);

  // Left, and found again by its address.
  const address = page.url();
  await page.goto(`${service.url}/jobs`);
  await page.goto(address);
  await page.getByRole('button', { name: 'Deploy update.sh 1.0.0 to the 2 that passed' }).click();
  await expect(page.getByText('2 devices, as they were selected.')).toBeVisible();
  await expect(review(page)).toContainText('2 devices2 online');
  await page.getByRole('button', { name: 'Deploy to 2 devices' }).click();
  await expect(heading(page)).toContainText('Succeeded');
  await expect.poll(async () => (await sandbox.traces()).sort()).toEqual(['updated one', 'updated three']);
});
