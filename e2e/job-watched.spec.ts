// The page of a job to several devices while it runs, with real agents.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { heading, jobSandbox, script, submit } from './job-sandbox.ts';

/** What the page asks of the children, without addresses and ids. */
function childRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/childjobs')) asked.push(searchParams.has('since') ? 'changes' : 'all with output');
    if (pathname.endsWith('/outputs')) asked.push('outputs');
  });
  return asked;
}

test('the page of a running job follows its devices, and reads only what changes', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const artifact = await script(
    service,
    sandbox,
    'slow.sh',
    'echo "unit $UNIT begins"',
    sandbox.gate('go'),
    'echo over',
  );
  for (const unit of ['1', '2', '3']) {
    const { DeviceKey } = await service.createDevice(`unit-${unit}`, 'lab');
    if (unit !== '3') await service.agent(DeviceKey, { env: { UNIT: unit } });
  }
  const asked = childRequests(page);
  const job = await submit(service, { Name: 'Slow', DeviceGroup: 'lab', ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${job}`);
  await expect(heading(page)).toContainText('Slow Running');
  const row = (unit: string) => page.getByRole('row', { name: new RegExp(`unit-${unit}`) });
  for (const unit of ['1', '2']) {
    await expect(row(unit)).toContainText('Running');
    await expect(row(unit)).toContainText(`unit ${unit} begins`);
  }
  await expect(row('3')).toContainText('Waiting');
  await sandbox.open('go');
  for (const unit of ['1', '2']) {
    await expect(row(unit)).toContainText('Succeeded');
    await expect(row(unit)).toContainText('over');
  }
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('2 of 3 devices done');
  expect(new Set(asked)).toEqual(new Set(['changes', 'outputs']));
});
