// The output of a job as it comes from a real device: live, coloured, as text, followed.
import type { Locator, Page } from '@playwright/test';
import { expect, test, withoutOffers, type Service } from './fixtures.ts';
import { found, saved, searchBox, steps } from './job-log.ts';
import { heading, jobSandbox, log, script, submit, type JobSandbox } from './job-sandbox.ts';
import { settledBox } from './settled-box.ts';

interface Pieces {
  Stdout: { Text: string };
  Stderr: { Text: string };
}

/** A running job that has printed colours, a tag and a line on stderr; it goes on at "lift" and ends at "end". */
async function openLift(page: Page, service: Service) {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('crane');
  const artifact = await script(
    service,
    sandbox,
    'lift.sh',
    String.raw`printf '\033[1;31mload\033[0m is heavy\n'`,
    `echo '<img src=x onerror="document.title=1">'`,
    'echo careful >&2',
    sandbox.gate('lift'),
    'echo load is up',
    sandbox.gate('end'),
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'lift', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'crane')).toContainText('load is heavy');
  return sandbox;
}

test('output arrives while the job runs; its colours are shown, its tags are text @main', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await openLift(page, service);
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

  await sandbox.open('lift');
  await expect(output).toContainText('load is up');
  await expect(heading(page)).toContainText('Running');
  await sandbox.open('end');
  await expect(heading(page)).toContainText('Succeeded');
  await expect(page).not.toHaveTitle('1');
});

test('the output of a running job is searched, and shown by stream', async ({ signedIn: page, service }) => {
  const sandbox = await openLift(page, service);
  const output = log(page, 'crane');
  await sandbox.open('lift');
  await expect(output).toContainText('load is up');
  await searchBox(page).fill('LOAD');
  await expect(found(page)).toHaveText('2 found');
  await page.keyboard.press('Enter');
  await expect(found(page)).toHaveText(/^[12]\/2$/);
  await searchBox(page).fill('nowhere');
  await expect(found(page)).toHaveText('Not found');
  await page.keyboard.press('Escape');
  await expect(found(page)).toBeEmpty();
  const streams = page.getByRole('radiogroup', { name: 'Streams' });
  await streams.getByText('stderr').click();
  await expect(output).toHaveText(/^.*careful$/);
  await streams.getByText('stdout').click();
  await expect(output).toContainText('load is up');
  await expect(output).not.toContainText('careful');
  await sandbox.open('end');
});

/** A running job of 300 lines, of 300 more at "on", and of a last one at "end". */
async function openClimb(page: Page, service: Service) {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('lift');
  const artifact = await script(
    service,
    sandbox,
    'climb.sh',
    steps(1, 300),
    sandbox.gate('on'),
    steps(301, 600),
    sandbox.gate('end'),
    'echo arrived',
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'climb', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'lift').getByText('step 300', { exact: true })).toBeInViewport();
  return sandbox;
}
const followButton = (page: Page) => page.getByRole('button', { name: 'Follow' }); // or "Follow: 300 new lines"
const lineCount = (page: Page, count: string) => page.getByText(`${count} lines`, { exact: true });

test('a log follows its end until the reader scrolls up, and again after a click', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await openClimb(page, service);
  const output = log(page, 'lift');
  const follow = followButton(page);
  await expect(follow).toBeHidden();
  await output.hover();
  await page.mouse.wheel(0, -100_000);
  await expect(output.getByText('step 1', { exact: true })).toBeInViewport();
  await sandbox.open('on');
  await expect(lineCount(page, '600')).toBeVisible();
  await expect(output.getByText('step 1', { exact: true })).toBeInViewport();
  await expect(follow).toHaveText('300 new lines');
  await follow.click();
  await expect(output.getByText('step 600', { exact: true })).toBeInViewport();
  await expect(follow).toBeHidden();
});

test('a log stays at what was searched until the reader goes to its end', async ({ signedIn: page, service }) => {
  const sandbox = await openClimb(page, service);
  const output = log(page, 'lift');
  // Before there is a step 420: the search goes on from what is in view.
  await searchBox(page).fill('step 42');
  await page.keyboard.press('Enter');
  await expect(output.getByText('step 42', { exact: true })).toBeInViewport();
  await sandbox.open('on');
  await sandbox.open('end');
  await expect(lineCount(page, '601')).toBeVisible();
  await expect(output.getByText('step 42', { exact: true })).toBeInViewport();
  await output.press('End');
  await expect(output.getByText('arrived')).toBeInViewport();
  await expect(heading(page)).toContainText('Succeeded');
});

/** A job that writes to both streams in turn, a gate before each; gives its id. */
async function submitRaise(service: Service, sandbox: JobSandbox): Promise<string> {
  const { DeviceId, DeviceKey } = await service.createDevice('hoist');
  const artifact = await script(
    service,
    sandbox,
    'raise.sh',
    'echo begins',
    sandbox.gate('faults'),
    `{ ${steps(1, 200, 'fault $i')}; } >&2`,
    sandbox.gate('up'),
    'echo going up',
    sandbox.gate('oops'),
    'echo oops >&2',
    sandbox.gate('arrived'),
    'echo arrived',
    sandbox.gate('end'),
  );
  await service.agent(DeviceKey);
  return submit(service, { Name: 'raise', DeviceId, ArtifactId: artifact });
}

