// Logins of visitors: guessing is slow, and never locks out a visitor with the password.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSigninLimit } from '../auth/signin-limit.ts';
import type { SigninLimit } from '../auth/signin-limit.ts';
import { openVisitorLogins } from './visitor-logins.ts';

const tunnel = { name: 'a', admits: (login: string) => login === 'me:right' };

/** A thousand times as fast. */
function fastLimit(): Pick<SigninLimit, 'failed' | 'pause'> {
  const limit = openSigninLimit(10, () => 0);
  return {
    failed: (address) => limit.failed(address),
    pause: (address) => {
      const wait = limit.pause(address);
      return wait && wait / 1000;
    },
  };
}

test('after ten wrong logins the right one has its turn; a browser that was in before does not wait', async () => {
  const logins = openVisitorLogins(fastLimit(), 'http');
  const check = (login: string, cookies = '', address = '10.0.0.1') =>
    logins.check({ tunnel, login, cookies, address });
  const shown = logins.cookieFor({ tunnel, login: 'me:right', cookies: '' }) ?? '';
  assert.match(shown, /^muster_visitor=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = `sid=1; ${shown.split(';')[0]}`;
  assert.equal(logins.cookieFor({ tunnel, login: 'me:right', cookies: cookie }), undefined);

  for (let turn = 0; turn < 10; turn += 1) assert.equal(check('me:wrong'), 'wrong');
  assert.equal(check('me:right'), 'right');
  const waiting = [
    check('me:wrong'),
    check('me:right'),
    check('you:right', cookie),
    check('me:wrong'),
    check('me:right'),
  ];
  assert.ok(waiting.every((each) => each instanceof Promise));
  assert.deepEqual([check('me:right'), check('me:wrong')], ['too-many', 'too-many'], 'unlooked at: it tells nothing');
  for (let turn = 0; turn < 100; turn += 1) assert.equal(check('me:right', cookie), 'right');
  assert.ok(check('me:right', cookie.replace(/.$/, '_')) !== 'right', 'a cookie that somebody made up');
  assert.equal(check('me:right', '', '10.0.0.2'), 'right');
  assert.deepEqual(await Promise.all(waiting), ['too-many', 'right', 'too-many', 'too-many', 'right']);
});

test('the cookie of one tunnel lets nobody skip the wait at another', () => {
  const logins = openVisitorLogins(fastLimit(), 'http');
  const other = { ...tunnel, name: 'b' };
  const [cookies = ''] = (logins.cookieFor({ tunnel, login: 'me:right', cookies: '' }) ?? '').split(';');
  const check = (at: typeof tunnel, login: string) => logins.check({ tunnel: at, login, cookies, address: '10.0.0.1' });
  for (let turn = 0; turn < 10; turn += 1) assert.equal(check(other, 'me:wrong'), 'wrong');
  assert.equal(check(other, 'me:right'), 'right', 'the first turn after its share comes at once');
  assert.ok(check(other, 'me:right') instanceof Promise);
  assert.equal(check(tunnel, 'me:right'), 'right');
  assert.notEqual(logins.cookieFor({ tunnel: other, login: 'me:right', cookies }), undefined);
});

test('behind https the cookie is bound to its host', () => {
  const cookie = openVisitorLogins(fastLimit(), 'https').cookieFor({ tunnel, login: 'me:right', cookies: '' });
  assert.match(cookie ?? '', /^__Host-muster_visitor=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
});
