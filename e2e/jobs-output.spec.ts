// The output of a job as it comes from a real device: live, coloured, as text, searched, followed.
import { expect, test } from './fixtures.ts';
import { heading, log, script, submit, yardOf } from './yard.ts';

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
