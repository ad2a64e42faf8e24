// Alerts: rules and channels created in the browser, a real agent that goes Offline, and real receivers of messages.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { startTestSmtp } from '../scripts/test-smtp.ts';
import { expect, expectAccessible, test as base, type Service } from './fixtures.ts';
import { before } from './foreign/gateway.ts';
import { startStrict } from './foreign/strict.ts';

interface Received {
  body: string;
  signature: string;
}
interface Receiver {
  url: string;
  received: Received[];
  /** Status of its answers. */
  status: number;
}

const test = base.extend<{ receiver: Receiver }>({
  serviceEnv: { ALERT_PRIVATE_TARGETS: '1' },
  receiver: async ({}, use) => {
    const receiver: Receiver = { url: '', received: [], status: 200 };
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        receiver.received.push({ body, signature: String(request.headers['muster-signature']) });
        response.writeHead(receiver.status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await use(receiver);
    server.close();
  },
});
test.setTimeout(120_000);

/** Events are gathered for a while before a message is sent. */
const SENT = { timeout: 60_000 };
const table = (page: Page, name: string) => page.getByRole('table', { name });

async function createChannel(page: Page, name: string, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Create channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create channel' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Address').fill(address);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
}

/** Created by the API; the rule sends at once. */
async function watch(service: Service, channel: object, more: object = {}): Promise<void> {
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', channel);
  const rule = { Name: 'Away', When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId], ...more };
  await service.call('POST', '/v1/alerts/rules', rule);
}

async function goAway(service: Service, name: string): Promise<void> {
  const { DeviceKey } = await service.createDevice(name);
  const agent = await service.agent(DeviceKey);
  await agent.end();
}

test('a channel and a rule are created, and a device that goes Offline is reported in a signed message', async ({
  signedIn: page,
  service,
  receiver,
}) => {
  await page.goto(`${service.url}/activity/alerts`);
  await page.getByRole('link', { name: 'Create a channel' }).click();
  await createChannel(page, 'Ops', receiver.url);
  await page.getByRole('button', { name: 'Reveal' }).click();
  const secret = await page.getByLabel('signing secret', { exact: true }).innerText();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  await saved;
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'alert rules' }).click();
  await page.getByRole('button', { name: 'Create rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create rule' });
  await dialog.getByLabel('Name').fill('Away');
  await dialog.getByLabel('For (minutes)').fill('0');
  await expect(dialog.getByText('When a device is Offline → Ops, at most one message in 30 minutes')).toBeVisible();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await expect(table(page, 'Rules').getByRole('row', { name: 'Away' })).toContainText('When a device is Offline → Ops');

  await goAway(service, 'till 7');
  await expect(table(page, 'Firing now').getByRole('link', { name: 'till 7' })).toBeVisible(SENT);
  await expect(table(page, 'Deliveries').getByRole('row', { name: 'till 7 is Offline' })).toContainText(
    'Delivered',
    SENT,
  );
  const [{ body, signature } = { body: '', signature: '' }] = receiver.received;
  expect(JSON.parse(body)).toMatchObject({ Event: 'DeviceOffline', Rule: 'Away', Devices: [{ DeviceName: 'till 7' }] });
  const [, time, mac] = /^t=(\d+),v1=(.*)$/.exec(signature) ?? [];
  expect(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')).toBe(mac);
  await page.goto(service.url);
  await page.getByRole('link', { name: /^See the alert/ }).click();
  await expect(table(page, 'Firing now')).toBeVisible();
});

test('a template makes the rule, its group is chosen from a list, and a channel is added from its warning', async ({
  signedIn: page,
  service,
  receiver,
}) => {
  await service.createDevice('gate 1', 'gateways');
  await service.createDevice('cam 1', 'cameras');
  await page.goto(`${service.url}/activity/alerts`);
  await page.getByRole('button', { name: 'Create rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create rule' });
  await dialog.getByRole('button', { name: 'A gateway is down for 10 minutes' }).click();
  await expect(dialog.getByLabel('Name')).toHaveValue('A gateway is down for 10 minutes');
  await expect(dialog.getByRole('combobox', { name: 'Group' })).toHaveValue('gateways');
  await dialog.getByRole('combobox', { name: 'Group' }).click();
  await expect(page.getByRole('option', { name: 'cameras' })).toBeVisible();
  await page.getByRole('option', { name: 'gateways' }).click();
  await expect(dialog.getByText('No channel is chosen.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add a channel' }).click();
  const made = page.getByRole('dialog', { name: 'Create channel' });
  await made.getByLabel('Name').fill('Ops');
  await made.getByLabel('Address').fill(receiver.url);
  await made.getByLabel('Format').selectOption('Slack');
  await made.getByRole('button', { name: 'Create channel' }).click();
  await expect(dialog.getByRole('checkbox', { name: 'Ops' })).toBeChecked();
  await expect(dialog.getByText('No channel is chosen.')).toBeHidden();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await expect(table(page, 'Rules').getByRole('row', { name: 'A gateway is down' })).toContainText(
    'When a device of group gateways is Offline for 10 minutes → Ops',
  );
});

