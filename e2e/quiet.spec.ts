// How often a page on which nothing happens asks a service that does not report changes: the clock is turned on by hand.
import type { Page, Request, Response } from '@playwright/test';
import { expect, test as withOwnService } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startGoLike } from './foreign/go-like.ts';
import { see } from './seen.ts';

const test = before(startGoLike);
test.use({ expectedConsole: [/status of 40[145]/] });

/** The pages, and what each reads again and again, if it shows anything that can change by itself. */
const PAGES: Record<string, [path: string, reads?: string]> = {
  overview: ['/', '/v1/devices/'],
  devices: ['/devices', '/v1/devices/'],
  'filtered devices': ['/devices?group=lab', '/v1/devices/'],
  'a device': ['/devices/g1', '/v1/devices/'],
  map: ['/map', '/v1/devices/'],
  artifacts: ['/artifacts', '/v1/job'],
  deploy: ['/deploy'],
  jobs: ['/jobs', '/v1/job'],
  'a parked job': ['/jobs/gj1', '/v1/job/gj1'],
  workflows: ['/workflows'],
  tunnels: ['/tunnels', '/v1/tunnels'],
  queues: ['/queues', '/v1/job'],
  account: ['/account'],
  rollouts: ['/rollouts'],
  audit: ['/activity'],
  availability: ['/activity/availability'],
  alerts: ['/activity/alerts'],
};
/** What only our own service offers. It reports the changes by a stream, which the page keeps open. */
const OFFERED = {
  rollouts: '/rollouts',
  audit: '/activity',
  availability: '/activity/availability',
  alerts: '/activity/alerts',
};
const STREAM = '/v1/events';

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

/** That it asks seldom, but does not stop: `reads` is asked for in the counted minute, or is a stream that is open. */
async function expectQuiet(page: Page, url: string, reads?: string): Promise<void> {
  const open = new Set<string>();
  const pathOf = (request: Request) => new URL(request.url()).pathname;
  const onEnd = (request: Request) => void open.delete(pathOf(request));
  page.on('request', (request) => void open.add(pathOf(request)));
  page.on('requestfinished', onEnd).on('requestfailed', onEnd);
  await page.clock.install();
  await page.goto(url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await pass(page, 180, 5);
  const paths = await pass(page, 60);
  expect(paths.length, paths.join('\n')).toBeLessThanOrEqual(12);
  if (reads !== undefined)
    expect(
      [...paths, ...open].filter((path) => path.startsWith(reads)),
      `it reads ${reads} no more`,
    ).not.toEqual([]);
  await see(page, 'hidden');
  const hidden = await pass(page, 60);
  expect(hidden.length, hidden.join('\n')).toBeLessThanOrEqual(2);
}

const IS_QUIET = 'reads on, with twelve requests a minute at most, and two where nobody looks';
for (const [name, [path, reads]] of Object.entries(PAGES))
  test(`${name}: ${IS_QUIET}`, ({ signedIn: page, service }) => expectQuiet(page, `${service.url}${path}`, reads));
for (const [name, path] of Object.entries(OFFERED))
  withOwnService(`${name} of our own service: ${IS_QUIET}`, ({ signedIn: page, service }) =>
    expectQuiet(page, `${service.url}${path}`, STREAM),
  );
