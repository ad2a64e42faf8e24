// Groups depend on the failures, not on which device failed first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../../../scripts/test-property.ts';
import { Grouper, type DeviceFailure } from './grouper.ts';

const words = fc.constantFrom(
  'cannot',
  'write',
  'read',
  'error',
  'disk',
  'sensor',
  'timed out',
  'No space left on device',
);
const values = fc.constantFrom('5', '17', '3f', '/data/a', '/b/c', '10.0.0.1:22', '30s', 'killed/x', '(', ':');
const line = fc
  .array(fc.oneof({ weight: 3, arbitrary: words }, values), { minLength: 0, maxLength: 7 })
  .map((parts) => parts.join(' '));
const failures = fc
  .array(
    fc.record({
      stderr: line,
      ended: fc.constantFrom('Failed', 'Interrupted'),
      exitCode: fc.integer({ min: 0, max: 3 }),
    }),
    {
      maxLength: 14,
    },
  )
  .map((all) =>
    all.map((each, index): DeviceFailure => ({ ...each, key: `${index}`, names: [], stdout: '', reason: '' })),
  );

const groupsOf = (grouper: Grouper) => grouper.all().map((group) => ({ ...group, keys: group.keys.toSorted() }));

function grouped(all: readonly DeviceFailure[]) {
  const grouper = new Grouper();
  for (const failure of all) grouper.put(failure);
  return groupsOf(grouper);
}

test('the groups are the same whatever the order of arrival', () =>
  holds(
    400,
    fc.property(
      failures.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => assert.deepEqual(grouped(shuffled), grouped(all)),
    ),
  ));

test('the groups do not depend on earlier failures or on reads in between', () =>
  holds(
    300,
    fc.property(failures, failures, (before, all) => {
      const grouper = new Grouper();
      for (const failure of before) grouper.put(failure);
      grouper.all();
      for (const { key } of before) grouper.remove(key);
      for (const failure of all) {
        grouper.put(failure);
        grouper.all();
      }
      assert.deepEqual(groupsOf(grouper), grouped(all));
    }),
  ));
