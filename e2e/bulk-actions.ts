// Shared by the tests of what is done to many devices at once: devices, their selection, and the dialog of an action.
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { expect, withoutOffers, type Service } from './fixtures.ts';

interface Device {
  DeviceId: string;
  DeviceName: string;
  DeviceGroup: string;
  Tags: { TagName: string }[];
}

export const dialog = (page: Page) => page.getByRole('dialog');
export const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' });
export const devicesOf = async (service: Service) =>
  (await service.call<{ Devices: Device[] }>('GET', '/v1/devices/1/1000')).Devices;
/** "device 01" and so on, in the order of their names. */
export async function createMany(
  service: Service,
  count: number,
  group: (index: number) => string = () => '',
): Promise<void> {
  const width = String(count).length;
  for (let index = 0; index < count; index++)
    await service.createDevice(`device ${String(index + 1).padStart(width, '0')}`, group(index));
}

/** The box above the rows: those of the page, until the whole fleet has been read. */
export const selectShown = (page: Page) =>
  page.getByRole('checkbox', { name: /^Select (this page|all \d+ matching)$/ });

export async function openDevices(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/devices${search}`);
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
}

export async function choose(page: Page, action: string): Promise<void> {
  const button = { 'Add a tag': 'Tag', 'Export as CSV': 'Export' }[action];
  await bar(page)
    .getByRole('button', { name: button ?? 'Actions', exact: true })
    .click();
  if (button === undefined) await page.getByRole('menuitem', { name: action, exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeVisible();
}

export async function setGroup(page: Page, group: string): Promise<void> {
  await choose(page, 'Set group');
  await dialog(page).getByRole('combobox', { name: 'Group' }).fill(group);
}

export const textOf = async (download: Download) => readFile(await download.path(), 'utf8');

/** The writes to devices that the page sends, by id, in order. */
export function watchPatches(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.url().split('/').at(-1) ?? '');
  });
  return sent;
}

/** The browser changes each device by itself, as in front of a service without bulk work. */
export const withoutBulkWork = (page: Page) => withoutOffers(page, 'bulk');
