// Two clicks in one task, before anything can be drawn disabled: every button that sends a write sends it once. The writes
// are answered here and change nothing, so that each dialog is about the same things. Not here: dialogs that write nothing
// (commands to copy, columns, exports, details, what a browser stores), dialogs about many items, which send one bulk
// request or go on from step to step (their specs count the requests), and uploads, which are a page's and not a dialog's.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { rollOut } from './rolled-out.ts';

test.use({ ownService: true });

interface Write {
  /** Where its dialog is. */
  at: string;
  button: string;
  /** What is sent. */
  sent: string;
  /** A button on the page that opens it, where no address does. */
  opener?: string;
  /** Typed before the button works. */
  typed?: Record<string, string>;
}

const tunnel = {
  Name: 'quiet-heron',
  PublicUrl: 'N/A',
  Protocol: 'TCP',
  LocalDest: 'tcp://127.0.0.1:22',
  Created: 'Nov 2 2026 2:03 PM',
  Uptime: 'N/A',
};

/** Fills in the fields of a dialog, by their names; that of a secret has no role. */
async function fillIn(page: Page, typed: Record<string, string>): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(typed)) {
    const secret = dialog.getByLabel(label).and(dialog.locator('input[type="password"]'));
    const field = dialog.getByRole('textbox', { name: label, exact: true });
    await field
      .or(dialog.getByRole('combobox', { name: label, exact: true }))
      .or(secret)
      .fill(text);
  }
}

/** A POST that changes nothing. */
const TRIAL = '/v1/alerts/rules/try';

/** Holds every write back until `answer`, and notes what was sent. */
async function holdWrites(page: Page) {
  const sent: string[] = [];
  let gate = Promise.withResolvers<void>();
  await page.route('**/v1/**', async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' || pathname === TRIAL) return route.fallback();
    sent.push(`${request.method()} ${pathname}`);
    await gate.promise;
    await route.fulfill({
      json: {
        PersonId: 'p',
        InviteUrl: 'l',
        ExpiresTime: '',
        DeviceId: 'd',
        DeviceKey: 'k',
        TokenId: 't',
        Token: 's',
        WorkflowId: 'w',
      },
    });
  });
  await page.route('**/v1/tunnels', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: [tunnel] }) : route.fallback(),
  );
  return {
    sent,
    answer: () => {
      gate.resolve();
      gate = Promise.withResolvers();
    },
  };
}

