// The registry of artifacts; what it lists and says has component tests (src/pages/artifacts/artifacts.test.tsx).
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { namesOf, openArtifacts } from './uploads.ts';

const artifactRows = (page: Page) => page.getByRole('table', { name: 'Artifacts' }).getByRole('row');

async function openTwo(page: Page, service: Service): Promise<void> {
  await service.uploadScript('camera.sh', '#!/bin/sh\necho cam\n', '/opt/cam');
  await service.uploadScript('sensor.sh', '#!/bin/sh\necho sensor\n', '/opt/sensor');
  await openArtifacts(page, service);
  await expect(artifactRows(page)).toHaveCount(3);
}

test('an artifact is deleted after a question', async ({ signedIn: page, service }) => {
  await openTwo(page, service);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  const question = page.getByRole('dialog', { name: 'Delete artifact' });
  await expect(question).toContainText('sensor.sh 1.0.0 will be deleted permanently');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await namesOf(service)).toHaveLength(2);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  await question.getByRole('button', { name: 'Delete artifact' }).click();
  await expect(question).toBeHidden();
  expect(await namesOf(service)).toEqual(['camera.sh']);
  await expect(artifactRows(page)).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'camera.sh', exact: true })).toBeVisible();
});
