// Real tunnels: servers on "the device", its agent, the service and a browser. Traffic arrives complete and has none of our
// secrets in it, even when agent or service are killed. A deleted tunnel ends at once and stays closed.
import { once } from 'node:events';
import type { BrowserContext, Page } from '@playwright/test';
import { closed, DeviceWeb, echoed, sha256Of, startEcho, statusOf, visit } from './behind-tunnels.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

test.use({ ownService: true });

interface Listed {
  Name: string;
  PublicUrl: string;
  PublicAddr?: string;
  LocalDest: string;
  DeviceStatus: string;
  Uptime: string;
}

// The service is killed while one of its pages is open, and the browser logs each unanswered request.
test.use({ expectedConsole: [/net::ERR_/] });

let web: DeviceWeb;
let webAt: string;
let echo: Awaited<ReturnType<typeof startEcho>>;
test.beforeEach(async () => {
  web = new DeviceWeb();
  [webAt, echo] = await Promise.all([web.start(), startEcho()]);
});
test.afterEach(() => {
  web.stop();
  echo.stop();
});

/** An agent that lost the service reconnects after random pauses of up to eight seconds each. */
const DIALS_ANEW = { timeout: 60_000 };

const listed = (service: Service) => service.call<Listed[]>('GET', '/v1/tunnels');

/** The tunnels to the web server and to the echo, once both are up. */
async function upAgain(service: Service): Promise<{ http: Listed; tcp: Listed }> {
  let found: Listed[] = [];
  const areUp = async () => {
    found = (await listed(service)).filter(
      ({ Uptime, LocalDest }) => Uptime !== 'N/A' && [webAt, echo.dest].includes(LocalDest),
    );
    return found.length;
  };
  await expect.poll(areUp, DIALS_ANEW).toBe(2);
  const to = (dest: string) => {
    const tunnel = found.find(({ LocalDest }) => LocalDest === dest);
    if (!tunnel) throw new Error(`There is no tunnel to ${dest}`);
    return tunnel;
  };
  return { http: to(webAt), tcp: to(echo.dest) };
}

const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Tunnels' }).getByRole('row').filter({ hasText: text });

/** Starts an agent that offers the web server and the echo, and waits for both tunnels. */
async function connected(service: Service, name = 'pump 1', others: string[] = []) {
  const device = await service.createDevice(name);
  const args = [webAt, echo.dest, ...others].flatMap((dest) => ['--tunnel', dest]);
  const start = { data: await service.folder('agent'), args };
  const agent = await service.agent(device.DeviceKey, start);
  return { device, start, agent, ...(await upAgain(service)) };
}

/** Opens the web server by its link on the Tunnels page, and signs in there. */
async function openWeb(page: Page, service: Service, context: BrowserContext, url: string): Promise<Page> {
  await page.goto(`${service.url}/tunnels`);
  const opened = context.waitForEvent('page');
  await row(page, webAt).getByRole('link', { name: url }).click();
  const visitor = await opened;
  await visitor.getByLabel('Password').fill('secret');
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(visitor.getByRole('heading', { name: 'Hello, Anna' })).toBeVisible();
  return visitor;
}

/** What stays the same while a tunnel is interrupted. */
const addresses = ({ http, tcp }: { http: Listed; tcp: Listed }) =>
  [http, tcp].map(({ Name, PublicUrl, PublicAddr }) => [Name, PublicUrl, PublicAddr]);

test('the login of a device works through its tunnel, its cookies stay on its own address, and ours never reach it', async ({
  signedIn: page,
  service,
  context,
}) => {
  const { http, device } = await connected(service);
  await openWeb(page, service, context, http.PublicUrl);
  const cookies = await context.cookies();
  expect(cookies.find(({ name }) => name.includes('muster_'))?.domain).toBe('127.0.0.1');
  expect(cookies.filter(({ name }) => name === 'sid').map(({ domain }) => domain)).toEqual([
    new URL(http.PublicUrl).hostname,
  ]);
  expect(cookies.some(({ name }) => name === 'everywhere')).toBe(false);

  const own = (await context.cookies()).find(({ name }) => name.includes('muster_'));
  const before = web.got.length;
  const Cookie = `sid=anna; ${own?.name}=${own?.value}`;
  await statusOf(http.PublicUrl, '/', { Authorization: `Bearer ${service.token}`, Cookie });
  await statusOf(http.PublicUrl, '/', { Authorization: `Bearer ${device.DeviceKey}`, Cookie });
  await statusOf(http.PublicUrl, '/', { Authorization: 'Bearer of-the-device' });
  const last = web.got.slice(before);
  expect(last).toHaveLength(3);
  expect(last[0]).toContain('sid=anna');
  expect(last[2]).toContain('Bearer of-the-device');
  const all = web.got.join('\n');
  for (const secret of [own?.value ?? '', service.token, device.DeviceKey]) {
    expect(secret).not.toBe('');
    expect(all).not.toContain(secret);
  }
});

