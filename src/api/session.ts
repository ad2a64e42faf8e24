// The signed-in user. The session itself is an HttpOnly cookie of the service or gateway, which the page cannot read. A
// plain file host has no sessions, and the page keeps the token in memory.
import { queryOptions } from '@tanstack/react-query';
import { ApiError, unexpectedError } from '#/api/api-error.ts';
import { send } from '#/api/call.ts';
import { directAddress, hold, tokenOwner } from '#/api/direct.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';
import { hideSecret } from '#/contract/mask-secrets.ts';
import { tokenExpiry } from '#/contract/token-expiry.ts';
import { currentAccount } from '#/lib/stored.ts';
import { waitFor } from '#/lib/pace.ts';

const PATH = '/auth/session';

export interface DashboardSession {
  SignedIn: boolean;
  UserEmail?: string;
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

/** Checked by hand: this belongs to the first load, and a schema library would be larger than the rest of that. */
const isSession = (value: unknown): value is DashboardSession =>
  typeof value === 'object' &&
  value !== null &&
  'SignedIn' in value &&
  typeof value.SignedIn === 'boolean' &&
  ['UserEmail', 'Service', 'Version', 'Upstream', 'TokenExpires', 'InstallCommand', 'MapTiles', 'MapAttribution'].every(
    (name) => ['string', 'undefined'].includes(typeof (value as Record<string, unknown>)[name]),
  );

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

/** What a user signs in with: an API token, or the single-use code of the link that the service prints at startup. */
export type Credential = { Token: string } | { Code: string };

/** Exchanges a credential for a session and notifies the other tabs. Throws an ApiError with the reason. */
export async function signIn(credential: Credential): Promise<void> {
  hideSecret('Token' in credential ? credential.Token : credential.Code);
  if (directAddress === undefined) await send('POST', PATH, credential);
  else if ('Token' in credential)
    await (await import('#/api/direct-sign-in.ts')).signInDirectly(directAddress, credential.Token);
  else throw new ApiError('refused', 'A sign-in link needs the service that printed it', { detail: 'Paste a token.' });
  announce('in');
}

/** Ends the session on the service and in every tab. */
export async function signOut(): Promise<void> {
  if (directAddress === undefined) await send('DELETE', PATH);
  else hold(undefined);
  announce('out');
}

// ---- Tabs and expiry -----------------------------------------------------------------------------------------------

/** `ended`: the service answered 401; `in`, `out`: this or another tab signed in or out. */
export type SessionEvent = 'ended' | 'in' | 'out';

const listeners = new Set<(event: SessionEvent) => void>();
/** A token in memory belongs to one tab. */
const channel =
  typeof BroadcastChannel === 'undefined' || directAddress !== undefined
    ? undefined
    : new BroadcastChannel('muster-session');
const tell = (event: SessionEvent) => {
  forgetSession();
  for (const listener of listeners) listener(event);
};
// In Node an open channel would keep a test running.
(channel as { unref?: () => void } | undefined)?.unref?.();
channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === 'in' || data === 'out') tell(data);
});

function announce(event: 'in' | 'out') {
  channel?.postMessage(event);
  tell(event);
}

/** Called on a 401 answer: the page asks for a new sign-in and keeps its input. */
export const sessionEnded = (): void => tell('ended');

/** Calls back on every session event; returns a function that stops it. */
export function onSession(listener: (event: SessionEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
