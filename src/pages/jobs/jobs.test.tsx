// The list of jobs: what it makes of a rollout.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import type { Rollout } from '#/contract/rollouts.ts';
import { expectAccessible, testPage } from '#/test-page.ts';

test('the waves of a rollout are one row, which links to the rollout, opens to its waves and selects all of them', async (t) => {
  const { open, user, service } = await testPage(t);
  const ids: string[] = [];
  for (const name of ['unit 1', 'unit 2', 'unit 3']) ids.push((await service.createDevice(name, 'hall')).DeviceId);
  const ArtifactId = await service.uploadScript('app.sh', 'true', '/opt');
  const { RolloutId } = await service.call<{ RolloutId: string }>('POST', '/v1/rollout', {
    Name: 'app 2 to hall',
    DeviceGroup: 'hall',
    ArtifactId,
    Waves: [{ Count: 1 }, { Count: 1 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'confirm',
  });
  const read = () => service.call<Rollout>('GET', `/v1/rollout/${RolloutId}`);
  const begun = (number: number) => waitFor(async () => assert.ok((await read()).Waves[number - 1]?.JobId));
  await begun(1);
  await service.call('POST', '/v1/job', { Name: 'A job between', DeviceId: ids[0], ArtifactId });
  await service.call('POST', `/v1/rollout/${RolloutId}/advance`, { Version: (await read()).Version });
  await begun(2);

  await open('/jobs');
  const table = await screen.findByRole('table', { name: 'Jobs' });
  const names = () =>
    within(table)
      .getAllByRole('link')
      .map((link) => link.getAttribute('aria-label') ?? link.textContent);
  assert.deepEqual(names(), ['app 2 to hall', 'A job between']);
  const row = within(table).getByRole('row', { name: /app 2 to hall.*2 of 3 waves/ });
  assert.match(row.textContent, /Waiting.*2 wait for offline devices/);
  const link = within(row).getByRole('link', { name: 'app 2 to hall' });
  assert.equal(link.getAttribute('href'), `/rollouts/${RolloutId}`);
  assert.equal(within(row).queryByRole('button', { name: /Stop|Delete/ }), null);

  await user.click(within(row).getByRole('checkbox', { name: 'Select app 2 to hall' }));
  await screen.findByText('2 selected');
  const opener = within(row).getByRole('button', { name: '2 of 3 waves of app 2 to hall' });
  assert.equal(opener.getAttribute('aria-expanded'), 'false');
  await user.click(opener);
  await waitFor(() => assert.equal(opener.getAttribute('aria-expanded'), 'true'));
  const both = ['app 2 to hall, wave 2 of 3', 'app 2 to hall, wave 1 of 3'];
  assert.deepEqual(names(), ['app 2 to hall', ...both, 'A job between']);
  for (const name of both) within(table).getByRole('checkbox', { name: `Select ${name}`, checked: true });
  await expectAccessible();

  // Closed again while the pointer is in the rows, which keeps rows that left the list.
  await user.click(opener);
  await waitFor(() => assert.deepEqual(names(), ['app 2 to hall', 'A job between']));
  await user.click(screen.getByRole('checkbox', { name: 'Select all 3' }));
  await screen.findByText('3 selected');
});
