// The queues of the fleet: what waits for whom, in which order, what of it is stale, and how that is taken away.
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

const ORDER = ['App 1.0.0', 'App 1.1.0', 'Clock', 'App 1.2.0', 'Clock again'];

/** A device that is Offline with five jobs, the first two of which a later one supersedes. */
async function awayWithJobs(service: Service) {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('gate-7');
  const upload = (version: string) =>
    service.uploadScript('app.sh', `#!/bin/sh\n${sandbox.trace(`app ${version}`)}\n`, sandbox.folder, version);
  const first = await upload('1.0.0');
  const second = await upload('1.1.0');
  const third = await upload('1.2.0');
  const clock = await script(service, sandbox, 'clock.sh', sandbox.trace('clock'));
  for (const [place, ArtifactId] of [first, second, clock, third, clock].entries())
    await submit(service, { DeviceId, Name: ORDER[place] ?? '', ArtifactId });
  return { sandbox, DeviceId, DeviceKey };
}

test('the stale are removed in one step; the device comes back and runs what is left, in order @main', async ({
  signedIn: page,
  service,
}) => {
  const { sandbox, DeviceKey } = await awayWithJobs(service);
  await page.goto(`${service.url}/queues`);
  const row = page
    .getByRole('table', { name: 'Queues' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: 'gate-7' }) });
  await expect(row).toContainText('5 waiting · 2 stale');
  await page.getByRole('button', { name: 'Remove stale…' }).click();
  const plan = page.getByRole('dialog', { name: 'Remove stale jobs: 2 on 1 device' });
  const rows = plan.getByRole('table', { name: 'Jobs to remove' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText(/gate-7.*App 1\.0\.0.*Superseded by app\.sh 1\.2\.0/);
  await expect(rows.nth(2)).toContainText(/gate-7.*App 1\.1\.0.*Superseded by app\.sh 1\.2\.0/);
  await expectBlocked(plan.getByRole('button', { name: 'Remove 2 jobs' }), 'Type 2 first.');
  await plan.getByLabel('Type 2 to confirm').fill('2');
  await plan.getByRole('button', { name: 'Remove 2 jobs' }).click();
  await expect(plan).toContainText('2 done.');
  await page.keyboard.press('Escape');
  await expect(row).toContainText('3 waiting');
  await expect(row).not.toContainText('stale');

  await service.agent(DeviceKey);
  await expect.poll(sandbox.traces).toEqual(['clock', 'app 1.2.0', 'clock']);
  await expect(page.getByText('Nothing waits', { exact: true })).toBeVisible();
});

test('a queue is seen in its order, and what is stale in it, on the page of queues and on the device’s own', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await awayWithJobs(service);
  await page.goto(`${service.url}/jobs`);
  await page.getByRole('navigation', { name: 'Jobs' }).getByRole('link', { name: 'Queues' }).click();
  await page.getByRole('button', { name: 'Queue of gate-7' }).click();
  const queue = page.getByRole('region', { name: 'Queue of gate-7' });
  await expect(queue).toContainText('2 stale jobs will run when it reconnects.');
  await expect(queue.getByRole('listitem').getByRole('link')).toHaveText(ORDER);
  await expect(queue.getByRole('listitem').nth(1)).toContainText('superseded by app.sh 1.2.0 behind it');
  await expectAccessible(page);
  await queue.getByRole('button', { name: 'Stop Clock again' }).click();
  const question = page.getByRole('dialog', { name: 'Stop Clock again' });
  await expect(question).toContainText('It is cancelled and will not run.');
  await question.getByRole('button', { name: 'Stop job' }).click();
  await expect(queue.getByRole('listitem').getByRole('link')).toHaveText(ORDER.slice(0, 4));

  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('table', { name: 'Jobs of this device' }).getByRole('link')).toHaveText(ORDER);
  await page.getByRole('button', { name: 'Remove the 2 stale jobs…' }).click();
  const plan = page.getByRole('dialog', { name: 'Remove stale jobs: 2 on 1 device' });
  await expect(plan.getByRole('table', { name: 'Jobs to remove' }).getByRole('row')).toHaveCount(3);
  await expectAccessible(page);
});

/** A job to two devices that a newer one of each has superseded. */
async function superseded(service: Service) {
  const sandbox = await jobSandbox(service);
  const one = await service.createDevice('one', 'pair');
  const two = await service.createDevice('two', 'pair');
  const old = await service.uploadScript(
    'app.sh',
    `#!/bin/sh\n${sandbox.trace('old')}\n${sandbox.gate('go')}\n`,
    sandbox.folder,
  );
  const next = await service.uploadScript('app.sh', `#!/bin/sh\n${sandbox.trace('new')}\n`, sandbox.folder, '2.0.0');
  const group = await submit(service, { Name: 'Old for all', ArtifactId: old, DeviceGroup: 'pair' });
  const parts = await service.call<{ JobId: string; DeviceName: string }[]>('GET', `/v1/job/${group}/childjobs`);
  const partOf = (name: string) => parts.find(({ DeviceName }) => DeviceName === name)?.JobId ?? '';
  for (const { DeviceId } of [one, two]) await submit(service, { Name: 'New', ArtifactId: next, DeviceId });
  return { sandbox, one, two, group, partOf };
}

/** The paths to which the page posts, in order. */
function watchPosts(page: Page): string[] {
  const removed: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') removed.push(new URL(request.url()).pathname);
  });
  return removed;
}

test('of a job to a group only the part of one device is removed, and one that has begun meanwhile is left', async ({
  signedIn: page,
  service,
}) => {
  const { sandbox, one, two, group, partOf } = await superseded(service);
  const removed = watchPosts(page);
  // The filters narrow what is removed.
  await page.goto(`${service.url}/queues?q=one&stale=superseded`);
  await expect(page.getByRole('table', { name: 'Queues' }).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove the stale jobs of one' }).click();
  const single = page.getByRole('dialog', { name: 'Remove stale jobs: 1 on 1 device' });
  await expect(single).toContainText('stay in the job list as Cancelled');
  await single.getByRole('button', { name: 'Remove 1 job' }).click();
  await expect(single).toContainText('1 done.');
  await page.keyboard.press('Escape');
  expect(removed).toEqual(['/v1/bulk']);
  expect(await statusOf(service, partOf('one'))).toBe('Cancelled');
  expect(await statusOf(service, partOf('two'))).toBe('Waiting');
  expect(await statusOf(service, group)).toBe('Waiting');

  // The other device returns while the plan is on the screen.
  await page.goto(`${service.url}/queues`);
  await page.getByRole('button', { name: 'Remove stale…' }).click();
  const late = page.getByRole('dialog', { name: 'Remove stale jobs: 1 on 1 device' });
  await expect(late.getByRole('button', { name: 'Remove 1 job' })).toBeEnabled();
  await service.agent(two.DeviceKey);
  await expect.poll(() => statusOf(service, partOf('two'))).toBe('Running');
  await late.getByRole('button', { name: 'Remove 1 job' }).click();
  await expect(late).toContainText('1 skipped.');
  await expect(late).toContainText('It has already started');
  expect(removed).toEqual(['/v1/bulk', '/v1/bulk']);
  await sandbox.open('go');
  await service.agent(one.DeviceKey);
  await expect.poll(async () => (await sandbox.traces()).toSorted()).toEqual(['new', 'new', 'old']);
});
