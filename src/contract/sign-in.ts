// What the pages send to /auth, and what they get: signing in and out, passwords and the second factor of the person who is
// signed in. Outside /v1, because only browsers use it: programs have tokens. Each write needs the page's own Origin.
import * as z from 'zod/mini';
import { emailText, password, personName } from '#/contract/people.ts';

/** A code of an authenticator app, or a recovery code; spaces and dashes are ignored. */
const otp = z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(64));
/** A password as typed, which may be wrong in any way. */
const typed = z.string().check(z.maxLength(1024));

const none = z.optional(z.undefined());
/** `POST /auth/session` with a password, the secret of a token, or the code of the link that the service prints. */
export const signIn = z.union(
  [
    z.object({ Token: z.string(), Code: none, Email: none }),
    z.object({ Code: z.string(), Token: none, Email: none }),
    z.object({
      Email: z.string().check(z.maxLength(254)),
      Password: typed,
      Otp: z.optional(otp),
      Token: none,
      Code: none,
    }),
  ],
  'needs a Token, a Code, or Email and Password',
);

/** `POST /auth/accept`: takes an invitation, or the link for a forgotten password, and signs in. */
export const acceptBody = z.object({
  Code: z.string(),
  /** Of an invitation only. */
  Name: z.optional(personName),
  Password: password,
  /** Needed where the person has a second factor: an e-mail alone must not get past it. */
  Otp: z.optional(otp),
});

/** `POST /auth/password`: changes it and ends the person's other sessions. */
export const passwordBody = z.object({
  /**
   * Of a person without a password: a token, or the code of a new sign-in link; it may be empty in a browser that signed in
   * with such a link in the last ten minutes.
   */
  Old: typed,
  New: password,
});

/** `POST /auth/reset`: the same answer for every address. */
export const resetBody = z.object({ Email: emailText });

/** `POST /auth/otp/begin` and `POST /auth/otp/remove`. */
export const confirmPasswordBody = z.object({ Password: typed });
/** `POST /auth/otp/confirm`: the second factor holds from here on. */
export const confirmOtpBody = z.object({ Setup: z.string().check(z.maxLength(4096)), Otp: otp });

/**
 * `POST /auth/oidc/join`: from the next sign-in at the identity provider on, the person signs in there. The proof is the one
 * that creating an API token needs.
 */
export const joinBody = z.object({ Proof: z.optional(z.string().check(z.maxLength(8192))) });
/** The answer: the page at the provider that the browser goes to next. */
export interface JoinAnswer {
  Url: string;
}

/** What a refusal or a session still needs; a member of the problem, or of the session. */
export type SignInNeeds =
  /** A 401: the password is right; ask for the code and send everything again with `Otp`. */
  | 'Otp'
  /** Of a session, and of each 403 of /v1 in it: the account requires a second factor, and the person has none yet. */
  | 'OtpSetup';

export type SignInMethod = 'token' | 'password' | 'oidc';

/** The answer to `GET /auth/session`, as far as it concerns people. */
export interface SignInSession {
  SignedIn: boolean;
  /** What the sign-in page offers. */
  Methods: SignInMethod[];
  UserEmail?: string;
  /** Of a person; missing for a token of the account. */
  PersonId?: string;
  /** May be empty: the person is shown by the e-mail address. */
  Name?: string;
  Needs?: 'OtpSetup';
  /** Not signed in, because this browser's person was removed or disabled; `By` a person, where one did it. */
  Ended?: { Because: 'Removed' | 'Disabled'; By?: string };
  /** The name of the identity provider, where `Methods` has oidc. */
  Provider?: string;
}

/** The answer to `POST /auth/session` and `POST /auth/accept`. */
export interface SignedIn {
  UserEmail: string;
  Needs?: 'OtpSetup';
  /** How many are left, where one was just used. */
  RecoveryCodes?: number;
}

/** The answer to `DELETE /auth/session`, if the identity provider has a page to sign out at. */
export interface SignedOut {
  SignOutUrl: string;
}

/** Why signing in at the identity provider ended at `/sign-in?refused=…`; the page has the words. */
export type OidcRefusal =
  | 'expired'
  | 'unreachable'
  | 'invalid'
  | 'denied'
  | 'no-role'
  | 'no-email'
  | 'email-taken'
  | 'identity-taken'
  | 'not-signed-in'
  | 'disabled'
  | 'last-admin'
  | 'other-account'
  | 'full';

/** The answer to `POST /auth/reset`; not Emailed: the service cannot send mail, and an Admin has to make a link. */
export interface ResetAnswer {
  Emailed: boolean;
}

/** The answer to `POST /auth/otp/begin`. */
export interface OtpSetup {
  /** To type into an authenticator app: base32. */
  Secret: string;
  /** The same for a QR code: `otpauth://totp/…`. */
  Uri: string;
  /** To send with the first code, within ten minutes. */
  Setup: string;
}

/** The answer to `POST /auth/otp/confirm`: each works once, and they are shown only here. */
export interface OtpRecovery {
  RecoveryCodes: string[];
}
