// The dashboard as a gateway in front of /v1 services that are not ours: each page against services of different temper.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test as base } from './fixtures.ts';
import { startFileHost } from './foreign/file-host.ts';
import { before, go } from './foreign/gateway.ts';
import { LEAKED, startGoLike } from './foreign/go-like.ts';
import { startStrict } from './foreign/strict.ts';
import { browse, bulky, openArtifacts, stored, uploadButton } from './uploads.ts';

const jwt = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.signature`;

/** All that the browser keeps of a page: databases, storage, caches, and what the page itself holds. */
const keptBy = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const rows = await Promise.all(
      databases.map(
        ({ name = '' }) =>
          new Promise<string>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => {
              const db = opening.result;
              const stores = [...db.objectStoreNames];
              if (stores.length === 0) return resolve('');
              const all = stores.map((store) => db.transaction(store).objectStore(store).getAll());
              const last = all.at(-1);
              if (last) last.onsuccess = () => resolve(JSON.stringify(all.map(({ result }) => result as unknown)));
            };
          }),
      ),
    );
    const cached = await Promise.all((await caches.keys()).map(async (key) => (await caches.open(key)).keys()));
    return JSON.stringify([rows, Object.entries(localStorage), Object.entries(sessionStorage), cached.length]);
  });

base.describe('services as they are elsewhere', () => {
  const test = before(startGoLike);
  test.use({ expectedConsole: [/status of 40[14]/] });

  test('sign in and read every page, with wrapped lists, nulls and other names @main', async ({
    page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/sign-in`);
    const token = page.getByLabel('API token');
    await expect(page.getByText(new URL(foreign.url).host)).toBeVisible();
    await token.fill(jwt(4_102_444_800));
    await expect(page.getByRole('status')).toContainText('good until 2100-01-01');
    await expectAccessible(page);
    await token.press('Enter');
    await expect(page.getByRole('alert')).toContainText('refused this token');
    await expect(page.getByRole('alert')).toContainText('token expired or unknown');
    await token.fill(service.token);
    await token.press('Enter');
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();

    await go(page, 'Devices');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Sleeping');
    await page.getByRole('link', { name: 'press-1' }).click();
    await expect(page.getByText('Cortex-A72')).toBeVisible();
    await expect(page.getByText('This service has no tags.')).toBeVisible();
    await expect(page.getByText(/has an agent of its own/)).toBeVisible();
    await expect(page.getByText(/does not list a device’s jobs/)).toBeVisible();
    await expect(page.getByText('No jobs yet')).toHaveCount(0);

    await go(page, 'Map');
    await expect(page.getByText('1 on the map · 2 without a location')).toBeVisible();
    // By tag, though no device is listed with its tags: with the fleet in memory, sorted by it, and on the map.
    await page.goto(`${service.url}/devices?tag=red&sort=name`);
    await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('1 of 3');
    await page.getByRole('link', { name: 'On the map' }).click();
    await expect(page.getByText('1 on the map', { exact: true })).toBeVisible();
    await page.goto(`${service.url}/devices?no=tag`);
    await expect(page.getByRole('alert')).toContainText('devices without a tag are not known here');
    await go(page, 'Artifacts');
    await expect(page.getByRole('row', { name: /app\.tar\.gz/ })).toBeVisible();
    await go(page, 'Workflows');
    await expect(page.getByText('No workflows')).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByText('No tunnels are open')).toBeVisible();

    await go(page, 'Jobs');
    await expect(page.getByRole('row', { name: /undated/ })).toContainText('yesterday-ish');
    await page.getByRole('link', { name: 'rollout 7' }).click();
    await expect(page.getByRole('row', { name: /press-1/ })).toContainText('Succeeded');
    await expect(page.getByRole('row', { name: /press-2/ })).toContainText('Waiting');
    await expect(page.getByRole('row', { name: /press-3/ })).toContainText('Failed');
    await expect(page.getByRole('row', { name: /only text/ })).toBeVisible();
    // Of an unheard-of shape all is shown that came.
    await page.getByRole('link', { name: 'Device no-5' }).click();
    await expect(page.getByRole('main')).toContainText('Verdict');
    await expect(page.getByRole('main')).toContainText('unheard of');

    await go(page, 'Account');
    await expect(page.getByText('ops@acme.example').first()).toBeVisible();
    await expect(page.getByText(/manages its tokens elsewhere/)).toBeVisible();
    await expect(page.getByText(foreign.url)).toBeVisible();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();

    expect(await keptBy(page)).not.toContain(LEAKED);
    expect(await page.content()).not.toContain(LEAKED);
    for (const { headers } of foreign.heard) {
      expect(headers.cookie).toBeUndefined();
      expect(headers.origin).toBeUndefined();
    }
  });
});

