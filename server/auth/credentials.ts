// What people do with their own credentials, outside /v1 and for browsers only: taking an invitation, passwords, and the
// second factor.
import type { Context as HonoContext } from 'hono';
import { isLess } from '#/contract/permissions.ts';
import { acceptBody, confirmOtpBody, confirmPasswordBody, passwordBody, resetBody } from '#/contract/sign-in.ts';
import type { OtpRecovery, OtpSetup, ResetAnswer } from '#/contract/sign-in.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { clientAddress } from '../http/client-address.ts';
import { parse, readJson } from '../http/implement.ts';
import type { App, Env } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { refuseTokenOf } from '../http/require-permission.ts';
import type { Tx } from '../store/database.ts';
import {
  createPersonCode,
  dropSecondFactor,
  endSessionsOf,
  ownerOf,
  personByEmail,
  personById,
  personOfCode,
  rightsOf,
  setName,
  setPassword,
} from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import { redeemSigninCode } from '../store/sessions.ts';
import { logFault } from '../store/system-fault.ts';
import { tokenHolder } from '../store/tokens.ts';
import type { Authenticator } from './authenticate.ts';
import { openSession, signingIn } from './open-session.ts';
import { otpUri } from './otp.ts';
import { waitFor } from './password-checks.ts';
import { hashPassword, passwordFault } from './passwords.ts';
import { beginSetup, confirmSetup, otpMissing, otpWrong, takeCode } from './second-factor.ts';
import { answerSignedIn } from './sessions.ts';
import type { SigninGuards } from './sessions.ts';
import { openSigninLimit } from './signin-limit.ts';

const HOUR = 3_600_000;
/** Mails that anybody can have sent to a person in an hour. */
const RESETS_PER_HOUR = 3;
/** A browser that signed in by link this recently belongs to whoever has the service's machine. */
const LINK_PROVES_MS = 600_000;

const noStore = { 'Cache-Control': 'no-store' };
const done = (http: HonoContext<Env>) => http.body(null, 200, noStore);

const codeInvalid = () =>
  new Problem(
    401,
    'The link is not valid any more',
    'It works once: an invitation for 72 hours, a link for a new password for one hour. An Admin of the account can make a new one.',
  );
const passwordWrong = () => new Problem(403, 'The password is not right', 'Nothing was changed.');

