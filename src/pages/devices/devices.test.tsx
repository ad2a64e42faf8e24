// The device table: its filters, its pages, and services that give less than ours or lose an answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { isSafeToResend } from '#/api/idempotency.ts';
import { dialogOf, expectAddress, expectGone, expectText, testPage, type TestPage } from '#/test-page.ts';

type Service = TestPage['service'];

const names = () =>
  within(screen.getByRole('table', { name: 'Devices' }))
    .queryAllByRole('link')
    .map(({ textContent }) => textContent);
const expectNames = async (...wanted: string[]) => {
  await screen.findByRole('table', { name: 'Devices' });
  await waitFor(() => assert.deepEqual(names(), wanted));
};
const expectShown = async (text: string) => {
  await screen.findByRole('status', { name: 'Devices shown' });
  await expectText(() => screen.getByRole('status', { name: 'Devices shown' }), text);
};
const search = () => screen.findByRole('textbox', { name: /^Search devices by name or ID/ });
const allNames = async (service: Service) =>
  (await service.call<{ Devices: { DeviceName: string }[] | null }>('GET', '/v1/devices/1/1000')).Devices?.map(
    ({ DeviceName }) => DeviceName,
  ) ?? [];

test('no match and no devices have different pages, each with the next step', async (t) => {
  const { open, user, service } = await testPage(t);
  await open('/devices');
  await screen.findByText('No devices yet');
  screen.getByRole('link', { name: 'Add this machine' });
  await user.click(screen.getByRole('link', { name: 'Add a device' }));
  await dialogOf('Add a device');
  history.back();
  await expectGone(() => screen.queryByRole('dialog'));

  await service.createDevice('only one', 'north');
  await open('/devices?group=south');
  await screen.findByText(/^No device matches these filters\./);
  assert.ok(!screen.queryByText('No devices yet'));
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await expectNames('only one');
  await expectAddress('/devices');

  await open('/devices?page=9');
  await screen.findByText(/^Page 9 is empty\./);
  await user.click(screen.getByRole('button', { name: 'Back to the first page' }));
  await expectNames('only one');
});

test('where a licence is full, a refusal is reported once, and what was typed stays in the form', async (t) => {
  const { open, user, fill, service } = await testPage(t, { MAX_DEVICES: '1' });
  const { DeviceId } = await service.createDevice('the one');
  await open('/devices?dialog=add');
  const add = await dialogOf('Add a device');
  const name = within(add).getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  const group = within(add).getByLabelText<HTMLInputElement>(/^Group/, { selector: 'input' });
  await fill(name, 'one too many');
  await fill(group, 'attic');
  const send = within(add).getByRole('button', { name: 'Add device' });
  await user.click(send);
  await expectText(() => within(add).getByRole('alert'), /Device limit reached/);
  assert.equal(screen.getAllByRole('alert').length, 1);
  assert.deepEqual([name.value, group.value], ['one too many', 'attic']);
  assert.deepEqual(await allNames(service), ['the one']);

  // Room is made elsewhere: the same form goes through.
  await service.call('DELETE', `/v1/devices/${DeviceId}`);
  await user.click(send);
  await dialogOf('Connect one too many');
  assert.deepEqual(await allNames(service), ['one too many']);
});

test('the name of another device gets a hint, and is still accepted', async (t) => {
  const { open, user, fill, service } = await testPage(t);
  await service.createDevice('pump 7');
  await open('/devices?dialog=add');
  const add = await dialogOf('Add a device');
  const name = within(add).getByRole('textbox', { name: 'Name' });
  await fill(name, 'pump 8');
  assert.ok(!within(add).queryByText(/^Another device has this name\./));
  await fill(name, 'pump 7');
  await within(add).findByText(/^Another device has this name\./);
  await user.click(within(add).getByRole('button', { name: 'Add device' }));
  await dialogOf('Connect pump 7');
});

/** Stands between the dashboard and the service's listing, and gives less than it does. */
function rewrite({ route, service }: TestPage, change: (answer: Record<string, unknown>) => unknown): void {
  route(/^\/v1\/devices\/\d+\/\d+$/, async (_ask, { url }) => {
    const [, number = '', rows = ''] = /(\d+)\/(\d+)$/.exec(url.pathname) ?? [];
    const capped = Math.min(100, Number(rows));
    return Response.json(change(await service.call('GET', `/v1/devices/${number}/${capped}`)));
  });
}

