// Where something is drawn once it has come to rest. What was typed, found or loaded may still be moving it.
import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The box of an element that has not moved for two frames. */
export async function settledBox(locator: Locator): Promise<Box> {
  let box: Box | null = null;
  await expect(async () => {
    box = await locator.boundingBox();
    await locator.evaluate(async () => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise((next) => requestAnimationFrame(next));
    });
    expect(await locator.boundingBox()).toEqual(box);
  }).toPass();
  if (!box) throw new Error('It is not drawn');
  return box;
}
