// Which first steps each role is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import type { Role } from '#/contract/permissions.ts';
import { testPage } from '#/test-page.ts';

const DEPLOYER = ['Add a device', 'See it online', 'Deploy it', 'Set its location'];

test('the first steps are those that the role may take', async (t) => {
  const { open, signInAs } = await testPage(t);
  for (const [role, steps] of [
    ['Deployer', DEPLOYER],
    ['Operator', [...DEPLOYER.toSpliced(2, 0, 'Upload an artifact'), 'Open a tunnel']],
  ] satisfies [Role, string[]][]) {
    await signInAs(role);
    await open('/');
    const list = await screen.findByRole('region', { name: 'First steps' });
    await waitFor(() =>
      assert.deepEqual(
        within(list)
          .getAllByRole('listitem')
          .map((item) => item.querySelector('strong')?.textContent),
        steps,
      ),
    );
  }
});
