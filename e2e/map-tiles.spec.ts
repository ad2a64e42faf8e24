// The operator's own tiles: one PMTiles file on another host, and a host that does not answer. These pages ask another
// host, which the fixture's own page refuses, so each test has a page of its own and says itself whom it may ask.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, signIn, test as base } from './fixtures.ts';
import { openMap, placed } from './on-map.ts';

interface TileHost {
  url: string;
  /** The ranges that it was asked for. */
  ranges: string[];
}

/** A plain host of one file, with ranges and for any origin, as an object store is set up for it. */
const test = base.extend<{ tiles: TileHost }>({
  tiles: async ({}, use) => {
    const file = await readFile(path.join(import.meta.dirname, '../public/basemap/world.pmtiles'));
    const ranges: string[] = [];
    const server = createServer(({ method, headers: { range = '' } }, response) => {
      const cors = {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'range',
        'access-control-expose-headers': 'etag',
      };
      if (method === 'OPTIONS') return void response.writeHead(204, cors).end();
      ranges.push(range);
      const [from = 0, to = file.length - 1] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).slice(1).map(Number);
      const part = file.subarray(from, to + 1);
      response
        .writeHead(206, { ...cors, 'content-range': `bytes ${from}-${from + part.length - 1}/${file.length}` })
        .end(part);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ranges });
    server.closeAllConnections();
    server.close();
  },
  serviceEnv: async ({ tiles }, use) =>
    use({ MAP_TILES_URL: `${tiles.url}/world.pmtiles`, MAP_ATTRIBUTION: '© [Our maps](https://maps.example/)' }),
});

test('one PMTiles file of the operator takes the place of the built-in map', async ({ browser, service, tiles }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = new Set<string>();
  const errors: string[] = [];
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await signIn(page, service);
  await placed(service, 'somewhere', 30, 30);
  await openMap(page, service);
  await expect(page.getByRole('link', { name: 'Our maps' })).toHaveAttribute('href', 'https://maps.example/');
  await expect(page.getByRole('link', { name: 'GeoNames' })).toBeHidden();
  // Land or water is drawn on the tiles.
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLCanvasElement>('.leaflet-tile-pane canvas')].some((tile) =>
          tile
            .getContext('2d')
            ?.getImageData(0, 0, tile.width, tile.height)
            .data.some((value) => value > 0),
        ),
      ),
    )
    .toBe(true);
  expect(tiles.ranges.length).toBeGreaterThan(1);
  expect(tiles.ranges.every((range) => range.startsWith('bytes='))).toBe(true);
  expect([...asked].filter((origin) => ![service.url, tiles.url].includes(origin))).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

test.describe('tiles of a host that does not answer', () => {
  test.use({
    serviceEnv: {
      MAP_TILES_URL: 'http://127.0.0.1:9/{z}/{x}/{y}.png',
      MAP_ATTRIBUTION: '© [Maps](https://maps.example/)',
    },
  });

  test('give way to the built-in map, with a note', async ({ browser, service }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, service);
    await placed(service, 'somewhere', 30, 30);
    const answer = await page.goto(`${service.url}/map`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("img-src 'self' data: http://127.0.0.1:9;");
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:9;");
    await expect(
      page.getByText('The map tiles from 127.0.0.1:9 could not be loaded. Showing the built-in map.'),
    ).toBeVisible();
    await expect(page.getByRole('link', { name: 'GeoNames' })).toBeVisible();
    await context.close();
  });
});
