// Every page reached, and its main action done, by keyboard alone.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { arrowTo, press, tabTo, typeInto } from './keys.ts';
import { openDeploy, statusOf, submit } from './job-sandbox.ts';

/** By way of the navigation, which comes after what is before the page in the order of Tab. */
async function goTo(page: Page, name: string): Promise<void> {
  await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }));
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

test('by keyboard: the focus goes to the page where what opened a dialog is gone', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 1');
  await service.createDevice('pump 2');
  await page.goto(`${service.url}/devices`);
  await press(page, page.getByRole('button', { name: 'Actions for pump 1' }));
  await arrowTo(page, page.getByRole('menuitem', { name: 'Delete' }));
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete device' }));
  await expect(page.getByRole('link', { name: 'pump 1' })).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();

  // The button of an empty list goes with it.
  await page.goto(`${service.url}/workflows`);
  await press(page, page.getByRole('button', { name: 'Create workflow' }));
  const create = page.getByRole('dialog', { name: 'Create workflow' });
  await typeInto(page, create.getByLabel('Name'), 'Say hello');
  await typeInto(page, create.getByLabel('Command'), 'echo hello');
  await press(page, create.getByRole('button', { name: 'Create workflow' }));
  await expect(page.getByRole('cell', { name: 'Say hello', exact: true })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
});

test('by keyboard: a page that was opened is announced, and has the focus where the link to it is gone', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 1');
  await page.goto(`${service.url}/devices`);
  await press(page, page.getByRole('link', { name: 'pump 1' }));
  await expect(page.getByRole('status').getByText('pump 1', { exact: true })).toBeAttached();
  await expect(page.getByRole('main')).toBeFocused();
});

