// Jobs, with real agents that run real scripts: they wait, queue up, fail, are deleted and found again in the list.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import {
  deployButton,
  heading,
  isAlive,
  log,
  openDeploy,
  review,
  script,
  statusOf,
  submit,
  jobSandbox,
} from './job-sandbox.ts';

test('a job for a device that is offline waits, and runs when its agent comes', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('buoy 4');
  await script(service, sandbox, 'greet.sh', 'echo hello from the buoy');

  await page.goto(`${service.url}/deploy`);
  await expect(deployButton(page)).toBeDisabled();
  await expect(page.getByText('Choose a target first.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Device' }).fill('buoy');
  await page.getByRole('option', { name: /buoy 4/ }).click();
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /greet\.sh/ }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('greet.sh 1.0.0 to buoy 4');
  await expect(page).toHaveURL(new RegExp(`device=${DeviceId}`));
  await expect(review(page)).toContainText('1 device1 not connected yet');
  await expect(review(page)).toContainText('It waits until the device is online.');
  await deployButton(page).click();

  await expect(heading(page)).toHaveText('greet.sh 1.0.0 to buoy 4 Waiting');
  await expect(page.getByText('The device is offline. The job runs when it reconnects')).toBeVisible();
  await service.agent(DeviceKey);
  await expect(heading(page)).toContainText('Succeeded');
  await expect(log(page, 'buoy 4')).toHaveText('hello from the buoy');
  await expect(page.getByText('Exit code0')).toBeVisible();
});

test('two jobs for one device run one after the other, in the order they were submitted', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('press');
  const artifacts = [
    await script(
      service,
      sandbox,
      'first.sh',
      sandbox.trace('first begins'),
      sandbox.gate('go'),
      sandbox.trace('first ends'),
    ),
    await script(service, sandbox, 'second.sh', sandbox.trace('second')),
  ];
  await service.agent(DeviceKey);
  for (const [place, artifact] of artifacts.entries()) {
    await openDeploy(page, service, { device: DeviceId, artifact });
    await deployButton(page).click();
    await expect(heading(page)).toContainText(place === 0 ? 'Running' : 'Waiting');
  }
  await expect(page.getByText('The job runs after the device’s earlier jobs.')).toBeVisible();
  await sandbox.open('go');
  await expect(heading(page)).toContainText('Succeeded');
  expect(await sandbox.traces()).toEqual(['first begins', 'first ends', 'second']);
});

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Devices of this job' }).getByRole('row', { name: new RegExp(name) });
const progress = (page: Page) => page.getByRole('region', { name: 'Progress' });

/** A group of three: a script succeeds on the first, fails on the second, and waits for the third. */
async function labWith(service: Service): Promise<string> {
  const sandbox = await jobSandbox(service);
  const artifact = await script(
    service,
    sandbox,
    'check.sh',
    'echo "measured on $UNIT"',
    'echo "noise on $UNIT" >&2',
    '[ "$UNIT" != two ] || exit 3',
  );
  for (const unit of ['one', 'two']) {
    const { DeviceKey } = await service.createDevice(`unit-${unit}`, 'lab');
    await service.agent(DeviceKey, { env: { UNIT: unit } });
  }
  await service.createDevice('unit-three', 'lab');
  await service.createDevice('elsewhere', 'field');
  return artifact;
}

/** The job that has ended on the first two, opened. */
async function openGroupJob(page: Page, service: Service): Promise<void> {
  const ArtifactId = await labWith(service);
  const id = await submit(service, { Name: 'check all', DeviceGroup: 'lab', ArtifactId });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(progress(page)).toContainText('2 of 3 devices done');
}

test('a group is deployed to after its review, and the job shows how it went on each device @main', async ({
  signedIn: page,
  service,
}) => {
  const artifact = await labWith(service);
  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await expect(review(page)).toContainText('3 devices2 online1 not connected yet');
  await expect(review(page)).toContainText('1 device will wait until online');
  await page.getByRole('button', { name: 'Deploy to 3 devices' }).click();
  await expect(row(page, 'unit-one')).toContainText('Succeeded');
  await expect(row(page, 'unit-two')).toContainText('Failed');
  await expect(row(page, 'unit-two').getByRole('cell', { name: '3', exact: true })).toBeVisible();
  await expect(row(page, 'unit-three')).toContainText('Waiting');
  await expect(progress(page)).toContainText('2 of 3 devices done');
  await expect(progress(page)).toContainText(/1.failed, 1.succeeded, 1.waiting/);
  // Nothing goes on until the third is back, and no time is counted.
  await expect(progress(page)).toContainText('1 waiting for an offline device');
  await expect(heading(page)).toContainText('Waiting');
  await expect(page.getByText('Duration–')).toBeVisible();
});

test('the output of a device that failed is read by stream, and a reload shows the same @main', async ({
  signedIn: page,
  service,
}) => {
  await openGroupJob(page, service);
  await page.getByRole('button', { name: 'Failed 1' }).click();
  await expect(row(page, 'unit-one')).toBeHidden();
  await row(page, 'unit-two').getByRole('link').click();
  const panel = page.getByRole('region', { name: 'Output of unit-two, panel' });
  await expect(panel).toContainText('Failedexit code 3');
  await expect(log(page, 'unit-two')).toContainText('measured on two');
  await expect(log(page, 'unit-two')).toContainText('noise on two');
  await panel.getByRole('radiogroup', { name: 'Streams' }).getByText('stderr').click();
  await expect(log(page, 'unit-two')).not.toContainText('measured');
  await expect(log(page, 'unit-two')).toContainText('noise on two');
  await panel.getByRole('radiogroup', { name: 'Streams' }).getByText('stdout').click();
  await expect(log(page, 'unit-two')).toHaveText('measured on two');
  await expect(page).toHaveURL(/state=Failed&child=\w+&log=stdout/);

  await page.reload();
  await expect(log(page, 'unit-two')).toHaveText('measured on two');
  await page.getByRole('button', { name: 'Close the output' }).click();
  await expect(panel).toBeHidden();
  await page.getByRole('button', { name: 'All 3' }).click();
  await expect(row(page, 'unit-one')).toBeVisible();
});

