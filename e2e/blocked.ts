// A blocked action, and the reason that it shows (src/ui/controls/gate.tsx).
import { expect, type Locator, type Page } from '@playwright/test';

/** The one reason that is shown. */
export const shownReason = (page: Page): Locator => page.locator('.reason');

/** Expects an action that does nothing, and says why while it is focused. */
export async function expectBlocked(action: Locator, reason: string): Promise<void> {
  await expect(action).toHaveAttribute('aria-disabled', 'true');
  await expect(action).toHaveAccessibleDescription(reason);
  await action.focus();
  await expect(action).toBeFocused();
  await expect(shownReason(action.page())).toHaveText(reason);
  await expect(shownReason(action.page())).toBeInViewport({ ratio: 1 });
}
