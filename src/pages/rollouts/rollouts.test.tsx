// The page of a rollout: its dialogs, and what it says about a decision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { dialogOf, expectText, testPage, type TestPage } from '#/test-page.ts';

/** A rollout to two devices that never connect, one in each wave. */
async function rollOut(service: TestPage['service']): Promise<string> {
  for (const name of ['unit 1', 'unit 2']) await service.createDevice(name, 'hall');
  const { RolloutId } = await service.call<{ RolloutId: string }>('POST', '/v1/rollout', {
    Name: 'myapp 2.0.0',
    DeviceGroup: 'hall',
    ArtifactId: await service.uploadScript('myapp.sh', '#!/bin/sh\n', '/opt', '2.0.0'),
    Waves: [{ Count: 1 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
  });
  const wave = async () => (await service.call<{ Wave: number }>('GET', `/v1/rollout/${RolloutId}`)).Wave;
  await waitFor(async () => assert.equal(await wave(), 1));
  return RolloutId;
}

/** Somebody else does this meanwhile. */
async function steer(service: TestPage['service'], id: string, action: string, more: object = {}): Promise<void> {
  const { Version } = await service.call<{ Version: number }>('GET', `/v1/rollout/${id}`);
  await service.call('POST', `/v1/rollout/${id}/${action}`, { Version, ...more });
}

const heading = () => screen.getByRole('heading', { level: 1, hidden: true });

test('an action is refused if the rollout has changed since its dialog opened, also where the page shows that', async (t) => {
  const { open, user, service } = await testPage(t);
  const id = await rollOut(service);
  await open(`/rollouts/${id}`);
  for (const { name, title, meanwhile, becomes } of [
    { name: 'Abort…', title: 'Abort the rollout', meanwhile: 'pause', becomes: /Paused/ },
    { name: 'Start wave 2 anyway…', title: 'Start wave 2 anyway', meanwhile: 'resume', becomes: /Running/ },
  ]) {
    await user.click(await screen.findByRole('button', { name }));
    const dialog = await dialogOf(title);
    await steer(service, id, meanwhile);
    await expectText(heading, becomes);
    await user.click(within(dialog).getByRole('button', { name: name.slice(0, -1) }));
    await expectText(() => within(dialog).getByRole('alert'), /changed meanwhile/);
    await user.keyboard('{Escape}');
  }
  // A device is left out in a dialog of its own.
  await user.click(await screen.findByRole('button', { name: 'Leave out unit 2' }));
  const dialog = await dialogOf('Leave out a device');
  await steer(service, id, 'pause');
  await expectText(heading, /Paused/);
  await user.click(within(dialog).getByRole('button', { name: 'Leave out' }));
  await expectText(() => within(dialog).getByRole('alert'), /changed meanwhile.*Paused, by/);
});
