// Alert rules and channels: what their dialogs say and make.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import type { RuleTrial } from '#/contract/alerts.ts';
import {
  dialogOf,
  expectAccessible,
  expectGone,
  expectRead,
  expectText,
  testPage,
  type TestPage,
} from '#/test-page.ts';

const table = (name: string) => screen.findByRole('table', { name });
const ruleRow = async (name: RegExp) => within(await table('Rules')).findByRole('row', { name });
const press = async (user: TestPage['user'], place: HTMLElement, name: string | RegExp) =>
  user.click(await within(place).findByRole('button', { name }));

/** A channel that nobody listens to, and a rule that uses it. */
async function watch(service: TestPage['service']): Promise<void> {
  const channel = { Name: 'Ops', Kind: 'webhook', Url: 'http://127.0.0.1:9/hook', Format: 'json' };
  const { ChannelId } = await service.call<{ ChannelId: string }>('POST', '/v1/alerts/channels', channel);
  const rule = { Name: 'Away', When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  await service.call('POST', '/v1/alerts/rules', rule);
}

const PRIVATE = { ALERT_PRIVATE_TARGETS: '1' };

test('a rule for 80 % of the storage can be saved without a channel, on purpose', async (t) => {
  const { open, user } = await testPage(t);
  await open('/activity/alerts?dialog=rule');
  const dialog = await dialogOf('Create rule');
  await press(user, dialog, 'Storage 80 %');
  await press(user, dialog, 'Create rule');
  const row = await ruleRow(/Storage 80 %/);
  assert.match(row.textContent, /When 80 % of a limit of the account is used, or the disk is nearly full → no channel/);
  await expectRead();
});

test('an alert rule is limited to devices with a fact', async (t) => {
  const { open, user, fill } = await testPage(t);
  await open('/activity/alerts?dialog=rule');
  const dialog = await dialogOf('Create rule');
  await fill(within(dialog).getByRole('textbox', { name: 'Name' }), 'Racks');
  const facts = within(dialog).getByRole('textbox', { name: /^Facts/ });
  await fill(facts, 'rack');
  await press(user, dialog, 'Create rule');
  await within(dialog).findByText(/must be names of facts with their values, like os=debian/);
  await fill(facts, 'rack=7\nos=debian');
  await expectAccessible();
  await press(user, dialog, 'Create rule');
  assert.match((await ruleRow(/Racks/)).textContent, /When a device with rack=7 and os=debian is Offline/);
  await expectRead();
});

test('a rule of a role that covers one group watches that group, also if the role is known later than the form', async (t) => {
  const { open, user, fill, signInAs, route, service } = await testPage(t);
  await service.createDevice('till', 'shops');
  await signInAs('Operator', 'shops');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  route(/^\/v1\/me$/, async (ask) => {
    await released;
    return ask();
  });
  await open('/activity/alerts?dialog=rule');
  const dialog = await dialogOf('Create rule');
  await fill(within(dialog).getByRole('textbox', { name: 'Name' }), 'Shops');
  release();
  const group = within(dialog).getByRole<HTMLInputElement>('combobox', { name: 'Group' });
  await waitFor(() => assert.equal(group.value, 'shops'));
  await press(user, dialog, 'Create rule');
  assert.match((await ruleRow(/Shops/)).textContent, /shops/);
  await expectRead();
});

test('a rule is silenced with a reason that others see, and its silence is ended', async (t) => {
  const { open, user, fill, service } = await testPage(t, PRIVATE);
  await watch(service);
  await open('/activity/alerts');
  await press(user, await ruleRow(/Away/), 'Silence Away');
  const dialog = await dialogOf('Silence “Away”');
  await user.click(within(dialog).getByText('8 hours'));
  await fill(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'moving the racks');
  await expectAccessible();
  await press(user, dialog, 'Silence rule');
  const row = () => screen.getByRole('row', { name: /Away/ });
  await expectGone(() => screen.queryByRole('dialog'));
  await expectText(row, /Silenced, ends in 8h: moving the racks/);
  await press(user, row(), 'End silence of Away');
  await waitFor(() => assert.doesNotMatch(row().textContent, /Silenced/));
});

test('a channel and a rule are deleted; the rule says that it has no channel', async (t) => {
  const { open, user, service } = await testPage(t, PRIVATE);
  await watch(service);
  await open('/activity/alerts');
  await user.click(await screen.findByRole('link', { name: /manage channels/ }));
  await user.click(await screen.findByRole('button', { name: 'Delete channel Ops' }));
  const dialog = await dialogOf('Delete channel');
  await expectText(() => dialog, /Rules left without a channel, which send nothing: Away\./);
  await press(user, dialog, 'Delete channel');
  await expectGone(() => screen.queryByRole('dialog'));
  await user.click(screen.getByRole('link', { name: /alert rules/ }));
  await ruleRow(/Away/);
  await expectText(() => screen.getByRole('row', { name: /Away/ }), /→ no channel/);
  await press(user, await ruleRow(/Away/), 'Delete Away');
  await press(user, await screen.findByRole('dialog'), 'Delete rule');
  await screen.findByText(/^No rules/);
});

test('without SMTP_URL e-mail cannot be chosen, and the dialog says what is missing or refused', async (t) => {
  const { open, user, fill } = await testPage(t);
  await open('/settings/channels');
  const [create] = await screen.findAllByRole('button', { name: 'Create channel' });
  await user.click(create ?? assert.fail());
  const dialog = await dialogOf('Create channel');
  await waitFor(() =>
    assert.equal(within(dialog).getByRole<HTMLInputElement>('radio', { name: /^E-mail/ }).disabled, true),
  );
  assert.match(dialog.textContent, /operator must set SMTP_URL and SMTP_FROM/);
  await fill(within(dialog).getByRole('textbox', { name: 'Name' }), 'Ops');
  await fill(within(dialog).getByRole('textbox', { name: /^Address/ }), 'http://127.0.0.1/');
  await press(user, dialog, 'Send a test');
  await expectText(() => dialog, /Not delivered: Address is refused: /);
  await expectAccessible();
});

test('a rule says what it would fire for now and how often it would have, and never of an earlier draft', async (t) => {
  const { open, user, fill, route } = await testPage(t);
  const asked: RuleTrial[] = [];
  let held = Promise.withResolvers<void>();
  held.resolve();
  route(/^\/v1\/alerts\/rules\/try$/, async (_ask, { body }) => {
    const trial = body as RuleTrial;
    asked.push(trial);
    const Devices = Array.from({ length: trial.ForMinutes }, (_, nth) => ({
      DeviceId: `${nth}`,
      DeviceName: `pump-${nth}`,
    }));
    await held.promise;
    return Response.json({ Count: Devices.length, Devices, Fired: 12, Hours: trial.ForMinutes === 7 ? 24 : 168 });
  });
  await open('/activity/alerts?dialog=rule');
  const dialog = await dialogOf('Create rule');
  const figures = () => within(dialog).getByRole('group', { name: 'With the fleet as it is' });
  const minutes = within(dialog).getByRole('spinbutton', { name: 'For (minutes)' });
  await expectText(
    () => dialog,
    /Right now: 5 devices – pump-0, pump-1, pump-2, pump-3, pump-4In the last 7 days: 12 times/,
  );
  await fill(minutes, '');
  assert.equal(figures().textContent, 'Right now: …In the last 7 days: …');
  await fill(minutes, '7');
  await expectText(figures, /^Right now: 7 devices – .*pump-4 and 2 othersIn the last 24 hours: 12 times$/);
  held = Promise.withResolvers();
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'When' }), 'TunnelPublic');
  assert.equal(within(dialog).queryByRole('group', { name: 'With the fleet as it is' }), null);
  held.resolve();
  await expectText(figures, /^Right now: 7 tunnels/);
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'When' }), 'JobFailed');
  await expectText(figures, /In the last 7 days: 12 jobs$/);
  assert.ok(
    asked.every(({ ForMinutes }) => ForMinutes !== null),
    'asked of a field without a number',
  );
  await expectRead();
});

