// Deploying, with real agents that run real scripts: jobs that wait, queue up, fail and are deleted; output as it comes;
// a submit whose answer is lost; and kill -9 of the service, the agent and all of a device in the middle of a job.
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

interface Listed {
  JobId: string;
  JobName: string;
  Status: string;
}

/** A folder where scripts leave traces and wait at gates until the test opens them. */
class Yard {
  readonly folder: string;
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Lines of shell that leave a trace. */
  trace = (line: string) => `echo "${line}" >> '${this.folder}/traces'`;
  /** Lines of shell that wait for a gate, and no longer than the test goes on. */
  gate = (name: string) => `while [ -d '${this.folder}' ] && [ ! -e '${this.folder}/${name}' ]; do sleep 0.05; done`;
  open = (name: string) => writeFile(path.join(this.folder, name), '');

  /** What the scripts have left so far. */
  traces = async () =>
    (await readFile(path.join(this.folder, 'traces'), 'utf8').catch(() => '')).split('\n').filter((line) => line);
}

const yardOf = async (service: Service) => new Yard(await service.folder('yard'));

/** Uploads these lines of shell as an artifact that can be deployed; gives its id. */
const script = (service: Service, yard: Yard, name: string, ...lines: string[]) =>
  service.uploadScript(name, `#!/bin/sh\n${lines.join('\n')}\n`, yard.folder);

const submit = async (service: Service, draft: Record<string, string>) =>
  (await service.call<{ JobId: string }>('POST', '/v1/job', draft)).JobId;
const jobs = async (service: Service) => (await service.call<Listed[] | null>('GET', '/v1/job')) ?? [];
const statusOf = async (service: Service, id: string) => (await service.call<Listed>('GET', `/v1/job/${id}`)).Status;

const textOf = (file: string) => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

/** Whether a process runs; one that ended and was not collected yet does not. */
const isAlive = (pid: number) => /^\d+ \(.*\) [^ZX] /s.test(textOf(`/proc/${pid}/stat`));

/** Ids of the processes that were started with a text among their arguments. */
const processesWith = (text: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(text))
    .map(Number);

/** Opens the form with everything chosen, as the links of other pages do. */
async function openDeploy(page: Page, service: Service, choice: Record<string, string>): Promise<void> {
  await page.goto(`${service.url}/deploy?${new URLSearchParams(choice)}`);
  await expect(deployButton(page)).toBeEnabled();
}

const deployButton = (page: Page) => page.getByRole('button', { name: /^Deploy/ });
const review = (page: Page) => page.getByRole('region', { name: 'Review' });
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const log = (page: Page, device: string) => page.getByRole('region', { name: `Output of ${device}, text` });
const isJobPost = (request: { method(): string; url(): string }) =>
  request.method() === 'POST' && new URL(request.url()).pathname === '/v1/job';

test('a job for a device that is offline waits, and runs when its agent comes', async ({ signedIn: page, service }) => {
  const yard = await yardOf(service);
  const { DeviceId, DeviceKey } = await service.createDevice('buoy 4');
  await script(service, yard, 'greet.sh', 'echo hello from the buoy');

  await page.goto(`${service.url}/deploy`);
  await expect(deployButton(page)).toBeDisabled();
  await expect(page.getByText('Choose a target first.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Device' }).fill('buoy');
  await page.getByRole('option', { name: /buoy 4/ }).click();
  await page.getByRole('combobox', { name: 'Artifact' }).click();
  await page.getByRole('option', { name: /greet\.sh/ }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('greet.sh 1.0.0 to buoy 4');
  await expect(page).toHaveURL(new RegExp(`device=${DeviceId}`));
  await expect(review(page)).toContainText('1 device1 Offline');
  await expect(review(page)).toContainText('It waits until the device is back online.');
  await deployButton(page).click();

  await expect(heading(page)).toHaveText('greet.sh 1.0.0 to buoy 4 Waiting');
  await expect(page.getByText('The device is offline. The job runs when it is back')).toBeVisible();
  await service.agent(DeviceKey);
  await expect(heading(page)).toContainText('Succeeded');
  await expect(log(page, 'buoy 4')).toHaveText('hello from the buoy');
  await expect(page.getByText('Exit code0')).toBeVisible();
});

test('two jobs for one device run one after the other, in the order they were submitted', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const { DeviceId, DeviceKey } = await service.createDevice('press');
  const artifacts = [
    await script(service, yard, 'first.sh', yard.trace('first begins'), yard.gate('go'), yard.trace('first ends')),
    await script(service, yard, 'second.sh', yard.trace('second')),
  ];
  await service.agent(DeviceKey);
  for (const [place, artifact] of artifacts.entries()) {
    await openDeploy(page, service, { device: DeviceId, artifact });
    await deployButton(page).click();
    await expect(heading(page)).toContainText(place === 0 ? 'Running' : 'Waiting');
  }
  await expect(page.getByText('The job runs after the jobs that were submitted to the device before.')).toBeVisible();
  await yard.open('go');
  await expect(heading(page)).toContainText('Succeeded');
  expect(await yard.traces()).toEqual(['first begins', 'first ends', 'second']);
});