/** A device, a job and what else there is to delete; gives the dialogs about them. */
async function dialogsOf(service: Service): Promise<Write[]> {
  const { DeviceId: device } = await service.createDevice('pump-7', 'lab');
  const ArtifactId = await service.uploadScript('tool.sh', '#!/bin/sh\necho 1\n', '/opt');
  const { WorkflowId } = await service.call<{ WorkflowId: string }>('POST', '/v1/workflow', {
    Name: 'greet',
    Command: 'echo hello',
  });
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: 'greeting',
    DeviceId: device,
    WorkflowId,
  });
  const { TokenId } = await service.call<{ TokenId: string }>('POST', '/v1/account/tokens', { Name: 'build' });
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', {
    Kind: 'webhook',
    Name: 'ops',
    Url: 'https://hooks.example.com/muster',
    Format: 'json',
  });
  const { RuleId } = await service.call<{ RuleId: string }>('POST', '/v1/alerts/rules', {
    Name: 'labs offline',
    When: 'DeviceOffline',
    ForMinutes: 5,
    QuietMinutes: 30,
    Channels: [ChannelId],
  });
  const used = await service.uploadScript('used.sh', '#!/bin/sh\necho 2\n', '/opt');
  await service.call('PUT', '/v1/orders/labs', { DeviceGroup: 'later', ArtifactId: used });
  await service.call('POST', `/v1/device/${device}/notes`, { Text: 'in the yard' });
  const toLab = () => rollOut(service, { units: [], ArtifactId: used, broken: '' }, { DeviceGroup: 'lab' });
  const over = await toLab();
  const read = () => service.call<{ State: string; Version: number }>('GET', `/v1/rollout/${over}`);
  await expect.poll(async () => (await read()).State).toBe('Running');
  await service.call('POST', `/v1/rollout/${over}/abort`, { Version: (await read()).Version });
  const rollout = await toLab();
  const notes = await service.call<{ Items: { NoteId?: string }[] }>('GET', `/v1/device/${device}/timeline`);
  const note = notes.Items.find(({ NoteId }) => NoteId !== undefined)?.NoteId;
  const invited = { Email: 'anna@example.com', Name: '', Role: 'Viewer', Groups: [] };
  const { PersonId } = await service.call<{ PersonId: string }>('POST', '/v1/people', invited);
  const rolloutAction = (action: string, button: string, sent = `POST /v1/rollout/${rollout}/${action}`) => ({
    at: `/rollouts/${rollout}?dialog=${action}`,
    button,
    sent,
  });
  return [
    {
      at: `/devices/${device}?dialog=update-agent`,
      button: 'Update agent',
      sent: `POST /v1/device/${device}/update-agent`,
    },
    {
      at: `/devices/${device}`,
      opener: 'Delete note',
      button: 'Delete note',
      sent: `DELETE /v1/device/${device}/notes/${note}`,
    },
    {
      at: '/devices?group=lab&cols=name,group',
      opener: 'Save this view',
      button: 'Save view',
      sent: 'PUT /v1/views/labs',
      typed: { Name: 'labs' },
    },
    {
      at: '/settings/people?dialog=invite',
      button: 'Invite',
      sent: 'POST /v1/people',
      typed: { 'E-mail': 'ben@example.com' },
    },
    {
      at: `/settings/people/${PersonId}?dialog=edit`,
      button: 'Save',
      sent: `PATCH /v1/people/${PersonId}`,
      typed: { Name: 'Anna' },
    },
    {
      at: `/settings/people/${PersonId}?dialog=link`,
      button: 'Create link',
      sent: `POST /v1/people/${PersonId}/invite`,
    },
    {
      at: `/settings/people/${PersonId}?dialog=disable`,
      button: 'Disable',
      sent: `PATCH /v1/people/${PersonId}`,
    },
    {
      at: `/settings/people/${PersonId}?dialog=remove`,
      button: 'Remove person',
      sent: `DELETE /v1/people/${PersonId}`,
    },
    { at: '/settings/sessions?dialog=end-sessions', button: 'Sign out', sent: 'DELETE /v1/account/sessions' },
    {
      at: `/activity/alerts?dialog=delete-rule&alert=${RuleId}`,
      button: 'Delete rule',
      sent: `DELETE /v1/alerts/rules/${RuleId}`,
    },
    {
      at: `/activity/alerts?dialog=rule&alert=${RuleId}`,
      button: 'Save',
      sent: `PATCH /v1/alerts/rules/${RuleId}`,
      typed: { Name: 'labs' },
    },
    {
      at: `/activity/alerts?dialog=silence&alert=${RuleId}`,
      button: 'Silence rule',
      sent: `POST /v1/alerts/rules/${RuleId}/silence`,
    },
    {
      at: '/settings/channels?dialog=channel',
      button: 'Create channel',
      sent: 'POST /v1/alerts/channels',
      typed: { Name: 'second', Address: 'https://hooks.example.com/second' },
    },
    {
      at: `/settings/channels?dialog=delete-channel&channel=${ChannelId}`,
      button: 'Delete channel',
      sent: `DELETE /v1/alerts/channels/${ChannelId}`,
    },
    {
      at: '/rollouts/orders?dialog=edit&order=labs',
      button: 'Save',
      sent: 'PUT /v1/orders/labs',
      typed: { Group: 'lab' },
    },
    {
      at: '/rollouts/orders?dialog=delete&order=labs',
      button: 'Delete standing order',
      sent: 'DELETE /v1/orders/labs',
    },
    rolloutAction('pause', 'Pause'),
    rolloutAction('abort', 'Abort'),
    { at: `/rollouts/${over}?dialog=remove`, button: 'Delete', sent: `DELETE /v1/rollout/${over}` },
    rolloutAction(`skip&device=${device}`, 'Leave out', `POST /v1/rollout/${rollout}/skip`),

    { at: `/devices/${device}?dialog=delete`, button: 'Delete device', sent: `DELETE /v1/devices/${device}` },
    { at: `/devices/${device}?dialog=new-key`, button: 'Create new key', sent: `POST /v1/devices/${device}/key` },
    {
      at: `/devices/${device}?dialog=edit`,
      button: 'Save',
      sent: `PATCH /v1/devices/${device}`,
      typed: { Name: 'pump-8' },
    },
    {
      at: `/devices/${device}?dialog=locate`,
      button: 'Set location',
      sent: `POST /v1/devices/location/${device}`,
      typed: { Latitude: '47', Longitude: '8' },
    },
    { at: '/devices?dialog=add', button: 'Add device', sent: 'POST /v1/devices', typed: { Name: 'pump-9' } },
    { at: `/jobs/${JobId}?dialog=delete`, button: 'Delete job', sent: `DELETE /v1/job/${JobId}` },
    { at: `/jobs/${JobId}?dialog=stop`, button: 'Stop job', sent: `POST /v1/job/${JobId}/stop` },
    {
      at: `/artifacts?dialog=delete&artifact=${ArtifactId}`,
      button: 'Delete artifact',
      sent: `DELETE /v1/artifact/${ArtifactId}`,
    },
    {
      at: `/workflows?dialog=delete&workflow=${WorkflowId}`,
      button: 'Delete workflow',
      sent: `DELETE /v1/workflow/${WorkflowId}`,
    },
    {
      at: '/workflows?dialog=create',
      button: 'Create workflow',
      sent: 'POST /v1/workflow',
      typed: { Name: 'second', Command: 'true' },
    },
    {
      at: '/settings/tokens?dialog=make',
      button: 'Create token',
      sent: 'POST /v1/account/tokens',
      typed: { Name: 'second', 'Confirm it’s you': service.token },
    },
    {
      at: `/settings/tokens?dialog=revoke&token=${TokenId}`,
      button: 'Revoke token',
      sent: `DELETE /v1/account/tokens/${TokenId}`,
    },
    {
      at: '/tunnels?dialog=delete&tunnel=quiet-heron',
      button: 'Delete tunnel',
      sent: 'DELETE /v1/tunnels/quiet-heron',
    },
    {
      at: '/tunnels?dialog=delete-all',
      button: 'Delete all tunnels',
      sent: 'DELETE /v1/tunnels',
      typed: { 'Type 1 to confirm': '1' },
    },
  ];
}