test('a WebSocket, an event stream, 100 MB and a TCP connection go through a tunnel complete, and are counted', async ({
  signedIn: page,
  service,
  context,
}) => {
  const { http, tcp } = await connected(service);
  const visitor = await openWeb(page, service, context, http.PublicUrl);
  const received = await visitor.evaluate(async () => {
    const socket = new WebSocket(`ws://${location.host}/echo`);
    const events = new EventSource('/events');
    const messages = (from: EventTarget, count: number) =>
      new Promise<unknown[]>((done) => {
        const data: unknown[] = [];
        from.addEventListener('message', (event) => {
          data.push((event as MessageEvent).data);
          if (data.length === count) done(data);
        });
      });
    const two = messages(events, 2);
    const back = messages(socket, 1);
    await new Promise((open) => socket.addEventListener('open', open));
    socket.send('hello');
    const all = [...(await back), ...(await two)];
    events.close();
    return all;
  });
  expect(received).toEqual(['hello', 'one', 'two']);
  // The WebSocket is still open, and the page shows it without a reload.
  await expect(row(page, webAt).getByRole('cell', { name: /^1 open/ })).toBeVisible();
  const answer = await visit(http.PublicUrl, '/large');
  expect(await sha256Of(answer)).toBe(web.sha256);
  (await echoed(tcp.PublicAddr ?? '', 'over TCP')).destroy();
  await page.goto(`${service.url}/tunnels`);
  await expect(row(page, webAt)).toContainText('100 MB');
});

test('a visitor is shown whether the device is away or its server does not answer', async ({
  signedIn: page,
  service,
}) => {
  const unused = 'http://127.0.0.1:1';
  const { http, agent } = await connected(service, 'pump 1', [unused]);
  await expect.poll(async () => (await listed(service)).length).toBe(3);
  const dead = (await listed(service)).find(({ LocalDest }) => LocalDest === unused);
  expect(await statusOf(dead?.PublicUrl ?? '')).toBe(502);
  const visitor = await page.context().newPage();
  await visitor.goto(dead?.PublicUrl ?? '');
  await expect(visitor.getByRole('heading', { name: 'The device does not answer' })).toBeVisible();

  await page.goto(`${service.url}/tunnels`);
  await expect(row(page, http.PublicUrl)).toContainText(/up [<\d]/);
  await agent.end('SIGKILL');
  await expect(row(page, http.PublicUrl)).toContainText('Device Offline');
  await visitor.goto(http.PublicUrl);
  await expect(visitor.getByRole('heading', { name: 'The device is away' })).toBeVisible();
});

test('an agent or a service that is killed and started again has the same addresses, and visitors are still signed in', async ({
  signedIn: page,
  service,
  context,
}) => {
  const { device, start, agent, http, tcp } = await connected(service);
  const visitor = await openWeb(page, service, context, http.PublicUrl);
  await agent.end('SIGKILL');
  await expect.poll(async () => (await listed(service)).map(({ Uptime }) => Uptime)).toEqual(['N/A', 'N/A']);
  const second = await service.agent(device.DeviceKey, start);
  expect(addresses(await upAgain(service))).toEqual(addresses({ http, tcp }));
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: 'Hello, Anna' })).toBeVisible();

  await service.stop('SIGKILL');
  await service.start();
  expect(addresses(await upAgain(service))).toEqual(addresses({ http, tcp }));
  expect(await statusOf(http.PublicUrl)).toBe(200);
  (await echoed(tcp.PublicAddr ?? '', 'and again')).destroy();
  expect(second.lines.join('\n')).not.toContain('is closed');
});

