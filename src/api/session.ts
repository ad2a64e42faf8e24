// The signed-in user. The session itself is an HttpOnly cookie of the service or gateway, which the page cannot read. A
// plain file host has no sessions, and the page keeps the token in memory.
import { queryOptions } from '@tanstack/react-query';
import { ApiError, unexpectedError } from '#/api/api-error.ts';
import { send } from '#/api/call.ts';
import { directAddress, hold, tokenOwner } from '#/api/direct.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';
import { hideSecret } from '#/contract/mask-secrets.ts';
import { tokenExpiry } from '#/contract/token-expiry.ts';
import { currentAccount, forgetAccount } from '#/lib/stored.ts';
import { waitFor } from '#/lib/pace.ts';
import type { ResetAnswer, SignedIn, SignedOut, SignInSession } from '#/contract/sign-in.ts';

const PATH = '/auth/session';

/** The fields beside these are missing in front of another service, and in direct mode. */
export interface DashboardSession extends Partial<Omit<SignInSession, 'SignedIn'>> {
  SignedIn: boolean;
  Service?: string;
  Version?: string;
  /** The upstream service, if a gateway serves this page. */
  Upstream?: string;
  /** Expiry of the token, if it has one; ISO 8601. */
  TokenExpires?: string;
  /**
   * The command that sets up a device of the upstream service, with `{key}` for its key, if the operator has set one.
   */
  InstallCommand?: string;
  /** Map tiles that replace the built-in base map, and their attribution. */
  MapTiles?: string;
  MapAttribution?: string;
}

const TEXTS = [
  'UserEmail',
  'PersonId',
  'Name',
  'Needs',
  'Provider',
  'Service',
  'Version',
  'Upstream',
  'TokenExpires',
  'InstallCommand',
  'MapTiles',
  'MapAttribution',
];

/** Checked by hand: this belongs to the first load, and a schema library would be larger than the rest of that. */
const isSession = (value: unknown): value is DashboardSession =>
  typeof value === 'object' &&
  value !== null &&
  'SignedIn' in value &&
  typeof value.SignedIn === 'boolean' &&
  (!('Ended' in value) || (typeof value.Ended === 'object' && value.Ended !== null)) &&
  TEXTS.every((name) => ['string', 'undefined'].includes(typeof (value as Record<string, unknown>)[name])) &&
  (!('Methods' in value) || Array.isArray(value.Methods));

function heldSession(Upstream: string): DashboardSession {
  const held = tokenOwner();
  const expires = held && tokenExpiry(held.token);
  return {
    SignedIn: held !== undefined,
    Upstream,
    ...(held && { UserEmail: held.email }),
    ...(expires !== undefined && { TokenExpires: new Date(expires).toISOString() }),
  };
}

async function fetchSession(): Promise<DashboardSession> {
  const { status, text } = await send('GET', PATH);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // `answer` stays undefined, which is no session.
  }
  if (!isSession(answer)) throw unexpectedError(status, text);
  return answer;
}

async function readSession(failures = 0): Promise<DashboardSession> {
  try {
    const session = directAddress === undefined ? await fetchSession() : heldSession(directAddress);
    currentAccount.set(session.UserEmail ?? '');
    return session;
  } catch (error) {
    if (!(error instanceof Error) || !shouldRetry(failures, error)) throw error;
    await waitFor(retryDelay(failures, error));
    return readSession(failures + 1);
  }
}

let reading: Promise<DashboardSession> | undefined;
let known: DashboardSession | undefined;

function forgetSession() {
  reading = undefined;
  known = undefined;
}

/**
 * The session, read once, and again after a failure, a sign-in or a sign-out. Not in the query cache, which the sign-in
 * page would have to load.
 */
export async function currentSession(): Promise<DashboardSession> {
  const mine = (reading ??= readSession());
  try {
    const session = await mine;
    if (reading === mine) known = session;
    return session;
  } catch (error) {
    if (reading === mine) forgetSession();
    throw error;
  }
}

export const sessionQueries = {
  current: () =>
    queryOptions({
      queryKey: ['session'],
      queryFn: currentSession,
      initialData: () => known,
      staleTime: Infinity,
      retry: false,
    }),
};

/** What a user signs in with: an API token, the single-use code of the link that the service prints, or a password. */
export type Credential = { Token: string } | { Code: string } | { Email: string; Password: string; Otp?: string };

