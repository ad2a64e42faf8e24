import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAccountAnswer } from './sign-in-check.ts';
import { expiryInWords, tokenExpiry } from './token-expiry.ts';

const faultOf = (status: number, body: string) => {
  const answer = readAccountAnswer('api.example.com', status, body);
  return 'fault' in answer
    ? `${answer.fault.status} ${answer.fault.title}. ${answer.fault.detail}`
    : JSON.stringify(answer);
};

test('an account signs in, with or without other fields', () => {
  assert.equal(faultOf(200, '{"UserEmail":"a@example.com","Plan":"x"}'), '{"email":"a@example.com"}');
  assert.equal(faultOf(200, '{"NumDevicesAdded":3}'), '{"email":""}');
});

test('each failure has its own message', () => {
  assert.match(faultOf(401, '{"message":"token expired"}'), /^401 .*refused this token.*says: token expired$/);
  assert.match(faultOf(403, ''), /^401 .*refused this token/);
  assert.match(faultOf(200, '<!doctype html><title>Portal</title>'), /^502 .*not a \/v1.*web page/);
  assert.match(faultOf(404, 'nothing here'), /^502 .*not a \/v1.*with 404.*says: nothing here/);
  assert.match(faultOf(200, '[]'), /^502 .*not an account/);
  assert.match(faultOf(200, ''), /^502 .*not an account/);
  assert.match(faultOf(500, '<html>'), /^502 .*failed while it checked the token \(500\). Try again later\.$/);
  assert.match(faultOf(503, 'maintenance'), /^503 .*too busy.*says: maintenance/);
});

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

test('only a JWT has an expiry', () => {
  assert.equal(tokenExpiry(jwt({ exp: 1_800_000_000, name: '\u00fc?>' })), 1_800_000_000_000);
  for (const token of ['mut_abc', 'a.b', 'a.!!.c', jwt({}), jwt({ exp: 'soon' }), jwt({ exp: 1e300 }), 'a.b.c.d'])
    assert.equal(tokenExpiry(token), undefined, token);
});

test('an expiry in the past, soon or years away is a warning', () => {
  const now = Date.UTC(2026, 10, 21);
  const day = 86_400_000;
  assert.deepEqual(expiryInWords(now + 40 * day, now), {
    text: 'This token expires on 2026-12-31, in 40 days.',
    warn: false,
  });
  assert.deepEqual(expiryInWords(now + day, now), { text: 'This token expires on 2026-11-22, in 1 day.', warn: true });
  assert.deepEqual(expiryInWords(now - day, now), { text: 'This token expired on 2026-11-20.', warn: true });
  assert.match(expiryInWords(now + 3700 * day, now).text, /more than 10 years from now/);
  assert.match(expiryInWords(now + 400 * day, now).text, /more than a year from now/);
});
