// The dashboard as a gateway in front of /v1 services that are not ours, which differ in what they answer and offer: nothing
// else is asked for, and no page, tab or line of the palette leads to what is not there. What is sent to them, and what
// happens when they fail: foreign-writes.spec.ts. How single answers are read: the tests of src/contract.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, expectAccessible, test as base, signOut } from './fixtures.ts';
import { startFileHost } from './foreign/file-host.ts';
import { before, go } from './foreign/gateway.ts';
import { startGoLike } from './foreign/go-like.ts';
import { expectNoLeak } from './foreign/leaks.ts';
import { startPlain } from './foreign/plain.ts';
import { startStrict } from './foreign/strict.ts';

const jwt = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.signature`;

base.describe('services as they are elsewhere', () => {
  const test = before(startGoLike);
  test.use({ expectedConsole: [/status of 401/] });

  test('sign-in shows until when a token is good, the account names the service, and signing out leaves nothing behind', async ({
    page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/sign-in`);
    const token = page.getByLabel('API token');
    await expect(page.getByText(new URL(foreign.url).host)).toBeVisible();
    await token.fill(jwt(4_102_444_800));
    await expect(page.getByRole('status')).toContainText('valid until 2100-01-01');
    await expectAccessible(page);
    await token.press('Enter');
    await expect(page.getByRole('alert')).toContainText('refused this token');
    await expect(page.getByRole('alert')).toContainText('token expired or unknown');
    await token.fill(service.token);
    await token.press('Enter');
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await go(page, 'Settings');
    await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
    await expect(page.getByText('ops@acme.example').first()).toBeVisible();
    await go(page, 'Appearance');
    await expect(page.getByText(foreign.url)).toBeVisible();
    await signOut(page);
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    await expectNoLeak(page, foreign);
  });

  test('each page reads what it has, in its own words and shapes @main', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(service.url);
    await go(page, 'Devices');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Sleeping');
    await page.getByRole('link', { name: 'press-1' }).click();
    await expect(page.getByText('Cortex-A72')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Tags' })).toHaveCount(0);
    await page.getByText('Show commands').click();
    await expect(page.getByText(/has an agent of its own/)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Jobs to this device' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Queue and jobs' })).toHaveCount(0);
    await expectNoLeak(page, foreign);

    // Lists are wrapped, and null where they are empty.
    await go(page, 'Artifacts');
    await expect(page.getByRole('row', { name: /app\.tar\.gz/ })).toBeVisible();
    await page.getByRole('navigation', { name: 'Artifacts' }).getByRole('link', { name: 'Workflows' }).click();
    await expect(page.getByText('No workflows')).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByText('No tunnels are open')).toBeVisible();
    await expectNoLeak(page, foreign);

    // A job with its parts, one of which is of an unknown shape and shown as it came.
    await go(page, 'Jobs');
    await expect(page.getByRole('row', { name: /undated/ })).toContainText('yesterday-ish');
    await page.getByRole('link', { name: 'rollout 7' }).click();
    await expect(page.getByRole('row', { name: /press-1/ })).toContainText('Succeeded');
    await expect(page.getByRole('row', { name: /press-2/ })).toContainText('Waiting');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Failed');
    await expect(page.getByRole('row', { name: /only text/ })).toBeVisible();
    await page.getByRole('link', { name: 'Device no-5' }).click();
    await expect(page.getByRole('main')).toContainText('Judgement');
    await expect(page.getByRole('main')).toContainText('unheard of');
    await expectNoLeak(page, foreign);

    await go(page, 'Map');
    await expect(page.getByText('1 on the map · 2 without a location')).toBeVisible();
    // By a tag that is not listed with devices, in the table and on the map.
    await page.goto(`${service.url}/devices?tag=red&sort=name`);
    await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('1 of 3');
    await page.getByRole('link', { name: 'On the map' }).click();
    await expect(page.getByText('1 on the map', { exact: true })).toBeVisible();
    await page.goto(`${service.url}/devices?no=tag`);
    await expect(page.getByRole('alert')).toContainText('Devices without a tag cannot be listed');
    await expectNoLeak(page, foreign);
  });
});

