// What the dialog sends, and what it says where a device does not allow it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tunnel, tunnelDraft } from '#/contract/tunnels.ts';
import {
  choiceOf,
  commandsFor,
  destinationOf,
  draftOf,
  knownServices,
  newLogin,
  refusalOf,
  type TunnelChoice,
} from './tunnel-choices.ts';

const CHOICE: TunnelChoice = {
  DeviceId: 'd1',
  Service: 'web',
  Host: '127.0.0.1',
  Port: '80',
  LocalDest: '',
  Login: 'yes',
  Public: '',
  ExpiresMinutes: '60',
  IdleMinutes: '',
};
const LOGIN = { user: 'visitor', password: 'abcde-fghjk-mnpqr-stuvw' };

test('the request has the destination, the login of a web service, and when it closes', () => {
  assert.deepEqual(draftOf(CHOICE, LOGIN), {
    DeviceId: 'd1',
    LocalDest: 'http://127.0.0.1:80',
    Login: 'visitor:abcde-fghjk-mnpqr-stuvw',
    ExpiresMinutes: 60,
  });
  assert.equal(draftOf({ ...CHOICE, Login: '' }, LOGIN).Login, undefined);
  const ssh = draftOf({ ...CHOICE, Service: 'ssh', Port: '22', IdleMinutes: '15' }, LOGIN);
  assert.deepEqual(ssh, { DeviceId: 'd1', LocalDest: 'tcp://127.0.0.1:22', ExpiresMinutes: 60, IdleMinutes: 15 });
  assert.equal(destinationOf({ ...CHOICE, Host: ' ::1 ' }), 'http://[::1]:80');
  assert.equal(tunnelDraft.safeParse(draftOf({ ...CHOICE, Host: 'a b' }, LOGIN)).success, false);
});

test('each generated login is another one that the service accepts', () => {
  const logins = Array.from({ length: 50 }, newLogin);
  assert.equal(new Set(logins.map(({ password }) => password)).size, 50);
  for (const login of logins) {
    assert.match(login.password, /^([a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}$/);
    assert.equal(tunnelDraft.safeParse(draftOf(CHOICE, login)).success, true);
  }
});

test('known services are those of the device, once each', () => {
  const of = (DeviceId: string, LocalDest: string) =>
    tunnel.parse({ Name: `${DeviceId}${LocalDest}`, DeviceId, LocalDest });
  const known = knownServices(
    [of('d1', 'tcp://127.0.0.1:22'), of('d1', 'tcp://127.0.0.1:22'), of('d1', ':80'), of('d2', 'http://127.0.0.1:1')],
    'd1',
  );
  assert.deepEqual(known.map(choiceOf), [{ Service: 'ssh', Host: '127.0.0.1', Port: '22' }]);
});

test('a device that does not allow it needs another list, which keeps what it allows', () => {
  assert.equal(refusalOf({ TunnelsAllowed: 'loopback' }, 'tcp://127.0.0.1:22'), undefined);
  assert.equal(refusalOf({ TunnelsAllowed: undefined }, 'no destination'), undefined);
  assert.equal(refusalOf({ TunnelsAllowed: undefined }, 'tcp://127.0.0.1:22')?.list, 'loopback');
  assert.equal(refusalOf({ TunnelsAllowed: 'none' }, 'http://10.0.0.9:80')?.list, '10.0.0.9:80');
  assert.deepEqual(refusalOf({ TunnelsAllowed: 'loopback' }, 'tcp://[fd00::1]:22'), {
    text: 'It allows only loopback.',
    list: 'loopback,[fd00::1]:22',
  });
  assert.equal(refusalOf({ TunnelsAllowed: 'what?' }, 'tcp://127.0.0.1:22')?.list, 'loopback');
});

test('the commands are ready to paste', () => {
  const web = { Name: 'n', PublicUrl: 'https://n.example.com', PublicAddr: undefined };
  const draft = draftOf(CHOICE, LOGIN);
  assert.deepEqual(
    commandsFor(web, draft).map(({ command }) => command),
    ['curl -u visitor:abcde-fghjk-mnpqr-stuvw https://n.example.com'],
  );
  const port = { Name: 'n', PublicUrl: 'N/A', PublicAddr: 'muster.example:40022' };
  const of = (LocalDest: string) => commandsFor(port, { DeviceId: 'd1', LocalDest }).map(({ command }) => command);
  assert.deepEqual(of('tcp://127.0.0.1:22'), ['ssh -p 40022 muster.example']);
  assert.deepEqual(of('tcp://127.0.0.1:5432'), []);
});
