// Artifacts: both types, by drop and by Browse; what is refused and why; the registry with search, details and delete.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, expectAccessible, test } from './fixtures.ts';
import {
  browse,
  checks,
  drop,
  finding,
  form,
  listed,
  namesOf,
  openArtifacts,
  packed,
  saved,
  stored,
  uploadButton,
} from './uploads.ts';

const run = promisify(execFile);

test('a tar.gz that is dropped on the page is checked, uploaded and listed @main', async ({
  signedIn: page,
  service,
}) => {
  await openArtifacts(page, service);
  await expect(page.getByText('No artifacts yet')).toBeVisible();
  await drop(
    page,
    await packed(service, 'myapp_1.2.0.tar.gz', { 'update.sh': '#!/bin/sh\necho installed\n', 'app/bin': 'x' }),
  );

  await expect(form(page, 'myapp_1.2.0.tar.gz')).toBeVisible();
  await expect(finding(page, 'Fine').first()).toHaveText('2 files, 10 kB unpacked');
  await expect(checks(page)).toContainText('update.sh is at the root');
  await expect(finding(page, 'Error')).toHaveCount(0);
  await expect(form(page).getByRole('radio', { name: 'tar.gz' })).toBeChecked();
  await expect(form(page).getByLabel('Version')).toHaveValue('1.2.0');
  await expect(form(page).getByLabel('Command')).toBeHidden();
  await uploadButton(page).click();

  await expect(stored(page)).toContainText('myapp_1.2.0.tar.gz 1.2.0');
  const row = page.getByRole('table', { name: 'Artifacts' }).getByRole('row', { name: /myapp_1\.2\.0/ });
  await expect(row).toContainText('tar.gz');
  await expect(page.getByRole('link', { name: /^Deploy it/ })).toBeFocused();
  await page.getByRole('link', { name: /^Deploy it/ }).click();
  await expect(page).toHaveURL(/\/deploy\?artifact=/);
});

test('a script is uploaded with where it goes and what runs it, and its Command does just that @main', async ({
  signedIn: page,
  service,
}) => {
  const device = await service.folder('device');
  await openArtifacts(page, service);
  await browse(page, await saved(service, 'set up-2.0.sh', '#!/bin/sh\necho "set up with $1"\n'));
  await expect(form(page).getByRole('radio', { name: 'Script' })).toBeChecked();
  await expect(form(page).getByLabel('Version')).toHaveValue('2.0');
  await expect(form(page).getByLabel('Command')).toHaveValue(`./'set up-2.0.sh'`);

  // What is missing is said at the field, and nothing is sent.
  await uploadButton(page).click();
  await expect(form(page).getByLabel('Destination folder')).toHaveAccessibleDescription(/Destination folder/);
  await expect(form(page).getByLabel('Destination folder')).toHaveAttribute('aria-invalid', 'true');
  expect(await namesOf(service)).toEqual([]);

  await form(page).getByLabel('Destination folder').fill(`${device}/opt/it's here`);
  await form(page).getByLabel('Command').fill(`./'set up-2.0.sh' care`);
  await uploadButton(page).click();
  await expect(stored(page)).toBeVisible();

  const [artifact] = (await listed(service)) ?? [];
  const { stdout } = await run('sh', ['-c', artifact?.Command ?? 'exit 9']);
  expect(stdout).toBe('set up with care\n');
  expect(await readdir(`${device}/opt/it's here`)).toEqual(['set up-2.0.sh']);
});

test('a file of 10 MB or more is refused before a byte of it is sent', async ({ signedIn: page, service }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await openArtifacts(page, service);
  await browse(page, await saved(service, 'image_7.tar.gz', Buffer.alloc(10 * 1024 * 1024)));
  await expect(finding(page, 'Error')).toContainText(
    'The file has 10 MB, but an artifact must be smaller than 10 MBLeave out what devices do not need',
  );
  await expect(uploadButton(page)).toBeDisabled();
  await form(page).getByLabel('Version').fill('7');
  await page.keyboard.press('Enter');
  await expect(form(page)).toBeVisible();
  expect(sent).toEqual([]);

  // Another file takes its place, and the version that was typed stays.
  await form(page).getByLabel('Version').fill('8-beta');
  await browse(page, await packed(service, 'small.tar.gz', { 'update.sh': '#!/bin/sh\n' }), 'Choose another file');
  await expect(uploadButton(page)).toBeEnabled();
  await expect(form(page).getByLabel('Version')).toHaveValue('8-beta');
});

