// What tests without a pointer share: going to something by Tab or the arrow keys, pressing it and typing into it.
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Goes on with one key until the focus is on it. (A radio button is drawn by its label, so it is not visible itself.) */
async function keyTo(page: Page, key: 'Tab' | 'ArrowDown', target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; !(await isFocused()); presses += 1) {
    expect(presses, `${key} never comes there`).toBeLessThan(100);
    await page.keyboard.press(key);
  }
}

export const tabTo = (page: Page, target: Locator) => keyTo(page, 'Tab', target);
export const arrowTo = (page: Page, target: Locator) => keyTo(page, 'ArrowDown', target);

export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}
