import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bulk } from '#/contract/bulk.ts';
import { bulkProgress, bulkTitle, bulkValues, sameFor } from './bulk-words.ts';

const bulk = (fields: Partial<Bulk>): Bulk => ({
  BulkId: 'b',
  Action: 'tag',
  Of: 'Devices',
  Values: {},
  State: 'Running',
  Counts: { Done: 3_000, Failed: 10, Skipped: 200, Left: 6_790 },
  CreatedTime: '',
  EndTime: '',
  ...fields,
});

test('describes action, number of items and progress', () => {
  assert.equal(bulkTitle(bulk({})), 'Tag 10,000 devices');
  assert.equal(bulkProgress(bulk({})), 'Tagging 3,210 of 10,000 devices');
  const one = bulk({ Action: 'stop', Of: 'Jobs', Counts: { Done: 0, Failed: 0, Skipped: 0, Left: 1 } });
  assert.equal(bulkTitle(one), 'Stop 1 job');
  assert.equal(bulkProgress(one), 'Stopping 0 of 1 job');
});

test('describes the values, tags by name', () => {
  const tags = [{ TagId: 't', TagName: 'outdoors' }];
  assert.equal(bulkValues(bulk({ Values: { TagId: 't' } }), tags), 'Tag outdoors');
  assert.equal(bulkValues(bulk({ Values: { TagId: 'gone' } }), tags), 'Tag gone');
  const Values = { DeviceGroup: 'north', CustomerSite: '', Lat: 1, Lng: 2 };
  assert.equal(bulkValues(bulk({ Values }), tags), 'Group north, No site, Location 1, 2');
});

test('the same action can be requested for some of its items', () => {
  const Values = { TagId: 't' };
  const items = [{ Id: 'a', Name: '', Outcome: 'Failed', Because: '' } as const];
  assert.deepEqual(sameFor(bulk({ Values }), items), { Action: 'tag', Devices: ['a'], Values });
  assert.deepEqual(sameFor(bulk({ Action: 'delete', Of: 'Jobs' }), items), { Action: 'delete', Jobs: ['a'] });
  const Device = { DeviceName: 'a', DeviceGroup: 'north' };
  const created = sameFor(bulk({ Action: 'create' }), [{ ...items[0]!, Device }]);
  assert.deepEqual(created, { Action: 'create', Devices: [Device] });
});
