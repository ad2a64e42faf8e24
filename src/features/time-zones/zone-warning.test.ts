import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneWarning } from './zone-warning.ts';

test('a warning about a zone says what happens to its windows, and what to do', () => {
  const outdated = { Zone: 'America/Winnipeg', Version: '2026f', Since: '2026-11-01T07:00:00Z', Minutes: 60 };
  assert.equal(
    zoneWarning('2026c', outdated),
    'windows in America/Winnipeg begin 60 minutes late: the service’s Node.js has time zones of version 2026c, its machine 2026f. ' +
      'Update Node.js, or Muster where it brought Node.js along; until then set them 60 minutes earlier.',
  );
  assert.match(
    zoneWarning('2026c', { ...outdated, Minutes: -30 }),
    /begin 30 minutes early: .* set them 30 minutes later\.$/,
  );
});
