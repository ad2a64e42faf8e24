// What can be done to a row can be seen and clicked, in every table and at every width.
import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, signIn, test, type Service } from './fixtures.ts';
import { fleet, rollOut } from './rolled-out.ts';

test.use({ ownService: true });

const WIDE = { width: 1280, height: 800 };
const SIZES = [WIDE, { width: 1440, height: 900 }, { width: 1920, height: 1080 }, { width: 390, height: 844 }];

/** Every table by the file that draws it. */
const TABLES: Record<string, readonly string[]> = {
  'pages/settings/tokens-page.tsx': ['API tokens'],
  'pages/activity/alerts/alert-deliveries.tsx': ['Deliveries'],
  'pages/activity/alerts/alert-rules.tsx': ['Rules'],
  'pages/activity/alerts/firing-alerts.tsx': ['Firing now', 'Silenced alerts'],
  'pages/activity/audit-table.tsx': ['Audit log'],
  'pages/activity/availability-page.tsx': ['Availability'],
  'pages/add-many/rows-table.tsx': ['Rows'],
  'pages/add-many/run-panel.tsx': ['Devices'],
  'pages/archive/archive-page.tsx': ['Archived jobs'],
  'pages/artifacts/artifact-deployments.tsx': ['Deployments'],
  'pages/artifacts/artifact-table.tsx': ['Artifacts'],
  'pages/artifacts/artifact-version-table.tsx': ['Versions'],
  'pages/bulk/bulk-list-page.tsx': ['Bulk actions'],
  'pages/enrolment/enrolment-page.tsx': ['Devices that wait for approval', 'Enrolment keys'],
  'pages/deploy/preflight-page.tsx': ['Results of the preflight'],
  'pages/deploy/review-devices.tsx': ['Target devices', 'Devices by customer and site'],
  'pages/device/device-jobs.tsx': ['Jobs of this device'],
  'pages/device/device-tunnels.tsx': ['Tunnels of this device'],
  'pages/devices/table/device-table.tsx': ['Devices'],
  'pages/job/job-children.tsx': ['Devices of this job'],
  'pages/job/failures/group-details.tsx': ['Devices of this group'],
  'pages/jobs/jobs-table.tsx': ['Jobs'],
  'pages/orders/failed-devices.tsx': ['Failed devices'],
  'pages/orders/orders-page.tsx': ['Standing orders'],
  'pages/queues/queue-table.tsx': ['Queues'],
  'pages/rollouts/rollout-devices.tsx': ['Devices of the rollout'],
  'pages/rollouts/rollout-failures.tsx': ['Devices of this group'],
  'pages/rollouts/rollouts-page.tsx': ['Rollouts'],
  'pages/settings/browser-data.tsx': ['Data in this browser'],
  'pages/settings/channels/channels-page.tsx': ['Channels'],
  'pages/settings/people/people-page.tsx': ['People'],
  'pages/settings/people/person-page.tsx': ['Permissions'],
  'pages/settings/people/person-tokens.tsx': ['Tokens of this person'],
  'pages/settings/people/session-table.tsx': ['Sessions', 'Sessions of this person'],
  'pages/tunnels/tunnel-table.tsx': ['Tunnels'],
  'pages/workflows/workflows-page.tsx': ['Workflows'],
  'features/bulk/bulk-result-list.tsx': ['Results'],
};

/** A key, and a device that asked with it. */
async function enrolling(service: Service): Promise<void> {
  const draft = { Name: 'image', DeviceGroup: 'plant', NeedsApproval: true };
  const { EnrolKey } = await service.call<{ EnrolKey: string }>('POST', '/v1/enrolment', draft);
  await service.call('POST', '/v1/enrol', { EnrolKey, MachineId: 'machine-1', DeviceName: 'pump' });
}

/** These list what a dialog is about to do, and offer nothing in their rows. */
const WITHOUT_ACTIONS = [
  'features/bulk/bulk-jobs-dialog.tsx',
  'pages/add-many/changes-dialog.tsx',
  'pages/artifacts/delete-artifact-versions.tsx',
];