test('what is in the file is checked, and each fault is told with what to do', async ({ signedIn: page, service }) => {
  await openArtifacts(page, service);

  await drop(page, await saved(service, 'notes.tar.gz', 'just some text\n'));
  const notes = form(page, 'notes.tar.gz');
  await expect(finding(notes, 'Error')).toContainText('notes.tar.gz is not a tar.gz');
  await expect(uploadButton(notes)).toBeDisabled();
  await expect(uploadButton(notes)).toHaveAttribute('title', /has errors/);

  await drop(page, await packed(service, 'readme.tar.gz', { 'README.md': 'hello', 'bin/tool': 'x' }));
  const readme = form(page, 'readme.tar.gz');
  await expect(finding(readme, 'Error')).toHaveText(/The archive holds no update\.sh.*Devices run update\.sh/);
  await expect(uploadButton(readme)).toBeDisabled();

  // Mended and dropped again, it takes the place of the first, and what was typed stays.
  await form(page, 'notes.tar.gz').getByLabel('Version').fill('typed');
  const two = await packed(service, 'notes.tar.gz', { 'update.sh': '#!/bin/sh\necho hi\n' });
  await drop(page, two, two);
  await expect(page.getByRole('form')).toHaveCount(2);
  await expect(uploadButton(notes)).toBeEnabled();
  await expect(notes.getByLabel('Version')).toHaveValue('typed');

  // Line ends of Windows: no device could run it.
  await drop(page, await packed(service, 'win_1.0.tar.gz', { 'update.sh': '#!/bin/sh\r\necho hi\r\n' }));
  const windows = form(page, 'win_1.0.tar.gz');
  await expect(finding(windows, 'Error')).toHaveText(/update\.sh has Windows line ends \(CRLF\).*sed -i/);
  await expect(uploadButton(windows)).toBeDisabled();
  await windows.getByText('update.sh', { exact: true }).last().click();
  await expect(windows.getByRole('region', { name: 'Beginning of update.sh' })).toHaveText(/#!\/bin\/sh‹CR›/);

  // Names as hostile as a system allows are shown as text, in the order in which they are written.
  const files = {
    'update.sh': '#!/bin/sh\necho hi\n',
    'bin/photo\u202Egpj.exe': 'x',
    'bin/two\nlines': 'x',
    'bin/<img src=x onerror=alert(1)>': 'x',
  };
  await drop(page, await packed(service, 'names_1.0.tar.gz', files));
  const names = form(page, 'names_1.0.tar.gz');
  await names.getByRole('button', { name: /^Checks: / }).click();
  await expect(finding(names, 'Warning')).toHaveText(/2 names hold characters that cannot be seen/);
  const contents = names.getByRole('tree', { name: 'Contents of the archive' });
  await expect(contents.getByRole('treeitem')).toHaveCount(5);
  await expect(contents.getByRole('treeitem', { name: 'photo‹U+202E›gpj.exe' })).toBeVisible();
  await expect(contents.getByRole('treeitem', { name: 'two‹U+000A›lines' })).toBeVisible();
  await expect(contents.getByRole('treeitem', { name: '<img src=x onerror=alert(1)>' })).toBeVisible();
  await contents.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(contents.getByRole('treeitem')).toHaveCount(2);
  await expect(contents.getByRole('treeitem', { name: 'bin' })).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await expect(contents.getByRole('treeitem', { name: 'update.sh' })).toHaveAttribute('aria-selected', 'true');
  await expect(uploadButton(names)).toBeEnabled();
  await page.getByRole('button', { name: 'Remove names_1.0.tar.gz' }).click();
  await page.getByRole('button', { name: 'Remove win_1.0.tar.gz' }).click();

  await page.getByRole('button', { name: 'Remove readme.tar.gz' }).click();
  await page.getByRole('button', { name: 'Remove notes.tar.gz' }).click();
  await expect(page.getByRole('form')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Browse files' })).toBeFocused();
  expect(await namesOf(service)).toEqual([]);
});

test.describe('many files', () => {
  test.use({ expectedConsole: [/net::ERR_|status of (413|400)/] });

  test('go up as a queue: one that is refused or cut off does not hold up the rest @main', async ({
    signedIn: page,
    service,
  }) => {
    await service.uploadScript('tool.sh', '#!/bin/sh\necho old\n', '/opt');
    await openArtifacts(page, service);
    // The service refuses the one, whatever the browser thinks of it, and the other's line is cut once.
    let cuts = 1;
    await page.route('**/v1/artifact', async (route) => {
      const body = route.request().postData() ?? '';
      if (body.includes('refused.sh'))
        return route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'The form is damaged', status: 400, detail: 'Not this one' }),
        });
      if (body.includes('cut.sh') && cuts-- > 0) return route.abort('connectionreset');
      return route.continue();
    });
    const hostile = '<img src=x onerror=alert(1)>\u202egnp.sh';
    await drop(
      page,
      await packed(service, 'app_1.4.0.tar.gz', { 'update.sh': '#!/bin/sh\necho app\n' }),
      await packed(service, 'empty.tar.gz', { 'README.md': 'nothing to run' }),
      await saved(service, 'refused.sh', '#!/bin/sh\necho 1\n'),
      await saved(service, 'cut.sh', '#!/bin/sh\necho 2\n'),
      await saved(service, 'tool.sh', '#!/bin/sh\necho new\n'),
      await saved(service, hostile, '#!/bin/sh\necho 3\n'),
    );
    await expect(page.getByRole('form')).toHaveCount(6);
    await expect(finding(form(page, 'empty.tar.gz'), 'Error')).toContainText('holds no update.sh');
    const all = page.getByRole('button', { name: /^Upload all ready/ });
    await expect(all).toHaveText('Upload all ready (1)');

    // The version after the last of this name; the file's own wins where it has one.
    await expect(form(page, 'tool.sh').getByLabel('Version')).toHaveValue('1.0.1');
    await expect(form(page, 'app_1.4.0.tar.gz').getByLabel('Version')).toHaveValue('1.4.0');
    for (const name of ['refused.sh', 'cut.sh', 'tool.sh', hostile]) {
      await form(page, name).getByLabel('Destination folder').fill('/opt');
      if (name !== 'tool.sh') await form(page, name).getByLabel('Version').fill('7');
    }
    await expect(all).toHaveText('Upload all ready (5)');
    await expectAccessible(page);
    await all.click();

    await expect(stored(page)).toHaveCount(3);
    await expect(stored(page).filter({ hasText: hostile })).toHaveCount(1);
    await expect(form(page, 'refused.sh').getByRole('alert')).toHaveText(/The form is damaged \(400\).*Not this one/);
    await expect(form(page, 'cut.sh').getByRole('alert')).toHaveText(/The service cannot be reached/);
    await expect(form(page, 'cut.sh').getByLabel('Version')).toHaveValue('7');
    await form(page, 'cut.sh').getByRole('button', { name: 'Retry cut.sh' }).click();
    await expect(stored(page).filter({ hasText: 'cut.sh' })).toBeVisible();
    expect(((await namesOf(service)) ?? []).toSorted()).toEqual(
      [hostile, 'app_1.4.0.tar.gz', 'cut.sh', 'tool.sh', 'tool.sh'].toSorted(),
    );
    await page.getByRole('button', { name: 'Clear the stored' }).click();
    await expect(stored(page)).toHaveCount(0);
    await expect(page.getByRole('form')).toHaveCount(2);
  });
});

