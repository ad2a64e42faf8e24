// Signing browsers in and out: a token, the code of a printed link, or a password is exchanged for a cookie that scripts
// cannot read.
import type { Context as HonoContext } from 'hono';
import { signIn } from '#/contract/sign-in.ts';
import type { SignedIn, SignedOut, SignInMethod, SignInSession } from '#/contract/sign-in.ts';
import type { Context } from '../context.ts';
import { parse, readJson } from '../http/implement.ts';
import type { App, Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { hasPasswords, ownerOf, personById, shownName } from '../store/people.ts';
import { deleteSession, findSession, lostSession, redeemSigninCode } from '../store/sessions.ts';
import { lastActor } from '../store/audit-origin.ts';
import { tokenHolder } from '../store/tokens.ts';
import type { Tx } from '../store/database.ts';
import { VERSION } from '../version.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Authenticator } from './authenticate.ts';
import { openSession, signingIn } from './open-session.ts';
import type { SigningIn } from './open-session.ts';
import type { Oidc } from './oidc.ts';
import type { PasswordChecks } from './password-checks.ts';
import { otpMissing, otpWrong, takeCode } from './second-factor.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SigninLimit } from './signin-limit.ts';

const noStore = { 'Cache-Control': 'no-store' };

/** What slows down guessing. */
export interface SigninGuards {
  /** Of tokens and codes of links, by address. */
  limit: SigninLimit;
  passwords: PasswordChecks;
  secondFactor: SecondFactor;
}

interface Opened extends Pick<SignedIn, 'RecoveryCodes'> {
  value: string;
  email: string;
}

/** Registers /auth/session: reading the session, signing in, signing out. */
export function sessionRoutes(
  app: App,
  context: Context,
  authenticator: Authenticator,
  guards: SigninGuards,
  oidc: Oidc | undefined,
): void {
  const { db, now, config, audit } = context;
  const about = { Service: 'muster', Version: VERSION };
  // The source of map tiles, for signed-in users only.
  const map = config.mapTiles && { MapTiles: config.mapTiles.url, MapAttribution: config.mapTiles.attribution };

  /** What the sign-in page offers. A service on which nobody has a password does not ask for one. */
  const methods = async (): Promise<SignInMethod[]> => [
    'token',
    ...((await hasPasswords(db)) ? ['password' as const] : []),
    ...(oidc ? ['oidc' as const] : []),
  ];

  /** Why a browser's session gives no access any more. Only who has its cookie is told, and only the name of a person. */
  const whyEnded = async (http: HonoContext<Env>): Promise<SignInSession['Ended']> => {
    const value = authenticator.value(http);
    const lost = value === undefined ? undefined : await lostSession(db, value, now());
    if (!lost) return undefined;
    const action = lost.state === 'Removed' ? 'person.remove' : 'person.disable';
    const actor = await lastActor(db, lost.account_id, action, lost.person_id);
    const by = actor?.startsWith('person:') ? await personById(db, actor.slice(7)) : undefined;
    return { Because: lost.state, ...(by && { By: shownName(by) }) };
  };

  app.get('/auth/session', async (http) => {
    const session = await authenticator.session(http);
    const person = session?.person_id ? await personById(db, session.person_id) : undefined;
    const ended = session ? undefined : await whyEnded(http);
    const answer: SignInSession & typeof about = {
      SignedIn: session !== undefined,
      ...(ended && { Ended: ended }),
      ...(session && { UserEmail: session.email }),
      ...(person && { PersonId: person.id, Name: person.name }),
      ...(session?.needsOtp && { Needs: 'OtpSetup' }),
      Methods: await methods(),
      ...(oidc && { Provider: oidc.name }),
      ...about,
    };
    return http.json({ ...answer, ...(session && map) }, 200, noStore);
  });

  app.post('/auth/session', async (http) => {
    // Without an Origin the client is not a browser, which always sends one with a POST.
    authenticator.requireOwnOrigin(http, { beMissing: true });
    const given = parse(signIn, await readJson(http.env.incoming));
    const opened = given.Email === undefined ? await bySecret(http, given) : await byPassword(http, given);
    return answerSignedIn(http, context, authenticator, opened);
  });

  app.delete('/auth/session', async (http) => {
    const session = await authenticator.session(http);
    if (session) {
      authenticator.requireOwnOrigin(http);
      const caller = {
        account: { id: session.account_id, email: session.email },
        actor: session.person_id === null ? `session:${session.id}` : `person:${session.person_id}`,
        address: clientAddress(config, http.env.incoming),
      };
      const signOutUrl = await oidc?.signOutUrl(session.id);
      await db.write(
        async (tx) => {
          await deleteSession(tx, session.id);
          await audit.record(tx, caller, 'session.close', session.id);
        },
        { essential: true },
      );
      authenticator.clearCookie(http);
      if (signOutUrl !== undefined) {
        const answer: SignedOut = { SignOutUrl: signOutUrl };
        return http.json(answer, 200, noStore);
      }
    }
    return http.body(null, 200, noStore);
  });

  /** Signs in with a token or a link; both are always checked at once, because nobody can guess them. */
  async function bySecret(
    http: HonoContext<Env>,
    given: { Token: string; Code?: undefined } | { Code: string; Token?: undefined },
  ): Promise<Opened> {
    const address = clientAddress(config, http.env.incoming);
    const before = await authenticator.session(http);
    const opened = await db.write(
      async (tx) => {
        const who =
          given.Token === undefined ? await byCode(tx, given.Code.trim()) : await byToken(tx, given.Token.trim());
        return (
          who && { value: await openSession(tx, audit, who, { address, before, now: now() }), email: who.account.email }
        );
      },
      { essential: true },
    );
    if (opened) return opened;
    guards.limit.failed(address);
    await db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'session.open'));
    throw given.Token !== undefined
      ? new Problem(401, 'The token is not valid', 'Check that you copied all of it. It may also have been revoked.')
      : new Problem(
          401,
          'The sign-in link is not valid any more',
          'It works once, for 10 minutes. "npm run token -- link" on the service’s machine prints a new one; or sign in with a token.',
        );
  }

  async function byPassword(
    http: HonoContext<Env>,
    { Email, Password, Otp }: { Email: string; Password: string; Otp?: string | undefined },
  ): Promise<Opened> {
    const address = clientAddress(config, http.env.incoming);
    const before = await authenticator.session(http);
    const refuse = () => db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'session.open'));
    const wrong = new Problem(
      401,
      'The e-mail address or the password is not valid',
      'Check both. If you forgot the password, ask for a new one.',
    );
    const person = await guards.passwords.check(Email, Password, address);
    if (!person) {
      await refuse();
      throw wrong;
    }
    if (person.otp_secret && Otp === undefined) throw otpMissing();
    const right = await guards.secondFactor.attempt(person, Otp ?? '');
    const opened = await db.write(
      async (tx): Promise<Opened | 'changed' | 'wrong code'> => {
        // As it is now: the person may have been disabled while the password was checked.
        const current = await personById(tx, person.id);
        if (current?.state !== 'Active' || current.password !== person.password) return 'changed';
        if (current.otp_secret && Otp === undefined) return 'wrong code';
        const taken = await takeCode(tx, current, Otp ?? '', now());
        if (!taken) return 'wrong code';
        const who = signingIn(current, { how: 'password' });
        if (taken.recoveryCodes !== undefined) await audit.record(tx, { ...who, address }, 'otp.recover', current.id);
        return {
          value: await openSession(tx, audit, who, { address, before, now: now() }),
          email: current.email,
          ...(taken.recoveryCodes !== undefined && { RecoveryCodes: taken.recoveryCodes }),
        };
      },
      { essential: true },
    );
    if (typeof opened === 'object') {
      right();
      return opened;
    }
    await refuse();
    throw opened === 'changed' ? wrong : otpWrong();
  }

  async function byToken(tx: Tx, secret: string): Promise<SigningIn | undefined> {
    const holder = await tokenHolder(tx, secret, now());
    if (!holder) return undefined;
    const { id, account_id, email, person_id } = holder;
    return {
      account: { id: account_id, email },
      actor: person_id === null ? `token:${id}` : `person:${person_id}`,
      session: { how: 'token', tokenId: id, personId: person_id ?? undefined },
    };
  }
  async function byCode(tx: Tx, code: string): Promise<SigningIn | undefined> {
    const accountId = await redeemSigninCode(tx, code, now());
    const owner = accountId === undefined ? undefined : await ownerOf(tx, accountId);
    return owner && signingIn(owner, { how: 'link' });
  }
}

/** Sets the cookie of a browser that has just signed in. */
export async function answerSignedIn(
  http: HonoContext<Env>,
  { db, now }: Pick<Context, 'db' | 'now'>,
  authenticator: Pick<Authenticator, 'setCookie'>,
  { value, email, RecoveryCodes }: Opened,
): Promise<Response> {
  authenticator.setCookie(http, value);
  const session = await findSession(db, value, now());
  const answer: SignedIn = {
    UserEmail: email,
    ...(session?.needsOtp && { Needs: 'OtpSetup' }),
    ...(RecoveryCodes !== undefined && { RecoveryCodes }),
  };
  return http.json(answer, 200, noStore);
}
