import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device as deviceSchema } from '#/contract/devices.ts';
import { changedFields, editableValues } from './changed-fields.ts';

const device = deviceSchema.parse({
  DeviceId: 'd1',
  DeviceName: 'pump-1',
  DeviceGroup: 'north',
  DeviceStatus: 'Online',
  CustomerName: 'Acme',
});

test('nothing typed is nothing changed', () => {
  assert.deepEqual(changedFields(device, editableValues(device)), {});
});

test('only the fields that differ are sent', () => {
  assert.deepEqual(changedFields(device, { ...editableValues(device), DeviceGroup: 'south' }), {
    DeviceGroup: 'south',
  });
});

test('an emptied field is sent empty', () => {
  assert.deepEqual(changedFields(device, { ...editableValues(device), CustomerName: '', DeviceGroup: '' }), {
    CustomerName: '',
    DeviceGroup: '',
  });
});

test('a field that the service does not report is sent only when something was typed', () => {
  assert.equal(editableValues(device).CustomerSite, '');
  assert.deepEqual(changedFields(device, { ...editableValues(device), CustomerSite: ' Dock 4 ' }), {
    CustomerSite: 'Dock 4',
  });
});

test('blanks at the ends are no change', () => {
  assert.deepEqual(changedFields(device, { ...editableValues(device), DeviceName: ' pump-1 ' }), {});
});
