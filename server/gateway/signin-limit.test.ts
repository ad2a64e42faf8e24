// Only so many sign-ins from one address may fail in a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../problem.ts';
import { openSigninLimit } from './signin-limit.ts';

const refused = (seconds: string) => (cause: Problem) => {
  assert.equal(cause.status, 429);
  assert.equal(cause.headers['Retry-After'], seconds);
  return true;
};

test('the share of an address comes back as time passes', () => {
  let now = 0;
  const limit = openSigninLimit(2, () => now);
  limit.attempt('10.0.0.1');
  now = 20_000;
  limit.attempt('10.0.0.1');
  now = 30_000;
  assert.throws(() => limit.attempt('10.0.0.1'), refused('30'));
  limit.attempt('10.0.0.2');
  now = 60_000;
  limit.attempt('10.0.0.1');
  assert.throws(() => limit.attempt('10.0.0.1'), refused('20'));
});

test('a success does not count', () => {
  const limit = openSigninLimit(1, () => 0);
  for (let round = 0; round < 5; round++) limit.attempt('10.0.0.1')();
  limit.attempt('10.0.0.1');
  assert.throws(() => limit.attempt('10.0.0.1'), refused('60'));
});

test('attempts made at the same moment count before any of them is decided', () => {
  const limit = openSigninLimit(2, () => 0);
  const takeBack = [limit.attempt('10.0.0.1'), limit.attempt('10.0.0.1')];
  assert.throws(() => limit.attempt('10.0.0.1'), refused('60'));
  takeBack[0]?.();
  limit.attempt('10.0.0.1');
});

test('a clock that is set back locks nobody out', () => {
  let now = 1e12;
  const limit = openSigninLimit(1, () => now);
  limit.attempt('10.0.0.1');
  now = 0;
  limit.attempt('10.0.0.1');
  assert.throws(() => limit.attempt('10.0.0.1'), refused('60'));
});

test('one IPv6 network is one address', () => {
  const limit = openSigninLimit(1, () => 0);
  limit.attempt('2001:db8:1:2::1');
  assert.throws(() => limit.attempt('2001:db8:1:2:ffff:1:2:3'), refused('60'));
  limit.attempt('2001:db8:1:3::1');
});
