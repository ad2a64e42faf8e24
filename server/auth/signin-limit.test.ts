// After a number of wrong sign-ins in a minute, an address gets only 429.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../http/problem.ts';
import { openSigninLimit } from './signin-limit.ts';

const refused = (seconds: string) => (cause: Problem) => {
  assert.equal(cause.status, 429);
  assert.equal(cause.headers['Retry-After'], seconds);
  return true;
};

test('the share of an address comes back as time passes', () => {
  let now = 0;
  const limit = openSigninLimit(2, () => now);
  limit.failed('10.0.0.1');
  now = 20_000;
  limit.failed('10.0.0.1');
  now = 30_000;
  assert.throws(() => limit.failed('10.0.0.1'), refused('50'), 'of the two latest');
  limit.failed('10.0.0.2');
  now = 80_000;
  limit.failed('10.0.0.1');
  assert.throws(() => limit.failed('10.0.0.1'), refused('60'));
});

test('past its share an address gets one look at a time, as often as its share, and few may wait', () => {
  let now = 0;
  const limit = openSigninLimit(10, () => now);
  for (let turn = 0; turn < 10; turn += 1) {
    assert.equal(limit.pause('10.0.0.1'), 0);
    limit.failed('10.0.0.1');
  }
  assert.deepEqual(
    Array.from({ length: 8 }, () => limit.pause('10.0.0.1')),
    [0, 6_000, 12_000, 18_000, 24_000, 30_000, undefined, undefined],
  );
  assert.equal(limit.pause('10.0.0.2'), 0);
  // However often it asks, it gets at most half again as many checks as its share.
  let looked = 0;
  const looks: number[] = [];
  const until = 3_636_000;
  for (now = 36_000; now < until; now += 100) {
    for (; looks[0] !== undefined && looks[0] <= now; looks.shift()) {
      looked += 1;
      try {
        limit.failed('10.0.0.1');
      } catch {
        // It counts nevertheless.
      }
    }
    const pause = limit.pause('10.0.0.1');
    if (pause !== undefined) looks.push(now + pause);
  }
  assert.ok(looked >= 600 && looked < 900, `${looked} in an hour`);
  now = until + 120_000;
  assert.equal(limit.pause('10.0.0.1'), 0);
});

test('one IPv6 network is one address', () => {
  const limit = openSigninLimit(1, () => 0);
  limit.failed('2001:db8:1:2::1');
  assert.throws(() => limit.failed('2001:db8:1:2:ffff:1:2:3'), refused('60'));
  limit.failed('2001:db8:1:3::1');
});