test.describe('behind a gateway that gives up', () => {
  test.use({ expectedConsole: [/status of 504/] });

  test('an upload whose answer was lost is found in the list, and not sent again', async ({
    signedIn: page,
    service,
  }) => {
    await openArtifacts(page, service);
    let sent = 0;
    await page.route('**/v1/artifact', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent++;
      await route.fetch();
      // Stored, and then a gateway in between gives up.
      await route.fulfill({ status: 504, body: 'gateway timeout' });
    });
    await browse(page, await packed(service, 'app_2.0.tar.gz', { 'update.sh': '#!/bin/sh\necho app\n' }));
    await uploadButton(page).click();
    await expect(stored(page)).toContainText('app_2.0.tar.gz 2.0');
    expect(sent).toBe(1);
    expect(await namesOf(service)).toEqual(['app_2.0.tar.gz']);
  });
});

test('search stands in the URL; an artifact shows its Command with a hidden token, and is deleted @main', async ({
  signedIn: page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await service.uploadScript('camera.sh', '#!/bin/sh\necho cam\n', '/opt/cam');
  await service.uploadScript('sensor.sh', '#!/bin/sh\necho sensor\n', '/opt/sensor');
  await openArtifacts(page, service);
  const rows = page.getByRole('table', { name: 'Artifacts' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await page.getByRole('searchbox', { name: /^Search by name/ }).fill('SENS');
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/\?name=SENS$/);
  await page.reload();
  await expect(rows).toHaveCount(2);

  // Details over the search; Back closes them and leaves the search alone.
  await page.getByRole('link', { name: 'sensor.sh', exact: true }).click();
  const details = page.getByRole('dialog', { name: 'sensor.sh 1.0.0' });
  await expect(details).toContainText('SHA-256');
  const sensor = ((await listed(service)) ?? []).find(({ Name }) => Name === 'sensor.sh');
  const command = sensor?.Command ?? '';
  const token = /url='[^']*?([\w-]{24,})'/.exec(command)?.[1] ?? '';
  expect(token).not.toBe('');
  const shown = details.getByLabel('Command', { exact: true });
  await expect(shown).toContainText('•••');
  await expect(shown).toContainText('/opt/sensor');
  await expect(shown).not.toContainText(token);
  await details.getByRole('button', { name: 'Copy command' }).click();
  await expect(details.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  await page.goBack();
  await expect(details).toBeHidden();
  await expect(page).toHaveURL(/\?name=SENS$/);

  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  const question = page.getByRole('dialog', { name: 'Delete artifact' });
  await expect(question).toContainText('sensor.sh 1.0.0 leaves the registry for good');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await namesOf(service)).toHaveLength(2);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  await question.getByRole('button', { name: 'Delete artifact' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('No artifact matches “SENS”')).toBeVisible();
  expect(await namesOf(service)).toEqual(['camera.sh']);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'camera.sh', exact: true })).toBeVisible();
});