base.describe('as little as the document asks for', () => {
  const test = before(startStrict, { INSTALL_COMMAND: 'portal-agent --key {key}' });

  test('it has no archive, and what this browser has of an earlier version is saved and removed', async ({
    signedIn: page,
    service,
  }) => {
    await page.goto(`${service.url}/jobs`);
    await expect(page.getByRole('button', { name: 'Delete executed…' })).toBeVisible();
    await page.evaluate(async () => {
      const session = (await (await fetch('/auth/session')).json()) as { UserEmail: string };
      const open = indexedDB.open(`muster-archive:${session.UserEmail}`, 1);
      open.onupgradeneeded = () => {
        open.result.createObjectStore('heads', { keyPath: 'id' });
        open.result.createObjectStore('pieces');
      };
      await new Promise((resolve) => (open.onsuccess = resolve));
      const rows = [{ JobId: 'c', JobName: 'old', DeviceId: 'd', DeviceName: 'pump', Result: '', Stdout: 'a line' }];
      const packed = new Blob([JSON.stringify(rows)]).stream().pipeThrough(new CompressionStream('gzip'));
      const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
      const writing = open.result.transaction(['heads', 'pieces'], 'readwrite');
      writing.objectStore('heads').put({ id: 'j', archived: 1, job: { JobId: 'j', JobName: 'old' } });
      for (const number of [0, 1]) writing.objectStore('pieces').put(bytes, ['j', number]);
      await new Promise((resolve) => (writing.oncomplete = resolve));
      open.result.close();
    });
    await page.goto(`${service.url}/archive`);
    await expect(page.getByText('This service has no archive of jobs.')).toBeVisible();
    const earlier = page.getByRole('region', { name: 'Jobs in this browser' });
    await expect(earlier).toContainText('This browser still holds 1 job of an earlier version');
    const remove = earlier.getByRole('button', { name: 'Remove…' });
    await expectBlocked(remove, 'Save them first');
    const saving = page.waitForEvent('download');
    await earlier.getByRole('button', { name: 'Save as JSON' }).click();
    const saved = JSON.parse(await readFile(await (await saving).path(), 'utf8')) as object[];
    expect(saved).toMatchObject([{ archived: 1, job: { JobName: 'old' }, devices: [{ Stdout: 'a line' }] }]);
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(earlier).toBeHidden();
  });

  test('every page works without what is missing, and names it', async ({ signedIn: page, service, foreign }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/(rollout|orders|views|rules)/.test(pathname)) asked.push(pathname);
    });
    // No total is reported: there is a next page as long as one comes full.
    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('row', { name: /sensor-01/ })).toBeVisible();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByRole('row', { name: /sensor-30/ })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled();
    expect(foreign.heard.map(({ url }) => url)).toContain('/v1/devices/2/25');
    await page.getByRole('button', { name: /^View:/ }).click();
    await expect(page.getByRole('menuitem', { name: 'Copy link to this view' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Save as a new view' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await go(page, 'Overview');
    await expect(page.getByText('15 of 30 devices are online')).toBeVisible();
    await go(page, 'Devices');
    await page.getByRole('link', { name: 'sensor-01' }).click();
    await expect(page.getByRole('heading', { name: 'sensor-01' })).toBeVisible();
    await page.getByText('Show commands').click();
    await expect(page.getByText("portal-agent --key '<device key>'")).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t2/ })).toContainText('javascript:alert(1)');
    await expect(page.getByRole('row', { name: /t2/ }).getByRole('link', { name: /javascript/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Delete t1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete tunnel' }).click();
    await expect(page.getByRole('row', { name: /t1/ })).toHaveCount(0);
    expect(foreign.heard.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual(['/v1/tunnels/t1']);
    await go(page, 'Jobs');
    await page.getByRole('link', { name: 'sweep' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('sweep Running');
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText('1 of 3 devices done');
    // Only what the service can do is offered for its devices.
    await expect(page.getByRole('button', { name: /^(Retry|Cancel|Stop|Outcome)/ })).toHaveCount(0);
    await go(page, 'Jobs');
    await page.getByRole('link', { name: 'rotate logs' }).click();
    await expect(page.getByText('Running').filter({ visible: true }).first()).toBeVisible();
    await go(page, 'Artifacts');
    await expect(page.getByText(/No artifacts/)).toBeVisible();
    await go(page, 'Map');
    await expect(page.getByText(/30 without a location|No device has a location/)).toBeVisible();
    await go(page, 'Deploy');
    await expect(page.getByRole('heading', { name: 'What', exact: true, level: 2 })).toBeVisible();
    await expect(page.getByText('Safety')).toHaveCount(0);
    for (const at of ['/rollouts', '/rollouts/orders']) {
      await page.goto(service.url + at);
      await expect(page.getByText('This service does not offer this page')).toBeVisible();
    }
    expect(asked).toEqual([]);
  });
});

/** Notes each answer with an error status, but the one of the sign-in page. */
function watchRefusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  return refused;
}

const MISSING = [
  'People',
  'Tokens',
  'Sessions',
  'Alert channels',
  'Sign-in',
  'Rollouts',
  'Standing orders',
  'Queues',
  'Archive',
  'Activity',
  'Audit log',
  'Availability',
  'Alerts',
];

/** Every page that the navigation and its tabs lead to, then a device and a job. */
async function visitAll(page: Page): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' });
  await expect(main.getByRole('link', { name: 'Rollouts' })).toHaveCount(0);
  const names = await main.getByRole('link').allTextContents();
  expect(names.filter((name) => MISSING.includes(name))).toEqual([]);
  for (const name of names) {
    await main.getByRole('link', { name, exact: true }).click();
    // The settings begin with the first page that is offered.
    await expect(page.getByRole('heading', { level: 1, name: name === 'Settings' ? 'Usage' : name })).toBeVisible();
    await expect(page.getByRole('progressbar', { name: /^Reading/ })).toHaveCount(0);
    const tabs = page.getByRole('navigation', { name, exact: true }).getByRole('link');
    const labels = await tabs.allTextContents();
    expect(labels.filter((label) => MISSING.includes(label))).toEqual([]);
    for (const label of labels) {
      await page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: label, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible();
      await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
    }
  }
  await go(page, 'Devices');
  await page.getByRole('link', { name: 'press-1', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Details' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: /^(History|Tags|Timeline|Queue and jobs)$/ })).toHaveCount(
    0,
  );
  await expect(page.getByRole('link', { name: 'New key' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Jobs to this device' }).click();
  await expect(page).toHaveURL(/jobs\?device=p1/);
  await go(page, 'Jobs');
  await page.getByRole('link', { name: 'update', exact: true }).click();
  await expect(page.getByRole('main')).toContainText('8 failed');
}

base.describe('nothing beyond the document', () => {
  const test = before(startPlain);

  test('through the gateway no page asks for what is not offered, and nothing leads to it', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    const refused = watchRefusals(page);
    await page.goto(service.url);
    // The service does not count what failed.
    const failed = page.getByRole('region', { name: 'Failed, last 24 h' });
    await expect(failed.getByRole('link', { name: 'update' })).toBeVisible();
    await expect(failed).toContainText('8 of 10 devices failed');
    await visitAll(page);
    await go(page, 'Settings');
    const pages = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    await expect(pages).toHaveText(['Usage', 'Appearance']);

    await page.keyboard.press('Control+k');
    const found = page.getByRole('listbox', { name: 'Found' });
    await expect(found.getByRole('option', { name: /^Tunnels/ })).toBeVisible();
    const all = await found.getByRole('option').allTextContents();
    expect(all.filter((text) => MISSING.some((name) => text.startsWith(name)))).toEqual([]);
    await page.keyboard.type('archive');
    await expect(found.getByRole('option', { name: 'All 0 matching devices' })).toBeVisible();
    await expect(found.getByRole('option', { name: /archive/i })).toHaveCount(0);

    await page.goto(`${service.url}/settings/people`);
    await expect(page.getByText('This service does not offer this page')).toBeVisible();
    expect(refused).toEqual([]);
    // The gateway finds out about tags, once.
    const unknown = foreign.heard.filter(({ url }) =>
      /^\/v1\/(?!account$|devices\b|artifact$|workflow$|tunnels$|job$|job\/)/.test(url),
    );
    expect(unknown.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/tag']);
  });

  test('from a plain file host the token stays in memory, and no page asks for what is not offered', async ({
    browser,
    foreign,
    service,
    tokenGuard,
  }) => {
    const host = await startFileHost(foreign.url);
    tokenGuard.allow(foreign.url);
    const page = await browser.newPage();
    const enter = async () => {
      await page.getByLabel('API token').fill(service.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto(`${host.url}/devices`);
    await expect(page.getByText('Only this page has it')).toBeVisible();
    await enter();
    await expect(page.getByRole('alert')).toContainText(`may not allow pages of ${host.url}`);
    foreign.allow(host.url);
    const refused = watchRefusals(page);
    await enter();
    await expect(page.getByRole('row', { name: /press-1\b/ })).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t1/ })).toBeVisible();
    await go(page, 'Overview');
    await visitAll(page);
    expect(refused).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify([Object.entries(localStorage), document.cookie]))).not.toContain(
      service.token,
    );

    await page.goto(`${host.url}/workflows?dialog=create`);
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    await enter();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('restart');
    await dialog.getByRole('textbox', { name: 'Command' }).fill('/bin/true');
    await dialog.getByRole('button', { name: 'Create workflow' }).click();
    await expect(dialog).toBeHidden();
    // The service allows only the headers that the document names.
    const [sent] = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/workflow');
    expect(sent?.headers['idempotency-key']).toBeUndefined();
    await page.close();
    await host.close();
  });
});

base.describe('with tags, which the gateway finds out', () => {
  const test = before(() => startPlain([{ TagId: 't1', TagName: 'outdoors' }]));

  test('they are offered @sweep', async ({ signedIn: page, service }) => {
    const refused = watchRefusals(page);
    await page.goto(`${service.url}/devices/p1`);
    await expect(page.getByPlaceholder('Add a tag')).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('outdoors');
    await expect(page.getByRole('option', { name: 'outdoors', exact: true })).toBeVisible();
    expect(refused).toEqual([]);
  });
});
