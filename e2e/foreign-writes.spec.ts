// What the dashboard sends to a /v1 service that is not ours: each write once and as the document says, and nothing on the
// screen or in a file that only our own agent understands.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import type { Foreign } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';
import { LEAKED, startGoLike } from './foreign/go-like.ts';
import { expectNoLeak } from './foreign/leaks.ts';
import { browse, bulky, openArtifacts, stored, uploadButton } from './uploads.ts';

const test = before(startGoLike);
test.use({ expectedConsole: [/status of 40[14]/] });

const sent = (foreign: Foreign, start: string) =>
  foreign.heard
    .filter(({ method, url }) => `${method} ${url}`.startsWith(start))
    .map(({ body }) => JSON.parse(body.toString()) as unknown);
const expectNoCommand = (page: Page) =>
  expect(page.getByText(/install\.sh|npm run agent|this machine/i)).toHaveCount(0);

test('devices are exported without what the service leaked @sweep', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/devices`);
  await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
  await expectNoCommand(page);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const saving = page.waitForEvent('download');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Download|Export/ })
    .click();
  const csv = await readFile(await (await saving).path(), 'utf8');
  expect(csv).toContain('press-3');
  expect(csv).not.toContain(LEAKED);
  await expectNoLeak(page, foreign);
});

test('a new name of a device is sent once @sweep', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/devices`);
  await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
  await expectNoCommand(page);
  await page.getByRole('link', { name: 'press-1' }).click();
  await page.getByRole('button', { name: /Edit.*Name|Name.*edit/i }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('press one');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'press one' })).toBeVisible();
  expect(sent(foreign, 'PATCH /v1/devices/g1')).toEqual([{ DeviceName: 'press one' }]);
  await expectNoCommand(page);
  await expectNoLeak(page, foreign);
});

test('a new device has its key shown, and no command of ours beside it', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/devices?dialog=add-this-machine`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByRole('textbox', { name: 'Name', exact: true }).fill('press-9');
  await add.getByRole('button', { name: 'Add device' }).click();
  const key = page.getByRole('dialog', { name: 'Connect press-9' });
  await expect(key).toContainText('has an agent of its own');
  await expectNoCommand(page);
  await key.getByRole('button', { name: 'Reveal' }).click();
  await expect(key.getByText('dk_new')).toBeVisible();
  const saved = page.waitForEvent('download');
  await key.getByRole('button', { name: 'Download' }).click();
  await saved;
  await key.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('heading', { name: 'press-9' })).toBeVisible();
  expect(sent(foreign, 'POST /v1/devices')).toEqual([{ DeviceName: 'press-9', DeviceGroup: '' }]);
  await expectNoLeak(page, foreign);
});

test('an upload is stored when the service has answered, not when the last byte has left @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  const goOn = foreign.hold();
  await openArtifacts(page, service);
  await browse(page, await bulky(service, 'press_2.0.tar.gz', 6_000_000));
  await uploadButton(page).click();
  await expect(page.getByRole('progressbar', { name: 'Upload of press_2.0.tar.gz' })).toBeVisible();
  await expect(stored(page)).toBeHidden();
  goOn();
  await expect(stored(page)).toContainText('press_2.0.tar.gz');
  const [upload] = foreign.heard.filter(({ method, url }) => `${method} ${url}` === 'POST /v1/artifact');
  expect(upload?.headers['content-type']).toContain('multipart/form-data');
  expect(upload?.body.length).toBeGreaterThan(6_000_000);
  for (const part of ['name="size"', 'name="version"\r\n\r\n2.0', 'name="type"\r\n\r\ntar.gz', 'name="file"'])
    expect(upload?.body.includes(part), part).toBe(true);
  await expectNoLeak(page, foreign);
});

test('a deployment is sent once, even by a double click', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/deploy?group=lab&artifact=ga1`);
  await page.getByRole('button', { name: 'Deploy to 2 devices' }).dblclick();
  await expect(page.getByRole('heading', { name: 'rollout 7' })).toBeVisible();
  expect(sent(foreign, 'POST /v1/job')).toEqual([
    { Name: 'app.tar.gz 7 to group lab', DeviceGroup: 'lab', ArtifactId: 'ga1' },
  ]);
  await expectNoLeak(page, foreign);
});

test('several selected devices cannot be deployed to at once, and the button says why @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices`);
  const deploy = page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Deploy' });
  await page.getByRole('checkbox', { name: 'Select press-1' }).check();
  await page.getByRole('checkbox', { name: 'Select press-2' }).check();
  await expect(deploy).toBeDisabled();
  await expect(deploy).toHaveAttribute('title', /a device, a group or a tag, not to a selection/);
  await page.getByRole('checkbox', { name: 'Select press-2' }).uncheck();
  await deploy.click();
  await expect(page.getByRole('region', { name: 'Review' })).toContainText('press-1');
  await expect(page.getByRole('radiogroup', { name: 'Kind of target' }).getByRole('radio')).toHaveCount(3);
});

test('without tags a job still goes to one @sweep', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/deploy?artifact=ga1`);
  await page.getByText('Tag', { exact: true }).click();
  await expect(page.getByRole('textbox', { name: /tag/i })).toBeVisible();
});

test('many devices are created, and the file of keys has no command of ours @sweep', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/devices/add-many`);
  await expect(page.getByText('This service has no tags.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Rows' }).fill('press-10,lab');
  await page.getByRole('button', { name: 'Check rows' }).click();
  await page.getByRole('button', { name: /^Create 1 device/ }).click();
  await expect(page.getByRole('button', { name: 'Copy key of press-10' })).toBeVisible();
  await expectNoCommand(page);
  const taking = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download keys' }).click();
  expect(await readFile(await (await taking).path(), 'utf8')).toMatch(
    /^\uFEFFname,group,device_id,device_key\r\npress-10,lab,g9,dk_new\r\n$/,
  );
  await expectNoLeak(page, foreign);
});