test('every table is one of those whose actions are looked at @sweep', async () => {
  const src = path.join(import.meta.dirname, '../src');
  const found: string[] = [];
  for await (const file of glob('{pages,features,shell}/**/*.tsx', { cwd: src })) found.push(file);
  const sources = await Promise.all(
    found.map(async (file) => ({ file, text: await readFile(path.join(src, file), 'utf8') })),
  );
  const tables = sources.filter(({ text }) => /<(?:DataTable|VirtualTable|BaseTable|table)\b/.test(text));
  expect(tables.map(({ file }) => file).toSorted()).toEqual([...Object.keys(TABLES), ...WITHOUT_ACTIONS].toSorted());
  for (const { file, text } of tables)
    if (WITHOUT_ACTIONS.includes(file)) expect(text, file).not.toMatch(/<Button|<IconButton|<button|tools: true/);
});

/** A fleet in which every table has a row, and each row as many actions as it can have. */
async function fill(service: Service) {
  const made = await fleet(service, 3, 0);
  const { units, ArtifactId, broken } = made;
  const [first, second, away] = units;
  if (!first || !second || !away) throw new Error('There are no devices');
  await writeFile(broken, '');
  const older = await service.uploadScript('myapp.sh', '#!/bin/sh\necho older\n', await service.folder('opt'), '1.0.0');
  await service.call('PATCH', `/v1/devices/${first.DeviceId}`, { CustomerName: 'Acme', CustomerSite: 'Dock 4' });
  const webhook = { Name: 'Ops', Kind: 'webhook', Url: 'https://hooks.invalid/', Format: 'json' };
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', webhook);
  const watch = (When: string) => {
    const rule = { Name: When, When, ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
    return service.call<{ RuleId: string }>('POST', '/v1/alerts/rules', rule);
  };
  await watch('JobFailed');
  await watch('DeviceOffline');
  const { RuleId } = await watch('DeviceOffline');
  const Until = new Date(Date.now() + 3_600_000).toISOString();
  await service.call('POST', `/v1/alerts/rules/${RuleId}/silence`, { Until, Reason: 'maintenance' });
  await service.agent(first.DeviceKey, { args: ['--tunnel', 'http://127.0.0.1:9'] });
  const leaving = await service.agent(second.DeviceKey);
  await service.call('POST', '/v1/workflow', { Name: 'Say hello', Command: 'echo hello' });
  const submit = async (target: object, artifact = ArtifactId) =>
    (await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'myapp', ...target, ArtifactId: artifact }))
      .JobId;
  const hasEnded = async (id: string) =>
    (await service.call<{ EndTime: string }>('GET', `/v1/job/${id}`)).EndTime !== '';
  const archived = await submit({ DeviceId: first.DeviceId }, older);
  await expect.poll(() => hasEnded(archived)).toBe(true);
  await service.call('POST', '/v1/bulk', { Action: 'archive', Jobs: [archived] });
  const { BulkId } = await service.call<{ BulkId: string }>('POST', '/v1/bulk', {
    Action: 'edit',
    Devices: [away.DeviceId, 'gone'],
    Values: { CustomerName: 'Acme' },
  });
  // The later of the two makes the earlier one stale.
  await submit({ DeviceId: away.DeviceId }, older);
  await submit({ DeviceId: away.DeviceId });
  const parent = await submit({ DeviceGroup: 'hall' });
  const childrenEnded = async () =>
    (await service.call<{ EndTime: string }[]>('GET', `/v1/job/${parent}/childjobs`)).filter(
      ({ EndTime }) => EndTime !== '',
    ).length;
  await expect.poll(childrenEnded).toBe(2);
  await service.call('PUT', '/v1/orders/halls', { DeviceGroup: 'hall', ArtifactId });
  const orderFailed = async () =>
    (await service.call<{ Counts: { Failed: number } }[]>('GET', '/v1/orders'))[0]?.Counts.Failed ?? 0;
  await expect.poll(orderFailed).toBeGreaterThan(0);
  const rollout = await rollOut(service, made);
  const state = async () => (await service.call<{ State: string }>('GET', `/v1/rollout/${rollout}`)).State;
  await expect.poll(state).toBe('Paused');
  await leaving.end();
  const invited = { Email: 'anna@example.com', Name: 'Anna', Role: 'Operator', Groups: ['hall'] };
  const { PersonId, InviteUrl } = await service.call<Record<'PersonId' | 'InviteUrl', string>>(
    'POST',
    '/v1/people',
    invited,
  );
  const accepted = await fetch(`${service.url}/auth/accept`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({
      Code: new URL(InviteUrl).hash.slice('#code='.length),
      Password: 'green stairs and thunder',
    }),
  });
  const [cookie = ''] = accepted.headers.getSetCookie();
  const token = await fetch(`${service.url}/v1/account/tokens`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json', cookie: cookie.split(';')[0] ?? '' },
    body: JSON.stringify({ Name: 'hers', Proof: 'green stairs and thunder' }),
  });
  if (!token.ok) throw new Error(`No token was made: ${token.status}`);
  return { anna: PersonId, first, parent, rollout, BulkId, ArtifactId };
}