base.describe('writes to services as they are elsewhere', () => {
  const test = before(startGoLike);
  test.use({ expectedConsole: [/status of 40[14]/] });

  test('devices, a file, a deployment: sent once, as the document says, and no command of ours beside them @main', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    const sent = (start: string) =>
      foreign.heard
        .filter(({ method, url }) => `${method} ${url}`.startsWith(start))
        .map(({ body }) => JSON.parse(body.toString()) as unknown);
    const expectNoCommand = () => expect(page.getByText(/install\.sh|npm run agent|this machine/i)).toHaveCount(0);

    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
    await expectNoCommand();
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const saving = page.waitForEvent('download');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Download|Export/ })
      .click();
    const csv = await readFile(await (await saving).path(), 'utf8');
    expect(csv).toContain('press-3');
    expect(csv).not.toContain(LEAKED);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'press-1' }).click();
    await page.getByRole('button', { name: /Edit.*Name|Name.*edit/i }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('press one');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'press one' })).toBeVisible();
    expect(sent('PATCH /v1/devices/g1')).toEqual([{ DeviceName: 'press one' }]);
    await expectNoCommand();

    await page.goto(`${service.url}/devices?dialog=add-this-machine`);
    const add = page.getByRole('dialog', { name: 'Add a device' });
    await add.getByRole('textbox', { name: 'Name', exact: true }).fill('press-9');
    await add.getByRole('button', { name: 'Add device' }).click();
    const key = page.getByRole('dialog', { name: 'Connect press-9' });
    await expect(key).toContainText('has an agent of its own');
    await expectNoCommand();
    await key.getByRole('button', { name: 'Reveal' }).click();
    await expect(key.getByText('dk_new')).toBeVisible();
    const saved = page.waitForEvent('download');
    await key.getByRole('button', { name: 'Download' }).click();
    await saved;
    await key.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('heading', { name: 'press-9' })).toBeVisible();
    expect(sent('POST /v1/devices')).toEqual([{ DeviceName: 'press-9', DeviceGroup: '' }]);

    // Stored is said when the service has said it, not when the last byte has left.
    const goOn = foreign.hold();
    await openArtifacts(page, service);
    await browse(page, await bulky(service, 'press_2.0.tar.gz', 6_000_000));
    await uploadButton(page).click();
    await expect(page.getByRole('progressbar', { name: 'Upload of press_2.0.tar.gz' })).toBeVisible();
    await expect(stored(page)).toBeHidden();
    goOn();
    await expect(stored(page)).toContainText('press_2.0.tar.gz');
    const [upload] = foreign.heard.filter(({ method, url }) => `${method} ${url}` === 'POST /v1/artifact');
    expect(upload?.headers['content-type']).toContain('multipart/form-data');
    expect(upload?.body.length).toBeGreaterThan(6_000_000);
    for (const part of ['name="size"', 'name="version"\r\n\r\n2.0', 'name="type"\r\n\r\ntar.gz', 'name="file"'])
      expect(upload?.body.includes(part), part).toBe(true);

    await page.goto(`${service.url}/deploy?group=lab&artifact=ga1`);
    await page.getByLabel(/^Type lab or/).fill('lab');
    await page.getByRole('button', { name: 'Deploy to 3 devices' }).dblclick();
    await expect(page.getByRole('heading', { name: 'rollout 7' })).toBeVisible();
    expect(sent('POST /v1/job')).toEqual([
      { Name: 'app.tar.gz 7 to group lab', DeviceGroup: 'lab', ArtifactId: 'ga1' },
    ]);
    // A part that cannot be read by its own id is looked for in its job, and what the service says of it is reported.
    await page.getByRole('button', { name: 'Cancel the 1 that waits…' }).click();
    const cancel = page.getByRole('dialog', { name: 'Cancel where it waits: 1 device' });
    await cancel.getByRole('button', { name: 'Cancel on 1 device' }).click();
    await expect(cancel).toContainText('1 failed.');
    await expect(cancel).toContainText('does not remove one device’s part of a job');
    expect(foreign.heard.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual(['/v1/job/gc2']);
    await expect(page.getByRole('button', { name: 'Stop…' })).toHaveCount(0);
    // Without tags a job still goes to one.
    await page.goto(`${service.url}/deploy?artifact=ga1`);
    await page.getByText('Tag', { exact: true }).click();
    await expect(page.getByRole('textbox', { name: /tag/i })).toBeVisible();

    // Many at once: nothing of ours in the file of keys either.
    await page.goto(`${service.url}/devices/add-many`);
    await expect(page.getByText('This service has no tags.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Rows' }).fill('press-10,lab');
    await page.getByRole('button', { name: 'Check rows' }).click();
    await page.getByRole('button', { name: /^Create 1 device/ }).click();
    await expect(page.getByRole('button', { name: 'Copy key of press-10' })).toBeVisible();
    await expectNoCommand();
    const taking = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download keys' }).click();
    expect(await readFile(await (await taking).path(), 'utf8')).toMatch(
      /^\uFEFFname,group,device_id,device_key\r\npress-10,lab,g9,dk_new\r\n$/,
    );
    expect(await keptBy(page)).not.toContain(LEAKED);
    expect(await page.content()).not.toContain(LEAKED);
  });
});

