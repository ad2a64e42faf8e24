// Signing in at an identity provider with OpenID Connect, and out again.
import type { Context as HonoContext } from 'hono';
import { isLess } from '#/contract/permissions.ts';
import { joinBody } from '#/contract/sign-in.ts';
import type { JoinAnswer, OidcRefusal } from '#/contract/sign-in.ts';
import type { Context } from '../context.ts';
import { clientAddress } from '../http/client-address.ts';
import { parse, readJson } from '../http/implement.ts';
import type { App, Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { refuseTokenOf } from '../http/require-permission.ts';
import type { OidcConfig } from '../oidc-config.ts';
import { recordIdToken, sealedIdToken } from '../store/identities.ts';
import { personById, rightsOf } from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import type { Tx } from '../store/database.ts';
import { personKey } from '../store/person-key.ts';
import { openSeal } from '../store/seal.ts';
import { liveSessions } from '../store/sessions.ts';
import type { Authenticator } from './authenticate.ts';
import { openOidcClient, OidcError, type Checks } from './oidc-client.ts';
import { personFor } from './oidc-person.ts';
import { openSession, signingIn } from './open-session.ts';
import { openProofs } from './proof.ts';
import type { SigninGuards } from './sessions.ts';

/** The provider decides again after this long at the latest. */
const SESSION_MS = 12 * 3_600_000;
/** How long a sign-in at the provider may take. */
const ATTEMPT_SECONDS = 600;
const PATH = '/auth/oidc';
const AFTER_JOINING = '/settings/sign-in';

/** What a browser keeps sealed while it is at the provider. */
interface Attempt extends Checks {
  next: string;
  /** The session that the browser has, whose cookie it does not send when another site leads back. */
  session?: string;
  /** The person to join the identity to. */
  joinTo?: string;
  expires: number;
}

/** A path of ours, with its query; anything else becomes the first page. */
function ownPath(next: string, origin: string): string {
  const url = next.startsWith('/') ? URL.parse(next, origin) : null;
  // A path that begins with two slashes, as from "/.//host", would be a host in a link.
  return url?.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
}

export interface Oidc {
  /** What the sign-in page calls the provider. */
  name: string;
  /** Where the browser of this session signs out at the provider, if it signed in there. */
  signOutUrl(sessionId: string): Promise<string | undefined>;
}

/** Registers /auth/oidc; undefined if no provider is set. */
export function oidcRoutes(
  app: App,
  context: Context,
  authenticator: Authenticator,
  guards: SigninGuards,
): Oidc | undefined {
  const { oidc: config } = context.config;
  return config && open(app, context, authenticator, { config, guards });
}

function open(
  app: App,
  context: Context,
  authenticator: Authenticator,
  { config, guards }: { config: OidcConfig; guards: SigninGuards },
): Oidc {
  const { db, now, audit, alerts, clock } = context;
  const proofs = openProofs(context, guards, 'Nothing was joined.');
  const client = openOidcClient(config, clock.steady);
  const attempts = openSeal('muster oidc attempt');
  const idTokens = openSeal('muster id token');
  let key: string | undefined;
  const readKey = async () => (key ??= await db.write(personKey, { essential: true }));

  const isSecure = () => context.publicUrl.startsWith('https:');
  const cookieName = () => `${isSecure() ? '__Secure-' : ''}muster_oidc_${context.instanceId}`;
  /** Lax, because the provider leads back: a strict cookie would not be sent then. */
  const keep = (http: HonoContext<Env>, value: string, seconds: number) =>
    http.env.outgoing.appendHeader(
      'Set-Cookie',
      `${cookieName()}=${value}; Path=${PATH}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure() ? '; Secure' : ''}`,
    );
  const go = (http: HonoContext<Env>, to: string) => {
    http.header('Cache-Control', 'no-store');
    return http.redirect(to, 302);
  };
  const goRefused = (http: HonoContext<Env>, refusal: OidcRefusal, next = '/') => {
    const query = new URLSearchParams({ refused: refusal, ...(next !== '/' && { next }) });
    return go(http, `${context.publicUrl}/sign-in?${query.toString()}`);
  };

  /** The attempt that this browser began; a cookie that is missing, old or not ours is none. */
  const attemptOf = async (http: HonoContext<Env>): Promise<Attempt | undefined> => {
    const prefix = `${cookieName()}=`;
    const pairs = (http.env.incoming.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
    const [value] = values;
    if (value === undefined || values.length > 1) return undefined;
    const text = attempts.open(await readKey(), context.publicUrl, Buffer.from(value, 'base64url'));
    const attempt = text === undefined ? undefined : (JSON.parse(text) as Attempt);
    return attempt && now() < attempt.expires ? attempt : undefined;
  };

  /** The page at the provider that the browser goes to, and what the browser keeps meanwhile. */
  const begin = async (
    http: HonoContext<Env>,
    about: Pick<Attempt, 'next' | 'session' | 'joinTo'>,
  ): Promise<string> => {
    const { url, checks } = await client.begin(`${context.publicUrl}${PATH}/callback`);
    const attempt: Attempt = { ...checks, ...about, expires: now() + ATTEMPT_SECONDS * 1000 };
    const sealed = attempts.seal(await readKey(), context.publicUrl, JSON.stringify(attempt));
    keep(http, sealed.toString('base64url'), ATTEMPT_SECONDS);
    return url.href;
  };

  app.get(`${PATH}/start`, async (http) => {
    const query = new URL(http.req.url).searchParams;
    const next = ownPath(query.get('next') ?? '/', context.publicUrl);
    const session = await authenticator.session(http);
    try {
      return go(http, await begin(http, { next, ...(session && { session: session.id }) }));
    } catch (cause) {
      if (cause instanceof OidcError) return goRefused(http, cause.refusal, next);
      throw cause;
    }
  });

  app.post(`${PATH}/join`, async (http) => {
    const caller = await authenticator.caller(http);
    const { personId, sessionId } = caller;
    refuseTokenOf(personId, caller);
    const person = personId === undefined ? undefined : await personById(db, personId);
    if (!person || sessionId === undefined)
      throw new Problem(
        409,
        'A token of the account is signed in here, and no person',
        'A token cannot sign in at the identity provider. Sign in as a person.',
      );
    const given = parse(joinBody, await readJson(http.env.incoming));
    const proof = await proofs.take(caller, given.Proof);
    await proofs.guard(caller, 'person.join', () =>
      db.write((tx) => proofs.require(tx, caller, proof, rightsOf(person)), { essential: true }),
    );
    try {
      const Url = await begin(http, { next: AFTER_JOINING, session: sessionId, joinTo: person.id });
      const answer: JoinAnswer = { Url };
      return http.json(answer, 200, { 'Cache-Control': 'no-store' });
    } catch (cause) {
      if (!(cause instanceof OidcError)) throw cause;
      throw new Problem(502, `${config.name} does not answer`, 'Nothing was joined. Try again in a moment.');
    }
  });

  /** The person who asked to join, from a session that still has all rights of theirs. */
  const joining = async (tx: Tx, { session = '', joinTo = '' }: Attempt): Promise<PersonRow> => {
    const person = await personById(tx, joinTo);
    const [live] = await liveSessions(tx, [session], now());
    if (!person || live?.person_id !== joinTo || live.token_id !== null || isLess(live.rights, rightsOf(person)))
      throw new OidcError('not-signed-in');
    return person;
  };

  /** Whoever did not do it themselves learns of it at the address that they had until now. */
  const tell = ({ email }: PersonRow): void => {
    if (!alerts.hasEmail) return;
    const text = `You sign in to ${context.publicUrl} at ${config.name} from now on. The password and the second factor that you had there are removed.

If you did not do this, tell an Admin of your account at once: somebody else may be using your account.
`;
    void alerts.mail(email, { subject: `[Muster] You sign in at ${config.name} from now on`, text });
  };

  app.get(`${PATH}/callback`, async (http) => {
    const attempt = await attemptOf(http);
    const cameBackTo = new URL(context.publicUrl + PATH + '/callback');
    cameBackTo.search = new URL(http.req.url).search;
    // Of another browser, or of an attempt that a later one replaced.
    if (!attempt || cameBackTo.searchParams.get('state') !== attempt.state) return goRefused(http, 'expired');
    // It counts once.
    keep(http, '', 0);
    const address = clientAddress(context.config, http.env.incoming);
    try {
      const identity = await client.finish(cameBackTo, attempt);
      const value = await db.write(
        async (tx) => {
          const before = attempt.session === undefined ? undefined : { id: attempt.session };
          const joinTo = attempt.joinTo === undefined ? undefined : await joining(tx, attempt);
          const isNew = joinTo?.issuer !== identity.issuer || joinTo.subject !== identity.subject;
          if (joinTo && isNew) tx.afterCommit(() => tell(joinTo));
          const person = await personFor(tx, audit, { identity, config, joinTo, address, now: now() });
          const who = signingIn(person, { how: 'oidc', ends: now() + SESSION_MS });
          const opened = await openSession(tx, audit, who, { address, before, now: now() });
          await recordIdToken(tx, opened, idTokens.seal(await personKey(tx), person.id, identity.idToken));
          return opened;
        },
        { essential: true },
      );
      authenticator.setCookie(http, value);
      keep(http, '', 0);
      return go(http, context.publicUrl + attempt.next);
    } catch (cause) {
      if (!(cause instanceof OidcError)) throw cause;
      await db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'session.open'));
      return goRefused(http, cause.refusal, attempt.next);
    }
  });

  return {
    name: config.name,
    signOutUrl: async (sessionId) => {
      const found = await sealedIdToken(db, sessionId);
      const idToken = found && idTokens.open(await readKey(), found.person_id, found.id_token);
      return idToken === undefined ? undefined : client.signOutUrl(idToken, `${context.publicUrl}/sign-in`);
    },
  };
}
