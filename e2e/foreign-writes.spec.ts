// What the dashboard sends to a /v1 service that is not ours: each write once and as the document says, one request after
// the other for many devices, and nothing on the screen or in a file that only our own agent understands. Then what it says
// of services that fail, are late, lead elsewhere or let nobody in.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { bar, choose, dialog } from './bulk-actions.ts';
import { expect, expectAccessible, test as base } from './fixtures.ts';
import { startBroken, type Mood } from './foreign/broken.ts';
import { startForeign, type Foreign } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';
import { LEAKED, startGoLike } from './foreign/go-like.ts';
import { expectNoLeak } from './foreign/leaks.ts';
import { browse, bulky, openArtifacts, stored, uploadButton } from './uploads.ts';

const expectNoCommand = (page: Page) =>
  expect(page.getByText(/install\.sh|npm run agent|this machine/i)).toHaveCount(0);

async function selectTwo(page: Page): Promise<void> {
  for (const name of ['press-1', 'press-2']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
}

base.describe('writes', () => {
  const test = before(startGoLike);
  test.use({ expectedConsole: [/status of 40[14]/] });

  const sent = (foreign: Foreign, start: string) =>
    foreign.heard
      .filter(({ method, url }) => `${method} ${url}`.startsWith(start))
      .map(({ body }) => JSON.parse(body.toString()) as unknown);
  /** The writes that reached the service: "PATCH /v1/devices/g1". */
  const writes = ({ heard }: Foreign) =>
    heard.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`);

  test('a new device has its key shown, and no command of ours beside it; its name is changed once', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/devices?dialog=add-this-machine`);
    const add = page.getByRole('dialog', { name: 'Add a device' });
    await add.getByRole('textbox', { name: 'Name', exact: true }).fill('press-9');
    await add.getByRole('button', { name: 'Add device' }).click();
    const key = page.getByRole('dialog', { name: 'Connect press-9' });
    await expect(key).toContainText('has an agent of its own');
    await expectNoCommand(page);
    await key.getByRole('button', { name: 'Reveal' }).click();
    await expect(key.getByText('dk_new')).toBeVisible();
    const saved = page.waitForEvent('download');
    await key.getByRole('button', { name: 'Download' }).click();
    await saved;
    await key.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('heading', { name: 'press-9' })).toBeVisible();
    expect(sent(foreign, 'POST /v1/devices')).toEqual([{ DeviceName: 'press-9', DeviceGroup: '' }]);

    await page.getByRole('button', { name: /Edit.*Name|Name.*edit/i }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('press nine');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'press nine' })).toBeVisible();
    expect(sent(foreign, 'PATCH /v1/devices/g9')).toEqual([{ DeviceName: 'press nine' }]);
    await expectNoCommand(page);
    await expectNoLeak(page, foreign);
  });

  test('of many devices each is one request after the other, and only what the document has is offered', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/devices`);
    await expect(page.getByRole('row', { name: /press-1/ })).toBeVisible();
    await expectNoCommand(page);
    await selectTwo(page);
    await bar(page).getByRole('button', { name: 'Actions' }).click();
    const items = page.getByRole('menuitem');
    await expect(items.filter({ hasText: 'Set group' })).toBeVisible();
    await expect(bar(page).getByRole('button', { name: 'Tag', exact: true })).toHaveCount(0);
    for (const name of ['Remove a tag', 'Update agent']) await expect(items.filter({ hasText: name })).toHaveCount(0);
    await items.filter({ hasText: 'Set group' }).click();
    await dialog(page).getByRole('combobox', { name: 'Group' }).fill('hall');
    await dialog(page).getByRole('button', { name: 'Show as curl' }).click();
    await expect(page.getByText('/v1/devices/g2', { exact: false }).first()).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Set the group of 2 devices' }).click();
    await expect(dialog(page).getByText('2 done.')).toBeVisible();
    expect(writes(foreign)).toEqual(['PATCH /v1/devices/g1', 'PATCH /v1/devices/g2']);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('cell', { name: 'hall', exact: true })).toHaveCount(2);
    await expectNoLeak(page, foreign);

    // An export has nothing of what the service leaked.
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const saving = page.waitForEvent('download');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Download|Export/ })
      .click();
    const csv = await readFile(await (await saving).path(), 'utf8');
    expect(csv).toContain('press-3');
    expect(csv).not.toContain(LEAKED);

    // What somebody else deleted meanwhile is skipped.
    await page.goto(`${service.url}/devices`);
    await selectTwo(page);
    await choose(page, 'Delete');
    await page.route('**/v1/devices/g1', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    );
    await dialog(page).getByLabel('Type 2 to confirm').fill('2');
    await dialog(page).getByRole('button', { name: 'Delete 2 devices' }).click();
    await expect(dialog(page).getByText('1 done, 1 skipped.')).toBeVisible();
    await expect(dialog(page).getByRole('row', { name: /press-1/ })).toContainText('It no longer existed');
    expect(writes(foreign).slice(2)).toEqual(['DELETE /v1/devices/g2']);
    expect(foreign.heard.filter(({ url }) => url.startsWith('/v1/bulk'))).toEqual([]);
    await expectNoLeak(page, foreign);
  });

  test('many devices are created one after the other, with a key for each and no command of ours @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/devices/add-many`);
    await expect(page.getByText('This service has no tags.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Rows' }).fill('press-10,lab,Acme\npress-11,lab\npress-12,lab');
    await page.getByRole('button', { name: 'Check rows' }).click();
    await page.getByRole('button', { name: 'Create 3 devices' }).click();
    await expect(page.getByText('3 of 3 devices created', { exact: true })).toBeVisible();
    await expect(page.getByText('3 keys')).toBeVisible();
    await expect(page.getByText('Shown only once: they are nowhere else.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Delete keys' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Copy key of press-10' })).toBeVisible();
    await expectNoCommand(page);
    const create = 'POST /v1/devices';
    expect(writes(foreign)).toEqual([create, 'PATCH /v1/devices/g9', create, create]);
    const taking = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download keys' }).click();
    expect(await readFile(await (await taking).path(), 'utf8')).toBe(
      '\uFEFFname,group,device_id,device_key\r\n' +
        'press-10,lab,g9,dk_new\r\npress-11,lab,g10,dk_new\r\npress-12,lab,g11,dk_new\r\n',
    );
    await expectNoLeak(page, foreign);
  });

  test('a deployment is sent once, even by a double click, and to a device, a group or a tag only', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    await page.goto(`${service.url}/devices`);
    const deploy = page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Deploy' });
    await selectTwo(page);
    await expect(deploy).toBeDisabled();
    await expect(deploy).toHaveAttribute('title', /a device, a group or a tag, not to a selection/);
    await page.getByRole('checkbox', { name: 'Select press-2' }).uncheck();
    await deploy.click();
    await expect(page.getByRole('region', { name: 'Review' })).toContainText('press-1');
    await expect(page.getByRole('radiogroup', { name: 'Kind of target' }).getByRole('radio')).toHaveCount(3);
    // A job goes to a tag even where none is listed.
    await page.getByText('Tag', { exact: true }).click();
    await expect(page.getByRole('textbox', { name: /tag/i })).toBeVisible();

    await page.goto(`${service.url}/deploy?group=lab&artifact=ga1`);
    await page.getByRole('button', { name: 'Deploy to 2 devices' }).dblclick();
    await expect(page.getByRole('heading', { name: 'rollout 7' })).toBeVisible();
    expect(sent(foreign, 'POST /v1/job')).toEqual([
      { Name: 'app.tar.gz 7 to group lab', DeviceGroup: 'lab', ArtifactId: 'ga1' },
    ]);
    await expectNoLeak(page, foreign);
  });

  test('an upload is stored when the service has answered, not when the last byte has left @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
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
    await expectNoLeak(page, foreign);
  });
});

