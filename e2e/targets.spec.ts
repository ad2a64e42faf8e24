// On a phone each page, menu, sheet and dialog of the main tasks is tapped with a finger: nothing on them is lower than that.
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { fleet, rollOut } from './rolled-out.ts';
import { smallTargets } from './targets.ts';

test.use({
  ownService: true,
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  expectedConsole: [/status of 404/],
});

/** A fleet with something on each page: of three devices one is Offline, a rollout is paused, and an alert is silenced. */
async function fill(service: Service) {
  const made = await fleet(service, 3, 1);
  const { units, ArtifactId, broken } = made;
  const device = units[0]!.DeviceId;
  await service.agent((await service.createDevice('camera 1', 'lab')).DeviceKey, {
    args: ['--tunnel', 'http://127.0.0.1:9'],
  });
  await service.locate(device, 47.4, 8.5);
  await service.call('PATCH', `/v1/devices/${device}`, { CustomerName: 'Acme', CustomerSite: 'Dock 4' });
  await service.call('POST', '/v1/tag/outdoors');
  const [tag] = await service.call<{ TagId: string }[]>('GET', '/v1/tag');
  await service.call('POST', `/v1/devices/${device}/tag/${tag?.TagId}`);
  await service.call('POST', '/v1/workflow', { Name: 'Say hello', Command: 'echo hello' });
  // Of a name that leads nowhere: what is sent waits.
  const webhook = { Name: 'Ops', Kind: 'webhook', Url: 'https://hooks.invalid/', Format: 'json' };
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', webhook);
  for (const When of ['JobFailed', 'RolloutPaused'])
    await service.call('POST', '/v1/alerts/rules', {
      Name: `Rule of ${When}`,
      When,
      ForMinutes: 0,
      QuietMinutes: 0,
      Channels: [ChannelId],
    });
  await service.call('PUT', '/v1/orders/labs', { DeviceGroup: 'lab', ArtifactId });
  const invited = { Email: 'anna@example.com', Name: 'Anna', Role: 'Operator', Groups: ['lab'] };
  const { PersonId } = await service.call<{ PersonId: string }>('POST', '/v1/people', invited);
  await writeFile(broken, '');
  const submit = async (target: object) =>
    (await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'Update', ...target, ArtifactId })).JobId;
  const job = await submit({ DeviceId: device });
  const parent = await submit({ DeviceGroup: 'hall' });
  const rollout = await rollOut(service, made);
  const status = async () => (await service.call<{ State: string }>('GET', `/v1/rollout/${rollout}`)).State;
  await expect.poll(status).toMatch(/Paused|Running/);
  return { device, ArtifactId, job, parent, rollout, person: PersonId };
}

/** Goes there as a link does, without loading everything anew. */
const visit = (page: Page, path: string) =>
  page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

const expectLarge = (page: Page, name: string) =>
  test.step(name, async () => {
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
    await expect.soft.poll(() => smallTargets(page), { message: name, timeout: 20_000 }).toEqual([]);
  });

test('what is tapped on each page is 40 pixels high @sweep', async ({ signedIn: page, service }) => {
  const { device, ArtifactId, job, parent, rollout, person } = await fill(service);
  const main = page.getByRole('main');
  await page.goto(service.url);
  for (const [path, seen] of [
    ['/', 'Failed, last 24 h'],
    ['/devices', 'unit 1'],
    ['/devices?q=camera', 'camera 1'],
    [`/devices/${device}`, 'Update'],
    ['/devices/add-many', 'Check rows'],
    ['/devices/none', 'There is no device with this id.'],
    ['/map', 'State'],
    ['/artifacts', 'myapp.sh'],
    ['/artifacts/myapp', 'myapp.sh, script'],
    [`/deploy?group=hall&artifact=${ArtifactId}`, '1 online'],
    [`/deploy?group=hall&artifact=${ArtifactId}&waves=on`, '1 online'],
    ['/jobs', 'group hall'],
    [`/jobs/${job}`, 'no room'],
    [`/jobs/${parent}`, 'devices done'],
    ['/rollouts', 'myapp 2.0.0'],
    [`/rollouts/${rollout}`, 'unit 3'],
    ['/rollouts/orders', 'have it'],
    ['/queues', 'unit 2'],
    ['/archive', 'No job is archived'],
    ['/bulk', 'Bulk'],
    ['/workflows', 'Say hello'],
    ['/tunnels', '127.0.0.1:9'],
    ['/activity', 'Anna'],
    ['/activity/availability', 'unit 3'],
    ['/activity/alerts', 'When a job fails'],
    ['/settings/people', 'Anna'],
    [`/settings/people/${person}`, 'Anna'],
    ['/settings/tokens', 'Starts with'],
    ['/settings/sessions', 'This browser'],
    ['/settings/channels', 'Ops'],
    ['/settings/sign-in', 'Require a second factor'],
    ['/settings/usage', 'Artifact storage'],
    ['/settings/appearance', 'Nothing is stored.'],
    ['/nowhere', 'There is no page at this address.'],
  ] as const) {
    await visit(page, path);
    await expect(main.getByText(seen).filter({ visible: true }).first(), path).toBeVisible();
    await expectLarge(page, path);
  }
});

test('what is tapped in menus, sheets and dialogs is 40 pixels high @sweep', async ({ signedIn: page, service }) => {
  const { device, job, rollout } = await fill(service);
  await page.goto(service.url);
  for (const [path, name] of [
    ['/devices?dialog=add', 'Add a device'],
    [`/devices/${device}?dialog=edit`, 'Edit unit 1'],
    [`/devices/${device}?dialog=locate`, 'Location of unit 1'],
    [`/devices/${device}?dialog=delete`, 'Delete unit 1?'],
    [`/jobs/${job}?dialog=rules`, 'Outcome rules of myapp'],
    ['/jobs?dialog=archive', 'Archive ended jobs'],
    ['/rollouts/orders?dialog=edit', 'New standing order'],
    ['/workflows?dialog=create', 'Create workflow'],
    ['/tunnels?dialog=open', 'Open a tunnel'],
    ['/activity/alerts?dialog=rule', 'Create rule'],
    ['/settings/channels?dialog=channel', 'Create channel'],
    ['/settings/tokens?dialog=make', 'Create API token'],
    ['/settings/people?dialog=invite', 'Invite a person'],
  ] as const) {
    await visit(page, path);
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await expectLarge(page, path);
  }
  for (const [path, name, opened] of [
    ['/devices', 'Actions for unit 1', 'menu'],
    ['/devices', /^View/, 'menu'],
    ['/devices', 'Filters', 'dialog'],
    ['/jobs', 'Filters', 'dialog'],
    [`/rollouts/${rollout}`, 'Filters', 'dialog'],
    ['/activity/availability', 'Filters', 'dialog'],
    ['/', 'More', 'navigation'],
    ['/', 'Search', 'dialog'],
  ] as const) {
    await page.goto(service.url + path);
    await page.getByRole('button', { name, exact: typeof name === 'string' }).tap();
    await expect(page.getByRole(opened).filter({ visible: true }).last()).toBeVisible();
    await expectLarge(page, `${path}, ${String(name)}`);
  }
});
