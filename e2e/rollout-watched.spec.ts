// A rollout in progress: devices that stay away or flap, why devices failed, and where they are.
import { writeFile } from 'node:fs/promises';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { devices, fleet, heading, lane, rollOut } from './rolled-out.ts';

/** A rollout to two devices whose first wave is the first of them, which has an agent. */
async function canary(service: Service, gate: { OnlineMinutes: number; TimeoutMinutes: number }) {
  const made = await fleet(service, 2, 0);
  const unit = made.units[0]!;
  const data = await service.folder('agent');
  const agent = await service.agent(unit.DeviceKey, { data });
  const id = await rollOut(service, made, {
    Waves: [{ DeviceIds: [unit.DeviceId] }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, ...gate },
  });
  return { id, agent, again: () => service.agent(unit.DeviceKey, { data }) };
}

test('a canary that reboots and stays away pauses the rollout', async ({ signedIn: page, service }) => {
  // A wave's shortest time limit is a minute.
  test.setTimeout(150_000);
  const { id, agent } = await canary(service, { OnlineMinutes: 1, TimeoutMinutes: 1 });
  await page.goto(`${service.url}/rollouts/${id}`);
  await expect(lane(page, 1)).toContainText('0 of 1 required; 1 succeeded, not yet stable');
  await agent.end('SIGKILL');
  await expect(devices(page)).toContainText('Still offline');
  await expect(heading(page)).toContainText('Paused', { timeout: 90_000 });
  await expect(
    page.getByText(/^Paused at .*: Wave 1 has not passed within 1 minute: .*1 device is still offline/),
  ).toBeVisible();
  await expect(lane(page, 2)).toContainText('Not started');
});

test('a device that flaps starts its time Online over each time', async ({ signedIn: page, service }) => {
  const { id, agent, again } = await canary(service, { OnlineMinutes: 60, TimeoutMinutes: 600 });
  const passes = async () => {
    const { Waves } = await service.call<{ Waves: { Gate: { BackTime: string } }[] }>('GET', `/v1/rollout/${id}`);
    return Waves[0]?.Gate.BackTime ?? '';
  };
  await page.goto(`${service.url}/rollouts/${id}`);
  await expect(lane(page, 1)).toContainText(/passes .* if they stay online/);
  const before = await passes();
  await agent.end('SIGKILL');
  await expect(lane(page, 1)).toContainText('Still offline');
  await expect(lane(page, 1)).not.toContainText('if they stay online');
  await again();
  await expect(lane(page, 1)).toContainText(/passes .* if they stay online/);
  expect(Date.parse(await passes())).toBeGreaterThan(Date.parse(before));
  await expect(lane(page, 2)).toContainText('Not started');
});

test('failures of all waves are in one group, and a state of a wave links to its devices', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 3, 2);
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/rollouts/${await rollOut(service, made)}`);
  await expect(heading(page)).toContainText('Paused');
  await page.getByRole('button', { name: 'Start wave 2 anyway…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start wave 2 anyway', exact: true }).click();
  const why = page.getByRole('region', { name: 'Why it failed' });
  const group = why.getByRole('button', { name: /×.*no room/ });
  await expect(group).toContainText('2 ×');
  // The last device connects once the page has shown its job as waiting.
  await service.agent(made.units[2]!.DeviceKey);
  await expect(lane(page, 2).getByRole('link', { name: 'Failed 2' })).toBeVisible();
  await expect(group).toContainText('3 ×');
  await group.click();
  await expect(why.getByRole('table', { name: 'Devices of this group' }).getByRole('row')).toHaveCount(4);
  await expectAccessible(page);
  await why.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('menuitem', { name: 'In the device table' }).click();
  await expect(page.getByRole('region', { name: 'Selected devices' })).toContainText('3 selected');
  await page.goBack();
  await lane(page, 2).getByRole('link', { name: 'Failed 2' }).click();
  await expect(devices(page).getByRole('row')).toHaveCount(3);
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveValue('Failed');
});

test('the picture of a rollout has all of its waves, and a part of it filters its devices; its map shows where they are', async ({
  signedIn: page,
  service,
}) => {
  const made = await fleet(service, 3);
  for (const [at, { DeviceId }] of made.units.entries()) await service.locate(DeviceId, 48 + at, 11);
  const id = await rollOut(service, made);
  await page.goto(`${service.url}/rollouts/${id}`);
  await expect(heading(page)).toContainText('Succeeded');
  const picture = page.getByRole('region', { name: 'Timeline' });
  await expect(
    picture.getByRole('slider', { name: 'Devices over time: 3 of 3 devices ended, 0 failed' }),
  ).toBeVisible();
  await expectAccessible(page);
  // Nothing takes so long.
  const { pathname } = new URL(page.url());
  await page.goto(`${service.url}${pathname}?took=3600000-7200000`);
  await expect(picture.getByText('Only devices that took 1 h 0 min to 2 h 0 min')).toBeVisible();
  await expect(devices(page).getByRole('row')).toHaveCount(1);
  await picture.getByRole('button', { name: 'Show all' }).click();
  await expect(devices(page).getByRole('row')).toHaveCount(4);
  await picture.getByRole('link', { name: 'Wave 1 started' }).click();
  await expect(devices(page).getByRole('row')).toHaveCount(2);

  await page.goto(service.url + pathname);
  await page.getByRole('radiogroup', { name: 'View of the devices' }).getByText('Map').click();
  await expect(page.getByRole('region', { name: 'Map of the rollout' })).toBeVisible();
  await expect(page.getByText('3 on the map.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Wave' }).selectOption('Wave 1');
  await expect(page.getByText('1 on the map.')).toBeVisible();
});

test('the sidebar says how many rollouts wait for a person', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 2);
  await writeFile(made.broken, '');
  await page.goto(`${service.url}/devices`);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Rollouts/ });
  await expect(link).toHaveAccessibleName('Rollouts');
  await rollOut(service, made);
  await expect(link).toHaveAccessibleName('Rollouts 1 waiting for a person');
  await link.click();
  await page.getByRole('table', { name: 'Rollouts' }).getByRole('link', { name: 'myapp 2.0.0' }).click();
  await page.getByRole('button', { name: 'Abort…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort', exact: true }).click();
  await expect(link).toHaveAccessibleName('Rollouts');
});