base.describe('a bad day', () => {
  const elsewhere: string[] = [];
  let other: Foreign;
  const test = before(() => startBroken(() => other.url));
  test.use({ expectedConsole: [/status of (400|401|403|404|500|502|503|504)|Failed to load resource/] });
  test.beforeAll(async () => {
    other = await startForeign(({ url }, response) => {
      elsewhere.push(url);
      response.end('[]');
    });
  });
  test.afterAll(() => other.close());

  const PAGES = ['/', '/devices', '/map', '/artifacts', '/deploy', '/jobs', '/jobs/j1', '/workflows', '/tunnels'];
  /** What pages say of it. */
  const SAYS: [Mood, RegExp, string[]][] = [
    ['html', /\(500\)/, PAGES],
    ['shape', /Unexpected response \(200\)/, PAGES],
    ['page', /Unexpected response \(200\)/, ['/devices']],
    ['text', /relation "devices" is on holiday/, ['/jobs']],
    ['denied', /scope is missing/, ['/tunnels']],
  ];
  const EMPTY =
    /No devices|No artifacts|No jobs|No workflows|No tunnels|No running or waiting jobs|No job failed|0 devices|seen before/;

  test('a bad answer is reported in its own words, and never an empty fleet @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    for (const [mood, words, pages] of SAYS) {
      foreign.be(mood);
      for (const at of pages) {
        await page.goto(service.url + at);
        await expect(page.getByRole('alert').filter({ hasText: words }).first(), `${mood} ${at}`).toBeVisible();
        await expect(page.getByRole('main'), `${mood} ${at}`).not.toContainText(EMPTY);
        await expect(page.getByRole('main')).not.toContainText('dk_in_the_wrong_shape');
      }
    }
  });

  test('what is late is waited for, what is away is reported, and a redirect leads nowhere @sweep', async ({
    signedIn: page,
    service,
    foreign,
  }) => {
    // Asked again by itself, as the service wished; then it is reported.
    foreign.be('busy');
    await page.goto(`${service.url}/tunnels`);
    await expect(page.getByRole('alert')).toContainText('draining');
    // A late answer is an answer.
    foreign.be('late');
    await page.goto(`${service.url}/tunnels`);
    await expect(page.getByText('No tunnels are open')).toBeVisible();
    for (const [mood, words] of [
      ['redirect', /sends requests elsewhere \(307\)/],
      ['dead', /cannot be reached/],
    ] as const) {
      foreign.be(mood);
      await page.goto(`${service.url}/tunnels`);
      await expect(page.getByRole('alert')).toContainText(words);
    }
    expect(elsewhere).toEqual([]);
  });
});

