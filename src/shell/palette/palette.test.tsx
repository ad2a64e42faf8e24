// What the command palette finds by name besides pages, devices and jobs.
import { test } from 'node:test';
import { screen, within } from '@testing-library/dom';
import { expectAddress, testPage } from '#/test-page.ts';

test('the palette finds sites, alert rules, rollouts and the audit log by name', async (t) => {
  const { open, service, user } = await testPage(t);
  const ArtifactId = await service.uploadScript('hello.sh', '#!/bin/sh\necho hello\n', '/tmp');
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
  await open('/jobs');
  await screen.findByRole('heading', { level: 1, name: 'Jobs' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /^Find pages/ }), 'kiel');
  const found = async (group: string, name: RegExp) =>
    within(await screen.findByRole('group', { name: group })).findByRole('option', { name });
  await found('Sites', /Kiel harbour/);
  await found('Alerts', /Kiel is down/);
  await screen.findByRole('option', { name: 'Who changed what has this name' });
  await user.click(await found('Rollouts', /Kiel in waves/));
  await expectAddress(`/rollouts/${RolloutId}`);
});
