// The whole way with a provider that others have certified.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Provider } from 'oidc-provider';
import { claimOf } from './oidc-client.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { CLIENT } from '../../scripts/test-identity-provider.ts';

interface ProviderContext {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
  };
}

let service: TestService;
let provider: Provider;
let issuer = '';
const server = http.createServer((request, response) => {
  // Whoever comes is signed in as Ada, without a page.
  if (request.url?.startsWith('/interaction/'))
    void provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  else void provider.callback()(request, response);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startTestService({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLE_CLAIM: 'realm_access.roles',
    OIDC_ROLES: '[{ "Claim": "ops", "Role": "Operator" }]',
  });
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${service.url}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${service.url}/sign-in`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'realm_access'] },
    cookies: { keys: ['key-that-only-tests-know'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, email: 'ada@example.com', name: 'Ada', realm_access: { roles: ['ops'] } }),
    }),
    loadExistingGrant: async ({ oidc }: ProviderContext) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
});
after(async () => {
  await service.end();
  server.closeAllConnections();
  server.close();
});

/** Follows redirects as a browser does, with the cookies of both hosts. */
async function follow(from: string, cookies: Map<string, string>): Promise<string> {
  let at = from;
  for (let steps = 0; steps < 12; steps++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null) return at;
    at = new URL(to, at).href;
  }
  return at;
}

test('a person signs in at a certified provider, whose claims are in its user info, and signs out there', async () => {
  const cookies = new Map<string, string>();
  assert.equal(await follow(`${service.url}/auth/oidc/start?next=/jobs`, cookies), `${service.url}/jobs`);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const me = (await (await fetch(`${service.url}/v1/me`, { headers: { cookie } })).json()) as Record<string, unknown>;
  assert.deepEqual(
    { Email: me['Email'], Name: me['Name'], Role: me['Role'] },
    { Email: 'ada@example.com', Name: 'Ada', Role: 'Operator' },
  );

  const out = await fetch(`${service.url}/auth/session`, {
    method: 'DELETE',
    headers: { cookie, origin: service.url },
  });
  const { SignOutUrl } = (await out.json()) as { SignOutUrl: string };
  assert.ok(SignOutUrl.startsWith(`${issuer}/session/end?`));
  const page = await fetch(SignOutUrl, { headers: { cookie } });
  assert.equal(page.status, 200);
});

test('a claim with dots in its name comes before one that the dots lead to', () => {
  const nested = { realm_access: { roles: ['ops'] } };
  assert.deepEqual(claimOf(nested, 'realm_access.roles'), ['ops']);
  assert.deepEqual(claimOf({ ...nested, 'realm_access.roles': ['dev'] }, 'realm_access.roles'), ['dev']);
  assert.deepEqual(claimOf({ 'https://example.com/roles': 'ops' }, 'https://example.com/roles'), 'ops');
  for (const missing of ['groups', 'realm_access.groups', 'realm_access.roles.length.x', 'constructor.name'])
    assert.equal(claimOf(nested, missing), undefined, missing);
});