/** Opens the gates one by one: what is new is in view each time. */
async function expectNewestInView(sandbox: JobSandbox, output: Locator): Promise<void> {
  const seen = (text: string) => expect(output.getByText(text, { exact: true })).toBeInViewport();
  await seen('begins');
  for (const [gate, text] of [
    ['faults', 'fault 200'],
    ['up', 'going up'],
    ['oops', 'oops'],
    ['arrived', 'arrived'],
  ] as const) {
    await sandbox.open(gate);
    await seen(text);
  }
}

test('both streams come in the order of arrival, and the newest line is followed', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const id = await submitRaise(service, sandbox);
  await page.goto(`${service.url}/jobs/${id}`);
  const output = log(page, 'hoist');
  await expectNewestInView(sandbox, output);
  await expect(output.locator('[data-index]').last()).toContainText('arrived');
  await sandbox.open('end');
  await expect(heading(page)).toContainText('Succeeded');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const faults = Array.from({ length: 200 }, (_, n) => `fault ${n + 1}\n`).join('');
  expect(await saved(download)).toBe(`begins\n${faults}going up\noops\narrived\n`);
});

test.describe('with a service that gives no order of the streams', () => {
  test('the log shows that the order is not known, and follows the stream that grew', async ({
    signedIn: page,
    service,
  }) => {
    const sandbox = await jobSandbox(service);
    const id = await submitRaise(service, sandbox);
    await withoutOffers(page, 'output');
    await page.goto(`${service.url}/jobs/${id}`);
    const output = log(page, 'hoist');
    await expectNewestInView(sandbox, output);
    await sandbox.open('end');
    await expect(heading(page)).toContainText('Succeeded');
    // It is between the two streams, of which only the rows in view are drawn.
    await output.press('Home');
    await expect(output.getByText('order of arrival not known')).toBeInViewport();
  });
});

/** A job of 3,200 wide lines, and of 301 more at "on", the last of which comes in two parts. */
async function submitPull(service: Service, sandbox: JobSandbox): Promise<string> {
  const { DeviceId, DeviceKey } = await service.createDevice('winch');
  const wide = `line $i ${'wide '.repeat(60)}`;
  const artifact = await script(
    service,
    sandbox,
    'pull.sh',
    steps(1, 3000, wide),
    `{ ${steps(1, 200, 'fault $i')}; } >&2`,
    sandbox.gate('on'),
    steps(3001, 3300, wide),
    "printf 'h\\303'; sleep 1; printf '\\244lt\\n'",
    sandbox.gate('end'),
  );
  await service.agent(DeviceKey);
  return submit(service, { Name: 'pull', DeviceId, ArtifactId: artifact });
}

test('output comes in pieces, none of them twice', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const id = await submitPull(service, sandbox);
  const answers: Promise<Pieces>[] = [];
  const whole: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === `/v1/job/${id}/output`) answers.push(response.json().catch(() => undefined) as Promise<Pieces>);
    if (pathname === `/v1/job/${id}`) whole.push(pathname);
  });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(lineCount(page, '3,200')).toBeVisible();
  await sandbox.open('on');
  await expect(lineCount(page, '3,501')).toBeVisible();
  // The last line is counted from its first byte on.
  await expect(log(page, 'winch')).toContainText('hält');
  await sandbox.open('end');
  await expect(heading(page)).toContainText('Succeeded');

  const { Stdout, Stderr } = await service.call<{ Stdout: string; Stderr: string }>('GET', `/v1/job/${id}`);
  const sent = (await Promise.all(answers)).filter((answer) => answer !== undefined);
  expect(sent.map((answer) => answer.Stdout.Text).join('')).toBe(Stdout);
  expect(sent.map((answer) => answer.Stderr.Text).join('')).toBe(Stderr);
  expect(Stdout.endsWith('hält\n')).toBe(true);
  expect(whole).toEqual([]);
});

test('new output does not move the line that is being read', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const id = await submitPull(service, sandbox);
  await page.goto(`${service.url}/jobs/${id}`);
  const output = log(page, 'winch');
  await expect(lineCount(page, '3,200')).toBeVisible();
  await page.getByRole('button', { name: 'Wrap lines' }).click();
  await searchBox(page).fill('fault 42');
  await page.keyboard.press('Enter');
  const reading = output.getByText('fault 42', { exact: true });
  await expect(reading).toBeInViewport();
  const before = await settledBox(reading);

  await sandbox.open('on');
  await expect(lineCount(page, '3,501')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Follow: 301 new lines' })).toBeVisible();
  expect(Math.abs((await settledBox(reading)).y - before.y)).toBeLessThan(3);
  await sandbox.open('end');
});
