// Tunnels for real: servers on "the device", its agent, the service and a browser. What goes through arrives whole and
// holds nothing of ours, whoever is killed meanwhile; what is closed is closed at once, and stays so.
import { once } from 'node:events';
import type { Page } from '@playwright/test';
import { closed, DeviceWeb, echoed, sha256Of, startEcho, statusOf, visit } from './behind-tunnels.ts';
import { expect, expectAccessible, test } from './fixtures.ts';
import type { Service } from './fixtures.ts';

interface Listed {
  Name: string;
  PublicUrl: string;
  PublicAddr?: string;
  LocalDest: string;
  DeviceStatus: string;
  Uptime: string;
}

// The service is killed while a page of it is open, and a device is deleted while its page reads it every few seconds: the
// browser reports each request that finds nobody, and each that finds nothing any more.
test.use({ expectedConsole: [/net::ERR_|status of 404/] });

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

/** An agent that lost the service dials anew after random pauses of up to eight seconds each. */
const DIALS_ANEW = { timeout: 30_000 };

const listed = (service: Service) => service.call<Listed[]>('GET', '/v1/tunnels');

/** The tunnels to the web server and to the echo, once both are up. */
async function upAgain(service: Service): Promise<{ http: Listed; tcp: Listed }> {
  let found: Listed[] = [];
  const isUp = async () => {
    found = (await listed(service)).filter(({ Uptime }) => Uptime !== 'N/A');
    return found.length;
  };
  await expect.poll(isUp, DIALS_ANEW).toBeGreaterThanOrEqual(2);
  const to = (dest: string) => {
    const tunnel = found.find(({ LocalDest }) => LocalDest === dest);
    if (!tunnel) throw new Error(`There is no tunnel to ${dest}`);
    return tunnel;
  };
  return { http: to(webAt), tcp: to(echo.dest) };
}

const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Tunnels' }).getByRole('row').filter({ hasText: text });

test('a device is reached by HTTP, WebSocket, events and TCP, before and after agent and service are killed', async ({
  signedIn: page,
  service,
  context,
}) => {
  const pump = await service.createDevice('pump 1');
  const nobody = 'http://127.0.0.1:1';
  const start = {
    data: await service.folder('agent'),
    args: ['--tunnel', webAt, '--tunnel', echo.dest, '--tunnel', nobody],
  };
  const agent = await service.agent(pump.DeviceKey, start);
  const { http, tcp } = await upAgain(service);

  // The page's link leads there. The device has a login of its own, and its cookie holds.
  await page.goto(`${service.url}/tunnels`);
  const opened = context.waitForEvent('page');
  await row(page, webAt).getByRole('link', { name: http.PublicUrl }).click();
  const visitor = await opened;
  await visitor.getByLabel('Password').fill('secret');
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(visitor.getByRole('heading', { name: 'Hello, Anna' })).toBeVisible();
  const cookies = await context.cookies();
  const own = cookies.find(({ name }) => name.includes('muster_'));
  expect(own?.domain).toBe('127.0.0.1');
  expect(cookies.filter(({ name }) => name === 'sid').map(({ domain }) => domain)).toEqual([
    new URL(http.PublicUrl).hostname,
  ]);
  expect(cookies.some(({ name }) => name === 'everywhere')).toBe(false);

  // In the visitor's browser: a WebSocket that stays open, and events.
  const heard = await visitor.evaluate(async () => {
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
  expect(heard).toEqual(['hello', 'one', 'two']);
  // It is live: nobody reloads it.
  await expect(row(page, webAt).getByRole('cell', { name: /^1 open/ })).toBeVisible({ timeout: 15_000 });

  // What is ours does not arrive, even when somebody sends it there; what is theirs does.
  const before = web.got.length;
  const mine = `sid=anna; ${own?.name}=${own?.value}`;
  await statusOf(http.PublicUrl, '/', { Authorization: `Bearer ${service.token}`, Cookie: mine });
  await statusOf(http.PublicUrl, '/', { Authorization: `Bearer ${pump.DeviceKey}`, Cookie: mine });
  await statusOf(http.PublicUrl, '/', { Authorization: 'Bearer of-the-device' });
  const last = web.got.slice(before);
  expect(last).toHaveLength(3);
  expect(last[0]).toContain('sid=anna');
  expect(last[2]).toContain('Bearer of-the-device');
  const all = web.got.join('\n');
  for (const secret of [own?.value ?? '', service.token, pump.DeviceKey]) {
    expect(secret).not.toBe('');
    expect(all).not.toContain(secret);
  }

  // 100 MB arrive whole.
  const answer = await visit(http.PublicUrl, '/large');
  expect(await sha256Of(answer)).toBe(web.sha256);
  (await echoed(tcp.PublicAddr ?? '', 'over TCP')).destroy();
  await page.reload();
  await expect(row(page, webAt)).toContainText('100 MB');

  // Behind the third there is nobody.
  const dead = (await listed(service)).find(({ LocalDest }) => LocalDest === nobody);
  expect(await statusOf(dead?.PublicUrl ?? '')).toBe(502);
  await visitor.goto(dead?.PublicUrl ?? '');
  await expect(visitor.getByRole('heading', { name: 'The device does not answer' })).toBeVisible();

  // The agent dies and comes back: by the same names.
  await agent.end('SIGKILL');
  await expect(row(page, http.PublicUrl)).toContainText('Device Offline', { timeout: 15_000 });
  await visitor.goto(http.PublicUrl);
  await expect(visitor.getByRole('heading', { name: 'The device is away' })).toBeVisible();
  const places = ({ http: one, tcp: two }: { http: Listed; tcp: Listed }) =>
    [one, two].map(({ Name, PublicUrl, PublicAddr }) => [Name, PublicUrl, PublicAddr]);
  const again = await service.agent(pump.DeviceKey, start);
  expect(places(await upAgain(service))).toEqual(places({ http, tcp }));
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: 'Hello, Anna' })).toBeVisible();

  // The service dies and comes back: the agent, which was never touched, finds it.
  await visitor.close();
  await service.stop('SIGKILL');
  await service.start();
  expect(places(await upAgain(service))).toEqual(places({ http, tcp }));
  expect(await statusOf(http.PublicUrl)).toBe(200);
  (await echoed(tcp.PublicAddr ?? '', 'and again')).destroy();
  expect(again.lines.join('\n')).not.toContain('is closed');
});

