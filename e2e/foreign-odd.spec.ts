// Odd answers of services that are not ours: jobs without an outcome, rows that cannot be read, ids that no URL can hold or
// that two rows have, secrets in what jobs run. How single answers are read: the tests of src/contract.
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, test as withOwnService } from './fixtures.ts';
import type { Foreign } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';
import { startMute } from './foreign/mute.ts';
import { ODD_TUNNELS, startOddRows } from './foreign/odd-rows.ts';

const expectedConsole = [/status of 40[14]/];

withOwnService.describe('no outcome of jobs, whose parts are in a list only', () => {
  const test = before(startMute);
  test.use({ expectedConsole });

  const title = (page: Page) => page.getByRole('heading', { level: 1 });
  const parts = (page: Page) => page.getByRole('table', { name: 'Devices of this job' });
  const jobsSent = ({ heard }: Foreign) =>
    heard
      .filter(({ method, url }) => method === 'POST' && url === '/v1/job')
      .map(({ body }) => JSON.parse(body.toString()) as unknown);

  test('a job without an outcome is Finished everywhere, and what the output says is the outcome of a device @sweep', async ({
    signedIn: page,
    service,
  }) => {
    await page.goto(`${service.url}/jobs`);
    await expect(page.getByRole('row', { name: /silent/ })).toContainText('Finished');
    await page.getByRole('link', { name: 'silent' }).click();
    await expect(title(page)).toHaveText('silent Finished');
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText('Done on 3 devices');
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText('3 finished');
    for (const name of ['mill-1', 'mill-3'])
      await expect(parts(page).getByRole('row', { name })).toContainText('Finished');
    await expect(page.getByRole('main')).not.toContainText(/succeeded|failed/i);
    await page.goto(service.url);
    // Of the other job the output of a part says that it failed.
    const failed = page.getByRole('region', { name: /^Failed/ });
    await expect(failed).toContainText('1 of 3 devices failed');
    await expect(failed).not.toContainText('silent');
    await expect(page.getByText('No job failed.')).toHaveCount(0);

    await page.goto(`${service.url}/jobs/wordy`);
    await expect(title(page)).toHaveText('wordy Failed');
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText(/1\sfailed, 1\ssucceeded, 1\sfinished/);
    await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('no space left on device');
    await parts(page).getByRole('link', { name: 'mill-2' }).click();
    const panel = page.getByRole('region', { name: 'Output of mill-2, panel' });
    await expect(panel).toContainText('error: no space left on device');
    await expect(panel).toContainText('Failed');
    // It cannot be read by itself: no link leads to a page that would say that there is no such job.
    await expect(panel.getByRole('link', { name: 'Open job' })).toHaveCount(0);
    // The list does not count them; once this page has, it shows the same.
    await page.getByRole('navigation').getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await expect(page.getByRole('row', { name: /wordy/ })).toContainText('Failed');
  });

  test('the failed devices are retried by a job for each, or deployed to again, with what is chosen @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/jobs/wordy`);
    await page.getByRole('button', { name: 'Retry the failed (1)…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry the failed: 1 device' });
    const retry = dialog.getByRole('button', { name: 'Retry on 1 device' });
    await expectBlocked(retry, 'Choose what to run.');
    await dialog.getByLabel('What to run').selectOption({ label: 'mill.tar.gz 2' });
    await retry.click();
    await expect(dialog.getByText('1 done.')).toBeVisible();
    expect(jobsSent(foreign)).toEqual([{ Name: 'wordy', DeviceId: 'm2', ArtifactId: 'a2' }]);

    await page.goto(`${service.url}/jobs/wordy`);
    await parts(page).getByRole('link', { name: 'mill-2' }).click();
    await page.getByRole('link', { name: 'Deploy again' }).click();
    // The service does not report what the job ran.
    await page.getByRole('combobox', { name: 'Artifact' }).click();
    await page.getByRole('option', { name: /mill\.tar\.gz 2/ }).click();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await expect(title(page)).toContainText('mill.tar.gz 2 to mill-2');
    expect(jobsSent(foreign).slice(1)).toEqual([{ Name: 'mill.tar.gz 2 to mill-2', DeviceId: 'm2', ArtifactId: 'a2' }]);
  });
});

