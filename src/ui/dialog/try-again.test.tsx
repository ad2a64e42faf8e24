// A dialog whose write found the service down.
import { test } from 'node:test';
import { fireEvent, screen, within } from '@testing-library/dom';
import { dialogOf, expectGone, expectRead, expectText, testPage } from '#/test-page.ts';

test('a dialog whose write failed because the service was down stays, says when it is back, and tries again', async (t) => {
  const { open, user, service, route } = await testPage(t);
  const ArtifactId = await service.uploadScript('myapp.sh', '#!/bin/sh\n', '/opt', '2.0.0');
  await service.call('PUT', '/v1/orders/halls', { DeviceGroup: 'hall', ArtifactId });
  let isDown = false;
  route(/^\/./, async (ask) => {
    if (isDown) throw new TypeError('connection refused');
    return ask();
  });
  await open('/rollouts/orders');
  for (const { opener, title, action } of [
    { opener: 'Edit halls', title: 'Edit halls', action: 'Save' },
    { opener: 'Delete halls', title: 'Delete standing order', action: 'Delete standing order' },
  ]) {
    await user.click(await screen.findByRole('button', { name: opener }));
    const dialog = await dialogOf(title);
    isDown = true;
    await user.click(within(dialog).getByRole('button', { name: action }));
    await expectText(() => within(dialog).getByRole('alert'), /^The service cannot be reached/);
    await screen.findByRole('button', { name: 'Try now', hidden: true });
    isDown = false;
    fireEvent.focus(window);
    await expectText(() => within(dialog).getByRole('alert'), /^The service is back/);
    await user.click(within(dialog).getByRole('button', { name: 'Try again' }));
    await expectGone(() => screen.queryByRole('dialog'));
    // The next dialog is about the order as it is now.
    await expectRead();
  }
  await screen.findByText('No standing orders yet');
});
