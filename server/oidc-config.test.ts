// The settings of the identity provider: what is wrong stops the start with one sentence.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readOidcConfig } from './oidc-config.ts';

const GOOD = {
  OIDC_ISSUER: 'https://login.example.com/realms/plant',
  OIDC_CLIENT_ID: 'muster',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ROLES: '[{"Claim":"ops","Role":"Operator","Groups":["plant"]}]',
};
const read = (env: Record<string, string | undefined>) => readOidcConfig((name) => env[name]);

test('without settings there is no provider; with them, what they say', () => {
  assert.equal(read({}), undefined);
  assert.deepEqual(read(GOOD), {
    issuer: GOOD.OIDC_ISSUER,
    clientId: 'muster',
    clientSecret: 'secret',
    claim: 'groups',
    roles: [{ Claim: 'ops', Role: 'Operator', Groups: ['plant'] }],
    name: 'login.example.com',
  });
  const entra = { ...GOOD, OIDC_ISSUER: 'https://login.microsoftonline.com/x/v2.0', OIDC_ROLE_CLAIM: 'roles' };
  assert.equal(read(entra)?.name, 'Microsoft');
  assert.equal(read(entra)?.claim, 'roles');
});

test('the list of roles may be in a file', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-roles-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'roles.json');
  writeFileSync(file, '[{"Claim":"*","Role":"Viewer"}]');
  assert.deepEqual(read({ ...GOOD, OIDC_ROLES: undefined, OIDC_ROLES_FILE: file })?.roles, [
    { Claim: '*', Role: 'Viewer' },
  ]);
});

test('http is for a provider on this machine only', () => {
  for (const host of ['localhost:9000', '127.0.0.1', '[::1]:80'])
    assert.ok(read({ ...GOOD, OIDC_ISSUER: `http://${host}` }), host);
  for (const issuer of [
    'http://login.example.com',
    'http://127.0.0.1.evil.example',
    'ftp://x',
    'login',
    'https://a:b@c/',
  ])
    assert.throws(() => read({ ...GOOD, OIDC_ISSUER: issuer }), /OIDC_ISSUER is "/, issuer);
});

test('what is missing or wrong is named', () => {
  const cases: [wrong: Record<string, string | undefined>, message: RegExp][] = [
    [{ OIDC_ISSUER: undefined }, /OIDC_CLIENT_ID is set, but OIDC_ISSUER is not/],
    [{ OIDC_CLIENT_ID: undefined }, /OIDC_CLIENT_ID is not/],
    [{ OIDC_CLIENT_SECRET: undefined }, /OIDC_CLIENT_SECRET is not/],
    [{ OIDC_ROLES: undefined }, /neither OIDC_ROLES nor OIDC_ROLES_FILE/],
    [{ OIDC_ROLES_FILE: '/x' }, /both set/],
    [{ OIDC_ROLES: '{' }, /OIDC_ROLES is no JSON/],
    [{ OIDC_ROLES: '[]' }, /empty list/],
    [{ OIDC_ROLES: '[{"Claim":"ops","Role":"Boss"}]' }, /OIDC_ROLES is not a list like/],
    [{ OIDC_ROLES: '[{"Claim":"ops","Role":"Admin","Group":["x"]}]' }, /OIDC_ROLES is not a list like/],
    [{ OIDC_ROLES: undefined, OIDC_ROLES_FILE: '/nowhere/roles.json' }, /cannot be read/],
    [{ UPSTREAM_URL: 'https://other.example' }, /a gateway has no people/],
  ];
  for (const [wrong, message] of cases) assert.throws(() => read({ ...GOOD, ...wrong }), message);
});
