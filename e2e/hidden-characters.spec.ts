// Names with characters that have no shape, or that turn the text around them: every screen shows them.
import { expect, test, type Service } from './fixtures.ts';

const NAME = 'pu\u034fm\u00adp\u3164\u202e1\u200b\u{e0041}';
const SHOWN = 'pu‹U+034F›m‹U+00AD›p‹U+3164›‹U+202E›1‹U+200B›‹U+E0041›';
const HIDDEN = /\u00ad|\u034f|\u200b|\u202e|\u3164|\u{e0041}/u;

test('a name shows its hidden characters on every page, and where its deletion is confirmed', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice(NAME, NAME);
  await service.locate(DeviceId, 52.5, 13.4);
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: NAME });
  const artifact = await service.uploadScript('run.sh', 'echo\n', '/tmp', NAME);
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: NAME,
    DeviceGroup: NAME,
    ArtifactId: artifact,
  });
  const at = ['devices', `devices/${DeviceId}`, 'jobs', `jobs/${JobId}`, 'queues', 'artifacts', `deploy?group=${NAME}`];
  for (const path of at) {
    await page.goto(`${service.url}/${path}`);
    await expect(page.getByRole('main').getByText(SHOWN).filter({ visible: true }).first(), path).toBeVisible();
    expect(await page.locator('body').innerText(), path).not.toMatch(HIDDEN);
    expect(await page.title(), path).not.toMatch(HIDDEN);
  }
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await page.getByRole('main').getByRole('link', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog', { name: `Delete ${SHOWN}?` })).toBeVisible();
});

test('hidden characters that are pasted into a name or a confirmation are shown at the field @sweep', async ({
  signedIn: page,
  service,
}) => {
  const note = 'Hidden characters: pump‹U+200B› 1';
  await page.goto(`${service.url}/devices?dialog=add`);
  const name = page.getByRole('dialog', { name: 'Add a device' }).getByLabel('Name');
  await name.fill('pump\u200b 1');
  await expect(name).toHaveAccessibleDescription(note);
  await name.fill('pump 1');
  await expect(name).toHaveAccessibleDescription('');
  await page.goto(`${service.url}/devices/add-many`);
  await page.getByRole('textbox', { name: 'Rows' }).fill('pump\u200b 1,north');
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByLabel('Name, row 1')).toHaveAccessibleDescription(note);
  for (const each of ['a', 'b']) {
    const { DeviceId } = await service.createDevice(each, 'g');
    await service.call('POST', '/v1/job', { Name: each, DeviceId, ArtifactId: await script(service) });
  }
  await page.goto(`${service.url}/jobs`);
  for (const each of ['a', 'b'])
    await page
      .getByRole('row', { name: new RegExp(`${each}.*Waiting`) })
      .getByRole('checkbox')
      .check();
  await page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Stop 2…' }).click();
  const typed = page.getByRole('dialog').getByRole('textbox');
  await typed.fill('2\u200b');
  await expect(typed).toHaveAccessibleDescription('Hidden characters: 2‹U+200B›');
});

const script = (service: Service) => service.uploadScript('run.sh', 'echo\n', '/tmp');
