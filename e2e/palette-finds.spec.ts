// What the command palette finds by name besides pages, devices and jobs.
import { expect, test } from './fixtures.ts';
import { jobSandbox, script } from './job-sandbox.ts';

test('the palette finds sites, alert rules, rollouts and the audit log by name', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const ArtifactId = await script(service, sandbox, 'hello.sh', 'echo hello');
  const { DeviceId } = await service.createDevice('pump 1', 'harbours');
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { CustomerSite: 'Kiel harbour' });
  const channel = { Name: 'ops', Kind: 'webhook', Url: 'https://example.com/hook', Format: 'json' };
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', channel);
  const rule = { Name: 'Kiel is down', When: 'DeviceOffline', ForMinutes: 10, QuietMinutes: 0, Channels: [ChannelId] };
  await service.call('POST', '/v1/alerts/rules', rule);
  const { RolloutId } = await service.call<{ RolloutId: string }>('POST', '/v1/rollout', {
    Name: 'Kiel in waves',
    DeviceIds: [DeviceId],
    ArtifactId,
    Waves: [{ Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 1 },
    Advance: 'auto',
    IncludeNew: false,
  });
  await page.goto(`${service.url}/jobs`);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: /^Find pages/ });
  await search.fill('kiel');
  const found = (group: string) => page.getByRole('group', { name: group }).getByRole('option');
  await expect(found('Sites')).toContainText(['Kiel harbour']);
  await expect(found('Alerts')).toContainText(['Kiel is down']);
  await expect(found('Rollouts')).toContainText(['Kiel in waves']);
  await expect(page.getByRole('option', { name: 'Who changed what has this name' })).toBeVisible();
  await found('Rollouts').click();
  await expect(page).toHaveURL(new RegExp(RolloutId));
});
