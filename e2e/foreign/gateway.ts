// The dashboard as a gateway in front of a service that is not ours, and the way through its pages.
import type { Page } from '@playwright/test';
import { test } from '../fixtures.ts';
import type { Foreign } from './foreign.ts';

/** A gateway in front of the service that `make` starts. */
export const before = <F extends Foreign>(make: () => Promise<F>, env: Record<string, string> = {}) =>
  test.extend<{ foreign: F }>({
    foreign: async ({}, use) => {
      const foreign = await make();
      await use(foreign);
      await foreign.close();
    },
    serviceEnv: async ({ foreign }, use) => use({ ...env, UPSTREAM_URL: foreign.url }),
  });

/** Follows the links of the dashboard's own navigation, so that nothing is loaded anew. */
export const go = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
