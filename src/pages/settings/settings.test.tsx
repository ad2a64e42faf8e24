// The pages of the settings: each at its own address, with the links that were to the one page that they have grown from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import type { UserEvent } from '@testing-library/user-event';
import { dialogOf, expectAccessible, expectAddress, expectGone, expectText, testPage } from '#/test-page.ts';

const PAGES = [
  ['people', 'People'],
  ['tokens', 'Tokens'],
  ['sessions', 'Sessions'],
  ['channels', 'Alert channels'],
  ['usage', 'Usage'],
  ['sign-in', 'Sign-in'],
  ['appearance', 'Appearance'],
] as const;

for (const [from, to] of [
  ['/account', '/settings/people'],
  ['/account?dialog=make', '/settings/tokens?dialog=make'],
  ['/account?dialog=end-sessions', '/settings/sessions?dialog=end-sessions'],
  ['/account?dialog=clear&kept=all', '/settings/appearance?dialog=clear&kept=all'],
  ['/activity/alerts?dialog=channel', '/settings/channels?dialog=channel'],
  ['/activity/alerts?dialog=delete-channel&alert=c1', '/settings/channels?dialog=delete-channel&channel=c1'],
] as const)
  test(`a link to the former ${from} leads to where that is now`, async (t) => {
    const { open } = await testPage(t);
    await open(from);
    await expectAddress(to);
    if (from === '/account?dialog=make') await screen.findByRole('dialog', { name: 'Create API token' });
  });

test('the palette finds each page of the settings', async (t) => {
  const { open, user } = await testPage(t);
  await open('/');
  await screen.findByRole('heading', { level: 1, name: 'Overview' });
  for (const [path, name] of PAGES) {
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), name);
    await user.click(await screen.findByRole('option', { name }));
    await expectAddress(`/settings/${path}`);
  }
});