test('a group job shows what each device printed, stdout and stderr apart, and which one failed', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const artifact = await script(
    service,
    yard,
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

  await page.goto(`${service.url}/deploy?group=lab&artifact=${artifact}`);
  await expect(review(page)).toContainText('3 devices2 Online1 Offline');
  await expect(review(page)).toContainText('1 device will wait until back online');
  await expect(page.getByRole('button', { name: 'Deploy to 3 devices' })).toBeDisabled();
  await expect(page.getByText('Type the confirmation first.')).toBeVisible();
  await page.getByLabel(/^Type lab or 3 to confirm/).fill('lab');
  await page.getByRole('button', { name: 'Deploy to 3 devices' }).click();

  const row = (name: string) =>
    page.getByRole('table', { name: 'Devices of this job' }).getByRole('row', { name: new RegExp(name) });
  await expect(row('unit-one')).toContainText('Succeeded');
  await expect(row('unit-two')).toContainText('Failed');
  await expect(row('unit-two').getByRole('cell', { name: '3', exact: true })).toBeVisible();
  await expect(row('unit-three')).toContainText('Waiting');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('2 of 3 devices done');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText(/1.failed, 1.succeeded, 1.waiting/);

  // Only the failed ones; then what the failed one printed.
  await page.getByRole('button', { name: 'Failed 1' }).click();
  await expect(row('unit-one')).toBeHidden();
  await row('unit-two').getByRole('link').click();
  const panel = page.getByRole('region', { name: 'Output of unit-two, panel' });
  await expect(panel).toContainText('Failedexit code 3');
  await expect(log(page, 'unit-two')).toContainText('measured on two');
  await expect(log(page, 'unit-two')).toContainText('noise on two');
  await panel.getByText('stderr', { exact: true }).first().click();
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
  await expect(row('unit-one')).toBeVisible();
});

test('output arrives while the job runs; its colours are shown, its tags are text, and it can be searched', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const { DeviceId, DeviceKey } = await service.createDevice('crane');
  const artifact = await script(
    service,
    yard,
    'lift.sh',
    String.raw`printf '\033[1;31mload\033[0m is heavy\n'`,
    `echo '<img src=x onerror="document.title=1">'`,
    'echo careful >&2',
    yard.gate('lift'),
    'echo load is up',
    yard.gate('end'),
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'lift', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);

  const output = log(page, 'crane');
  await expect(output).toContainText('load is heavy');
  await expect(output).toContainText('<img src=x onerror="document.title=1">');
  await expect(output.locator('img')).toHaveCount(0);
  await expect(output).not.toContainText('[1;31m');
  const coloured = output.getByText('load', { exact: true });
  const plain = output.getByText(' is heavy');
  const colour = (element: Element) => getComputedStyle(element).color;
  expect(await coloured.evaluate(colour)).not.toBe(await plain.evaluate(colour));
  await expect(heading(page)).toContainText('Running');
  await expect(output).not.toContainText('load is up');

  await yard.open('lift');
  await expect(output).toContainText('load is up');
  await expect(heading(page)).toContainText('Running');

  const found = page.getByRole('search', { name: 'Search the output' });
  await found.getByLabel('Search the output').fill('LOAD');
  await expect(found.getByRole('status')).toHaveText('2 found');
  await page.keyboard.press('Enter');
  await expect(found.getByRole('status')).toHaveText(/^[12]\/2$/);
  await found.getByLabel('Search the output').fill('nowhere');
  await expect(found.getByRole('status')).toHaveText('Not found');
  await page.keyboard.press('Escape');
  await expect(found.getByRole('status')).toBeEmpty();
  const streams = page.getByRole('radiogroup', { name: 'Streams' });
  await streams.getByText('stderr').click();
  await expect(output).toHaveText(/^.*careful$/);
  await streams.getByText('stdout').click();
  await expect(output).toContainText('load is up');
  await expect(output).not.toContainText('careful');
  await yard.open('end');
  await expect(heading(page)).toContainText('Succeeded');
  await expect(page).not.toHaveTitle('1');
});

