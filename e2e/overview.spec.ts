// The beginning of a day: an empty account that fills up, and a fleet of which a part goes down, comes back, and is
// deployed to; the page tells of it by itself, and each figure is the same on the list behind it.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import { script, submit, jobSandbox } from './job-sandbox.ts';

// Agents go and come back, and the page is waited for at the pace at which it looks by itself.
test.setTimeout(120_000);

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const overview = async (page: Page) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
};

/** Follows a link with a figure in it; the list behind it must show the same number. */
async function sameBehind(page: Page, link: RegExp, list: string, words: RegExp): Promise<void> {
  const figure = page.getByRole('main').getByRole('link', { name: link });
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
  const isDone = (title: string) =>
    expect(step(title).getByRole('img', { name: 'Done' })).toBeVisible({ timeout: 30_000 });
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
  await expect(step('See it Online').getByRole('img', { name: 'To do' })).toBeVisible();
  await expect(part(page, 'Fleet')).toContainText('0 of 1 device is Online');
  await expect(part(page, 'Fleet').getByRole('link', { name: '1 never seen' })).toBeVisible();

  const listing = await service.call<{ Devices: { DeviceId: string }[] }>('GET', '/v1/devices/1/25');
  const id = listing.Devices[0]?.DeviceId ?? '';
  const { DeviceKey } = await service.call<{ DeviceKey: string }>('POST', `/v1/devices/${id}/key`);
  await service.agent(DeviceKey);
  await service.locate(id, 52.5, 13.4);
  const ArtifactId = await script(service, sandbox, 'hello.sh', 'echo hello');
  await submit(service, { Name: 'first job', DeviceId: id, ArtifactId });
  for (const title of ['See it Online', 'Say where it is', 'Upload an artifact', 'Deploy it']) await isDone(title);
  await expect(part(page, 'Fleet')).toContainText('1 device is Online');
  await expect(steps.getByRole('status')).toHaveText('5 of 6 done');
  await step('Open a tunnel').getByRole('link', { name: 'Go to Tunnels' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tunnels' })).toBeVisible();
  await overview(page);
  await steps.getByRole('button', { name: 'Hide' }).click();
  await expect(steps).toBeHidden();
  await page.reload();
  await expect(part(page, 'Fleet')).toContainText('1 device is Online');
  await expect(steps).toBeHidden();
});

test('a site goes down and comes back, a deployment runs and fails: shown by itself, and the same on each list', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const made = await Promise.all(
    ['north-1', 'north-2', 'north-3', 'south-1'].map(async (name) => {
      const device = await service.createDevice(name, 'pumps');
      await service.call('PATCH', `/v1/devices/${device.DeviceId}`, { CustomerSite: name.replace(/-.*/, '') });
      return { ...device, data: await service.folder('agent') };
    }),
  );
  const connect = () => Promise.all(made.map(({ DeviceKey, data }) => service.agent(DeviceKey, { data })));
  const agents = await connect();
  // Tunnels have a test of their own; here only their number counts.
  const tunnel = { PublicUrl: 'N/A', Protocol: 'TCP', LocalDest: 'tcp://127.0.0.1:22', Created: '', Uptime: 'N/A' };
  await page.route('**/v1/tunnels', (route) =>
    route.fulfill({ json: ['Basic', 'None', 'None'].map((Auth, at) => ({ Name: `t${at}`, Auth, ...tunnel })) }),
  );
  await page.goto(`${service.url}/`);
  const fleet = part(page, 'Fleet');
  await expect(fleet).toContainText('All 4 devices are Online');
  await expect(part(page, 'Down now')).toContainText('Every device that was seen before is Online.');
  await expect(part(page, 'Failed in the last 24 hours')).toContainText('No job failed.');

  // A bar that moves: two are done, one has failed, one still runs.
  const ArtifactId = await script(
    service,
    sandbox,
    'update.sh',
    `if mkdir '${sandbox.folder}/first' 2>/dev/null; then exit 3; fi`,
    `if mkdir '${sandbox.folder}/second' 2>/dev/null; then ${sandbox.gate('go')}; fi`,
  );
  await submit(service, { Name: 'Update the pumps', DeviceGroup: 'pumps', ArtifactId });
  const running = part(page, 'Under way').getByRole('listitem');
  await expect(running).toContainText('3 of 4 done', { timeout: 30_000 });
  await expect(running).toContainText('1 failed, 2 succeeded, 1 running');
  await sameBehind(page, /^Jobs under way/, 'Jobs', /jobs?$/);
  await sandbox.open('go');
  await expect(part(page, 'Under way')).toContainText('Nothing runs and nothing waits.', { timeout: 30_000 });
  const failed = part(page, 'Failed in the last 24 hours');
  await expect(failed.getByRole('listitem')).toContainText('1 of 4 failed');
  await sameBehind(page, /^Failed in 24 hours/, 'Jobs', /jobs?$/);
  await failed.getByRole('link', { name: 'Update the pumps' }).click();
  await expect(part(page, 'Why it failed')).toBeVisible();
  await overview(page);

  // The north loses its uplink.
  await Promise.all(agents.slice(0, 3).map((agent) => agent.end('SIGKILL')));
  await expect(fleet).toContainText('1 of 4 devices are Online', { timeout: 30_000 });
  const down = part(page, 'Down now').getByRole('listitem');
  await expect(down).toHaveCount(1);
  await expect(down).toContainText('3 devices of site');
  await expect(part(page, 'Went and came back').getByRole('listitem').first()).toContainText('went Offline');
  await submit(service, { Name: 'Restart the pumps', DeviceGroup: 'pumps', ArtifactId });
  await sameBehind(page, /^3 devices of site/, 'Devices', /devices?$/);
  await expect(page.getByRole('link', { name: /^Queues/ })).toContainText('3', { timeout: 30_000 });
  await sameBehind(page, /^Queues/, 'Queues', /devices?$/);
  await sameBehind(page, /^\d+ Offline/, 'Devices', /devices?$/);
  await sameBehind(page, /^1$/, 'Devices', /devices?$/);
  await sameBehind(page, /^Open tunnels/, 'Tunnels', /tunnels?$/);
  await sameBehind(page, /^2 public/, 'Tunnels', /tunnels?$/);
  await expectAccessible(page);

  // This browser remembers: after a reload, too.
  await page.reload();
  await expect(part(page, 'Went and came back').getByRole('listitem').first()).toContainText('went Offline');
  await Promise.all(made.slice(0, 3).map(({ DeviceKey, data }) => service.agent(DeviceKey, { data })));
  await expect(fleet).toContainText('All 4 devices are Online', { timeout: 30_000 });
  await expect(part(page, 'Went and came back').getByRole('listitem').first()).toContainText('came back');
  await expect(part(page, 'Down now')).toContainText('Every device that was seen before is Online.');

  // The same for the device alone.
  await page.goto(`${service.url}/devices/${made[0]?.DeviceId}`);
  const day = part(page, 'Last 24 hours');
  await expect(day.getByRole('img', { name: /^Online for .* that are known$/ })).toBeVisible();
  await expect(day.getByRole('list', { name: 'Changes of its state' })).toContainText('Offline');
  await expectAccessible(page);

  // As if it had looked yesterday too, and not at night.
  await page.evaluate(() => {
    const [key, hour, now] = ['muster-watched:operator@localhost', 3_600_000, Date.now()];
    const kept = JSON.parse(localStorage.getItem(key) ?? '[]') as unknown[];
    localStorage.setItem(key, JSON.stringify([[now - 20 * hour, now - 10 * hour], ...kept]));
  });
  await overview(page);
  await expect(part(page, 'Went and came back')).toContainText('This browser was not looking between');
  await expect(fleet.getByRole('img', { name: /^The last 24 hours, of which this browser saw 10 h/ })).toBeVisible();
});
