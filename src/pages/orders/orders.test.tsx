// The dialogs of standing orders, while somebody else changes the order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, within } from '@testing-library/dom';
import { queryClient } from '#/api/query-client.ts';
import { standingOrderQueries } from '#/api/standing-orders.ts';
import { dialogOf, expectText, testPage } from '#/test-page.ts';

test('an order that was changed or deleted since its dialog opened is not deleted or saved', async (t) => {
  const { open, user, service } = await testPage(t);
  const ArtifactId = await service.uploadScript('myapp.sh', '#!/bin/sh\n', '/opt', '2.0.0');
  const place = (DeviceGroup: string) => service.call('PUT', '/v1/orders/halls', { DeviceGroup, ArtifactId });
  const row = () => screen.getByRole('row', { name: /halls/, hidden: true });
  await place('hall');
  await open('/rollouts/orders');

  await user.click(await screen.findByRole('button', { name: 'Delete halls' }));
  const deletion = await dialogOf('Delete standing order');
  await place('yard');
  await queryClient.refetchQueries(standingOrderQueries.list());
  await expectText(row, /yard/);
  await user.click(within(deletion).getByRole('button', { name: 'Delete standing order' }));
  await expectText(() => within(deletion).getByRole('alert'), /^The standing order has changed meanwhile/);
  await user.keyboard('{Escape}');

  await user.click(await screen.findByRole('button', { name: 'Edit halls' }));
  const edit = await dialogOf('Edit halls');
  await service.call('DELETE', '/v1/orders/halls');
  await queryClient.refetchQueries(standingOrderQueries.list());
  await screen.findByText('No standing orders yet');
  await user.click(within(edit).getByRole('button', { name: 'Save' }));
  await expectText(() => within(edit).getByRole('alert'), /^The standing order was deleted meanwhile/);
  assert.deepEqual(await service.call('GET', '/v1/orders'), []);
});