test('the worst alert is on top with its number and duration, and silenced ones are folded below', async ({
  signedIn: page,
  service,
}) => {
  const watchGroup = async (Name: string, DeviceGroup: string) =>
    (
      await service.call<{ RuleId: string }>('POST', '/v1/alerts/rules', {
        Name,
        When: 'DeviceOffline',
        DeviceGroup,
        ForMinutes: 0,
        QuietMinutes: 0,
        Channels: [],
      })
    ).RuleId;
  await watchGroup('Cameras away', 'cameras');
  await watchGroup('Gateways away', 'gateways');
  const quiet = await watchGroup('Labs away', 'labs');
  for (const [name, group] of [
    ['gate 1', 'gateways'],
    ['gate 2', 'gateways'],
    ['cam 1', 'cameras'],
    ['lab 1', 'labs'],
  ] as const)
    await (await service.agent((await service.createDevice(name, group)).DeviceKey)).end();
  await page.goto(`${service.url}/activity/alerts`);
  const rows = table(page, 'Firing now').getByRole('row');
  await expect(rows.filter({ hasText: 'Labs away' })).toBeVisible(SENT);
  await expect(rows.nth(1)).toContainText(/Critical\s*2 devices.*Gateways away/s, SENT);
  await expect(rows.filter({ hasText: 'Cameras away' })).toContainText('1 device');
  const Until = new Date(Date.now() + 3_600_000).toISOString();
  await service.call('POST', `/v1/alerts/rules/${quiet}/silence`, { Until, Reason: 'moving' });
  await page.getByText('1 silenced: Labs away').click();
  await expect(table(page, 'Silenced alerts').getByRole('row', { name: 'Labs away' })).toContainText('moving');
  await expect(rows.filter({ hasText: 'Labs away' })).toHaveCount(0);
  await expectAccessible(page);
});

test('a failed delivery shows why and when it is retried, and keeps its Id when the service is killed', async ({
  signedIn: page,
  service,
  receiver,
}) => {
  receiver.status = 503;
  await watch(service, { Name: 'Ops', Kind: 'webhook', Url: receiver.url, Format: 'json' });
  await goAway(service, 'till 7');
  await page.goto(`${service.url}/activity/alerts`);
  const delivery = table(page, 'Deliveries').getByRole('row', { name: 'till 7 is Offline' });
  await expect(delivery).toContainText(/Waiting.*it answered 503; next/s, SENT);
  // The page would log the lost connection to the console.
  await page.goto('about:blank');
  await service.stop('SIGKILL');
  receiver.status = 200;
  await service.start();
  await page.goto(`${service.url}/activity/alerts`);
  await expect(delivery).toContainText('Delivered', SENT);
  const ids = receiver.received.map(({ body }) => (JSON.parse(body) as { Id: string }).Id);
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(1);
});

test('a job that fails is reported, and the delivery links to it', async ({ signedIn: page, service, receiver }) => {
  await watch(service, { Name: 'Ops', Kind: 'webhook', Url: receiver.url, Format: 'json' }, { When: 'JobFailed' });
  const { DeviceId, DeviceKey } = await service.createDevice('till 7');
  await service.agent(DeviceKey);
  const { WorkflowId } = await service.call<{ WorkflowId: string }>('POST', '/v1/workflow', {
    Name: 'Break',
    Command: 'exit 3',
  });
  await service.call('POST', '/v1/job', { Name: 'Break', DeviceId, WorkflowId });
  await page.goto(`${service.url}/activity/alerts`);
  const delivery = table(page, 'Deliveries').getByRole('row', { name: 'Job “Break” failed on till 7 (exit code 3)' });
  await expect(delivery).toContainText('Delivered', SENT);
  await delivery.getByRole('link', { name: 'Show job' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Break');
});

test('a channel is tested, and its result is shown', async ({ signedIn: page, service, receiver }) => {
  await watch(service, { Name: 'Ops', Kind: 'webhook', Url: receiver.url, Format: 'slack' });
  await page.goto(`${service.url}/settings/channels`);
  const channel = table(page, 'Channels').getByRole('row', { name: 'Ops' });
  await channel.getByRole('button', { name: 'Test Ops' }).click();
  await expect(channel).toContainText('Delivered');
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({ text: expect.stringContaining('This is a test') });
  receiver.status = 404;
  await channel.getByRole('button', { name: 'Test Ops' }).click();
  await expect(channel).toContainText('Not delivered: it answered 404');
});

const mail = base.extend<{ smtp: Awaited<ReturnType<typeof startTestSmtp>> }>({
  smtp: async ({}, use) => {
    const smtp = await startTestSmtp();
    await use(smtp);
    await smtp.close();
  },
  serviceEnv: async ({ smtp }, use) => use({ SMTP_URL: smtp.url, SMTP_FROM: 'muster@example.com' }),
});

mail('a device that goes away is reported by e-mail', async ({ signedIn: page, service, smtp }) => {
  mail.setTimeout(120_000);
  await page.goto(`${service.url}/settings/channels`);
  await page.getByRole('button', { name: 'Create channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create channel' });
  await dialog.getByText('E-mail', { exact: true }).click();
  await dialog.getByLabel('Name').fill('Mail');
  await dialog.getByLabel('Addresses').fill('ops@example.com\nnobody');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await expect(dialog).toContainText('“nobody” is not an e-mail address');
  await dialog.getByLabel('Addresses').fill('ops@example.com');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await expect(dialog).toBeHidden();
  const [channel] = await service.call<{ ChannelId: string }[]>('GET', '/v1/alerts/channels');
  const Channels = [channel?.ChannelId];
  const rule = { Name: 'Away', When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0, Channels };
  await service.call('POST', '/v1/alerts/rules', rule);
  await goAway(service, 'till 7');
  await expect.poll(() => smtp.received.length, SENT).toBe(1);
  expect(smtp.received[0]?.to).toEqual(['ops@example.com']);
  expect(smtp.received[0]?.text).toMatch(/^Subject: \[Muster\] Away: till 7 is Offline/m);
});

base.describe('in front of another service', () => {
  const foreign = before(startStrict);
  foreign('the page says that there are no alerts, and asks for none', async ({ signedIn: page, service }) => {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.goto(`${service.url}/activity/alerts`);
    await expect(page.getByText('This service sends no alerts')).toBeVisible();
    expect(asked.filter((path) => path.startsWith('/v1/alerts'))).toEqual([]);
  });
});
