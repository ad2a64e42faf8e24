// What tests of many devices from a list share: the places of the page, and the file of keys read back.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, type Service } from './fixtures.ts';

export interface Listed {
  DeviceId: string;
  DeviceName: string;
  DeviceGroup: string;
  CustomerName?: string;
  CustomerSite?: string;
  Tags?: { TagName: string }[];
}

export const devices = async (service: Service) =>
  (await service.call<{ Devices: Listed[] }>('GET', '/v1/devices/1/1000')).Devices;

export const rowsRegion = (page: Page) => page.getByRole('region', { name: 'Rows to create' });
/** Each device is counted when it is created; its location and tags follow. */
export const runEnded = (page: Page) => page.getByRole('heading', { name: 'Created devices' });
export const result = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Devices' }).getByRole('row', { name });
export const cell = (page: Page, column: string, row: number) =>
  page.getByLabel(`${column}, row ${row}`, { exact: true });

export async function paste(page: Page, service: Service, lines: string[]): Promise<void> {
  await page.goto(`${service.url}/devices/add-many`);
  await page.getByRole('textbox', { name: 'Rows' }).fill(lines.join('\n'));
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByRole('table', { name: 'Rows' })).toBeVisible();
}

/** A small reader of our own: what is tested must not read its own writing. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [];
  for (const line of csv
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .filter(Boolean)) {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)];
    rows.push(cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''));
  }
  return rows;
}

export async function downloadKeys(page: Page): Promise<string[][]> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download keys' }).click();
  return cellsOf(await readFile(await (await download).path(), 'utf8'));
}