const makeFleet = (service: Service, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) => service.createDevice(`unit-${at + 1}`, at % 3 ? 'north' : 'south')),
  );

test('a service that caps its pages at 100 rows is read to the end', async (t) => {
  const page = await testPage(t);
  await makeFleet(page.service, 250);
  rewrite(page, (answer) => answer);
  await page.open('/devices?sort=-name');
  await expectShown('250 devices');
  assert.equal(names()[0], 'unit-250');
});

test('without a total the table is paged, and read as a whole when asked', async (t) => {
  const page = await testPage(t);
  await makeFleet(page.service, 130);
  rewrite(page, ({ Devices }) => ({ Devices }));
  await page.open('/devices');
  await expectShown('1–25 of many');
  // Its own filter looks into names; it says so, and what more there is to have.
  await page.fill(await search(), 'unit-12');
  await expectShown('1–11 of 11');
  await page.fill(await search(), 'unit-1');
  await screen.findByText(/^Only names were searched\./);
  await page.user.click(screen.getByRole('button', { name: 'Clear' }));
  await page.user.click(await screen.findByRole('button', { name: 'Load all to sort and count' }));
  await expectShown('130 devices');
});

test('a service whose empty list is null has no devices, and is not asked for more', async (t) => {
  const page = await testPage(t);
  rewrite(page, () => null);
  await page.open('/devices');
  await screen.findByText('No devices yet');
  await page.open('/devices?sort=name');
  await screen.findByText('No devices yet');
});

/** The service carries out the next write to this path; its answer is cut, or a proxy's page comes instead. */
function loseAnswer({ route }: TestPage, path: RegExp, how: 'cut' | 'proxy'): void {
  let isLost = false;
  route(path, async (ask, { method }) => {
    const answer = await ask();
    if (isLost || method !== 'POST') return answer;
    isLost = true;
    if (how === 'cut') throw new TypeError('the connection was cut');
    return new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } });
  });
}

for (const how of ['cut', 'proxy'] as const)
  test(`a device whose answer is lost (${how}) may have been accepted: the list shows it, and a second press makes no other`, async (t) => {
    const page = await testPage(t);
    loseAnswer(page, /^\/v1\/devices$/, how);
    await page.open('/devices?dialog=add');
    const dialog = await dialogOf('Add a device');
    await waitFor(() => assert.ok(isSafeToResend()));
    const name = within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'Name' });
    await page.fill(name, 'pump 9');
    await page.user.click(within(dialog).getByRole('button', { name: 'Add device' }));
    await expectText(
      () => within(dialog).getByRole('alert'),
      /The device may have been accepted\. You can send it again: the service creates it only once\./,
    );
    assert.equal(name.value, 'pump 9');
    // The list that it names is behind the dialog, and has it.
    await waitFor(() => assert.equal(screen.getAllByRole('row', { name: /pump 9/, hidden: true }).length, 1));
    await page.user.click(within(dialog).getByRole('button', { name: 'Add device' }));
    await dialogOf('Connect pump 9');
    assert.deepEqual(await allNames(page.service), ['pump 9']);
  });

test('without keys a device whose answer is lost is not sent a second time, and a link leads to the list', async (t) => {
  const page = await testPage(t);
  page.route(/^\/v1\/account$/, async (ask) => {
    const account = (await (await ask()).json()) as { Capabilities: string[] };
    return Response.json({ ...account, Capabilities: account.Capabilities.filter((name) => name !== 'idempotency') });
  });
  loseAnswer(page, /^\/v1\/devices$/, 'cut');
  await page.open('/devices?dialog=add');
  const dialog = await dialogOf('Add a device');
  const name = within(dialog).getByRole('textbox', { name: 'Name' });
  await page.fill(name, 'pump 9');
  await page.user.keyboard('{Enter}');
  await expectText(
    () => within(dialog).getByRole('alert'),
    /The device may have been accepted: look for it in the list before you send it again\./,
  );
  assert.ok(!within(dialog).queryByRole('button', { name: 'Add device' }));
  await page.user.type(name, '{Enter}');
  await page.user.click(within(dialog).getByRole('link', { name: 'See the devices' }));
  await expectGone(() => screen.queryByRole('dialog'));
  await screen.findByRole('row', { name: /pump 9/ });
  assert.deepEqual(await allNames(page.service), ['pump 9']);
});