withOwnService.describe('odd rows and names', () => {
  const test = before(startOddRows);

  test('a bad row is left out of its list, and the page says so; a tunnel is deleted whatever its name holds @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    const note = page.getByText('The service sent rows that cannot be read. Lists are shown without them.');
    for (const [path, good] of [
      ['devices', ['fan-1', 'fan-2', 'half']],
      ['artifacts', ['fan.tar.gz']],
      ['tunnels', ['lab/cam 1']],
    ] as const) {
      await page.goto(`${service.url}/${path}`);
      for (const name of good) await expect(page.getByRole('row').filter({ hasText: name }).first()).toBeVisible();
      await expect(note, path).toBeVisible();
      await expect(page.getByRole('main'), path).not.toContainText('Unexpected response');
    }
    for (const name of ODD_TUNNELS) {
      await page.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete tunnel' }).click();
      await expect(page.getByRole('button', { name: `Delete ${name}`, exact: true })).toHaveCount(0);
    }
    const deleted = foreign.heard.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
    expect(deleted).toEqual(ODD_TUNNELS.map((name) => `/v1/tunnels/${encodeURIComponent(name)}`));
  });
});

withOwnService.describe('ids and secrets', () => {
  const test = withOwnService;
  const tunnel = (Name: string, DeviceName: string) => ({
    Name,
    DeviceId: 'd1',
    DeviceName,
    DeviceStatus: 'Online',
    PublicUrl: `http://${Name === '.' ? 'dot' : Name}.tunnels.example/`,
    LocalDest: 'http://127.0.0.1:80',
    Protocol: 'HTTP',
    Created: '2026-01-01 00:00:00',
    Uptime: '1m',
  });

  test('rows with one id stay as many as they are, and an id that no request can name takes its actions away @sweep', async ({
    signedIn: page,
    service,
  }) => {
    let readings = 0;
    await page.route('**/v1/tunnels', (route) => {
      readings += 1;
      const rows = [tunnel('twin', `first ${readings}`), tunnel('twin', `second ${readings}`), tunnel('.', 'odd')];
      return route.fulfill({ json: readings % 2 ? rows : rows.toReversed() });
    });
    await page.clock.install();
    await page.goto(service.url + '/tunnels');
    const rows = page.getByRole('table', { name: 'Tunnels' }).getByRole('row');
    await expect(rows).toHaveCount(4);
    for (let round = 0; round < 4; round++) {
      const last = readings;
      await page.clock.runFor(20_000);
      // The clock runs on by itself too, so a later reading than the next may be the one that is shown.
      const shown = async () =>
        Number((await page.getByRole('link', { name: /^first \d+$/ }).innerText()).match(/\d+/)?.[0]);
      await expect.poll(shown).toBeGreaterThan(last);
      await expect(rows).toHaveCount(4);
    }

    await expect(page.getByRole('link', { name: 'odd' })).toBeVisible();
    const remove = page.getByRole('button', { name: 'Delete .', exact: true });
    await expect(remove).toHaveAttribute('aria-disabled', 'true');
    await expect(remove).toHaveAccessibleDescription(/no request can name/);
    await remove.click({ force: true });
    await expect(page.getByRole('dialog')).toBeHidden();
    // The address of the dialog is no way around it.
    await page.goto(service.url + '/tunnels?dialog=delete&tunnel=.');
    await expect(page.getByRole('button', { name: 'Delete twin' }).first()).toBeVisible();
  });

  test('a job shows its Command without the token of the download, and two devices of one name are told apart @sweep', async ({
    signedIn: page,
    service,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { DeviceId } = await service.createDevice('same name');
    const other = await service.createDevice('same name');
    const ArtifactId = await service.uploadScript('setup.sh', 'echo done', '/tmp');
    const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'setup', DeviceId, ArtifactId });
    const { Command } = await service.call<{ Command: string }>('GET', `/v1/job/${JobId}`);
    const token = /[?&]token=([\w-]+)/.exec(Command)?.[1] ?? '';
    expect(token.length).toBeGreaterThan(20);
    await page.goto(`${service.url}/jobs/${JobId}`);
    await page.getByText('Command', { exact: true }).click();
    const shown = page.getByLabel('Command', { exact: true });
    await expect(shown).toContainText('token=•');
    await expect(page.getByText('The download token is hidden')).toBeVisible();
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Copy command' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain(token);

    for (const id of [DeviceId, other.DeviceId]) {
      await page.goto(`${service.url}/devices/${id}?dialog=delete`);
      const dialog = page.getByRole('dialog', { name: 'Delete same name?' });
      await expect(dialog.getByTitle(id)).toBeVisible();
    }
  });
});