/** The status that an API client with this token gets. */
const statusWith = async (url: string, token: string) =>
  (await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;

/** The cookie of another browser that signs in with this. */
async function otherBrowser(url: string, credential: object): Promise<() => Promise<boolean>> {
  const answer = await fetch(`${url}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(credential),
  });
  assert.equal(answer.status, 200);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return async () => (await fetch(`${url}/v1/account`, { headers: { cookie } })).status === 200;
}

const tokens = () => screen.findByRole('table', { name: 'API tokens' });

test('a token needs a name, and a proof beside the session', async (t) => {
  const { open, user, fill } = await testPage(t);
  await open('/settings/tokens?dialog=make');
  const make = await dialogOf('Create API token');
  const send = within(make).getByRole('button', { name: 'Create token' });
  // No more than most programs need, and not for ever.
  assert.equal((await within(make).findByLabelText<HTMLSelectElement>('Role')).value, 'Deployer');
  assert.equal(within(make).getByLabelText<HTMLSelectElement>('Expires').value, '90');
  await user.click(send);
  const name = within(make).getByRole('textbox', { name: 'Name' });
  await waitFor(() => assert.equal(name.getAttribute('aria-invalid'), 'true'));
  await fill(name, 'Build server');
  // Being signed in is not enough.
  await fill(await within(make).findByLabelText(/^Confirm it’s you/), 'no-token');
  await user.click(send);
  await expectText(() => make, /Not recognized\. Copy it whole/);
});

test('a revoked token ends at once, with the sessions that signed in with it', async (t) => {
  const { open, user, service } = await testPage(t);
  const { Token } = await service.call<{ Token: string }>('POST', '/v1/account/tokens', {
    Name: 'Build server',
    Proof: service.token,
  });
  const isIn = await otherBrowser(service.url, { Token });
  assert.equal(await isIn(), true);
  await open('/settings/tokens');
  await user.click(await screen.findByRole('button', { name: 'Revoke Build server' }));
  const question = await dialogOf('Revoke API token');
  assert.match(question.textContent, /Build server/);
  await user.click(within(question).getByRole('button', { name: 'Revoke token' }));
  await expectGone(() => screen.queryByRole('dialog'));
  await expectGone(() => screen.queryByRole('row', { name: /Build server/ }));
  assert.equal(await statusWith(service.url, Token), 401);
  assert.equal(await isIn(), false);
  await tokens();
});

test('other browsers are listed and signed out, one or all', async (t) => {
  const { open, user, service } = await testPage(t);
  const Code = new URL(service.running.signinLink).hash.slice('#code='.length);
  const others = [
    await otherBrowser(service.url, { Code }),
    await otherBrowser(service.url, { Token: service.token }),
    await otherBrowser(service.url, { Token: service.token }),
  ];
  const areIn = () => Promise.all(others.map((isIn) => isIn()));
  await open('/settings/sessions');
  const rows = () => within(screen.getByRole('table', { name: 'Sessions' })).getAllByRole('row');
  await screen.findByRole('table', { name: 'Sessions' });
  await waitFor(() => assert.equal(rows().length, 5));
  assert.equal(rows().filter(({ textContent }) => textContent.includes('This browser')).length, 1);
  const byLink = within(screen.getByRole('row', { name: /Sign-in link/ }));
  await user.click(byLink.getByRole('button', { name: /^Sign out/ }));
  await waitFor(() => assert.equal(rows().length, 4));
  assert.deepEqual(await areIn(), [false, true, true]);
  await user.click(screen.getByRole('button', { name: 'Sign out all others' }));
  const question = await dialogOf('Sign out all others');
  assert.match(question.textContent, /2 other browsers/);
  await user.click(within(question).getByRole('button', { name: 'Sign out' }));
  await waitFor(() => assert.equal(rows().length, 2));
  assert.deepEqual(await areIn(), [false, false, false]);
  await expectGone(() => screen.queryByRole('button', { name: 'Sign out all others' }));
});

const meter = (within_: HTMLElement, name: string) => within(within_).findByRole('meter', { name });
const expectMeter = async (place: HTMLElement, name: string, text: string) => {
  await meter(place, name);
  await waitFor(async () => assert.equal((await meter(place, name)).getAttribute('aria-valuetext'), text));
};

test('usage follows what is added', async (t) => {
  const { open, user, service } = await testPage(t, { MAX_DEVICES: '2', ARTIFACT_QUOTA_MB: '3' });
  await open('/settings/usage');
  const main = await screen.findByRole('main');
  await expectMeter(main, 'Devices', '0 of 2');
  await expectMeter(main, 'Artifact storage', '0 bytes of 3 MB');
  assert.match(main.textContent, /operator@localhost/);
  await service.createDevice('pump 1');
  await open('/devices');
  const navigation = await screen.findByRole('navigation', { name: 'Main' });
  await expectMeter(navigation, 'Devices', '1 of 2');
  await service.uploadScript('note.sh', `#!/bin/sh\n# ${'x'.repeat(1024 * 1024)}\n`, '/opt');
  await user.click(within(navigation).getByRole('link', { name: 'Settings' }));
  await user.click(
    within(await screen.findByRole('navigation', { name: 'Settings' })).getByRole('link', { name: 'Usage' }),
  );
  await expectMeter(screen.getByRole('main'), 'Devices', '1 of 2');
  await open('/settings/usage');
  await expectMeter(await screen.findByRole('main'), 'Artifact storage', '1 MB of 3 MB');
});

test('use is forecast from the history of the service', async (t) => {
  const { open, service, route } = await testPage(t);
  // Twenty earlier days, instead of waiting for them.
  route(/^\/v1\/history\/usage/, async (ask) => {
    const { Items } = (await (await ask()).json()) as { Items: object[] };
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    const earlier = Array.from({ length: 20 }, (_, at) => ({
      Day: day(at + 1),
      Devices: 20 - at,
      ArtifactBytes: (20 - at) * 1000,
      OutputBytes: 0,
    }));
    return Response.json({ Items: [...Items, ...earlier] });
  });
  await service.createDevice('pump-7');
  await open('/settings/usage');
  await screen.findByRole('img', { name: 'Devices: from 1 to 1 in 20 days' });
  assert.ok((await screen.findAllByText(/^down 19 since yesterday\. Enough for/)).length > 0);
  assert.ok(!screen.queryByText(/keeps no history/));
});

test('where the history of usage cannot be read, that is below the figures, and is tried again', async (t) => {
  const { open, user, route } = await testPage(t);
  let isBroken = true;
  route(/^\/v1\/history\/usage/, (ask) =>
    isBroken ? Promise.resolve(Response.json({ title: 'The disk is away' }, { status: 500 })) : ask(),
  );
  await open('/settings/usage');
  const failure = await screen.findByRole('alert');
  assert.match(failure.textContent, /Could not load the history of usage.*The disk is away/);
  await meter(screen.getByRole('main'), 'Devices');
  isBroken = false;
  await user.click(within(failure).getByRole('button', { name: 'Retry' }));
  await expectGone(() => screen.queryByRole('alert'));
});

const density = () => document.documentElement.dataset['density'];
const choose = async (user: UserEvent, group: string, name: string) =>
  user.click(within(await screen.findByRole('radiogroup', { name: group })).getByText(name));

test('the time zone and the height of rows are chosen, and survive a reload', async (t) => {
  const { open, user } = await testPage(t);
  await open('/settings/appearance');
  await choose(user, 'Times', 'UTC');
  await screen.findByText(/^Now: .*UTC$/);
  await choose(user, 'Table rows', 'Comfortable');
  await waitFor(() => assert.equal(density(), 'comfortable'));
  await open('/settings/appearance');
  assert.equal((await screen.findByRole<HTMLInputElement>('radio', { name: 'UTC' })).checked, true);
  assert.equal(density(), 'comfortable');
  await open('/settings/tokens');
  const time = await waitFor(() => document.querySelector('[role="table"] time, table time') ?? assert.fail());
  assert.match(time.getAttribute('title') ?? '', /UTC$/);
});

test('the data of this account in this browser are listed and cleared', async (t) => {
  const { open, user } = await testPage(t);
  localStorage.setItem('muster-usage:operator@localhost', '[]');
  localStorage.setItem('muster-views:operator@localhost', 'x'.repeat(1000));
  localStorage.setItem('muster-views:somebody@else', 'theirs');
  await open('/settings/appearance');
  await choose(user, 'Table rows', 'Comfortable');
  await waitFor(() => assert.equal(density(), 'comfortable'));
  const stored = await screen.findByRole('table', { name: 'Data in this browser' });
  assert.match((await within(stored).findByRole('row', { name: /Columns and former views/ })).textContent, /2 kB/);
  await expectAccessible();
  await user.click(within(stored).getByRole('button', { name: 'Clear Columns and former views of the device table' }));
  const question = await dialogOf('Clear data in this browser');
  assert.match(question.textContent, /The choice of columns is lost, and views that only this browser has\./);
  await expectAccessible();
  await user.click(within(question).getByRole('button', { name: 'Clear' }));
  await expectGone(() => screen.queryByRole('row', { name: /Columns and former views/ }));
  await user.click(screen.getByRole('button', { name: 'Clear all' }));
  await user.click(within(await dialogOf('Clear data in this browser')).getByRole('button', { name: 'Clear' }));
  await screen.findByText('Nothing is stored.');
  await waitFor(() => assert.equal(density(), 'compact'));
  // What earlier versions stored goes a moment after the first paint.
  await waitFor(() => assert.equal(localStorage.getItem('muster-usage:operator@localhost'), null));
  // Another account's data is not touched.
  assert.equal(localStorage.getItem('muster-views:somebody@else'), 'theirs');
});

test('Usage shows stored job output and what is removed next; a full disk is reported on every page', async (t) => {
  const { open, user, route } = await testPage(t);
  let more: object = {
    OutputBytesUsed: 970 * 1024 * 1024,
    OutputBytesLimit: 1024 * 1024 * 1024,
    OutputDays: 30,
    OutputRemoval: {
      Time: new Date(Date.now() + 3_600_000).toISOString(),
      Jobs: 3,
      Bytes: 2 * 1024 * 1024,
      Because: 'JOB_OUTPUT_DAYS',
    },
    DiskState: 'Low',
    DiskBytesFree: 90 * 1024 * 1024,
  };
  route(/^\/v1\/account$/, async (ask) => Response.json({ ...((await (await ask()).json()) as object), ...more }));
  await open('/settings/usage');
  const usage = await screen.findByRole('main');
  await expectMeter(usage, 'Job output', '970 MB of 1 GB');
  await expectText(() => usage, /The output of 3 jobs \(2 MB\) will be older than 30 days and is removed/);
  assert.match(within(usage).getByRole('note').textContent, /nearly full: 90 MB are free/);
  await expectAccessible();

  more = { DiskState: 'Full' };
  await open('/devices');
  await screen.findByText(/The service’s disk is full\./);
  const notice = screen.getAllByRole('status').find((each) => /disk is full/.test(each.textContent)) ?? assert.fail();
  assert.deepEqual(
    within(notice)
      .getAllByRole('link')
      .map(({ textContent }) => textContent),
    ['jobs', 'artifacts'],
  );
  await expectAccessible();
  await user.click(within(notice).getByRole('button', { name: 'Hide' }));
  await expectGone(() => screen.queryByText(/The service’s disk is full\./));
});