test('the list of jobs and the overview say which device a job waits for', async ({ signedIn: page, service }) => {
  await openGroupJob(page, service);
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('row', { name: /check all/ })).toContainText('1 waits for an offline device');
  await page.goto(service.url);
  await expect(page.getByText('2 of 3 done · 1 failed · 1 waiting for an offline device')).toBeVisible();
});

test.describe('on the page of a job', () => {
  // It may ask for the job once more while that is being deleted, and the browser reports the answer.
  test.use({ expectedConsole: [/status of 404/] });

  test('a waiting job that is deleted never runs', async ({ signedIn: page, service }) => {
    const sandbox = await jobSandbox(service);
    const { DeviceId, DeviceKey } = await service.createDevice('drone');
    const take = await script(service, sandbox, 'take.sh', sandbox.trace('took off'));
    const stay = await script(service, sandbox, 'stay.sh', sandbox.trace('stayed'));
    const taken = await submit(service, { Name: 'take off', DeviceId, ArtifactId: take });
    const stayed = await submit(service, { Name: 'stay', DeviceId, ArtifactId: stay });

    await page.goto(`${service.url}/jobs/${taken}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const question = page.getByRole('dialog', { name: 'Delete take off' });
    await expect(question).toContainText('This cancels the waiting job. It will not run.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(question).toBeHidden();
    expect(await statusOf(service, taken)).toBe('Waiting');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await question.getByRole('button', { name: 'Delete job' }).click();

    await expect(heading(page)).toHaveText('Jobs');
    await expect(page.getByRole('table', { name: 'Jobs' }).getByRole('row')).toHaveCount(2);
    await service.agent(DeviceKey);
    await page.getByRole('link', { name: 'stay', exact: true }).click();
    await expect(heading(page)).toContainText('Succeeded');
    expect(await statusOf(service, stayed)).toBe('Succeeded');
    expect(await sandbox.traces()).toEqual(['stayed']);
  });
});

test('a running job that is deleted is stopped, with all that it started', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('mill');
  const artifact = await script(
    service,
    sandbox,
    'grind.sh',
    `${sandbox.gate('never')} &`,
    sandbox.trace('$$ $!'),
    'wait',
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'grind', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('row', { name: /grind/ })).toContainText('Running');
  await expect.poll(sandbox.traces).toHaveLength(1);
  const pids = (await sandbox.traces()).join().split(' ').map(Number);
  expect(pids.filter(isAlive)).toHaveLength(2);

  await page.getByRole('button', { name: 'Delete grind' }).click();
  const question = page.getByRole('dialog', { name: 'Delete grind' });
  await expect(question).toContainText('This stops the running job.');
  await question.getByRole('button', { name: 'Delete job' }).click();
  await expect(page.getByText('No jobs yet')).toBeVisible();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect(service.call('GET', `/v1/job/${id}`)).rejects.toThrow('404');
});

test('a job that is stopped keeps its record and output, on each of its devices @main', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('mill', 'hall');
  await service.createDevice('press', 'hall');
  const ArtifactId = await script(service, sandbox, 'grind.sh', 'echo half way', sandbox.gate('never'));
  await service.agent(DeviceKey);
  const all = await submit(service, { Name: 'grind all', DeviceGroup: 'hall', ArtifactId });
  await submit(service, { Name: 'grind once', DeviceId, ArtifactId });

  await page.goto(`${service.url}/jobs/${all}`);
  await expect(heading(page)).toHaveText('grind all Running');
  await expect(row(page, 'mill')).toContainText('half way'); // it may run before it has printed anything
  await page.getByRole('button', { name: 'Stop…' }).click();
  const question = page.getByRole('dialog', { name: 'Stop grind all' });
  await expect(question).toContainText('It is stopped on 1 device where it is running');
  await expect(question).toContainText('It is cancelled for 1 device where it still waits.');
  await question.getByLabel('Type 2 to confirm').fill('2');
  await question.getByRole('button', { name: 'Stop job' }).click();
  await expect(heading(page)).toHaveText('grind all Cancelled');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText(/Done on 2 devices.*2.cancelled/);
  await page.getByRole('link', { name: 'mill' }).first().click();
  await expect(log(page, 'mill')).toContainText('half way');
  await expect(page.getByRole('button', { name: 'Stop…' })).toHaveCount(0);

  // The one behind it has begun by now, and is stopped as one of a selection.
  await page.goto(`${service.url}/jobs`);
  const once = page.getByRole('row', { name: /grind once/ });
  await expect(once).toContainText('Running');
  await once.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Stop 1…' }).click();
  const many = page.getByRole('dialog', { name: 'Stop 1 job' });
  await many.getByRole('button', { name: 'Stop 1 job' }).click();
  await expect(many).toContainText('1 done.');
  await many.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(once).toContainText('Cancelled');
});