test('two clicks in one task send one write, whatever dialog it is @sweep', async ({ signedIn: page, service }) => {
  const writes = await dialogsOf(service);
  const held = await holdWrites(page);
  for (const { at, opener, button, sent, typed = {} } of writes)
    await test.step(`${button} (${sent})`, async () => {
      held.sent.length = 0;
      await page.goto(service.url + at);
      if (opener !== undefined) await page.getByRole('button', { name: opener }).click();
      const dialog = page.getByRole('dialog');
      await fillIn(page, typed);
      const confirm = dialog.getByRole('button', { name: button, exact: true });
      await expect(confirm).toBeEnabled();
      await confirm.evaluate((node: HTMLElement) => {
        node.click();
        node.click();
      });
      await expect.poll(() => held.sent).toEqual([sent]);
      // Drawn as under way by now: what the second click sends would have been sent.
      await expect(confirm).toBeDisabled();
      await page.evaluate(() => fetch('/v1/account'));
      expect(held.sent).toEqual([sent]);
      const answered = page.waitForResponse((response) => response.request().method() !== 'GET');
      held.answer();
      await answered;
    });
});

test('two clicks on Cancel close the dialog and stay on the page @sweep', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/artifacts`);
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Cancel' })
    .evaluate((node: HTMLElement) => {
      node.click();
      node.click();
    });
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).toHaveURL(/\/workflows$/);
});

test.describe('an answer that is lost', () => {
  test.use({ expectedConsole: [/net::ERR_/] });

  test('and a second click make no second device, workflow or token @sweep', async ({ signedIn: page, service }) => {
    // Each is carried out the first time, and nobody hears of it.
    const lost = new Set<string>();
    await page.route(/\/v1\/(devices|workflow|account\/tokens)$/, async (route) => {
      const url = route.request().url();
      if (route.request().method() !== 'POST' || lost.has(url)) return route.fallback();
      lost.add(url);
      await route.fetch();
      return route.abort('connectionreset');
    });
    const twice = async (at: string, button: string, typed: Record<string, string>) => {
      await page.goto(service.url + at);
      const dialog = page.getByRole('dialog');
      await fillIn(page, typed);
      await dialog.getByRole('button', { name: button, exact: true }).click();
      await expect(dialog.getByRole('alert')).toBeVisible();
      await dialog.getByRole('button', { name: button, exact: true }).click();
    };
    await twice('/devices?dialog=add', 'Add device', { Name: 'pump-9' });
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Reveal' })).toBeVisible();
    await twice('/workflows?dialog=create', 'Create workflow', { Name: 'greet', Command: 'true' });
    await expect(page.getByRole('dialog')).toBeHidden();
    await twice('/settings/tokens?dialog=make', 'Create token', { Name: 'build', 'Confirm it’s you': service.token });
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Reveal' })).toBeVisible();

    const { Devices } = await service.call<{ Devices: unknown[] }>('GET', '/v1/devices/1/25');
    const workflows = await service.call<unknown[]>('GET', '/v1/workflow');
    const tokens = await service.call<{ Name: string }[]>('GET', '/v1/account/tokens');
    expect([Devices.length, workflows.length, tokens.filter(({ Name }) => Name === 'build').length]).toEqual([1, 1, 1]);
  });
});
