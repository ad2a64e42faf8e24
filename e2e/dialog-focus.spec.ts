// A dialog with fields begins in the first of them: what is typed at once goes there.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { choose, createMany, openDevices, selectShown } from './bulk-actions.ts';
import { fleet, rollOut } from './rolled-out.ts';

test.use({ expectedConsole: [/status of 40[49]/] });

/** Where the focus is: in which field of the dialog on top, by its place among them. */
const focusIn = (page: Page, name: string | RegExp) =>
  page
    .getByRole('dialog', { name })
    .last()
    .evaluate((dialog) => {
      const fields = [
        ...dialog.querySelectorAll<HTMLInputElement>(
          ':is(input, select, textarea):not([type="hidden"], [type="file"], [tabindex="-1"], :disabled)',
        ),
      ].filter((field) => field.checkVisibility({ visibilityProperty: true }));
      const { activeElement: focused } = document;
      if (fields.length === 0) return focused?.textContent === 'Cancel' ? 'where it begins' : 'there is no field';
      const at = fields.findIndex((field) => field === focused);
      const [first] = fields;
      const isSameGroup = first?.type === 'radio' && fields[at]?.name === first.name;
      return at === 0 || isSameGroup || (at > 0 && focused?.matches('[data-autofocus]'))
        ? 'where it begins'
        : (focused?.getAttribute('aria-label') ?? focused?.outerHTML);
    });

test('dialogs that their address opens @sweep', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 2, 1);
  const id = made.units[0]?.DeviceId ?? '';
  const submit = async (target: object) => {
    const draft = { Name: 'myapp', ...target, ArtifactId: made.ArtifactId };
    return (await service.call<{ JobId: string }>('POST', '/v1/job', draft)).JobId;
  };
  const [single, group] = [await submit({ DeviceId: id }), await submit({ DeviceGroup: 'hall' })];
  const hasEnded = async () => (await service.call<{ EndTime: string }>('GET', `/v1/job/${single}`)).EndTime !== '';
  await expect.poll(hasEnded).toBe(true);
  const rollout = await rollOut(service, made);
  for (const [path, name] of [
    ['/devices?dialog=add', 'Add a device'],
    ['/devices?dialog=add-this-machine', 'Add this machine'],
    [`/devices?dialog=edit&device=${id}`, 'Edit unit 1'],
    [`/devices?dialog=locate&device=${id}`, 'Location of unit 1'],
    [`/artifacts?dialog=rules&artifact=${made.ArtifactId}`, /Outcome rules/],
    ['/artifacts?dialog=old', /Delete old/],
    [`/jobs/${group}?dialog=delete`, /Delete/],
    [`/jobs/${single}?dialog=retry`, /Retry/],
    [`/rollouts/${rollout}?dialog=abort`, /Abort/],
    ['/rollouts/orders?dialog=edit', 'New standing order'],
    ['/workflows?dialog=create', 'Create workflow'],
    ['/activity/alerts?dialog=rule', 'Create rule'],
    ['/settings/channels?dialog=channel', 'Create channel'],
    ['/settings/tokens?dialog=make', 'Create API token'],
  ] as const)
    await test.step(path, async () => {
      await page.goto(service.url + path);
      await expect(page.getByRole('dialog', { name })).toBeVisible();
      await expect.soft.poll(() => focusIn(page, name), { message: path, timeout: 10_000 }).toBe('where it begins');
    });
});

test('dialogs about the selected devices @sweep', async ({ signedIn: page, service }) => {
  await createMany(service, 3);
  await service.call('POST', '/v1/tag/outdoors');
  await openDevices(page, service);
  await selectShown(page).check();
  for (const action of [
    'Add a tag',
    'Set group',
    'Set customer',
    'Set site',
    'Set location',
    'Rotate keys',
    'Delete',
  ]) {
    await choose(page, action);
    await expect.soft.poll(() => focusIn(page, /./), { message: action, timeout: 10_000 }).toBe('where it begins');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
  }
});

test('a second machine is asked for with the reason @sweep', async ({ signedIn: page, service }) => {
  await service.createDevice('this-machine');
  await page.goto(`${service.url}/devices?dialog=add-this-machine`);
  const dialog = page.getByRole('dialog', { name: 'Add this machine' });
  await expect(dialog).toContainText('If this machine is a device already, open that one');
});

test('a secret that was not taken says so at the button that waits for it @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices?dialog=add`);
  const add = page.getByRole('dialog', { name: 'Add a device' });
  await add.getByLabel('Name').fill('till 7');
  await add.getByRole('button', { name: 'Add device' }).click();
  const done = page.getByRole('button', { name: 'Done' });
  await expect(done).toBeDisabled();
  // Above the fold, where the rest of the dialog scrolls.
  await page.setViewportSize({ width: 1440, height: 420 });
  await expect(done).toBeInViewport({ ratio: 1 });
  await expect(done).toHaveAccessibleDescription(/Copy or download the device key first/);
  const [reason, button] = await Promise.all([
    page.getByText('Copy or download the device key first').boundingBox(),
    done.boundingBox(),
  ]);
  expect((button?.x ?? 0) - ((reason?.x ?? 0) + (reason?.width ?? 0))).toBeLessThan(24);
  await page.getByRole('button', { name: 'Copy device key' }).click();
  await done.click();
});

test('files that wait for their upload and a folder that is being built are both asked about @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/artifacts`);
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('#!/bin/sh\necho hello\n') });
  await page.getByLabel('Artifact file').setInputFiles(file('hello.sh'));
  await page.getByRole('link', { name: 'Build from a folder' }).click();
  const build = page.getByRole('dialog', { name: 'Build an artifact' });
  await build
    .locator('input[type="file"]')
    .last()
    .setInputFiles([file('one.sh'), file('two.sh')]);
  await expect(build.getByRole('button', { name: 'Next: update.sh' })).toBeVisible();
  await page.evaluate(() => {
    document.querySelector<HTMLAnchorElement>('nav[aria-label="Main"] a[href="/jobs"]')?.click();
  });
  await page
    .getByRole('dialog', { name: 'Leave without building the archive?' })
    .getByRole('button', { name: 'Leave' })
    .click();
  await page
    .getByRole('dialog', { name: 'Leave without uploading the file?' })
    .getByRole('button', { name: 'Leave without uploading' })
    .click();
  await expect(page).toHaveURL(/\/jobs$/);
});