test.describe('a service that refuses one', () => {
  test.use({ expectedConsole: [/status of 409/] });

  test('versions stand together; deleting tells which jobs would fail, and the old ones go in one step', async ({
    signedIn: page,
    service,
  }) => {
    for (const [version, size] of [1, 2, 3, 4, 5].entries())
      await service.uploadScript(
        'agent.sh',
        `#!/bin/sh\n# ${size}\n${'x'.repeat(1000 * version)}\n`,
        '/opt',
        `1.${version}`,
      );
    await service.uploadScript('once.sh', '#!/bin/sh\n', '/opt');
    const all = (await listed(service)) ?? [];
    const idOf = (version: string) => all.find(({ Version }) => Version === version)?.ArtifactId ?? '';
    const { DeviceId } = await service.createDevice('gate 1', 'lab');
    await service.createDevice('gate 2', 'lab');
    await service.call('POST', '/v1/job', { Name: 'Waits for one', DeviceId, ArtifactId: idOf('1.0') });
    await service.call('POST', '/v1/job', { Name: 'Waits for many', DeviceGroup: 'lab', ArtifactId: idOf('1.0') });
    await openArtifacts(page, service);
    const table = page.getByRole('table', { name: 'Artifacts' });
    await expect(table.getByRole('row')).toHaveCount(3);
    const group = table.getByRole('button', { name: 'agent.sh 5 versions' });
    await expect(table.getByRole('row', { name: /agent\.sh/ })).toContainText(/1\.4.*2 waiting/);
    await group.click();
    await expect(table.getByRole('row')).toHaveCount(8);

    // What waits for it is named, and its name has to be typed.
    await page.getByRole('button', { name: 'Delete agent.sh 1.0' }).click();
    const question = page.getByRole('dialog', { name: 'Delete artifact' });
    await expect(question).toContainText('2 jobs wait for it and would fail, on 3 devices');
    const waiting = question.getByRole('list', { name: 'Jobs that would fail' }).getByRole('listitem');
    await expect(waiting.filter({ hasText: 'Waits for many' })).toContainText('group lab, 2 waiting');
    await expect(waiting.filter({ hasText: 'Waits for one' })).toContainText('gate 1');
    await expect(question.getByRole('button', { name: 'Delete artifact' })).toBeDisabled();
    await question.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Delete old versions' }).click();
    const old = page.getByRole('dialog', { name: 'Delete old versions' });
    await expect(old).toContainText('1 artifact would leave the registry for good');
    await expect(old).toContainText('One old version more stays: a job still needs it.');
    await old.getByText('2', { exact: true }).click();
    await expect(old).toContainText('2 artifacts would leave the registry for good');
    await expect(old.getByRole('row')).toHaveText([/Name/, /agent\.sh 1\.2/, /agent\.sh 1\.1/]);
    await expectAccessible(page);
    // One of them cannot be deleted at first.
    let refusals = 1;
    await page.route(`**/v1/artifact/${idOf('1.1')}`, (route) =>
      refusals-- > 0 ? route.fulfill({ status: 409, body: 'Busy with something' }) : route.continue(),
    );
    await old.getByLabel('Type 2 to confirm').fill('2');
    await old.getByRole('button', { name: 'Delete 2 artifacts' }).click();
    await expect(old.getByRole('row', { name: /agent\.sh 1\.1/ })).toContainText(/Failed.*Busy with something/);
    await expect(old.getByRole('row', { name: /agent\.sh 1\.2/ })).toContainText('Done');
    await old.getByRole('button', { name: 'Retry the failed (1)' }).click();
    await expect(old.getByText('2 done.')).toBeVisible();
    await old.getByRole('button', { name: 'Close' }).last().click();
    await expect(table.getByRole('row')).toHaveCount(6);
    expect(((await listed(service)) ?? []).map(({ Version }) => Version)).toEqual(['1.0', '1.3', '1.4', '1.0.0']);

    // Deleted all the same: the jobs fail, and say why.
    await page.getByRole('button', { name: 'Delete agent.sh 1.0' }).click();
    await question.getByLabel('Type agent.sh to confirm').fill('agent.sh');
    await question.getByRole('button', { name: 'Delete artifact' }).click();
    await expect(question).toBeHidden();
    await expect(table.getByRole('row')).toHaveCount(5);
  });
});

