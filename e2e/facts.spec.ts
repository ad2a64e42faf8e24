// Facts of devices, from real agents: on the device's page, as a filter and a column of the table, in a file, on the map.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';

const row = (page: Page, name: string) => page.getByRole('table', { name: 'Devices' }).getByRole('row', { name });
const chips = (page: Page) => page.getByRole('list', { name: 'Filters in use' });

/** Starts the agent of a new device, with programs in its folder for facts. */
async function unit(service: Service, name: string, programs: Record<string, string>): Promise<string> {
  const { DeviceId, DeviceKey } = await service.createDevice(name, 'hall');
  const data = await service.folder('agent');
  const folder = join(data, 'facts.d');
  await mkdir(folder);
  await chmod(folder, 0o755);
  for (const [program, script] of Object.entries(programs)) {
    await writeFile(join(folder, program), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, program), 0o755);
  }
  await service.agent(DeviceKey, { data });
  const read = async () => {
    const { Items } = await service.call<{ Items: unknown[] }>('GET', `/v1/device/${DeviceId}/facts`);
    return Items.length;
  };
  await expect.poll(read).toBeGreaterThan(0);
  return DeviceId;
}

test('a device shows its facts with their age, finds one by its value, and says what failed', async ({
  signedIn: page,
  service,
}) => {
  const id = await unit(service, 'unit 1', { rack: 'echo rack=7', modem: 'echo "no modem" >&2; exit 3' });
  await page.goto(`${service.url}/devices/${id}`);
  const facts = page.getByRole('region', { name: 'Facts' });
  await expect(facts).toContainText(/agent_kind\s*node\s*(now|\d+\s?\w+ ago)/);
  await expect(facts).toContainText(/rack\s*7\s*(now|\d+\s?\w+ ago)/);
  await expect(facts.getByRole('listitem')).toHaveText('modem ended with exit code 3: no modem');
  await expectAccessible(page);
  await facts.getByRole('textbox', { name: 'Search facts' }).fill('rack');
  await expect(facts).toContainText(/rack\s*7/);
  await expect(facts).not.toContainText('agent_kind');
  await facts.getByRole('textbox', { name: 'Search facts' }).fill('nothing like it');
  await expect(facts).toContainText('No fact matches.');
});

test('a fact is chosen as a filter and as a column, stands in the URL, and is part of the file', async ({
  signedIn: page,
  service,
}) => {
  await unit(service, 'unit 1', { rack: 'echo rack=7' });
  await unit(service, 'unit 2', { rack: 'echo rack=9' });
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Filter by Fact' }).click();
  await page.getByRole('option', { name: 'rack', exact: true }).click();
  await expect(page.getByRole('option', { name: '7 1' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('option', { name: '7 1' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/fact\.rack=7/);
  await expect(chips(page)).toContainText('rack');
  await expect(row(page, 'unit 1')).toBeVisible();
  await expect(row(page, 'unit 2')).toHaveCount(0);

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Fact rack' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'Fact rack' })).toBeVisible();
  await chips(page).getByRole('button', { name: 'Remove rack' }).click();
  await expect(row(page, 'unit 2')).toContainText('9');
  await page.getByRole('button', { name: 'Fact rack' }).click();
  await expect(page.getByRole('columnheader', { name: 'Fact rack' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('row').nth(1)).toContainText('unit 1');

  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download CSV' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
  expect(lines[0]).toContain('Fact rack');
  expect(lines.find((line) => line.includes('unit 2'))).toMatch(/(^|,)9(,|$)/);
});

test('the map has the same filter', async ({ signedIn: page, service }) => {
  const one = await unit(service, 'unit 1', { rack: 'echo rack=7' });
  const two = await unit(service, 'unit 2', { rack: 'echo rack=9' });
  await service.locate(one, 10, 10);
  await service.locate(two, 11, 11);
  await page.goto(`${service.url}/map?fact.rack=7`);
  const rows = page.getByRole('region', { name: 'Devices in view' }).getByRole('listitem');
  await expect(rows).toHaveText(/unit 1/);
});

test.describe('in front of another service', () => {
  const foreignTest = before(startStrict);
  foreignTest('nothing is offered, and a link with such a filter says why', async ({ signedIn: page, service }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/facts|\/facts$/.test(pathname)) asked.push(pathname);
    });
    await page.goto(`${service.url}/devices`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await expect(page.getByRole('checkbox', { name: 'Name' })).toBeVisible();
    await expect(page.getByRole('checkbox', { name: /^Fact/ })).toHaveCount(0);
    await page.goto(`${service.url}/devices?fact.os=debian`);
    await expect(page.getByText('The facts of devices are not known here')).toBeVisible();
    expect(asked).toEqual([]);
  });
});
