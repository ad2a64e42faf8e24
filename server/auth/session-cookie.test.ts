// What a page's request says of the session before anything is looked up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context as HonoContext } from 'hono';
import type { Env } from '../http/implement.ts';
import { openSessionCookie } from './session-cookie.ts';

const clock = { now: () => 0, steady: () => 0 };
const maybe = (headers: Record<string, string>, publicUrl = 'http://127.0.0.1:8080') =>
  openSessionCookie(
    { publicUrl, clock, instanceId: 'a1' },
    {
      find: async () => undefined,
      rotate: async () => undefined,
      noteUse: async () => undefined,
    },
  ).maybeSignedIn({ env: { incoming: { headers } } } as unknown as HonoContext<Env>);

test('only a browser with the cookie of this service may be signed in', () => {
  assert.equal(maybe({}), false);
  assert.equal(maybe({ cookie: 'muster_b2=x; other=y' }), false);
  assert.equal(maybe({ cookie: 'other=y; muster_a1=x' }), true);
  assert.equal(maybe({ cookie: '__Host-muster_a1=x' }, 'https://muster.example'), true);
});

test('a link on another site brings no cookie of SameSite=Strict, so nothing is known', () => {
  assert.equal(maybe({ 'sec-fetch-site': 'cross-site' }), true);
  assert.equal(maybe({ 'sec-fetch-site': 'none' }), false);
});
