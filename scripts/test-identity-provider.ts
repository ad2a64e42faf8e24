// Identity providers for tests: oidc-provider, which keeps to the specification, and a small one that misbehaves as it is told.
import { createHmac, createPrivateKey, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT = { id: 'muster', secret: 'secret-of-the-client-that-only-tests-know' };

const listen = (server: http.Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
const close = async (server: http.Server): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};

/** Claims of the person who signs in; `sub` is who it is. */
export type Claims = Record<string, unknown> & { sub: string };

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Changes of one sign-in from what a provider should do. */
export interface Misbehaviour {
  /** Of the answer in the browser. */
  iss?: string;
  /** Claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>;
  /** The header of the ID token. */
  alg?: 'none' | 'HS256' | 'RS256';
  /** Signs with a key that is not published. */
  foreignKey?: boolean;
  /** What the discovery document says of the issuer. */
  issuer?: string;
}

/** A provider that does what it is told. Each authorisation request signs in at once, as `who`. */
export class FakeProvider {
  who: Claims = { sub: 'ada', email: 'ada@example.com', name: 'Ada', groups: ['ops'] };
  wrong: Misbehaviour = {};
  /** Requests that it received. */
  readonly heard: string[] = [];
  /** Answers nothing while false. */
  isUp = true;
  url = '';
  private key = newKey();
  private kid = randomBytes(4).toString('hex');
  private readonly server = http.createServer((request, response) => void this.answer(request, response));
  private readonly codes = new Map<string, { nonce: string; challenge: string; redirectUri: string }>();

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  end(): Promise<void> {
    return close(this.server);
  }

  /** Publishes another key under another name, and no longer the one before. */
  rotateKey(): void {
    this.key = newKey();
    this.kid = randomBytes(4).toString('hex');
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    this.heard.push(`${request.method} ${url.pathname}`);
    const json = (body: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!this.isUp) return void request.socket.destroy();
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(this.metadata());
      case '/jwks':
        return json({
          keys: [{ ...createPublicJwk(this.key), kid: this.kid, use: 'sig', alg: 'RS256' }],
        });
      case '/auth': {
        const code = randomBytes(16).toString('hex');
        const asked = (name: string) => url.searchParams.get(name) ?? '';
        const redirectUri = asked('redirect_uri');
        this.codes.set(code, { nonce: asked('nonce'), challenge: asked('code_challenge'), redirectUri });
        const back = new URL(redirectUri);
        back.search = String(new URLSearchParams({ code, state: asked('state'), iss: this.wrong.iss ?? this.url }));
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = new URLSearchParams(Buffer.concat(chunks).toString());
        const found = this.codes.get(body.get('code') ?? '');
        this.codes.delete(body.get('code') ?? '');
        if (!found || body.get('redirect_uri') !== found.redirectUri) return json({ error: 'invalid_grant' }, 400);
        return json({
          access_token: randomBytes(16).toString('hex'),
          token_type: 'Bearer',
          id_token: this.idToken(found.nonce),
        });
      }
      case '/end':
        return void response.writeHead(302, { location: url.searchParams.get('post_logout_redirect_uri') ?? '' }).end();
      default:
        return json({ error: 'not_found' }, 404);
    }
  }

  private metadata() {
    return {
      issuer: this.wrong.issuer ?? this.url,
      authorization_endpoint: `${this.url}/auth`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      end_session_endpoint: `${this.url}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const { alg = 'RS256', claims = {}, foreignKey } = this.wrong;
    const payload = { iss: this.url, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...this.who, ...claims };
    const signed = `${base64({ alg, kid: this.kid })}.${base64(payload)}`;
    if (alg === 'none') return `${signed}.`;
    if (alg === 'HS256') return `${signed}.${createHmac('sha256', CLIENT.secret).update(signed).digest('base64url')}`;
    const key = foreignKey ? newKey() : this.key;
    return `${signed}.${createSign('sha256').update(signed).sign(key).toString('base64url')}`;
  }
}

const createPublicJwk = (key: KeyObject) => {
  const { kty, n, e } = createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
  return { kty, n, e };
};
