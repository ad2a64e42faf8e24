// Undo of what was changed on devices: offered for ten seconds, by mouse and by keyboard, for many devices and for one.
import {
  choose,
  createMany,
  devicesOf,
  dialog,
  openDevices,
  selectShown,
  setGroup,
  withoutBulkWork,
} from './bulk-actions.ts';
import { expect, expectAccessible, test } from './fixtures.ts';

const DONE = 'Close';

test('a group set on many devices is undone from the notice @main', async ({ signedIn: page, service }) => {
  await createMany(service, 3, (index) => `hall ${index}`);
  await openDevices(page, service);
  await selectShown(page).check();
  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 3 devices' }).click();
  await expect(dialog(page).getByText('3 done.')).toBeVisible();
  await dialog(page).getByRole('button', { name: DONE, exact: true }).last().click();
  const notice = page.getByRole('alert').filter({ hasText: '3 devices changed.' });
  await expect(notice).toBeVisible();
  await expectAccessible(page);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Undone: 3 devices.' })).toBeVisible();
  await expect(notice).toBeHidden();
  expect((await devicesOf(service)).map(({ DeviceGroup }) => DeviceGroup).sort()).toEqual([
    'hall 0',
    'hall 1',
    'hall 2',
  ]);
});

test('a location set on many devices is undone; what was changed since stays, and the notice leads to the reasons', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 2);
  await openDevices(page, service);
  await selectShown(page).check();
  await choose(page, 'Set location');
  await dialog(page).getByLabel('Latitude').fill('54.18, 7.89');
  await dialog(page).getByLabel('Longitude').focus();
  await dialog(page).getByRole('button', { name: 'Place 2 devices' }).click();
  await expect(dialog(page).getByText('2 done.')).toBeVisible();
  await dialog(page).getByRole('button', { name: DONE, exact: true }).last().click();
  const placed = page.getByRole('alert').filter({ hasText: '2 devices changed.' });
  await placed.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Undone: 2 devices.' })).toBeVisible();
  const places = await service.call<{ Lat: number }[]>('GET', '/v1/devices/location');
  expect(places.filter(({ Lat }) => Lat !== 0)).toEqual([]);

  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 2 devices' }).click();
  await expect(dialog(page).getByText('2 done.')).toBeVisible();
  const [{ DeviceId } = { DeviceId: '' }] = await devicesOf(service);
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceGroup: 'south' });
  // The results offer it too.
  await dialog(page).getByRole('button', { name: 'Undo' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Undone for 1 of 2 devices.' });
  await notice.getByRole('link', { name: 'See why' }).click();
  await expect(page.getByText('Changed since, and left as it is: group')).toBeVisible();
  expect((await devicesOf(service)).map(({ DeviceGroup }) => DeviceGroup).sort()).toEqual(['', 'south']);
});

test('a field edited in place is undone by the keyboard, and a tag put back and taken off again, unless it was changed since', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId: lift } = await service.createDevice('lift 1', 'house A');
  await page.goto(`${service.url}/devices/${lift}`);
  await page.getByRole('button', { name: 'Edit group' }).press('Enter');
  await page.getByRole('textbox', { name: 'Group' }).fill('house B');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Changed the group of lift 1.' })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('alert').filter({ hasText: 'Undone: lift 1 is as before.' })).toBeVisible();
  await expect(page.getByText('house A')).toBeVisible();

  const { DeviceId } = await service.createDevice('buoy');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  const tags = page.getByRole('region', { name: 'Tags' });
  await tags.getByLabel('Tag to add').fill('solar');
  await tags.getByRole('button', { name: 'Create and add' }).click();
  const notice = (text: string) => page.getByRole('alert').filter({ hasText: text });
  await notice('Tagged buoy with “solar”.').getByRole('button', { name: 'Undo' }).click();
  await expect(tags.getByText('No tags.')).toBeVisible();

  await tags.getByLabel('Tag to add').fill('solar');
  await tags.getByRole('button', { name: 'Add', exact: true }).click();
  await tags.getByRole('button', { name: 'Remove solar' }).click();
  await notice('Removed the tag “solar” from buoy.').getByRole('button', { name: 'Undo' }).click();
  await expect(tags.getByRole('listitem')).toHaveText(['solar']);

  await page.getByRole('button', { name: 'Edit group' }).click();
  await page.getByRole('textbox', { name: 'Group' }).fill('mine');
  await page.keyboard.press('Enter');
  await expect(notice('Changed the group of buoy.')).toBeVisible();
  await service.call('PATCH', `/v1/devices/${DeviceId}`, { DeviceGroup: 'theirs' });
  await notice('Changed the group of buoy.').getByRole('button', { name: 'Undo' }).click();
  await expect(notice('buoy was changed since, and stays as it is.')).toBeVisible();
  await expect(page.getByText('theirs')).toBeVisible();
});

test('what the dialogs of one device changed is undone from the notice', async ({ signedIn: page, service }) => {
  const { DeviceId } = await service.createDevice('pump', 'cellar');
  const placeOf = async () => {
    const all = await service.call<{ DeviceId: string; Lat: number; Lng: number }[]>('GET', '/v1/devices/location');
    const { Lat = 0, Lng = 0 } = all.find((each) => each.DeviceId === DeviceId) ?? {};
    return [Lat, Lng];
  };
  await openDevices(page, service);
  const notice = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for pump' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('Edit');
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('pump 2');
  await dialog(page).getByRole('combobox', { name: 'Group' }).fill('roof');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page)).toBeHidden();
  await expectAccessible(page);
  await notice('Changed the name, group of pump.').getByRole('button', { name: 'Undo' }).click();
  await expect(notice('Undone: pump is as before.')).toBeVisible();
  expect(await devicesOf(service)).toMatchObject([{ DeviceName: 'pump', DeviceGroup: 'cellar' }]);

  // First a place where there was none, then another.
  const place = async (degrees: string) => {
    await open('Set location');
    await dialog(page).getByLabel('Latitude').fill(degrees);
    await dialog(page).getByLabel('Longitude').focus();
    await dialog(page).getByRole('button', { name: 'Set location' }).click();
    await expect(dialog(page)).toBeHidden();
  };
  await place('54.18, 7.89');
  await notice('Placed pump.').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(placeOf).toEqual([0, 0]);
  await service.call('POST', `/v1/devices/location/${DeviceId}`, { Lat: 1, Lng: 2 });
  await place('54.18, 7.89');
  await notice('Moved pump.').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(placeOf).toEqual([1, 2]);
});

test('a service without bulk work has no undo', async ({ signedIn: page, service }) => {
  await withoutBulkWork(page);
  await createMany(service, 2);
  await openDevices(page, service);
  await selectShown(page).check();
  await choose(page, 'Set site');
  await dialog(page).getByRole('combobox', { name: 'Site' }).fill('harbour');
  await dialog(page).getByRole('button', { name: 'Set the site of 2 devices' }).click();
  await expect(dialog(page).getByText('2 done.')).toBeVisible();
  await dialog(page).getByRole('button', { name: DONE, exact: true }).last().click();
  await expect(page.getByRole('cell', { name: 'harbour' })).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
});