test('what is deleted ends at once and stays closed until the agent is started again @main', async ({
  signedIn: page,
  service,
}) => {
  const pump = await service.createDevice('pump 1');
  const start = { data: await service.folder('agent'), args: ['--tunnel', webAt, '--tunnel', echo.dest] };
  const agent = await service.agent(pump.DeviceKey, start);
  const { http, tcp } = await upAgain(service);
  const events = await visit(http.PublicUrl, '/events');
  await once(events, 'data');
  const cut = once(events, 'error');
  const socket = await echoed(tcp.PublicAddr ?? '', 'open');

  // One, by its name: its visitors are cut off, those of others are not.
  await page.goto(`${service.url}/tunnels`);
  await page.getByRole('button', { name: `Delete ${http.Name}` }).click();
  const question = page.getByRole('dialog', { name: 'Delete tunnel' });
  await expect(question).toContainText(http.PublicUrl);
  await question.getByRole('button', { name: 'Delete tunnel' }).click();
  await cut;
  await expect(question).toBeHidden();
  const count = page.getByRole('search', { name: 'Filter tunnels' }).getByRole('status');
  await expect(count).toHaveText('1 tunnel');
  await agent.line(new RegExp(`^Tunnel to ${webAt} is closed: it was deleted$`));
  expect(await statusOf(http.PublicUrl)).toBe(404);
  expect(socket.destroyed).toBe(false);

  // The agent dials anew and offers what it has; what was closed is not in it.
  await service.stop('SIGKILL');
  await service.start();
  await expect.poll(async () => (await listed(service)).map(({ Uptime }) => Uptime), DIALS_ANEW).toEqual(['<1m']);
  expect((await listed(service)).map(({ Name }) => Name)).toEqual([tcp.Name]);
  await agent.end();
  await service.agent(pump.DeviceKey, start);
  const second = await upAgain(service);
  expect(second.http.Name).not.toBe(http.Name);
  expect(second.tcp.Name).toBe(tcp.Name);
  expect(await statusOf(second.http.PublicUrl)).toBe(200);
  expect(await statusOf(http.PublicUrl)).toBe(404);

  // All, by their count.
  const other = await echoed(tcp.PublicAddr ?? '', 'open');
  const ended = closed(other);
  await page.reload();
  await expect(count).toHaveText('2 tunnels');
  await page.getByRole('button', { name: 'Delete all' }).click();
  const all = page.getByRole('dialog', { name: 'Delete all tunnels' });
  await expect(all.getByRole('button', { name: 'Delete all tunnels' })).toBeDisabled();
  await all.getByLabel('Type 2 to confirm').fill('2');
  await all.getByRole('button', { name: 'Delete all tunnels' }).click();
  await ended;
  await expect(page.getByText('No tunnels are open')).toBeVisible();
  await expect(page.getByLabel('On the device, for its SSH server')).toContainText('tunnel tcp://127.0.0.1:22');
  await expectAccessible(page);

  // With its device.
  const door = await service.createDevice('door 2');
  await service.agent(door.DeviceKey, { args: start.args });
  const last = await upAgain(service);
  const third = await echoed(last.tcp.PublicAddr ?? '', 'open');
  const gone = closed(third);
  await page.goto(`${service.url}/devices/${door.DeviceId}`);
  await expect(page.getByRole('table', { name: 'Tunnels of this device' })).toContainText(last.http.PublicUrl);
  await page.getByRole('link', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete device' }).click();
  await gone;
  expect(await statusOf(last.http.PublicUrl)).toBe(404);
  expect(await listed(service)).toEqual([]);
});