/** What is known after a sign-in. `Needs`: a second factor has to be set up first; `signedIn` ends the sign-in then. */
export type SignInAnswer = Pick<SignedIn, 'Needs'>;

function answered(text: string): SignInAnswer {
  const { Needs } = JSON.parse(text) as SignInAnswer;
  if (Needs === undefined) announce('in');
  else forgetSession();
  return { ...(Needs && { Needs }) };
}

/** Exchanges a credential for a session and notifies the other tabs. Throws an ApiError with the reason. */
export async function signIn(credential: Credential): Promise<SignInAnswer> {
  if (!('Password' in credential)) hideSecret('Token' in credential ? credential.Token : credential.Code);
  if (directAddress === undefined) return answered((await send('POST', PATH, credential)).text);
  if (!('Token' in credential))
    throw new ApiError('refused', 'A sign-in link needs the service that printed it', { detail: 'Paste a token.' });
  await (await import('#/api/direct-sign-in.ts')).signInDirectly(directAddress, credential.Token);
  announce('in');
  return {};
}

/** Ends a sign-in that needed a second factor to be set up. */
export const signedIn = (): void => announce('in');

/** What a link for an invitation or for a new password is answered with. */
export interface Acceptance {
  Code: string;
  Name?: string;
  Password: string;
  Otp?: string;
}

/** Takes an invitation, or sets a new password by a link; signs in. */
export async function acceptLink(acceptance: Acceptance): Promise<SignInAnswer> {
  hideSecret(acceptance.Code);
  return answered((await send('POST', '/auth/accept', acceptance)).text);
}

/** Asks for a link for a new password. The answer is the same for every address. */
export async function askReset(Email: string): Promise<ResetAnswer> {
  return JSON.parse((await send('POST', '/auth/reset', { Email })).text) as ResetAnswer;
}

/** Ends the session on the service and in every tab; and at the identity provider, if that has a page for it. */
export async function signOut(): Promise<void> {
  let elsewhere: URL | null = null;
  if (directAddress === undefined) {
    const { text } = await send('DELETE', PATH);
    const { SignOutUrl = '' } = (text ? JSON.parse(text) : {}) as Partial<SignedOut>;
    elsewhere = URL.parse(SignOutUrl);
  } else hold(undefined);
  announce('out');
  if (elsewhere && /^https?:$/.test(elsewhere.protocol)) location.assign(elsewhere);
}

// ---- Tabs and expiry -----------------------------------------------------------------------------------------------

/** `ended`: the service answered 401; `in`, `out`: this or another tab signed in or out. */
export type SessionEvent = 'ended' | 'in' | 'out';

/** @param isShutOut of `out`: the person was removed or disabled, and nothing may stay on the page */
type SessionListener = (event: SessionEvent, isShutOut: boolean) => void;
const listeners = new Set<SessionListener>();
/** A token in memory belongs to one tab. */
const channel =
  typeof BroadcastChannel === 'undefined' || directAddress !== undefined
    ? undefined
    : new BroadcastChannel('muster-session');
let isAskingWhy = false;
const tell = (event: SessionEvent, isShutOut = false) => {
  isAskingWhy = false;
  forgetSession();
  for (const listener of listeners) listener(event, isShutOut);
};
function shutOut(): void {
  forgetAccount(currentAccount.get());
  tell('out', true);
}
// In Node an open channel would keep a test running.
(channel as { unref?: () => void } | undefined)?.unref?.();
channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === 'in' || data === 'out') tell(data);
  if (data === 'shut out') shutOut();
});

function announce(event: 'in' | 'out') {
  channel?.postMessage(event);
  tell(event);
}

async function askWhy(): Promise<void> {
  if (isAskingWhy) return;
  isAskingWhy = true;
  const session = directAddress === undefined ? await fetchSession().catch(() => undefined) : undefined;
  // A tab has signed in or out meanwhile.
  if (!isAskingWhy) return;
  isAskingWhy = false;
  if (!session?.Ended) return tell('ended');
  channel?.postMessage('shut out');
  shutOut();
}

/**
 * Called on a 401 answer: the page asks for a new sign-in and keeps its input. If the person was removed or disabled, every
 * tab forgets what it has.
 */
export const sessionEnded = (): void => void askWhy();

/** Calls back on every session event; returns a function that stops it. */
export function onSession(listener: SessionListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