test('a log follows its end until the reader scrolls up or goes to a find, and again when told to', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const { DeviceId, DeviceKey } = await service.createDevice('lift');
  const steps = (first: number, last: number) =>
    `i=${first}; while [ $i -le ${last} ]; do echo "step $i"; i=$((i+1)); done`;
  const artifact = await script(
    service,
    yard,
    'climb.sh',
    steps(1, 300),
    yard.gate('on'),
    steps(301, 600),
    yard.gate('end'),
    'echo arrived',
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'climb', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  const output = log(page, 'lift');
  const follow = page.getByRole('button', { name: 'Follow' });
  const lines = (count: number) => expect(page.getByText(`${count} lines`, { exact: true })).toBeVisible();
  await expect(output.getByText('step 300', { exact: true })).toBeInViewport();
  await expect(follow).toBeHidden();

  await output.hover();
  await page.mouse.wheel(0, -100_000);
  await expect(output.getByText('step 1', { exact: true })).toBeInViewport();
  await yard.open('on');
  await lines(600);
  await expect(output.getByText('step 1', { exact: true })).toBeInViewport();
  await follow.click();
  await expect(output.getByText('step 600', { exact: true })).toBeInViewport();
  await expect(follow).toBeHidden();

  await page.getByLabel('Search the output').last().fill('step 42');
  await page.keyboard.press('Enter');
  await expect(output.getByText('step 42', { exact: true })).toBeInViewport();
  await yard.open('end');
  await lines(601);
  await expect(output.getByText('step 42', { exact: true })).toBeInViewport();
  await output.press('End');
  await expect(output.getByText('arrived')).toBeInViewport();
  await expect(heading(page)).toContainText('Succeeded');
});

test('a double click, and a click and an Enter at once, submit one job', async ({ signedIn: page, service }) => {
  const yard = await yardOf(service);
  const { DeviceId } = await service.createDevice('gate');
  const artifact = await script(service, yard, 'open.sh', 'true');
  const posts: string[] = [];
  page.on('request', (request) => {
    if (isJobPost(request)) posts.push(request.postData() ?? '');
  });

  await openDeploy(page, service, { device: DeviceId, artifact });
  await deployButton(page).dblclick();
  await expect(heading(page)).toContainText('Waiting');
  expect(posts).toHaveLength(1);

  // Both within one frame, before the button can be drawn disabled; and again while the answer is on its way.
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/v1/job', async (route) => {
    if (isJobPost(route.request())) await held;
    await route.continue();
  });
  await openDeploy(page, service, { device: DeviceId, artifact });
  await deployButton(page).evaluate((button: HTMLButtonElement) => {
    button.click();
    button.form?.requestSubmit();
  });
  await expect(deployButton(page)).toBeDisabled();
  await deployButton(page).evaluate((button: HTMLButtonElement) => {
    button.click();
    button.form?.requestSubmit();
  });
  answer();
  await expect(heading(page)).toContainText('Waiting');
  expect(posts).toHaveLength(2);
  expect(await jobs(service)).toHaveLength(2);
});

