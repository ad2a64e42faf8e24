// Explains why a sign-in failed, for the sign-in page and for the dialog over a page.
import { ApiError } from '#/api/api-error.ts';
import type { Credential, DashboardSession } from '#/api/session.ts';
import type { OidcRefusal } from '#/contract/sign-in.ts';

export interface SignInWords {
  title: string;
  detail: string;
}

/** @param upstream the upstream service, if any, whose own reasons are then shown */
export function signInRefusal(error: unknown, credential: Credential, upstream: string | undefined): SignInWords {
  if (!(error instanceof ApiError)) return { title: 'Sign-in failed', detail: String(error) };
  if (error.status === 401 && 'Code' in credential)
    return {
      title: 'This sign-in link no longer works',
      detail:
        'A link works once and expires after ten minutes. Paste an API token, or get a new link with "npm run token -- link" on the service’s machine.',
    };
  if (error.status === 401 && 'Password' in credential)
    return { title: 'Wrong e-mail address or password', detail: 'Check both, and whether Caps Lock is on.' };
  if (error.status === 401 && upstream === undefined)
    return {
      title: 'Invalid token',
      detail:
        'Check that you copied all of it and that it was not revoked. "npm run token" on the service’s machine lists and creates tokens.',
    };
  if (error.status === 429 && upstream === undefined)
    return {
      title: 'Too many failed attempts',
      detail:
        'Password' in credential
          ? `Try again in ${secondsOf(error)} seconds.`
          : `Check that you copied all of it: a valid token works at once. Otherwise try again in ${secondsOf(error)} seconds.`,
    };
  return { title: error.message, detail: error.detail };
}

const secondsOf = ({ retryAfter }: ApiError) => Math.ceil(retryAfter ?? 60);

/** Why somebody who was signed in is no longer. */
export function endedWords({ Ended }: DashboardSession): SignInWords | undefined {
  if (!Ended) return undefined;
  const by = Ended.By === undefined ? '' : ` by ${Ended.By}`;
  const title = Ended.Because === 'Removed' ? `You were removed${by}` : `Your access was turned off${by}`;
  return { title, detail: 'If this is a mistake, ask an Admin of your account.' };
}

/** Why a link for an invitation or a new password was not taken. */
export function linkRefusal(error: unknown, isInvitation: boolean): SignInWords {
  if (!(error instanceof ApiError)) return { title: 'This did not work', detail: String(error) };
  if (error.status === 401)
    return isInvitation
      ? {
          title: 'This invitation no longer works',
          detail: 'It works once, for 72 hours. Ask the person who invited you for a new one.',
        }
      : {
          title: 'This link no longer works',
          detail: 'It works once, for one hour. Ask for a new one, or have an Admin of your account make one.',
        };
  return { title: error.message, detail: error.detail };
}

const PROVIDER: Record<OidcRefusal, SignInWords> = {
  expired: {
    title: 'This sign-in was not begun here, or took too long',
    detail: 'It has to be finished within ten minutes, in the same browser. Try again.',
  },
  unreachable: {
    title: 'The identity provider does not answer',
    detail: 'Try again in a moment. Other ways to sign in still work.',
  },
  invalid: {
    title: 'The answer of the identity provider is not valid',
    detail: 'Nobody was signed in. Try again; the log of the service says what is wrong.',
  },
  denied: { title: 'The identity provider did not sign you in', detail: 'It was cancelled or refused there.' },
  'no-role': {
    title: 'Your account at the identity provider has no role here',
    detail: 'Ask the operator of this service: none of your groups there is in its list of roles.',
  },
  'no-email': {
    title: 'The identity provider did not send your e-mail address',
    detail: 'Ask the operator of this service to let it send the claim "email".',
  },
  'email-taken': {
    title: 'Somebody here has your e-mail address already',
    detail:
      'If that is you, sign in the way you did until now, and connect the identity provider in Settings under Sign-in.',
  },
  'identity-taken': {
    title: 'This account at the identity provider belongs to another person here',
    detail: 'Nothing was connected. Choose another account there, or sign in with it.',
  },
  'not-signed-in': {
    title: 'Sign in here first',
    detail: 'To connect the identity provider with your account, you have to be signed in to it as a person.',
  },
  disabled: { title: 'You have been disabled here', detail: 'Ask an Admin of your account.' },
  'last-admin': {
    title: 'The identity provider would take your role as the last Admin',
    detail: 'Make another person Admin of all groups first, or change the list of roles of this service.',
  },
  'other-account': {
    title: 'Your role belongs to another account of this service',
    detail: 'Ask the operator: the list of roles names another account than yours.',
  },
  full: { title: 'The account has no room for another person', detail: 'Ask an Admin of the account.' },
};

/** Why signing in at the identity provider failed, by the word in the address; only known words have a text. */
export const providerRefusal = (word: string | null): SignInWords | undefined =>
  word !== null && Object.hasOwn(PROVIDER, word) ? PROVIDER[word as OidcRefusal] : undefined;