/** Registers /auth/accept, /auth/password, /auth/reset and /auth/otp. */
export function credentialRoutes(
  app: App,
  context: Context,
  authenticator: Authenticator,
  { limit, passwords, secondFactor }: SigninGuards,
): void {
  const { db, now, config, audit, alerts, clock } = context;
  const resetsByAddress = openSigninLimit(config.signinLimit, clock.steady);
  const resetsOfPerson = openSigninLimit(RESETS_PER_HOUR, clock.steady, HOUR);
  const body = (http: HonoContext<Env>) => readJson(http.env.incoming);
  const addressOf = (http: HonoContext<Env>) => clientAddress(config, http.env.incoming);

  /** The person who uses this browser. */
  const signedIn = async (http: HonoContext<Env>) => {
    authenticator.requireOwnOrigin(http);
    const session = await authenticator.session(http);
    if (!session) throw new Problem(401, 'Not signed in', 'Sign in again.');
    const person = session.person_id === null ? undefined : await personById(db, session.person_id);
    if (!person)
      throw new Problem(
        409,
        'A token of the account is signed in here, and no person',
        'A token has no password and no second factor. Sign in as a person.',
      );
    refuseTokenOf(person.id, { personId: person.id, tokenId: session.token_id ?? undefined });
    if (person.source === 'oidc')
      throw new Problem(
        409,
        'You sign in at the identity provider',
        'Your password and second factor are there. Change them there.',
      );
    const account = { id: person.account_id, email: person.email };
    return { session, person, actor: { account, actor: `person:${person.id}`, address: addressOf(http) } };
  };

  /** Throws unless this is the person's password. */
  const requirePassword = async (http: HonoContext<Env>, person: PersonRow, password: string): Promise<void> => {
    if (person.password === '') throw new Problem(409, 'You have no password yet', 'Set one first.');
    if ((await passwords.check(person.email, password, addressOf(http)))?.id !== person.id) throw passwordWrong();
  };

  app.post('/auth/accept', async (http) => {
    authenticator.requireOwnOrigin(http, { beMissing: true });
    const given = parse(acceptBody, await body(http));
    const address = addressOf(http);
    const code = given.Code.trim();
    const found = await personOfCode(db, code, now());
    if (!found) {
      limit.failed(address);
      await db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'person.accept'));
      throw codeInvalid();
    }
    const fault = passwordFault(given.Password, found.person.email, 'Password');
    if (fault) throw invalid([fault]);
    // A stolen mailbox must not get past the second factor.
    if (found.person.otp_secret && given.Otp === undefined) throw otpMissing();
    const right = await secondFactor.attempt(found.person, given.Otp ?? '');
    const hash = await hashPassword(given.Password);
    const before = await authenticator.session(http);
    const opened = await db.write(
      async (tx) => {
        const current = await personOfCode(tx, code, now());
        if (!current) return 'used';
        const { person, purpose } = current;
        const taken = await takeCode(tx, person, given.Otp ?? '', now());
        if (!taken) return 'wrong code';
        await setPassword(tx, person.id, hash);
        if (purpose === 'invite' && given.Name !== undefined) await setName(tx, person.id, given.Name);
        await endSessionsOf(tx, person.id);
        const who = signingIn(person, { how: 'password' });
        const action = purpose === 'invite' ? 'person.accept' : 'password.reset';
        await audit.record(tx, { ...who, address }, action, person.id);
        const value = await openSession(tx, audit, who, { address, before, now: now() });
        return { value, email: person.email };
      },
      { essential: true },
    );
    if (opened === 'used') throw codeInvalid();
    if (opened === 'wrong code') throw otpWrong();
    right();
    return answerSignedIn(http, context, authenticator, opened);
  });

  app.post('/auth/password', async (http) => {
    const { session, person, actor } = await signedIn(http);
    const given = parse(passwordBody, await body(http));
    if (person.password !== '') await requirePassword(http, person, given.Old);
    const fault = passwordFault(given.New, person.email, 'New');
    if (fault) throw invalid([fault]);
    const hash = await hashPassword(given.New);
    const isDone = await db.write(
      async (tx) => {
        const current = await personById(tx, person.id);
        if (current?.password !== person.password) return false;
        const isRecentLink = session.how === 'link' && now() < session.created + LINK_PROVES_MS;
        if (person.password === '' && !isRecentLink && !(await isProof(tx, person, given.Old.trim()))) return false;
        await setPassword(tx, person.id, hash);
        await endSessionsOf(tx, person.id, session.id);
        await audit.record(tx, actor, 'password.change', person.id);
        return true;
      },
      { essential: true },
    );
    if (isDone) return done(http);
    limit.failed(actor.address);
    throw person.password === ''
      ? new Problem(
          403,
          'Show that it is you',
          'You have no password yet. Send a token of yours, or the code of a new link of "npm run token -- link".',
        )
      : passwordWrong();
  });

  /** Whether this is a token with all of the person's rights, or a sign-in code that lets the person in. Uses up a code. */
  const isProof = async (tx: Tx, person: PersonRow, proof: string): Promise<boolean> => {
    const holder = await tokenHolder(tx, proof, now());
    if (holder?.person_id === person.id) return !isLess(holder.rights, rightsOf(person));
    const owner = await ownerOf(tx, person.account_id);
    if (owner?.id !== person.id) return false;
    // A token of the account with every right, like the link, is in the hands of its operator.
    if (holder?.account_id === person.account_id && holder.person_id === null)
      return holder.rights.role === 'Admin' && !holder.rights.groups;
    const code = /#code=(\S+)$/.exec(proof)?.[1] ?? proof;
    return (await redeemSigninCode(tx, code, now())) === person.account_id;
  };

  app.post('/auth/reset', async (http) => {
    authenticator.requireOwnOrigin(http, { beMissing: true });
    const { Email } = parse(resetBody, await body(http));
    const address = addressOf(http);
    await waitFor(resetsByAddress.attempt(address));
    // In the background: the time that it takes would tell whether the address is known.
    if (alerts.hasEmail)
      sendReset(Email, address).catch((cause: unknown) => logFault('could not send a link for a new password', cause));
    const answer: ResetAnswer = { Emailed: alerts.hasEmail };
    return http.json(answer, 200, noStore);
  });

  const sendReset = async (email: string, address: string): Promise<void> => {
    const person = await personByEmail(db, email);
    if (person?.state !== 'Active' || person.source !== 'password') return;
    if (resetsOfPerson.attempt(person.id)?.pause !== 0) return;
    const { code, expires } = await db.write(async (tx) => {
      const account = { id: person.account_id, email: person.email };
      await audit.record(tx, { account, actor: 'unknown', address }, 'password.ask-reset', person.id);
      return createPersonCode(tx, person.id, 'reset', now());
    });
    const text = `Somebody asked for a new password for ${person.email} at ${context.publicUrl}.

Set a new password:
${context.publicUrl}/reset#code=${code}

The link works once, until ${printIsoTime(new Date(expires))}. If it was not you, ignore this message: nothing has changed.
`;
    await alerts.mail(person.email, { subject: '[Muster] New password', text });
  };

  app.post('/auth/otp/begin', async (http) => {
    const { person } = await signedIn(http);
    const { Password } = parse(confirmPasswordBody, await body(http));
    if (person.otp_secret)
      throw new Problem(409, 'You have a second factor already', 'Remove it first, then set up another.');
    await requirePassword(http, person, Password);
    const { secret, setup } = await db.write((tx) => beginSetup(tx, person.id, now()));
    const answer: OtpSetup = { Secret: secret, Uri: otpUri(secret, person.email), Setup: setup };
    return http.json(answer, 200, noStore);
  });

  app.post('/auth/otp/confirm', async (http) => {
    const { session, person, actor } = await signedIn(http);
    const { Setup, Otp } = parse(confirmOtpBody, await body(http));
    const result = await db.write(async (tx) => {
      if ((await personById(tx, person.id))?.otp_secret) return 'expired';
      const codes = await confirmSetup(tx, person.id, { setup: Setup, code: Otp, now: now() });
      if (typeof codes === 'string') return codes;
      // The others were opened without it, perhaps by somebody who knows the password.
      await endSessionsOf(tx, person.id, session.id);
      await audit.record(tx, actor, 'otp.add', person.id);
      return codes;
    });
    if (result === 'expired')
      throw new Problem(409, 'This setup is not valid any more', 'Begin again: it has to be done within ten minutes.');
    if (result === 'wrong')
      throw invalid([
        { field: 'Otp', message: 'is not the code that belongs to this secret: check the clock of the phone' },
      ]);
    const answer: OtpRecovery = { RecoveryCodes: result };
    return http.json(answer, 200, noStore);
  });

  app.post('/auth/otp/remove', async (http) => {
    const { person, actor } = await signedIn(http);
    const { Password } = parse(confirmPasswordBody, await body(http));
    await requirePassword(http, person, Password);
    await db.write(async (tx) => {
      await dropSecondFactor(tx, person.id);
      await audit.record(tx, actor, 'otp.remove', person.id);
    });
    return done(http);
  });
}
