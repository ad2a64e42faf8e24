// Talks to the identity provider: the code flow with PKCE, state and nonce. Nothing of it is loaded or asked before somebody
// signs in there, so that a provider that is down stops nobody else.
import type * as OpenId from 'openid-client';
import type { OidcRefusal } from '#/contract/sign-in.ts';
import { isLoopback, type OidcConfig } from '../oidc-config.ts';
import { log } from '../operation/log.ts';
import { certificateFault } from '../store/certificate-fault.ts';

/** Why somebody is not signed in, as the sign-in page has words for it. */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  readonly refusal: OidcRefusal;

  constructor(refusal: OidcRefusal, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
  }
}

/** What has to be the same when the browser comes back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who the provider says signed in. */
export interface Identity {
  issuer: string;
  subject: string;
  /** '' if the provider sent none. */
  email: string;
  name: string;
  /** The values of the role's claim. */
  values: string[];
  idToken: string;
}

export interface OidcClient {
  /** Where to send the browser. */
  begin(redirectUri: string): Promise<{ url: URL; checks: Checks }>;
  /** Exchanges the code in the address that the browser came back to. */
  finish(cameBackTo: URL, checks: Checks): Promise<Identity>;
  /** Where to sign out at the provider; undefined if it has no page for that, or is not reached. */
  signOutUrl(idToken: string, returnTo: string): Promise<string | undefined>;
}

/** No `none`, and nothing that a shared secret signs (RFC 8725, sections 3.1 and 3.2). */
const ALGORITHMS = new Set('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '));
const TIMEOUT_SECONDS = 8;
/** How long what the provider says of itself is used. */
const METADATA_VALID_MS = 3_600_000;
/** By how much the provider's clock may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 60;

export function openOidcClient(config: OidcConfig, steady: () => number): OidcClient {
  const issuer = new URL(config.issuer);
  const isInsecure = issuer.protocol === 'http:' && isLoopback(issuer);
  let metadata: { server: OpenId.ServerMetadata; until: number } | undefined;
  let asking: Promise<OpenId.ServerMetadata> | undefined;

  /** Plain http, which only a provider on this machine may have. */
  const exceptions = (openid: typeof OpenId): ((provider: OpenId.Configuration) => void)[] =>
    // oxlint-disable-next-line typescript/no-deprecated -- marked as such only to stand out
    isInsecure ? [openid.allowInsecureRequests] : [];

  const discover = async (openid: typeof OpenId): Promise<OpenId.ServerMetadata> => {
    const found = await openid.discovery(issuer, config.clientId, config.clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute: exceptions(openid),
    });
    // Without the methods that the library adds.
    const server = JSON.parse(JSON.stringify(found.serverMetadata())) as OpenId.ServerMetadata;
    metadata = { server, until: steady() + METADATA_VALID_MS };
    return server;
  };

  /** Read once, and again when it is old; what is known serves as long as the provider does not answer. */
  const serverMetadata = async (openid: typeof OpenId): Promise<OpenId.ServerMetadata> => {
    if (metadata && steady() < metadata.until) return metadata.server;
    asking ??= discover(openid).finally(() => (asking = undefined));
    try {
      return await asking;
    } catch (cause) {
      if (metadata) return metadata.server;
      throw cause;
    }
  };

  /** New for each sign-in: the library keeps the provider's keys with it, and they may have been replaced since. */
  const open = async (): Promise<{ openid: typeof OpenId; provider: OpenId.Configuration }> => {
    const openid = await import('openid-client');
    try {
      const server = await serverMetadata(openid);
      // OpenID Connect Core, section 15.1: every provider has RS256.
      const algorithms = (server.id_token_signing_alg_values_supported ?? ['RS256']).filter((each) =>
        ALGORITHMS.has(each),
      );
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const provider = new openid.Configuration(
        { ...server, id_token_signing_alg_values_supported: algorithms },
        config.clientId,
        config.clientSecret,
        methods.includes('client_secret_post') ? openid.ClientSecretPost() : openid.ClientSecretBasic(),
      );
      provider.timeout = TIMEOUT_SECONDS;
      // Without it, the library relies on TLS to the provider and reads no signature.
      openid.enableNonRepudiationChecks(provider);
      for (const allow of exceptions(openid)) allow(provider);
      return { openid, provider };
    } catch (cause) {
      report('the identity provider was not reached', cause);
      throw new OidcError('unreachable', { cause });
    }
  };

  return {
    begin: async (redirectUri) => {
      const { openid, provider } = await open();
      const checks = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid email profile',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url, checks };
    },

    finish: async (cameBackTo, { state, nonce, verifier }) => {
      const { openid, provider } = await open();
      try {
        const tokens = await openid.authorizationCodeGrant(provider, cameBackTo, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims || tokens.id_token === undefined) throw new Error('The answer has no ID token.');
        if (claims.iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)
          throw new Error('The ID token was issued in the future.');
        let known: Record<string, unknown> = claims;
        let roles = claimOf(claims, config.claim);
        // Many providers send only the subject in the ID token, and the rest on request.
        const isComplete = roles !== undefined && emailOf(known) !== '';
        if (!isComplete && provider.serverMetadata().userinfo_endpoint !== undefined) {
          const more = await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
          known = { ...more, ...claims };
          roles ??= claimOf(more, config.claim);
        }
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: emailOf(known),
          name: typeof known['name'] === 'string' ? known['name'].slice(0, 255) : '',
          values: valuesOf(roles),
          idToken: tokens.id_token,
        };
      } catch (cause) {
        if (cause instanceof openid.AuthorizationResponseError) {
          report('the identity provider refused a sign-in', cause);
          throw new OidcError('denied', { cause });
        }
        report('an answer of the identity provider was refused', cause);
        throw new OidcError(isSilence(cause) ? 'unreachable' : 'invalid', { cause });
      }
    },

    signOutUrl: async (idToken, returnTo) => {
      try {
        const { openid, provider } = await open();
        if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
        return openid.buildEndSessionUrl(provider, { id_token_hint: idToken, post_logout_redirect_uri: returnTo }).href;
      } catch {
        return undefined; // The session here has ended all the same.
      }
    },
  };
}

/** Only the message and the library's code: the cause may hold claims. */
function report(what: string, error: unknown): void {
  const { message, code } = error instanceof Error ? (error as Error & { code?: unknown }) : { message: String(error) };
  const certificate = certificateFault(error);
  const reason = certificate === undefined ? message : `its certificate ${certificate}`;
  log.warn(`Signing in: ${what}.`, { reason, ...(typeof code === 'string' && { code }) });
}

/** Whether no answer came, or not in time. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error ? error.code === 'OAUTH_TIMEOUT' || isSilence(error.cause) : error instanceof TypeError);

/** For information only: nobody is recognised by it. Entra ID has it as the user name. */
function emailOf(claims: Record<string, unknown>): string {
  const given = [claims['email'], claims['preferred_username'], claims['upn']];
  const found = given.find(
    (each): each is string => typeof each === 'string' && /^[^\s@<>"]+@[^\s@<>"]+$/.test(each) && each.length <= 254,
  );
  return found ?? '';
}

/** A claim of this very name, dots and all, or the one that the dots lead to: `realm_access.roles` of Keycloak. */
export function claimOf(claims: object, name: string): unknown {
  const own = (from: unknown, key: string) =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, key)
      ? (from as Record<string, unknown>)[key]
      : undefined;
  return own(claims, name) ?? name.split('.').reduce(own, claims as unknown);
}

const valuesOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? (claim as unknown[]) : [claim]).filter((each) => typeof each === 'string');
