// What tests of the map share: its places on the page, devices with a location, and what is drawn.
import type { Page } from '@playwright/test';
import { expect, type Service } from './fixtures.ts';
import { settledBox } from './settled-box.ts';

export const region = (page: Page) => page.getByRole('region', { name: 'Map of device locations' });
export const inView = (page: Page) => page.getByRole('region', { name: 'Devices in view' });
export const unplaced = (page: Page) => page.getByRole('region', { name: 'Devices without a location' });

export async function openMap(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/map${search}`);
  await expect(region(page)).toBeVisible();
}

/** The middle of the map in pixels of the window. */
export async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await settledBox(region(page));
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Creates a device that is on the map. */
export async function placed(service: Service, name: string, lat: number, lng: number, group = ''): Promise<string> {
  const { DeviceId } = await service.createDevice(name, group);
  await service.locate(DeviceId, lat, lng);
  return DeviceId;
}

export const locationOf = async (service: Service, id: string) =>
  (await service.call<{ DeviceId: string; Lat: number; Lng: number }[]>('GET', '/v1/devices/location')).find(
    ({ DeviceId }) => DeviceId === id,
  );

/** Whether the canvas of the markers has anything drawn. */
export const anyDrawn = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.leaflet-overlay-pane canvas');
    const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    for (let i = 3; i < data.length; i += 4) if (data[i]! > 200) return true;
    return false;
  });

/** Whether the canvas of the markers has something drawn near the middle of the map. */
export const drawnInTheMiddle = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.leaflet-overlay-pane canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return false;
    const { data } = context.getImageData(canvas.width / 2 - 30, canvas.height / 2 - 30, 60, 60);
    return data.some((value, index) => index % 4 === 3 && value > 200);
  });

/** Draws round the middle of the map, as a mouse or a finger does. */
export const LASSO = [
  [-60, 0],
  [-40, -60],
  [30, -70],
  [70, 0],
  [30, 60],
  [-40, 50],
] as const;
