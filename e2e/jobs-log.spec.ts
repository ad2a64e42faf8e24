// The log of a job that has ended: searched, linked, copied and downloaded.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, withoutOffers, type Service } from './fixtures.ts';
import { found, lineLink, saved, searchBox } from './job-log.ts';
import { heading, jobSandbox, log, script, submit } from './job-sandbox.ts';

/** A job that printed 10 MB, opened. */
async function openHaul(page: Page, service: Service): Promise<void> {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('barge');
  const artifact = await script(
    service,
    sandbox,
    'haul.sh',
    `awk 'BEGIN { for (i = 1; i <= 150000; i++) printf "%d %s Load %d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbb\\n", i, (i % 1000 ? "load" : "MARK"), i % 7 }'`,
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'haul', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  // Ten megabytes take their time from a device.
  await expect(heading(page)).toContainText('Succeeded', { timeout: 60_000 });
  await expect(page.getByText('150,000 lines', { exact: true })).toBeVisible();
  await expect(lineLink(page, 150_000)).toBeInViewport();
}

test('a log of 10 MB is searched by text, case and pattern', async ({ signedIn: page, service }) => {
  await openHaul(page, service);
  const output = log(page, 'barge');
  await page.keyboard.press('g');
  await expect(lineLink(page, 1)).toBeInViewport();
  await page.keyboard.press('/');
  await page.keyboard.type('mark');
  await expect(found(page)).toHaveText('150 found');
  await page.keyboard.press('Enter');
  await expect(lineLink(page, 1000)).toBeInViewport();
  await output.focus();
  await page.keyboard.press('n');
  await expect(lineLink(page, 2000)).toBeInViewport();
  await expect(found(page)).toHaveText('2/150');
  await page.keyboard.press('N');
  await expect(found(page)).toHaveText('1/150');
  await page.getByRole('button', { name: 'Match case' }).click();
  await expect(found(page)).toHaveText('Not found');
  await page.getByRole('button', { name: 'Pattern' }).click();
  await searchBox(page).fill('^14[0-9]000 M');
  await expect(found(page)).toHaveText('10 found');
  await searchBox(page).fill('(');
  await expect(found(page)).toHaveText('Not a pattern yet');
  await searchBox(page).fill('(a+)+c');
  await expect(found(page)).toHaveText('The pattern takes too long');
  // Nor does a slow one hold the next.
  await searchBox(page).fill('(a+)+d');
  await searchBox(page).fill('M.RK');
  await expect(found(page)).toHaveText('1/150');
  expect(await output.locator('[data-index]').count()).toBeLessThan(150);
});

test('lines of a log of 10 MB are linked, and another tab shows them', async ({ signedIn: page, service, context }) => {
  await openHaul(page, service);
  await log(page, 'barge').focus();
  await page.keyboard.press('g');
  await lineLink(page, 7).click();
  await expect(page).toHaveURL(/[?&]line=7$/);
  await lineLink(page, 9).click({ modifiers: ['Shift'] });
  await expect(page).toHaveURL(/[?&]line=7-9$/);
  await page.goto(page.url().replace('line=7-9', 'line=70000-70002'));
  const other = await context.newPage();
  await other.goto(page.url());
  for (const tab of [page, other]) {
    await expect(lineLink(tab, 70_000)).toBeInViewport();
    await expect(log(tab, 'barge').locator('[data-marked]')).toHaveText([/^70000 MARK/, /^70001 load/, /^70002 load/]);
  }
  await other.close();
});

const CAME_AS = '\u001b[31mred\u001b[0m bell\u0007 \u202eevil\n10%\r20%\r\u001b[Kdone\n<b>end</b>\n';
const PLAIN = 'red bell‹BEL› ‹U+202E›evil\ndone\n<b>end</b>\n';
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function downloaded(page: Page, name: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: await saved(download) };
}

/** A job that has printed colours, a progress bar and hostile characters, opened; gives its id. */
async function openFill(page: Page, service: Service): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('hold');
  const artifact = await script(
    service,
    sandbox,
    'fill.sh',
    String.raw`printf '\033[31mred\033[0m bell\007 \342\200\256evil\n'`,
    String.raw`printf '10%%\r20%%\r\033[Kdone\n<b>end</b>\n'`,
  );
  await service.agent(DeviceKey);
  const id = await submit(service, { Name: 'fill', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  const output = log(page, 'hold');
  await expect(output).toContainText('done');
  await expect(output).not.toContainText('20%');
  await expect(heading(page)).toContainText('Succeeded');
  return id;
}

test('a log is copied and downloaded as plain text', async ({ signedIn: page, service }) => {
  await openFill(page, service);
  const output = log(page, 'hold');
  expect(await downloaded(page, 'Download')).toEqual({ name: 'fill-hold.log', text: PLAIN });
  await page.getByRole('button', { name: 'Copy the output', exact: true }).click();
  await expect.poll(() => clipboard(page)).toBe(PLAIN);
  await output.focus();
  await page.keyboard.press('l');
  await expect(page).toHaveURL(/[?&]line=1$/);
  await expect.poll(() => clipboard(page)).toBe(page.url());
  await page.getByRole('button', { name: 'Copy line 1', exact: true }).click();
  await expect.poll(() => clipboard(page)).toBe('red bell‹BEL› ‹U+202E›evil\n');
  await lineLink(page, 1).click();
  await expect(page).not.toHaveURL(/line=/);
  await expectAccessible(page);
});

test('a raw log is copied and downloaded as it came', async ({ signedIn: page, service }) => {
  await openFill(page, service);
  const output = log(page, 'hold');
  await page.getByRole('button', { name: 'Raw', exact: true }).click();
  await expect(output).toContainText('20%‹CR›');
  await expect(output).toContainText('‹ESC›[31mred');
  expect(await downloaded(page, 'Download raw')).toEqual({ name: 'fill-hold.raw.log', text: CAME_AS });
  await page.getByRole('button', { name: 'Copy the output, raw' }).click();
  await expect.poll(() => clipboard(page)).toBe(CAME_AS);
});

test('lines are linked with a service that does not give output in pieces', async ({
  signedIn: page,
  service,
  context,
}) => {
  const id = await openFill(page, service);
  const stranger = await context.newPage();
  await withoutOffers(stranger, 'output');
  await stranger.goto(`${service.url}/jobs/${id}?line=2`);
  await expect(log(stranger, 'hold').locator('[data-marked]')).toHaveText('done');
  await stranger.close();
});
