// The overview: an empty account that fills up, and a fleet of which a part goes down, comes back and is deployed to. The
// page follows without a reload, and each figure is the same in the list that it links to.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { script, submit, jobSandbox } from './job-sandbox.ts';

// A service that is killed leaves requests of its page without an answer.
test.use({ ownService: true, expectedConsole: [/net::ERR_/] });

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const overview = async (page: Page) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
};

/** Follows a link with a figure; the list must show the same number. */
async function sameBehind(page: Page, link: RegExp, list: string, words: RegExp): Promise<void> {
  const figure = page.getByRole('main').getByRole('link', { name: link });
  await expect(figure).not.toContainText('–'); // which stands there until it is read
  const number = /(\d+)\D*$/.exec((await figure.textContent()) ?? '')?.[1] ?? 'none';
  await figure.click();
  await expect(page.getByRole('heading', { level: 1, name: list })).toBeVisible();
  await expect(page.getByRole('main').getByRole('status').filter({ hasText: words })).toHaveText(
    new RegExp(`^${number}\\b`),
  );
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
}

test('from an empty account to the first job, the first steps tick themselves @main', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  await page.goto(`${service.url}/`);
  const steps = part(page, 'First steps');
  const step = (title: string) => steps.getByRole('listitem').filter({ hasText: title });
  const isDone = (title: string) => expect(step(title).getByRole('img', { name: 'Done' })).toBeVisible();
  await expect(steps.getByRole('status')).toHaveText('0 of 6 done');
  await expectAccessible(page);

  await step('Add a device').getByRole('link', { name: 'Add a device' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('pump 7');
  await page.getByRole('button', { name: 'Add device' }).click();
  const key = page.getByRole('dialog', { name: 'Connect pump 7' });
  await key.getByRole('button', { name: 'Download' }).click();
  await key.getByRole('button', { name: 'Done' }).click();
  await overview(page);
  await isDone('Add a device');
  await expect(step('See it online').getByRole('img', { name: 'To do' })).toBeVisible();
  await expect(part(page, 'Fleet')).toContainText('1 device, none connected yet');
  await expect(part(page, 'Fleet').getByRole('link', { name: '1 not connected yet' })).toBeVisible();

  const listing = await service.call<{ Devices: { DeviceId: string }[] }>('GET', '/v1/devices/1/25');
  const id = listing.Devices[0]?.DeviceId ?? '';
  const { DeviceKey } = await service.call<{ DeviceKey: string }>('POST', `/v1/devices/${id}/key`);
  await service.agent(DeviceKey);
  await service.locate(id, 52.5, 13.4);
  const ArtifactId = await script(service, sandbox, 'hello.sh', 'echo hello');
  await submit(service, { Name: 'first job', DeviceId: id, ArtifactId });
  for (const title of ['See it online', 'Set its location', 'Upload an artifact', 'Deploy it']) await isDone(title);
  await expect(part(page, 'Fleet')).toContainText('1 device is online');
  await expect(steps.getByRole('status')).toHaveText('5 of 6 done');
  await step('Open a tunnel').getByRole('link', { name: 'Go to Tunnels' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tunnels' })).toBeVisible();
  await overview(page);
  await steps.getByRole('button', { name: 'Hide' }).click();
  await expect(steps).toBeHidden();
  await page.reload();
  await expect(part(page, 'Fleet')).toContainText('1 device is online');
  await expect(steps).toBeHidden();
});

/** Three pumps in the north and one in the south, all connected, on an open overview. */
async function openFleet(page: Page, service: Service) {
  const made = await Promise.all(
    ['north-1', 'north-2', 'north-3', 'south-1'].map(async (name) => {
      const device = await service.createDevice(name, 'pumps');
      await service.call('PATCH', `/v1/devices/${device.DeviceId}`, { CustomerSite: name.replace(/-.*/, '') });
      const data = await service.folder('agent');
      return { ...device, start: () => service.agent(device.DeviceKey, { data }) };
    }),
  );
  const agents = await Promise.all(made.map(({ start }) => start()));
  await page.goto(`${service.url}/`);
  await expect(part(page, 'Fleet')).toContainText('All 4 devices are online');
  return {
    first: made[0]?.DeviceId ?? '',
    loseNorth: async () => {
      await Promise.all(agents.slice(0, 3).map((agent) => agent.end('SIGKILL')));
      await expect(part(page, 'Fleet')).toContainText('1 of 4 devices are online');
    },
    startNorth: () => Promise.all(made.slice(0, 3).map(({ start }) => start())),
  };
}

const failed = (page: Page) => part(page, 'Failed, last 24 h');
const lastChange = (page: Page) => part(page, 'Recent disconnects').getByRole('listitem').first();

test('a deployment is followed while it runs, and listed with its failure; a service that was down leaves no device Offline', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { first } = await openFleet(page, service);
  await expect(failed(page)).toContainText('No job failed.');
  // Two are done, one has failed, one still runs.
  const ArtifactId = await script(
    service,
    sandbox,
    'update.sh',
    `if mkdir '${sandbox.folder}/first' 2>/dev/null; then exit 3; fi`,
    `if mkdir '${sandbox.folder}/second' 2>/dev/null; then ${sandbox.gate('go')}; fi`,
  );
  await submit(service, { Name: 'Update the pumps', DeviceGroup: 'pumps', ArtifactId });
  const running = part(page, 'Running jobs').getByRole('listitem');
  await expect(running).toContainText('3 of 4 done');
  await expect(running).toContainText('1 failed, 2 succeeded, 1 running');
  await sandbox.open('go');
  await expect(part(page, 'Running jobs')).toContainText('No running or waiting jobs.');
  await expect(failed(page).getByRole('listitem')).toContainText('1 of 4 devices failed');
  await failed(page).getByRole('link', { name: 'Update the pumps' }).click();
  await expect(part(page, 'Why it failed')).toBeVisible();

  await service.stop('SIGKILL');
  await service.start();
  await overview(page);
  await expect(part(page, 'Fleet')).toContainText('All 4 devices are online');
  await page.goto(`${service.url}/devices/${first}`);
  const changes = page.getByRole('list', { name: 'Timeline' });
  await expect(changes).toContainText('the service was down');
  await expect(changes).toContainText('connected for the first time');
  await expect(changes).not.toContainText('Offline');
});

test('a site that goes down is one entry, also after a reload, and leaves the list when it is back', async ({
  signedIn: page,
  service,
}) => {
  const { first, loseNorth, startNorth } = await openFleet(page, service);
  const down = part(page, 'Down now');
  await expect(down).toContainText('Every device that has connected is online.');
  await expect(part(page, 'Recent disconnects')).toContainText('No device disconnected.');
  await loseNorth();
  await expect(down.getByRole('listitem')).toHaveCount(1);
  await expect(down.getByRole('listitem')).toContainText('3 devices of site');
  await expect(lastChange(page)).toContainText('went offline');
  await page.reload();
  await expect(lastChange(page)).toContainText('went offline');
  await startNorth();
  await expect(part(page, 'Fleet')).toContainText('All 4 devices are online');
  await expect(lastChange(page)).toContainText('came back');
  await expect(down).toContainText('Every device that has connected is online.');

  // The same for the device alone.
  await page.goto(`${service.url}/devices/${first}`);
  const history = part(page, 'History');
  await expect(history.getByRole('img', { name: /^Online for .* of the time that is known/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Timeline' })).toContainText('connection lost');
  await history.getByText('30 days').click();
  await expect(page).toHaveURL(/period=720/);
  await expect(history.getByRole('radio', { name: '30 days' })).toBeChecked();
  await expectAccessible(page);
});

test('each figure of the overview is the same in the list that it links to', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  // Tunnels have their own tests; only their number matters here.
  const tunnel = { PublicUrl: 'N/A', Protocol: 'TCP', LocalDest: 'tcp://127.0.0.1:22', Created: '', Uptime: 'N/A' };
  await page.route('**/v1/tunnels', (route) =>
    route.fulfill({ json: ['Basic', 'None', 'None'].map((Auth, at) => ({ Name: `t${at}`, Auth, ...tunnel })) }),
  );
  const { loseNorth } = await openFleet(page, service);
  await loseNorth();
  const ArtifactId = await script(service, sandbox, 'fail.sh', 'exit 3');
  await submit(service, { Name: 'Restart the pumps', DeviceGroup: 'pumps', ArtifactId });
  await expect(failed(page).getByRole('listitem')).toContainText('1 of 4 devices failed');
  await expect(page.getByRole('link', { name: /^Devices with queued jobs/ })).toContainText('3');
  await sameBehind(page, /^Running jobs/, 'Jobs', /jobs?$/);
  await sameBehind(page, /^Failed jobs, last 24 h/, 'Jobs', /jobs?$/);
  await sameBehind(page, /^3 devices of site/, 'Devices', /devices?$/);
  await sameBehind(page, /^Devices with queued jobs/, 'Queues', /devices?$/);
  await sameBehind(page, /^\d+ offline/, 'Devices', /devices?$/);
  await sameBehind(page, /^1$/, 'Devices', /devices?$/);
  await sameBehind(page, /^Open tunnels/, 'Tunnels', /tunnels?$/);
  await sameBehind(page, /^2 public/, 'Tunnels', /tunnels?$/);
  await expectAccessible(page);
});
