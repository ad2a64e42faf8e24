// What is left of a page whose session has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor } from '@testing-library/dom';
import { onSession, sessionEnded } from '#/api/session.ts';
import { dialogOf, expectAddress, expectGone, testPage } from '#/test-page.ts';

const OWN = 'deployer@example.org';

test('whoever was removed sees by whom, and every tab forgets the fleet, a key that was not taken included', async (t) => {
  const { open, service, signInAs, fill, user } = await testPage(t);
  await service.call('POST', '/v1/devices', { DeviceName: 'secret pump', DeviceGroup: 'lab' });
  await signInAs('Deployer');
  const people = await service.call<{ PersonId: string; Email: string }[]>('GET', '/v1/people');
  const { PersonId = '' } = people.find(({ Email }) => Email === OWN) ?? {};
  const { InviteUrl } = await service.call<{ InviteUrl: string }>('POST', '/v1/people', {
    Email: 'ada@example.org',
    Name: 'Ada',
    Role: 'Admin',
    Groups: [],
  });
  const headers = { origin: service.url, 'content-type': 'application/json' };
  const body = JSON.stringify({ Code: InviteUrl.split('code=')[1], Password: 'a pear tree in the rain' });
  const accepted = await fetch(`${service.url}/auth/accept`, { method: 'POST', headers, body });
  const cookie = accepted.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

  await open('/devices');
  await screen.findAllByText('secret pump');
  await open('/devices?dialog=add');
  await fill(await screen.findByRole('textbox', { name: 'Name' }), 'new pump');
  await user.click(screen.getByRole('button', { name: 'Add device' }));
  // Its key was not taken yet: leaving asks first otherwise.
  await dialogOf('Connect new pump');
  localStorage.setItem(`muster-recent:${OWN}`, '["secret pump"]');
  const otherTab = new BroadcastChannel('muster-session');
  t.after(() => otherTab.close());
  const told = new Promise((resolve) => otherTab.addEventListener('message', ({ data }) => resolve(data)));

  const gone = await fetch(`${service.url}/v1/people/${PersonId}`, {
    method: 'DELETE',
    headers: { ...headers, cookie },
  });
  assert.equal(gone.status, 200);
  await waitFor(() => assert.match(screen.getByRole('alert').textContent, /^You were removed by Ada/));
  await expectAddress('/sign-in');
  await expectGone(() => screen.queryByRole('dialog'));
  assert.ok(!document.body.textContent.includes('secret pump'));
  assert.equal(await told, 'shut out');
  assert.equal(localStorage.getItem(`muster-recent:${OWN}`), null);
});

test('a tab that hears that its person was removed forgets the fleet too; an ended session keeps the page', async (t) => {
  const { open, service, signInAs, user } = await testPage(t);
  await service.call('POST', '/v1/devices', { DeviceName: 'secret pump', DeviceGroup: 'lab' });
  await signInAs('Viewer');
  await open('/devices');
  await screen.findAllByText('secret pump');
  service.cookies.clear();
  await user.click(screen.getAllByText('secret pump')[0] ?? document.body);
  const again = await dialogOf('You’ve been signed out');
  assert.match(again.textContent, /Anything you typed is kept\./);

  const otherTab = new BroadcastChannel('muster-session');
  t.after(() => otherTab.close());
  otherTab.postMessage('shut out');
  await expectAddress('/sign-in');
  assert.ok(!document.body.textContent.includes('secret pump'));
});

test('a sign-in of another tab counts, though this one still asks why its session has ended', async (t) => {
  const { open, service, route } = await testPage(t);
  await open('/devices');
  const heard: string[] = [];
  t.after(onSession((event) => void heard.push(event)));
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const late = Response.json({ SignedIn: false });
  let asked = 0;
  route(/^\/auth\/session$/, (ask) => (asked++ === 0 ? held.then(() => late) : ask()));
  sessionEnded();
  await waitFor(() => assert.equal(asked, 1));

  const otherTab = new BroadcastChannel('muster-session');
  t.after(() => otherTab.close());
  otherTab.postMessage('in');
  await waitFor(() => assert.deepEqual(heard, ['in']));
  release();
  await waitFor(() => assert.ok(late.bodyUsed));
  await service.call('GET', '/v1/account');
  assert.deepEqual(heard, ['in']);
});
