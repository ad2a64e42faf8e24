// How often a page on which nothing happens asks a service that does not report changes: the clock is turned on by hand.
import type { Page, Request, Response } from '@playwright/test';
import { expect, test as withOwnService } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startGoLike } from './foreign/go-like.ts';
import { see } from './seen.ts';

const test = before(startGoLike);
test.use({ expectedConsole: [/status of 40[145]/] });

/** In front of a service that reports no changes. Its jobs are still waiting, so they are read again too. */
const POLLED = {
  overview: '/',
  devices: '/devices',
  'filtered devices': '/devices?group=lab',
  'a device': '/devices/g1',
  map: '/map',
  artifacts: '/artifacts',
  jobs: '/jobs',
  'a waiting job': '/jobs/gj1',
  tunnels: '/tunnels',
  settings: '/settings/usage',
};
const NOT_POLLED = { deploy: '/deploy', workflows: '/workflows' };
const MOST_POLLED = 40;
/** It shows most lists at once. */
const MOST_ON_OVERVIEW = 70;
/** Pages of our own service, which reports its changes. */
const REPORTED = {
  queues: '/queues',
  rollouts: '/rollouts',
  audit: '/activity',
  availability: '/activity/availability',
  alerts: '/activity/alerts',
};

const isApi = (request: Request) => /^\/(v1|auth)\//.test(new URL(request.url()).pathname);

/** Lets this many seconds pass on the page, and returns what it asks for meanwhile. */
async function pass(page: Page, seconds: number, step = 1): Promise<string[]> {
  const asked: Request[] = [];
  const ended = new Set<Request>();
  const onRequest = (request: Request) => void (isApi(request) && asked.push(request));
  const onEnd = (of: Request | Response) => void ended.add('request' in of ? of.request() : of);
  page.on('request', onRequest).on('response', onEnd).on('requestfailed', onEnd);
  for (let passed = 0; passed < seconds; passed += step) {
    await page.clock.runFor(step * 1_000);
    await expect.poll(() => asked.filter((request) => !ended.has(request)).map((request) => request.url())).toEqual([]);
  }
  page.off('request', onRequest).off('response', onEnd).off('requestfailed', onEnd);
  return asked.map((request) => new URL(request.url()).pathname);
}

interface Bounds {
  least?: number;
  most: number;
}

/** Counts the requests of a minute, and those of a minute in which nobody looks. */
async function expectQuiet(page: Page, url: string, { least = 0, most }: Bounds): Promise<void> {
  await page.clock.install();
  await page.goto(url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await pass(page, 180, 5);
  const paths = await pass(page, 60);
  expect(paths.length, paths.join('\n')).toBeGreaterThanOrEqual(least);
  expect(paths.length, paths.join('\n')).toBeLessThanOrEqual(most);
  await see(page, 'hidden');
  const hidden = await pass(page, 60);
  expect(hidden.length, hidden.join('\n')).toBeLessThanOrEqual(2);
}

for (const [name, path] of Object.entries(POLLED))
  test(`${name} is read again at a fixed interval, and hardly where nobody looks @sweep`, ({
    signedIn: page,
    service,
  }) =>
    expectQuiet(page, service.url + path, { least: 1, most: name === 'overview' ? MOST_ON_OVERVIEW : MOST_POLLED }));
for (const [name, path] of Object.entries(NOT_POLLED))
  test(`${name} is not read again by itself @sweep`, ({ signedIn: page, service }) =>
    expectQuiet(page, service.url + path, { most: 2 }));
withOwnService('a page of our own service: twelve requests a minute at most', async ({ signedIn: page, service }) => {
  for (const [name, path] of Object.entries(REPORTED))
    await withOwnService.step(name, () => expectQuiet(page, service.url + path, { most: 12 }));
});