/** What is wrong with the actions of the rows of a table that can be seen now; a row of the middle, if there are many. */
const faultsOf = (page: Page, name: string) =>
  page
    .getByRole('table', { name, exact: true })
    .first()
    .evaluate((table) => {
      const faults: string[] = [];
      const inRange = (at: number, from: number, to: number) => at >= from - 0.5 && at <= to + 0.5;
      for (const control of table.querySelectorAll<HTMLElement>('tbody :is(a[href], button, input, select, summary)')) {
        const cell = control.closest('td');
        const isTool = cell?.matches('[data-tools]') ?? false;
        // A column that has no room is left out on purpose, unless its buttons are found nowhere else.
        if (!isTool && !control.checkVisibility({ visibilityProperty: true })) continue;
        const what = control.getAttribute('aria-label') || control.textContent;
        control.scrollIntoView({ block: 'center', inline: 'nearest' });
        const target = control.closest('label') ?? control;
        const { left, right, top, bottom, width, height } = target.getBoundingClientRect();
        if (width === 0 || height === 0) {
          faults.push(`“${what}” is not drawn`);
          continue;
        }
        if (control.matches('button, [role="button"], .mantine-Button-root') && (width < 24 || height < 24))
          faults.push(`“${what}” has ${Math.round(width)} × ${Math.round(height)} pixels`);
        for (let up = target.parentElement; up; up = up.parentElement) {
          if (getComputedStyle(up).overflowX === 'visible') continue;
          const box = up.getBoundingClientRect();
          const isWhole = inRange(left, box.left, box.right) && inRange(right, box.left, box.right);
          // A name may be cut, as it is longer than any column.
          if (!isWhole && isTool) faults.push(`“${what}” is cut off by its ${up.tagName.toLowerCase()}`);
        }
        if (right > innerWidth + 0.5 || left < -0.5) faults.push(`“${what}” is outside of the window`);
        const hit = document.elementFromPoint(
          (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
          (top + bottom) / 2,
        );
        const isFree = hit !== null && (target.contains(hit) || hit.contains(target));
        if (isTool ? !(hit && target.contains(hit)) : !isFree)
          faults.push(`“${what}” is covered by ${hit?.outerHTML.slice(0, 80)}`);
      }
      return faults;
    });

test.describe(() => {
  test.use({ expectedConsole: [/status of 40[49]/] });
  test.setTimeout(420_000);

  test('every action of every table is seen and can be clicked @sweep', async ({ signedIn: page, service }) => {
    const { anna, first, parent, rollout, BulkId, ArtifactId } = await fill(service);
    await signIn(page, service);
    await page.addInitScript(() => {
      localStorage.setItem('muster-look', 'compact utc');
    });
    const seen = new Set<string>();
    const visit = async (at: string, names: readonly string[], act?: () => Promise<void>) => {
      await page.setViewportSize(WIDE);
      await page.goto(service.url + at);
      await act?.();
      for (const name of names) {
        seen.add(name);
        await expect(page.getByRole('table', { name, exact: true }).first()).toBeVisible();
        for (const size of SIZES) {
          await page.setViewportSize(size);
          await expect.soft
            .poll(() => faultsOf(page, name), { message: `${name} at ${size.width} pixels`, timeout: 3000 })
            .toEqual([]);
        }
        await page.setViewportSize(WIDE);
      }
    };

    await visit('/devices', ['Devices']);
    await visit(`/devices/${first.DeviceId}`, ['Jobs of this device', 'Tunnels of this device']);
    await visit('/artifacts', ['Artifacts'], () => page.getByRole('button', { name: /2 versions/ }).click());
    await visit('/artifacts/myapp', ['Versions', 'Deployments']);
    await visit(`/deploy?group=hall&artifact=${ArtifactId}`, ['Target devices']);
    await visit(`/deploy?group=hall&artifact=${ArtifactId}`, ['Devices by customer and site'], async () => {
      await page.getByText('By site', { exact: true }).click();
      await page.getByRole('button', { name: /Acme/, expanded: false }).first().click();
    });
    await visit(`/deploy?check=${parent}&artifact=${ArtifactId}`, ['Results of the preflight']);
    await visit('/jobs', ['Jobs']);
    await visit(`/jobs/${parent}`, ['Devices of this job', 'Devices of this group'], () =>
      page.getByRole('region', { name: 'Why it failed' }).getByRole('button', { expanded: false }).first().click(),
    );
    await visit('/rollouts', ['Rollouts']);
    await visit(`/rollouts/${rollout}`, ['Devices of the rollout', 'Devices of this group'], () =>
      page.getByRole('region', { name: 'Why it failed' }).getByRole('button', { expanded: false }).first().click(),
    );
    await visit('/rollouts/orders', ['Standing orders']);
    await visit('/rollouts/orders', ['Failed devices'], () =>
      page.getByRole('button', { name: /of halls that failed/ }).click(),
    );
    await visit('/queues', ['Queues']);
    await visit('/archive', ['Archived jobs']);
    await visit('/workflows', ['Workflows']);
    await visit('/tunnels', ['Tunnels']);
    await visit('/bulk', ['Bulk actions']);
    await visit(`/bulk/${BulkId}`, ['Results']);
    await visit('/activity', ['Audit log']);
    await visit('/activity/availability', ['Availability']);
    await visit('/activity/alerts', ['Firing now', 'Rules', 'Deliveries']);
    await visit('/activity/alerts', ['Silenced alerts'], () => page.getByText(/^1 silenced/).click());
    await visit('/settings/channels', ['Channels']);
    await visit('/settings/people', ['People']);
    await visit(`/settings/people/${anna}`, ['Permissions', 'Sessions of this person', 'Tokens of this person']);
    await visit('/settings/sessions', ['Sessions']);
    await enrolling(service);
    await visit('/devices/enrolment', ['Devices that wait for approval', 'Enrolment keys']);
    await visit('/settings/appearance', ['Data in this browser']);
    await visit('/settings/tokens?dialog=make', ['API tokens'], async () => {
      const make = page.getByRole('dialog', { name: 'Create API token' });
      await make.getByLabel('Name').fill('Build server');
      await make.getByLabel('Confirm it’s you').fill(service.token);
      await make.getByRole('button', { name: 'Create token' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      await download;
      await page.getByRole('button', { name: 'Done' }).click();
    });
    const listed = {
      name: 'fleet.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Name;Group\nfan;north\npump;north'),
    };
    await visit('/devices/add-many', ['Rows'], () => page.getByLabel('CSV file').setInputFiles(listed));
    await page.getByRole('button', { name: 'Create 2 devices' }).click();
    await expect(page.getByRole('region', { name: 'Created devices' })).toContainText('2 of 2 devices created');
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await expect.soft.poll(() => faultsOf(page, 'Devices'), { timeout: 5000 }).toEqual([]);
    }
    expect([...seen].toSorted()).toEqual([...new Set(Object.values(TABLES).flat())].toSorted());
  });
});
