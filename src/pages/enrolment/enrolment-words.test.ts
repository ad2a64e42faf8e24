import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byName, consequence, doublesOf, endedBecause, factsText, usesText } from './enrolment-words.ts';
import type { EnrolmentKey, PendingDevice } from '#/contract/enrolment.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const key = (fields: Partial<EnrolmentKey>) =>
  ({ ExpiresTime: '', MaxUses: 0, Uses: 0, ...fields }) as unknown as EnrolmentKey;

test('a key says why it no longer works', () => {
  assert.equal(endedBecause(key({ Uses: 5 }), NOW), undefined);
  assert.equal(endedBecause(key({ Uses: 4, MaxUses: 5 }), NOW), undefined);
  assert.equal(endedBecause(key({ Uses: 5, MaxUses: 5 }), NOW), 'Used up');
  assert.equal(endedBecause(key({ ExpiresTime: '2026-11-27T10:00:00.000Z' }), NOW), 'Expired');
  assert.equal(endedBecause(key({ ExpiresTime: '2026-11-27T10:00:01.000Z' }), NOW), undefined);
});

test('uses are counted with their limit', () => {
  assert.equal(usesText(key({ Uses: 1 })), '1 device');
  assert.equal(usesText(key({ Uses: 3, MaxUses: 1000 })), '3 of 1,000');
});

test('approving a possible copy says what it takes away', () => {
  assert.match(
    consequence({ Because: 'PossibleClone' }),
    /takes that device’s place, and the key that the device had ends/,
  );
  assert.doesNotMatch(consequence({ Because: 'NeedsApproval' }), /ends/);
});

test('the facts of a device are on one line', () => {
  assert.equal(factsText({ Facts: { arch: 'arm64', hostname: 'pi', other: 'x', model: 'Pi 5' } }), 'Pi 5 · pi · arm64');
});

const asks = (PendingId: string, DeviceName: string, fields: Partial<PendingDevice> = {}) =>
  ({ PendingId, DeviceName, State: 'Waiting', Because: 'NeedsApproval', ...fields }) as PendingDevice;

test('names of devices, and of two that wait, are doubles; those of known and rejected machines are not', () => {
  const pending = [
    asks('1', 'pump 1'),
    asks('2', 'pump 2'),
    asks('3', 'pump 3'),
    asks('4', 'pump 3'),
    asks('5', 'pump 1', { Because: 'KnownMachine' }),
    asks('6', 'pump 2', { State: 'Rejected' }),
  ];
  assert.deepEqual(
    [...doublesOf(pending, new Set(['pump 1']))],
    [
      ['1', 'Another device has this name'],
      ['3', '1 other device with this name is waiting'],
      ['4', '1 other device with this name is waiting'],
    ],
  );
});

test('devices that wait are in order of their names, rejected ones at the end', () => {
  const pending = [asks('1', 'pump 10'), asks('2', 'a', { State: 'Rejected' }), asks('3', 'pump 2')];
  assert.deepEqual(
    byName(pending).map(({ PendingId }) => PendingId),
    ['3', '1', '2'],
  );
});