test.describe('on the page of a job', () => {
  // It may ask for the job once more while that is being deleted, and the browser reports the answer.
  test.use({ expectedConsole: [/status of 404/] });

  test('a waiting job that is deleted never runs', async ({ signedIn: page, service }) => {
    const yard = await yardOf(service);
    const { DeviceId, DeviceKey } = await service.createDevice('drone');
    const take = await script(service, yard, 'take.sh', yard.trace('took off'));
    const stay = await script(service, yard, 'stay.sh', yard.trace('stayed'));
    const taken = await submit(service, { Name: 'take off', DeviceId, ArtifactId: take });
    const stayed = await submit(service, { Name: 'stay', DeviceId, ArtifactId: stay });

    await page.goto(`${service.url}/jobs/${taken}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const question = page.getByRole('dialog', { name: 'Delete take off' });
    await expect(question).toContainText('It still waits: it is cancelled and will not run.');
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
    expect(await yard.traces()).toEqual(['stayed']);
  });
});

test('a running job that is deleted is stopped, with all that it started', async ({ signedIn: page, service }) => {
  const yard = await yardOf(service);
  const { DeviceId, DeviceKey } = await service.createDevice('mill');
  const artifact = await script(service, yard, 'grind.sh', `${yard.gate('never')} &`, yard.trace('$$ $!'), 'wait');
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'grind', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByRole('row', { name: /grind/ })).toContainText('Running');
  await expect.poll(yard.traces).toHaveLength(1);
  const pids = (await yard.traces()).join().split(' ').map(Number);
  expect(pids.filter(isAlive)).toHaveLength(2);

  await page.getByRole('button', { name: 'Delete grind' }).click();
  const question = page.getByRole('dialog', { name: 'Delete grind' });
  await expect(question).toContainText('It is running: it is stopped on the device.');
  await question.getByRole('button', { name: 'Delete job' }).click();
  await expect(page.getByText('No jobs yet')).toBeVisible();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect(service.call('GET', `/v1/job/${id}`)).rejects.toThrow('404');
});

test('a workflow is defined, deployed and deleted', async ({ signedIn: page, service }) => {
  const { DeviceId, DeviceKey } = await service.createDevice('kiosk');
  await service.agent(DeviceKey);
  await page.goto(`${service.url}/workflows`);
  await page.getByRole('button', { name: 'Create workflow' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create workflow' });
  await dialog.getByLabel('Name').fill('say who you are');
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog.getByLabel('Command')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Command').fill("echo 'a kiosk'\nexit 4");
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole('link', { name: 'Deploy say who you are' }).click();
  await expect(page.getByRole('radio', { name: 'Workflow (legacy)' })).toBeChecked();
  await page.getByRole('combobox', { name: 'Device' }).click();
  await page.getByRole('option', { name: /kiosk/ }).click();
  await expect(review(page).getByLabel('Command of the workflow')).toHaveText("echo 'a kiosk'\nexit 4");
  await deployButton(page).click();
  await expect(heading(page)).toHaveText('say who you are to kiosk Failed');
  await expect(page.getByText('Exit code4')).toBeVisible();
  await expect(log(page, 'kiosk')).toHaveText('a kiosk');
  expect((await jobs(service)).map(({ JobName }) => JobName)).toEqual(['say who you are to kiosk']);
  await expect(page.getByRole('link', { name: 'kiosk' })).toHaveAttribute('href', `/devices/${DeviceId}`);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('button', { name: 'Delete say who you are' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete workflow' }).click();
  await expect(page.getByText('No workflows')).toBeVisible();
  expect((await service.call<unknown[] | null>('GET', '/v1/workflow')) ?? []).toEqual([]);
});

test('the list of jobs is searched and filtered, in the URL, so that Back and reload keep it', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const runner = await service.createDevice('runner');
  const sleeper = await service.createDevice('sleeper');
  const fine = await script(service, yard, 'fine.sh', 'true');
  const wrong = await script(service, yard, 'wrong.sh', 'exit 7');
  await service.agent(runner.DeviceKey);
  await submit(service, { Name: 'Nightly backup', DeviceId: sleeper.DeviceId, ArtifactId: fine });
  await submit(service, { Name: 'Nightly clean-up', DeviceId: runner.DeviceId, ArtifactId: wrong });
  await submit(service, { Name: 'Weekly report', DeviceId: runner.DeviceId, ArtifactId: wrong });
  await submit(service, { Name: 'Rotate keys', DeviceId: runner.DeviceId, ArtifactId: fine });

  await page.goto(`${service.url}/jobs`);
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row');
  await expect(rows.filter({ hasText: 'Rotate keys' })).toContainText('Succeeded');
  await expect(rows.filter({ hasText: 'Weekly report' })).toContainText('Failedexit code 7');
  await expect(rows.getByRole('link')).toHaveText([
    'Rotate keys',
    'Weekly report',
    'Nightly clean-up',
    'Nightly backup',
  ]);

  await page.getByLabel('Name contains').fill('nightly');
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/\?name=nightly$/);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
  await expect(rows.getByRole('link')).toHaveText(['Nightly clean-up']);
  await expect(page).toHaveURL(/\?name=nightly&state=Failed$/);
  await expect(page.getByRole('search', { name: 'Filter jobs' }).getByRole('status')).toHaveText('1 of 4 jobs');

  await page.getByRole('link', { name: 'Nightly clean-up' }).click();
  await expect(heading(page)).toContainText('Nightly clean-up Failed');
  await page.goBack();
  await expect(rows).toHaveCount(1);
  await expect(page.getByLabel('Name contains')).toHaveValue('nightly');
  await page.reload();
  await expect(rows).toHaveCount(1);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Running');
  await expect(page.getByText('No job matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows).toHaveCount(4);
});

test.describe('when the network fails', () => {
  // The browser itself reports each request that got no answer.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('a lost answer to a submit is said to be unknown, and nothing is sent again', async ({
    signedIn: page,
    service,
  }) => {
    const yard = await yardOf(service);
    const { DeviceId } = await service.createDevice('valve');
    const artifact = await script(service, yard, 'close.sh', 'true');
    let posts = 0;
    await page.route('**/v1/job', async (route) => {
      if (!isJobPost(route.request())) return route.continue();
      posts += 1;
      expect((await route.fetch()).status()).toBe(200);
      await route.abort('connectionreset');
    });
    await openDeploy(page, service, { device: DeviceId, artifact });
    await deployButton(page).click();

    const warning = review(page).getByRole('alert');
    await expect(warning).toContainText('It is unknown whether the job was submitted.');
    await expect(warning).toContainText('a second job would run the same thing twice');
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await expect(warning).toHaveCount(1);
    await warning.getByRole('link', { name: 'Look in Jobs' }).click();
    await expect(page.getByRole('row', { name: /close\.sh 1\.0\.0 to valve/ })).toContainText('Waiting');
    expect(posts).toBe(1);
    expect(await jobs(service)).toHaveLength(1);
  });

  test('kill -9 of the service in the middle of a job: the page says so and recovers, and the job ran once', async ({
    signedIn: page,
    service,
  }) => {
    const yard = await yardOf(service);
    const { DeviceId, DeviceKey } = await service.createDevice('pump');
    const artifact = await script(
      service,
      yard,
      'pump.sh',
      yard.trace('begin'),
      'echo pumping',
      yard.gate('stop'),
      'echo pumped',
      yard.trace('end'),
    );
    await service.agent(DeviceKey);
    await openDeploy(page, service, { device: DeviceId, artifact });
    await deployButton(page).click();
    await expect(log(page, 'pump')).toContainText('pumping');

    await service.stop('SIGKILL');
    await expect(page.getByRole('alert').filter({ hasText: 'Could not refresh the job' })).toContainText(
      'The service cannot be reached',
    );
    await expect(log(page, 'pump')).toContainText('pumping');
    await yard.open('stop');
    await expect.poll(yard.traces).toEqual(['begin', 'end']);

    await service.start();
    await expect(heading(page)).toContainText('Succeeded', { timeout: 30_000 });
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(log(page, 'pump')).toHaveText('pumpingpumped');
    expect(await yard.traces()).toEqual(['begin', 'end']);
    expect(await jobs(service)).toHaveLength(1);
  });
});

test('kill -9 of the agent in the middle of a job: the next agent takes it over, and the job ran once', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const data = await service.folder('agent');
  const { DeviceId, DeviceKey } = await service.createDevice('fan');
  const artifact = await script(
    service,
    yard,
    'fan.sh',
    yard.trace('begin'),
    'echo turning',
    yard.gate('stop'),
    'echo turned',
    yard.trace('end'),
  );
  const agent = await service.agent(DeviceKey, { data });
  const id = await submit(service, { Name: 'turn', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'fan')).toHaveText('turning');
  await agent.stop('SIGKILL');
  await yard.open('stop');
  await expect.poll(yard.traces).toEqual(['begin', 'end']);
  expect(await statusOf(service, id)).toBe('Running');

  await service.agent(DeviceKey, { data });
  await expect(heading(page)).toHaveText('turn Succeeded');
  await expect(log(page, 'fan')).toHaveText('turningturned');
  expect(await yard.traces()).toEqual(['begin', 'end']);
});

test('a device that loses its power in the middle of a job: Interrupted, with what that means, and not run again', async ({
  signedIn: page,
  service,
}) => {
  const yard = await yardOf(service);
  const data = await service.folder('agent');
  const { DeviceId, DeviceKey } = await service.createDevice('lamp');
  const artifact = await script(service, yard, 'lamp.sh', yard.trace('begin'), 'echo on', yard.gate('never'));
  const after = await script(service, yard, 'after.sh', yard.trace('after'));
  const agent = await service.agent(DeviceKey, { data });
  const id = await submit(service, { Name: 'light', DeviceId, ArtifactId: artifact });
  const next = await submit(service, { Name: 'next', DeviceId, ArtifactId: after });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'lamp')).toHaveText('on');
  for (const pid of processesWith(data)) process.kill(pid, 'SIGKILL');
  await agent.stop('SIGKILL');

  await service.agent(DeviceKey, { data });
  await expect(heading(page)).toHaveText('light Interrupted');
  await expect(page.getByText('It was not run again, since it is unknown how far it came.')).toBeVisible();
  await expect(log(page, 'lamp')).toHaveText('on');
  await page.goto(`${service.url}/jobs/${next}`);
  await expect(heading(page)).toHaveText('next Succeeded');
  expect(await yard.traces()).toEqual(['begin', 'after']);
});