base.describe('as little as the document asks for', () => {
  const test = before(startStrict, { INSTALL_COMMAND: 'portal-agent --key {key}' });
  test.use({ expectedConsole: [/status of 40[45]/] });

  test('every page does without what is missing, and says so', async ({ signedIn: page, service, foreign }) => {
    // No total is reported: there is a next page as long as one comes full.
    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('row', { name: /sensor-01/ })).toBeVisible();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByRole('row', { name: /sensor-30/ })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled();
    expect(foreign.heard.map(({ url }) => url)).toContain('/v1/devices/2/25');
    await go(page, 'Overview');
    await expect(page.getByText('15 of 30 devices are Online')).toBeVisible();
    await go(page, 'Devices');
    await page.getByRole('link', { name: 'sensor-01' }).click();
    await expect(page.getByRole('heading', { name: 'sensor-01' })).toBeVisible();
    await expect(page.getByText('rotate logs')).toBeVisible();
    await expect(page.getByText("portal-agent --key '<device key>'")).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t2/ })).toContainText('javascript:alert(1)');
    await expect(page.getByRole('row', { name: /t2/ }).getByRole('link', { name: /javascript/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Delete t1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete tunnel' }).click();
    await expect(page.getByRole('row', { name: /t1/ })).toHaveCount(0);
    expect(foreign.heard.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual(['/v1/tunnels/t1']);
    await go(page, 'Jobs');
    // What it does not report is seen from its parts and the fleet: nothing of this job runs.
    const awaited = '2 wait for their devices, which are offline';
    await expect(page.getByRole('row', { name: /sweep/ })).toContainText('2 wait for offline devices');
    await page.getByRole('link', { name: 'sweep' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('sweep Waiting');
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText(awaited);
    await go(page, 'Jobs');
    await page.getByRole('link', { name: 'rotate logs' }).click();
    await expect(page.getByText('Running').first()).toBeVisible();
    await go(page, 'Artifacts');
    await expect(page.getByText(/No artifacts/)).toBeVisible();
    await go(page, 'Map');
    await expect(page.getByText(/30 without a location|No device has a location/)).toBeVisible();
  });
});

base.describe('the files alone', () => {
  const test = before(startStrict);

  test('from a plain file host: the token stays in memory, what is missing is reported', async ({
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
    await expect(page.getByText('Only this page holds it')).toBeVisible();
    await enter();
    await expect(page.getByRole('alert')).toContainText(`does not allow pages of ${host.url}`);
    foreign.allow(host.url);
    await enter();
    await expect(page.getByRole('row', { name: /sensor-01/ })).toBeVisible();
    await go(page, 'Tunnels');
    await expect(page.getByRole('row', { name: /t1/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Sign in to Muster' })).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify([Object.entries(localStorage), document.cookie]))).not.toContain(
      service.token,
    );
    await page.close();
    await host.close();
  });
});
