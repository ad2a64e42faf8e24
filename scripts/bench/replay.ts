// A replay of the map: the built dashboard on a service with a day of a large fleet's history, in Chromium. From the click
// to the first frame of the past, then the frames while it plays at its highest speed with the whole fleet in view.
import type { Browser } from '@playwright/test';
import { inBrowser } from './in-browser.ts';
import { signIn, withService, type MeasuredService } from './measured-service.ts';
import { median, milliseconds, perSecond, type Row, type Section } from './section.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const CHANGES_EACH = 10;
const HOURS = 24;
const SITES = 2_000;
const RUNS = 3;
const PLAYED_MS = 5_000;
/** On a busy machine a page of this size is slow to open. */
const PATIENCE_MS = 300_000;
const FRAMES = { what: 'a screen', figure: { value: 60, unit: 'frames/s' } };
const SECOND = { what: 'a second', figure: milliseconds(1000) };

export const replay: Section = async ({ devices, postgres }) => ({
  subject: `${devices} devices with ${devices * CHANGES_EACH} changes in ${HOURS} hours`,
  rows: await inBrowser((browser) => withService((service) => rowsOf(browser, service, devices), { postgres })),
});

async function rowsOf(browser: Browser, service: MeasuredService, devices: number): Promise<Row[]> {
  await service.send('devices', { count: devices, group: 'camera', keys: false });
  await service.send('past', { changes: devices * CHANGES_EACH, hours: HOURS, sites: SITES });
  const answers: number[] = [];
  // The first one waits for what the service computes in advance after such a change of everything.
  await answerTime(service);
  for (let run = 0; run < RUNS; run++) answers.push(await answerTime(service));

  const page = await opened(browser, `${service.url}/sign-in`);
  page.setDefaultTimeout(PATIENCE_MS);
  page.setDefaultNavigationTimeout(PATIENCE_MS);
  await signIn(page.context(), service);
  const session = await sessionOf(page);
  const firsts: number[] = [];
  const tasks: number[] = [];
  const open = page.getByRole('button', { name: 'Replay', exact: true });
  for (let run = 0; run < RUNS; run++) {
    await page.goto(`${service.url}/map`);
    await open.and(page.locator(':enabled')).waitFor();
    const first = async () => firsts.push(await page.evaluate<number>(FIRST_FRAME));
    // The trace slows it down, so that the time and the tasks are of different openings.
    await first();
    await page.getByRole('button', { name: 'Close the replay' }).click();
    tasks.push((await longestTask(browser, page, () => page.evaluate(FIRST_FRAME))).value);
  }
  // It plays by itself.
  await page.evaluate('frames95.length = 0');
  const worked = await busy(page, session, () => page.waitForTimeout(PLAYED_MS));
  const frames = (await page.evaluate('frames95')) as number[];
  const elapsed = frames.reduce((sum, frame) => sum + frame, 0);
  const sorted = frames.toSorted((one, two) => one - two);
  const slow = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  await page.getByRole('button', { name: 'Pause' }).click();
  const scrubber = page.getByRole('slider', { name: /^Moment of/ });
  const seeks: number[] = [];
  for (const key of ['End', 'Home', 'End', 'Home', 'End', 'Home'])
    seeks.push(await busy(page, session, () => scrubber.press(key)));
  await page.close();
  return [
    { what: 'the answer of the service', figure: milliseconds(median(answers)) },
    { what: 'from the click to the first frame', figure: milliseconds(median(firsts)), against: SECOND },
    { what: 'longest task until then', figure: milliseconds(median(tasks)), against: LONG },
    { what: 'frames while it plays', figure: perSecond(frames.length, elapsed, 'frames'), against: FRAMES },
    {
      what: '95 of 100 frames within',
      figure: milliseconds(slow),
      against: { what: 'a frame', figure: milliseconds(1000 / 60) },
    },
    { what: 'work of the page for each frame', figure: milliseconds(worked / frames.length) },
    { what: 'work for a jump across the day', figure: milliseconds(median(seeks)) },
  ];
}

async function answerTime(service: MeasuredService): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${service.url}/v1/history/replay`, { headers: service.headers });
  await response.arrayBuffer();
  return performance.now() - begun;
}

/** Clicks, and waits until the bar has its data and the map is painted. */
const FIRST_FRAME = `(async () => {
  const begun = performance.now();
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Replay').click();
  while (!document.querySelector('section[aria-label^="Replay of"][aria-busy="false"]'))
    await new Promise((next) => requestAnimationFrame(next));
  await painted();
  return performance.now() - begun;
})()`;
