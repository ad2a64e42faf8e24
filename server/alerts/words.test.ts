// Texts of messages, with names that try to be more than a name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRow } from '../store/alert-outbox.ts';
import type { RuleRow } from '../store/alert-settings.ts';
import { messageOf } from './words.ts';

const EVIL = 'pump\r\nall devices are fine\u2028\u202Eenif';
const SAFE = 'pump all devices are fine enif';
const rule = (event: string) => ({ event }) as RuleRow;
const row = (change: Partial<EventRow>) =>
  ({ device_id: 'd1', device_name: EVIL, site: '', fires: 1, since: 0, at: 60_000, text: '', ...change }) as EventRow;
const textOf = (event: string, ...rows: EventRow[]) => messageOf(rule(event), rows, []).text;

test('a line of a message is about one thing, whatever it is called', () => {
  assert.equal(textOf('DeviceOffline', row({})), `${SAFE} is Offline since 1970-01-01 00:00 UTC`);
  assert.equal(textOf('DeviceOffline', row({ site: 'a\nb' })), `${SAFE} (a b) is Offline since 1970-01-01 00:00 UTC`);
  assert.equal(textOf('DeviceBack', row({})), `${SAFE} is Online again, after 1 minute`);
  assert.match(textOf('TunnelPublic', row({ text: 'web\n:80' })), new RegExp(`^${SAFE} has a tunnel to web :80 `));
  assert.equal(textOf('JobFailed', row({ text: 'Job “a\nb” failed' })), 'Job “a b” failed');
  const several = messageOf(
    rule('DeviceOffline'),
    [row({ site: 'a\nb' }), row({ site: 'a\nb', device_id: 'd2' })],
    [{ site: 'a\nb', devices: 3, firing: 2 }],
  );
  assert.equal(several.text, `2 of 3 devices of a b are Offline: ${SAFE}, ${SAFE}`);
  assert.equal(several.devices[0]?.DeviceName, EVIL);
});
