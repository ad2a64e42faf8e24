// The audit log: what its filters find, and how entries open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { dialogOf, expectAccessible, expectGone, testPage } from '#/test-page.ts';

const entries = (...texts: string[]) =>
  screen.queryAllByRole('row').filter(({ textContent }) => texts.every((text) => textContent.includes(text)));
const expectEntries = (count: number, ...texts: string[]) =>
  waitFor(() => assert.equal(entries(...texts).length, count));

test('the audit log is filtered by the name of the object', async (t) => {
  const { open, fill, service } = await testPage(t);
  await service.createDevice('pump 7');
  await service.createDevice('pump 8');
  await open('/activity');
  await fill(await screen.findByLabelText('Name or ID of the object'), 'PUMP 7');
  await expectEntries(0, 'pump 8');
  await expectEntries(1, 'pump 7');
});

test('an entry shows all of its fields, and its link opens it again', async (t) => {
  const { open, user, service } = await testPage(t);
  await service.createDevice('pump 7');
  await open('/activity');
  await user.click(await screen.findByRole('link', { name: 'Details: Created device pump 7' }));
  const dialog = await dialogOf('Created device');
  assert.match(dialog.textContent, /device\.create/);
  assert.match(dialog.textContent, /[0-9a-f]{64}/);
  await expectAccessible();
  await open(location.pathname + location.search);
  await dialogOf('Created device');
});

test('a bulk action is one line, which opens to its single entries', async (t) => {
  const { open, user, service } = await testPage(t);
  const ids: string[] = [];
  for (const name of ['pump 7', 'pump 8']) ids.push((await service.createDevice(name)).DeviceId);
  const { BulkId } = await service.call<{ BulkId: string }>('POST', '/v1/bulk', {
    Action: 'edit',
    Devices: ids,
    Values: { DeviceGroup: 'hall' },
  });
  await waitFor(async () =>
    assert.equal((await service.call<{ State: string }>('GET', `/v1/bulk/${BulkId}`)).State, 'Done'),
  );
  await open('/activity');
  const line = await screen.findByRole('row', { name: /Changed many devices/ });
  const link = within(line).getByRole('link', { name: '2 devices' });
  assert.equal(link.getAttribute('href'), `/bulk/${BulkId}`);
  await expectEntries(0, 'Changed device');
  const opener = within(line).getByRole('button', { name: '2 entries of 2 devices' });
  await user.click(opener);
  await waitFor(() => assert.equal(opener.getAttribute('aria-expanded'), 'true'));
  await expectEntries(2, 'Changed device');
  const [single] = entries('Changed device', 'pump 7');
  within(single ?? assert.fail()).getByRole('link', { name: 'pump 7' });
  await expectAccessible();
  opener.focus();
  await user.keyboard('{Enter}');
  await expectEntries(0, 'Changed device');
  // Whoever looks for one device gets its own entries.
  await open('/activity?object=pump+8');
  await expectEntries(1, 'Changed device', 'pump 8');
});

test('older entries are shown page by page', async (t) => {
  const { open, user, service } = await testPage(t);
  await Promise.all(Array.from({ length: 120 }, (_, nth) => service.createDevice(`pump ${nth}`)));
  await open('/activity?kind=device');
  await screen.findByText(/Newest 100/);
  await user.click(screen.getByRole('button', { name: 'Show older entries' }));
  await screen.findByText(/120 entries/);
  await expectGone(() => screen.queryByRole('button', { name: 'Show older entries' }));
});