base.describe('a service that does not let anybody in', () => {
  const enter = async (page: Page, token: string) => {
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const expectedConsole = [/status of (429|50[234])/];

  base.describe('for different reasons', () => {
    const test = before(() => startBroken(() => 'http://127.0.0.1:9'));
    test.use({ expectedConsole });

    test('sign-in shows which @sweep', async ({ page, service, foreign }) => {
      await page.goto(`${service.url}/sign-in`);
      for (const [mood, words] of [
        ['limit', /too busy to check the token.*Try again in 7 seconds\. It says: slow down/s],
        ['busy', /too busy to check the token.*draining/s],
        ['html', /failed while it checked the token \(500\)/],
        ['page', /is not a \/v1 device service.*with a web page \(200\)/s],
        ['none', /is not a \/v1 device service.*with 404/s],
        ['shape', /is not a \/v1 device service.*something that is not an account/s],
        ['redirect', /sends requests elsewhere \(307\)/],
        ['dead', /cannot be reached.*ended the connection without an answer/s],
      ] as const) {
        foreign.be(mood, true);
        await enter(page, service.token);
        await expect(page.getByRole('alert'), mood).toContainText(words);
        await expect(page.getByLabel('API token'), mood).toHaveValue(service.token);
      }
      await foreign.close();
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText(/cannot be reached.*Nothing listens there/s);
      await expectAccessible(page);
    });
  });

  base.describe('before the page knows which service it is', () => {
    const test = before(() => startBroken(() => 'http://127.0.0.1:9'));
    test.use({ expectedConsole });

    test('the refusal is worded as soon as it does @sweep', async ({ page, service, foreign }) => {
      const { promise: known, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/auth/session', async (route) => {
        if (route.request().method() === 'GET') await known;
        await route.continue();
      });
      await page.goto(`${service.url}/sign-in`);
      foreign.be('limit', true);
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText('try again in 7 seconds');
      answer();
      await expect(page.getByRole('alert')).toContainText(/too busy to check the token.*It says: slow down/s);
    });
  });

  base.describe('with a certificate that nobody vouches for', () => {
    const test = before(() => startForeign(() => {}, { tls: true }));
    test.use({ expectedConsole });

    test('is sent no token @sweep', async ({ page, service, foreign }) => {
      await page.goto(`${service.url}/sign-in`);
      await enter(page, service.token);
      await expect(page.getByRole('alert')).toContainText(/The certificate of 127\.0\.0\.1:\d+ cannot be trusted/);
      await expect(page.getByRole('alert')).toContainText('The token was not sent: it is self-signed');
      expect(foreign.heard).toEqual([]);
    });
  });
});
