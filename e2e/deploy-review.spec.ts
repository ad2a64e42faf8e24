// The review of a deploy while it is still read.
import { expect, test } from './fixtures.ts';

test('the button of a deploy stays where it is while the review is read', async ({ signedIn: page, service }) => {
  for (const name of ['pump 1', 'pump 2', 'pump 3']) await service.createDevice(name, 'pumps');
  const ArtifactId = await service.uploadScript('check.sh', '#!/bin/sh\necho fine\n', '/tmp');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/devices/**', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${service.url}/deploy?group=pumps&artifact=${ArtifactId}`);
  const button = page.getByRole('button', { name: /^Deploy/ });
  const top = async () => (await button.boundingBox())?.y;
  await expect(button).toBeVisible();
  const before = await top();
  release();
  await expect(button).toHaveText('Deploy to 3 devices');
  await expect(page.getByRole('region', { name: 'Review' }).getByText('pump 3')).toBeVisible();
  expect(await top()).toBe(before);
});