test('another service: sizes without a unit, no sums, and jobs that do not say what they run', async ({
  signedIn: page,
  service,
}) => {
  await page.route('**/v1/artifact', (route) =>
    route.fulfill({
      json: {
        Artifacts: ['1.0', '1.1'].map((Version, index) => ({
          ArtifactId: `a${index}`,
          Name: 'plain.tar.gz',
          Version,
          Size: 12,
          IsScript: false,
          CreatedTime: `2026-01-0${index + 1}T00:00:00.5+00:00`,
        })),
      },
    }),
  );
  await page.route('**/v1/job', (route) =>
    route.fulfill({ json: [{ JobId: 'j', JobName: 'old', DeviceId: 'd', StartTime: '', EndTime: '', Result: '' }] }),
  );
  await openArtifacts(page, service, '?name=plain');
  await expect(page.getByText('Which jobs use an artifact is not told by this service.')).toBeVisible();
  const table = page.getByRole('table', { name: 'Artifacts' });
  await expect(table.getByRole('columnheader')).toHaveText(['Name', 'Version', 'Type', 'Size', 'Uploaded', 'Actions']);
  await expect(table.getByRole('row', { name: /plain.tar.gz 1.1/ }).last()).toContainText('12');
  await page.getByRole('button', { name: 'Delete plain.tar.gz 1.1' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    'not told by this service. Those that still wait for it will fail',
  );
});