test('by keyboard: Enter right after typing in the palette opens what was typed', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices`);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: /^Find pages/ });
  await expect(page.getByRole('option').first()).toBeVisible();
  // In one task, so that the list has had no time to follow.
  await search.evaluate((input: HTMLInputElement) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, 'tunnels');
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  });
  await expect(page).toHaveURL(`${service.url}/tunnels`);
});

test('how many rows are selected is announced: its region is there before its text', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump 1');
  await service.createDevice('pump 2');
  await page.goto(`${service.url}/devices`);
  await expect(page.getByRole('status', { name: 'Devices shown' })).toHaveText('2 devices');
  const regions = await page.evaluateHandle(() => {
    const found: { atFirst: string; element: Element }[] = [];
    new MutationObserver((changes) => {
      for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes]))
        for (const element of added instanceof Element ? added.querySelectorAll('[role=status]') : [])
          found.push({ atFirst: element.textContent, element });
    }).observe(document.body, { subtree: true, childList: true });
    return found;
  });
  const texts = () => regions.evaluate((all) => all.map(({ atFirst, element }) => [atFirst, element.textContent]));
  await page.getByRole('checkbox', { name: 'Select pump 1' }).check();
  await expect.poll(texts).toEqual([['', '1 selected']]);
  await page.getByRole('checkbox', { name: 'Select pump 2' }).check();
  await expect.poll(texts).toEqual([['', '2 selected']]);
});

test.describe('a job that is deleted', () => {
  // What was asked of it just before may arrive after it is gone.
  test.use({ expectedConsole: [/status of 404/] });

  test('by keyboard: the dialogs of a job return the focus, and the page after it is deleted has it', async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceId, DeviceKey } = await service.createDevice('pump 1');
    await service.agent(DeviceKey);
    const ArtifactId = await service.uploadScript('fail.sh', '#!/bin/sh\nexit 1\n', await service.folder('opt'));
    const JobId = await submit(service, { Name: 'Update', DeviceId, ArtifactId });
    await expect.poll(() => statusOf(service, JobId)).toBe('Failed');
    await page.goto(`${service.url}/jobs/${JobId}`);
    for (const name of ['Retry…', 'Outcome rules…', 'Archive…', 'Delete…']) {
      const opener = page.getByRole('button', { name, exact: true });
      await press(page, opener);
      // It listens for Escape by the time it has the focus.
      await expect(page.getByRole('dialog').locator(':focus')).toBeAttached();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await expect(opener).toBeFocused();
    }
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete job' }));
    await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
    await expect(page.getByRole('main')).toBeFocused();
  });
});

test('by keyboard: what was deployed and what is retried has the focus on its page', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId: device, DeviceKey } = await service.createDevice('pump 1');
  await service.agent(DeviceKey);
  const artifact = await service.uploadScript('fail.sh', '#!/bin/sh\nexit 1\n', await service.folder('opt'));
  await openDeploy(page, service, { device, artifact });
  await press(page, page.getByRole('button', { name: 'Deploy', exact: true }));
  await expect(page).toHaveURL(/\/jobs\/[^/]+$/);
  await expect(page.getByRole('main')).toBeFocused();
  await press(page, page.getByRole('button', { name: 'Retry…' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: /^Retry/ }));
  await expect(page.getByRole('link', { name: 'All devices of this job' })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
});

test.describe('with motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('by keyboard: in, past the navigation, to every page, and to a device with its key', async ({
    page,
    service,
  }) => {
    await page.goto(service.url);
    await expect(page.getByLabel('API token')).toBeFocused();
    await page.keyboard.type(service.token);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();

    // The first thing that Tab comes to leads past the navigation.
    await page.getByRole('link', { name: 'Add this machine' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').getByRole('button', { name: 'Show as curl' })).toBeFocused();

    for (const name of ['Map', 'Artifacts', 'Deploy', 'Jobs', 'Tunnels', 'Overview', 'Devices']) await goTo(page, name);

    await press(page, page.getByRole('link', { name: 'Add a device' }));
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect(name).toBeFocused();
    await page.keyboard.type('pump');
    await page.keyboard.press('Enter');
    const key = page.getByRole('dialog', { name: 'Connect pump' });
    await press(page, key.getByRole('button', { name: 'Copy device key' }));
    await expect(key.getByRole('button', { name: 'Done' })).toBeEnabled();
    await press(page, key.getByRole('button', { name: 'Done' }));
    await expect(page.getByRole('heading', { level: 1, name: /pump/ })).toBeVisible();
  });

  test('by keyboard: find a device, change it from its menu, choose it in the list of the map', async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceId } = await service.createDevice('gate 1', 'gates');
    await service.locate(DeviceId, 47, 8);
    await service.createDevice('pump 1', 'pumps');
    await page.goto(`${service.url}/devices`);
    const links = page.getByRole('table', { name: 'Devices' }).getByRole('link');
    await expect(links).toHaveCount(2);
    await page.keyboard.press('/');
    await expect(page.getByLabel('Search devices by name or ID')).toBeFocused();
    await page.keyboard.type('gate');
    await expect(links).toHaveText(['gate 1']);
    await tabTo(page, page.getByRole('radio', { name: 'All' }));
    await page.keyboard.press('ArrowRight');
    await expect(page.getByText('No device matches these filters.')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(links).toHaveText(['gate 1']);

    const menu = page.getByRole('button', { name: 'Actions for gate 1' });
    await press(page, menu);
    await expect(page.getByRole('menuitem', { name: 'Open' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Open' })).toBeFocused();
    await arrowTo(page, page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('Enter');
    const edit = page.getByRole('dialog', { name: 'Edit gate 1' });
    await typeInto(page, edit.getByLabel('Site'), 'Dock 4');
    await page.keyboard.press('Enter');
    await expect(edit).toBeHidden();
    await expect(page.getByRole('cell', { name: 'Dock 4' })).toBeVisible();
    await expect(menu).toBeFocused();

    await goTo(page, 'Map');
    await press(page, page.getByRole('region', { name: 'Devices in view' }).getByRole('button', { name: /^gate 1/ }));
    await press(page, page.getByRole('link', { name: 'gate 1', exact: true }));
    await expect(page.getByRole('heading', { level: 1, name: /gate 1/ })).toBeVisible();
  });

  test('by keyboard: upload a script, deploy it to a group, read its log @main', async ({
    signedIn: page,
    service,
  }) => {
    const { DeviceKey } = await service.createDevice('camera 1', 'lab');
    await service.agent(DeviceKey);
    const folder = await service.folder('opt');
    await page.goto(`${service.url}/artifacts`);
    const choosing = page.waitForEvent('filechooser');
    await press(page, page.getByRole('button', { name: 'Browse files' }));
    await (
      await choosing
    ).setFiles({
      name: 'hello.sh',
      mimeType: 'text/x-sh',
      buffer: Buffer.from('#!/bin/sh\necho "typed, never clicked"\n'),
    });
    await expect(page.getByLabel('Version')).toBeFocused();
    await page.keyboard.type('1.0');
    await typeInto(page, page.getByLabel('Destination folder'), folder);
    await expect(page.getByRole('button', { name: 'Upload' })).toBeEnabled();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('link', { name: 'Deploy it' })).toBeFocused();
    await page.keyboard.press('Enter');

    await tabTo(page, page.getByRole('radio', { name: 'Device' }));
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Group' })).toBeChecked();
    await typeInto(page, page.getByRole('combobox', { name: 'Group' }), 'lab');
    await expect(page.getByRole('button', { name: 'Deploy', exact: true })).toBeEnabled();
    await press(page, page.getByRole('button', { name: 'Deploy', exact: true }));

    const devices = page.getByRole('table', { name: 'Devices of this job' });
    await press(page, devices.getByRole('link', { name: 'camera 1', exact: true }));
    const log = page.getByRole('region', { name: 'Output of camera 1, text' });
    await expect(log).toContainText('typed, never clicked');
    await tabTo(page, log);
    await typeInto(page, page.getByRole('textbox', { name: 'Search the output' }), 'never');
    await expect(page.getByRole('search', { name: 'Search the output' }).getByRole('status')).toHaveText(/1/);
    await press(page, page.getByRole('button', { name: 'Close the output' }));
    await expect(log).toBeHidden();
  });

  test('by keyboard: make a workflow and a token, and take the token back', async ({ signedIn: page, service }) => {
    await page.goto(`${service.url}/workflows`);
    await press(page, page.getByRole('button', { name: 'Create workflow' }));
    const create = page.getByRole('dialog', { name: 'Create workflow' });
    await expect(create.getByLabel('Name')).toBeFocused();
    await page.keyboard.type('Restart');
    await typeInto(page, create.getByLabel('Command'), '/bin/true');
    await press(page, create.getByRole('button', { name: 'Create workflow' }));
    await expect(create).toBeHidden();
    await expect(page.getByRole('link', { name: 'Restart', exact: true })).toBeVisible();

    await press(page, page.getByRole('link', { name: 'Settings', exact: true }));
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
    await press(page, page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Tokens' }));
    await press(page, page.getByRole('button', { name: 'Create token' }));
    await expect(page.getByLabel('Name')).toBeFocused();
    await page.keyboard.type('Build server');
    await typeInto(page, page.getByLabel('Confirm it’s you'), service.token);
    await page.keyboard.press('Enter');
    const token = page.getByRole('dialog', { name: 'API token “Build server”' });
    await press(page, token.getByRole('button', { name: 'Copy API token' }));
    await expect(token.getByRole('button', { name: 'Done' })).toBeEnabled();
    await press(page, token.getByRole('button', { name: 'Done' }));
    await expect(token).toBeHidden();
    await press(page, page.getByRole('button', { name: 'Revoke Build server' }));
    const revoke = page.getByRole('dialog', { name: 'Revoke API token' });
    await expect(revoke.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await press(page, revoke.getByRole('button', { name: 'Revoke token' }));
    await expect(revoke).toBeHidden();
    await expect(page.getByRole('button', { name: 'Revoke Build server' })).toBeHidden();
  });
});
