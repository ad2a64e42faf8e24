// A browser set to another language: the dashboard is in English, so all of it is. Only order, separators and 12 or 24
// hours follow the browser.
import type { Page } from '@playwright/test';
import { expect, signIn, test, type Service } from './fixtures.ts';
import { fleet, rollOut } from './rolled-out.ts';

const DAY = 86_400_000;

const GERMAN =
  /\b(?:vor|gestern|heute|morgen|Uhr|Tagen?|Stunden?|Minuten?|Sekunden?|Wochen?|Monate?n?|Jahre?n?|MEZ|MESZ)\b|\b(?:Mo|Di|Mi|Do|Fr|Sa|So|Jan|Feb|Apr|Aug|Sept|Okt|Nov|Dez)\.[ ,]|\b(?:Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Okt|Dez|\w+tag|Mittwoch)\b|\bin \d+ (?:Tg?|Std|Min|Sek)\b/;
const JAPANESE = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u;

/** All text of the page, with what a pointer or a screen reader would be given. */
const textOf = (page: Page) =>
  page.evaluate(() => [
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('*')].flatMap((element) =>
      ['title', 'aria-label', 'placeholder', 'alt'].flatMap((name) => element.getAttribute(name) ?? []),
    ),
  ]);

async function fill(service: Service): Promise<{ device: string; job: string; rollout: string }> {
  const halls = await fleet(service, 2, 1);
  const [one] = halls.units;
  const device = one?.DeviceId ?? '';
  await service.locate(device, 47.4, 8.5);
  await service.call('POST', `/v1/device/${device}/notes`, { Text: 'Fan replaced' });
  await service.call('PUT', '/v1/orders/labs', { DeviceGroup: 'later', ArtifactId: halls.ArtifactId });
  await service.call('POST', '/v1/workflow', { Name: 'Say hello', Command: 'echo hello' });
  const { JobId: job } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: 'hello',
    DeviceGroup: 'hall',
    ArtifactId: halls.ArtifactId,
  });
  await service.call('POST', '/v1/job', { Name: 'soon', DeviceId: device, ArtifactId: halls.ArtifactId });
  const ended = async () =>
    (await service.call<{ EndTime: string }[]>('GET', `/v1/job/${job}/childjobs`)).some(({ EndTime }) => EndTime);
  await expect.poll(ended).toBe(true);
  const rollout = await rollOut(service, halls, { StartTime: new Date(Date.now() + 20 * DAY).toISOString() });
  return { device, job, rollout };
}

for (const { locale, others, time } of [
  { locale: 'de-DE', others: GERMAN, time: /\d{1,2}\. [A-Z][a-z]{2},? (?:\d{4}, )?\d{1,2}:\d{2}/ },
  { locale: 'ja-JP', others: JAPANESE, time: /(?:\d{4} )?[A-Z][a-z]{2} \d{1,2} \d{1,2}:\d{2}/ },
]) {
  test.describe(`a browser in ${locale}`, () => {
    test.use({ locale });
    test.setTimeout(240_000);

    test(`no page has a word of ${locale}`, async ({ page, service }) => {
      const { device, job, rollout } = await fill(service);
      await signIn(page, service);
      // Four days later everything has an age, and each clock a day.
      await page.clock.install({ time: Date.now() + 4 * DAY });
      await page.goto(service.url);
      const heading = page.getByRole('heading', { level: 1 });
      const seen: string[] = [];
      for (const [path, filled] of [
        ['/', '1 not connected yet'],
        ['/devices', 'unit 1'],
        [`/devices/${device}`, 'Fan replaced'],
        ['/map', '1 on the map'],
        ['/jobs', 'soon'],
        [`/jobs/${job}`, 'unit 1'],
        ['/rollouts', 'myapp 2.0.0'],
        [`/rollouts/${rollout}`, 'Wave 1'],
        ['/rollouts/orders', 'labs'],
        ['/artifacts', 'myapp.sh'],
        ['/workflows', 'Say hello'],
        ['/tunnels', 'Tunnel'],
        ['/activity', 'artifact'],
        ['/activity/availability', 'unit 1'],
        ['/activity/alerts', 'No rules'],
        ['/settings/tokens', 'Last used'],
      ] as const)
        await test.step(path, async () => {
          await page.evaluate((address) => {
            history.pushState(null, '', address);
            dispatchEvent(new PopStateEvent('popstate'));
          }, path);
          await expect(heading).toBeVisible();
          await expect(page.getByRole('main')).toContainText(filled);
          const texts = await textOf(page);
          seen.push(...texts);
          expect(texts.filter((text) => others.test(text)).map((text) => others.exec(text)?.[0] ?? text)).toEqual([]);
        });
      expect(seen.some((text) => /\b\d+d ago\b/.test(text))).toBe(true);
      expect(seen.some((text) => time.test(text))).toBe(true);
    });
  });
}