/** Deletes a tunnel in its row on the Tunnels page. */
async function deleteTunnel(page: Page, service: Service, { Name, PublicUrl }: Listed): Promise<void> {
  await page.goto(`${service.url}/tunnels`);
  await page.getByRole('button', { name: `Delete ${Name}` }).click();
  const question = page.getByRole('dialog', { name: 'Delete tunnel' });
  await expect(question).toContainText(PublicUrl);
  await question.getByRole('button', { name: 'Delete tunnel' }).click();
  await expect(question).toBeHidden();
}

const count = (page: Page) => page.getByRole('search', { name: 'Filter tunnels' }).getByRole('status');

test('a deleted tunnel cuts off its own visitors only, and stays closed until its agent is started again, at a new address', async ({
  signedIn: page,
  service,
}) => {
  const { device, start, agent, http, tcp } = await connected(service);
  const events = await visit(http.PublicUrl, '/events');
  await once(events, 'data');
  const cut = once(events, 'error');
  const socket = await echoed(tcp.PublicAddr ?? '', 'open');
  await deleteTunnel(page, service, http);
  await cut;
  await expect(count(page)).toHaveText('1 tunnel');
  await agent.line(new RegExp(`^Tunnel to ${webAt} is closed: it was deleted$`));
  expect(await statusOf(http.PublicUrl)).toBe(404);
  expect(socket.destroyed).toBe(false);
  socket.destroy();

  // The agent reconnects and offers its tunnels, without the deleted one.
  await service.stop('SIGKILL');
  await service.start();
  await expect.poll(async () => (await listed(service)).map(({ Uptime }) => Uptime), DIALS_ANEW).toEqual(['<1m']);
  expect((await listed(service)).map(({ Name }) => Name)).toEqual([tcp.Name]);
  await agent.end();
  await service.agent(device.DeviceKey, start);
  const second = await upAgain(service);
  expect(second.http.Name).not.toBe(http.Name);
  expect(second.tcp.Name).toBe(tcp.Name);
  expect(await statusOf(second.http.PublicUrl)).toBe(200);
  expect(await statusOf(http.PublicUrl)).toBe(404);
});

test('all tunnels are deleted after typing their number, and the page shows how to open one', async ({
  signedIn: page,
  service,
}) => {
  const { tcp } = await connected(service);
  const ended = closed(await echoed(tcp.PublicAddr ?? '', 'open'));
  await page.goto(`${service.url}/tunnels`);
  await expect(count(page)).toHaveText('2 tunnels');
  await page.getByRole('button', { name: 'More for tunnels' }).click();
  await page.getByRole('menuitem', { name: 'Delete all' }).click();
  const all = page.getByRole('dialog', { name: 'Delete all tunnels' });
  await expect(all.getByRole('button', { name: 'Delete all tunnels' })).toBeDisabled();
  await all.getByLabel('Type 2 to confirm').fill('2');
  await all.getByRole('button', { name: 'Delete all tunnels' }).click();
  await ended;
  await expect(page.getByText('No tunnels are open')).toBeVisible();
  await page.getByRole('link', { name: 'Open a tunnel' }).click();
  await page.getByText('A tunnel without an end, opened by the device itself').click();
  await expect(page.getByLabel('On the device, for its SSH server')).toContainText('tunnel tcp://127.0.0.1:22');
  await expectAccessible(page);
});

test.describe('with its device', () => {
  // The device is deleted while its page polls it.
  test.use({ expectedConsole: [/status of 404.*\/v1\/device\/[\w-]+\/queue\)$/] });

  test('its tunnels are deleted, and their visitors are cut off', async ({ signedIn: page, service }) => {
    const { device, http, tcp } = await connected(service);
    const ended = closed(await echoed(tcp.PublicAddr ?? '', 'open'));
    await page.goto(`${service.url}/devices/${device.DeviceId}`);
    await expect(page.getByRole('table', { name: 'Tunnels of this device' })).toContainText(http.PublicUrl);
    await page.getByRole('link', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete device' }).click();
    await ended;
    expect(await statusOf(http.PublicUrl)).toBe(404);
    expect(await listed(service)).toEqual([]);
  });
});