test('a device that never connected is not in what a rule would fire for', async (t) => {
  const { open, service } = await testPage(t);
  await service.createDevice('never-there', 'shops');
  await open('/activity/alerts?dialog=rule');
  const dialog = await dialogOf('Create rule');
  await expectText(() => dialog, /Right now: nothingIn the last 7 days: never/);
  await expectRead();
});

test('a test is sent before a channel is saved, and what was typed since is not called tested', async (t) => {
  const { open, user, fill, service } = await testPage(t, PRIVATE);
  await open('/settings/channels?dialog=channel');
  const dialog = await dialogOf('Create channel');
  await press(user, dialog, 'Send a test');
  assert.doesNotMatch(dialog.textContent, /elivered/);
  await fill(within(dialog).getByRole('textbox', { name: 'Name' }), 'Ops');
  await fill(within(dialog).getByRole('textbox', { name: /^Address/ }), 'http://127.0.0.1:9/hook');
  await press(user, dialog, 'Send a test');
  await expectText(() => dialog, /Not delivered: /);
  await fill(within(dialog).getByRole('textbox', { name: /^Address/ }), 'http://127.0.0.1:9/other');
  assert.doesNotMatch(dialog.textContent, /Not delivered/);
  assert.deepEqual(await service.call('GET', '/v1/alerts/channels'), []);
});
