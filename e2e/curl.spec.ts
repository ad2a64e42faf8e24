// "Show as curl" of what sends one request or many: what is shown is what then goes over the wire.
import type { Locator, Page, Request } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import { jobs, script, submit, jobSandbox } from './job-sandbox.ts';

interface Write {
  method: string;
  path: string;
  body: unknown;
}

const keyOf = ({ method, path, body }: Write) => `${method} ${path} ${JSON.stringify(body ?? null)}`;

/** The writes among the commands that a place shows, read back from their text, once one that begins so is there. */
async function shownIn(place: Locator, begins: string): Promise<string[]> {
  await place.getByRole('button', { name: 'Show as curl' }).click();
  const commands = place.getByRole('region', { name: / as curl$/ });
  await expect(place.getByRole('region', { name: new RegExp(`^${begins}.* as curl$`) }).first()).toBeVisible();
  const texts = await commands.allInnerTexts();
  for (const text of texts) expect(text).toContain('-H "Authorization: Bearer $TOKEN"');
  return texts
    .map((text): Write => {
      const body = /--data-raw '([^']*)'/.exec(text)?.[1];
      return {
        method: /-X ([A-Z]+)/.exec(text)?.[1] ?? 'GET',
        path: /'https?:\/\/[^/']+([^']*)'/.exec(text)?.[1] ?? '',
        body: body === undefined ? undefined : (JSON.parse(body) as unknown),
      };
    })
    .filter(({ method }) => method !== 'GET')
    .map(keyOf)
    .sort();
}

/** Until the page knows that the service does bulk work, a request for each is shown. */
const BULK = 'POST /v1/bulk';

/** Looks at what a place shows, has it sent, and compares. */
async function compare(page: Page, place: Locator, confirm: () => Promise<void>, begins = ''): Promise<void> {
  const shown = await shownIn(place, begins);
  expect(shown.length).toBeGreaterThan(0);
  const sent: string[] = [];
  const watch = (request: Request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' || !pathname.startsWith('/v1/')) return;
    const text = request.postData();
    sent.push(keyOf({ method: request.method(), path: pathname + search, body: text ? JSON.parse(text) : undefined }));
  };
  page.on('request', watch);
  await confirm();
  await expect.poll(() => sent.toSorted()).toEqual(shown);
  page.off('request', watch);
}

const dialogOf = (page: Page) => page.getByRole('dialog');

test('a change of many devices at once is sent as it is shown', async ({ signedIn: page, service }) => {
  await service.createDevice('pump-1', 'pumps');
  await service.createDevice('pump-2', 'pumps');
  const dialog = dialogOf(page);
  await page.goto(`${service.url}/devices`);
  await page.getByRole('checkbox', { name: /^Select (this page|all)/ }).check();
  await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Set customer' }).click();
  await dialog.getByLabel('Customer', { exact: true }).fill('Acme "North"');
  const confirm = dialog.getByRole('button', { name: 'Set the customer of 2 devices' });
  await compare(page, dialog, () => confirm.click(), BULK);
});

test('a field of a device and its tag are sent as they are shown', async ({ signedIn: page, service }) => {
  const { DeviceId } = await service.createDevice('pump-1', 'pumps');
  await service.call('POST', '/v1/tag/outdoor');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const main = page.getByRole('main');
  await page.getByRole('button', { name: 'Edit site' }).click();
  await page.getByRole('textbox', { name: 'Site' }).fill('Hall 7');
  const details = main.getByRole('region', { name: 'Details' });
  await compare(page, details, () => details.getByRole('textbox', { name: 'Site' }).press('Enter'));
  const tags = main.getByRole('region', { name: 'Tags' });
  await tags.getByLabel('Tag to add').fill('outdoor');
  await compare(page, tags, () => tags.getByRole('button', { name: 'Add', exact: true }).click());
});

test('a retry of what failed and a cancellation of what waits are sent as they are shown', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const { DeviceKey } = await service.createDevice('pump-1', 'pumps');
  await service.createDevice('pump-2', 'pumps');
  await service.agent(DeviceKey);
  const ArtifactId = await script(service, sandbox, 'fail.sh', 'exit 3');
  const job = await submit(service, { Name: 'Fail', DeviceGroup: 'pumps', ArtifactId });
  const dialog = dialogOf(page);
  await page.goto(`${service.url}/jobs/${job}`);
  await page.getByRole('button', { name: 'Retry the failed (1)…' }).click();
  await compare(page, dialog, () => dialog.getByRole('button', { name: 'Retry on 1 device' }).click());
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: /pump-1/ })).toContainText(/Failed\s*attempt 2/);
  await page.getByRole('button', { name: 'Cancel the 1 that waits…' }).click();
  await compare(page, dialog, () => dialog.getByRole('button', { name: 'Cancel on 1 device' }).click());
});

test('the deletion of old versions is sent as it is shown', async ({ signedIn: page, service }) => {
  await service.uploadScript('tool.sh', 'true', '/opt', '1.0.0');
  await service.uploadScript('tool.sh', 'false', '/opt', '2.0.0');
  const dialog = dialogOf(page);
  await page.goto(`${service.url}/artifacts`);
  await page.getByRole('button', { name: 'Delete old versions' }).click();
  await dialog.getByRole('radiogroup').getByText('1', { exact: true }).click();
  await dialog.getByRole('textbox').fill('1');
  await compare(page, dialog, () => dialog.getByRole('button', { name: 'Delete 1 artifact' }).click());
});

test('the deletion of ended jobs is sent as it is shown', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('pump-1', 'pumps');
  await service.agent(DeviceKey);
  const ArtifactId = await script(service, sandbox, 'fail.sh', 'exit 3');
  for (const Name of ['one', 'two']) await submit(service, { Name, DeviceId, ArtifactId });
  await expect.poll(async () => (await jobs(service)).map(({ Status }) => Status)).toEqual(['Failed', 'Failed']);
  const dialog = dialogOf(page);
  await page.goto(`${service.url}/jobs`);
  await page.getByRole('checkbox', { name: /^Select (this page|all)/ }).check();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('textbox', { name: 'Type 2 to confirm' }).fill('2');
  await compare(page, dialog, () => dialog.getByRole('button', { name: 'Delete 2 jobs' }).click(), BULK);
  await expect(dialog.getByText('2 done.')).toBeVisible();
  await expectAccessible(page);
});

test('many new devices are sent as they are shown', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/devices/add-many`);
  await page.getByLabel('Rows').fill('pump-8,pumps\npump-9,pumps');
  await page.getByRole('button', { name: 'Check rows' }).click();
  const rows = page.getByRole('region', { name: 'Rows to create' });
  await compare(page, rows, () => rows.getByRole('button', { name: 'Create 2 devices' }).click());
});
