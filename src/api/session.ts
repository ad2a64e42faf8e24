// Who is signed in. The session itself is an HttpOnly cookie of the gateway; the page only knows that there is one.
import * as z from 'zod/mini';
import { queryOptions } from '@tanstack/react-query';
import { unexpectedError } from '#/api/api-error.ts';
import { send } from '#/api/call.ts';

const PATH = '/auth/session';

const session = z.object({
  SignedIn: z.boolean(),
  UserEmail: z.optional(z.string()),
  Service: z.optional(z.string()),
  Version: z.optional(z.string()),
});
export type Session = z.output<typeof session>;

async function readSession(signal: AbortSignal): Promise<Session> {
  const { status, text } = await send('GET', PATH, undefined, { signal });
  try {
    return session.parse(JSON.parse(text));
  } catch {
    throw unexpectedError(status, text);
  }
}

export const sessionQueries = {
  current: () =>
    queryOptions({ queryKey: ['session'], queryFn: ({ signal }) => readSession(signal), staleTime: Infinity }),
};

/** What a person signs in with: an API token, or the single-use code of the link printed at the start. */
export type Credential = { Token: string } | { Code: string };

/** Exchanges a credential for a session and tells the other tabs. Raises an ApiError that says what is wrong. */
export async function signIn(credential: Credential): Promise<void> {
  await send('POST', PATH, credential);
  announce('in');
}

/** Ends the session on the service and in every tab. */
export async function signOut(): Promise<void> {
  await send('DELETE', PATH);
  announce('out');
}

// ---- Tabs and expiry -----------------------------------------------------------------------------------------------

/** `ended`: the service said 401; `in`, `out`: another tab, or this one, signed in or out. */
export type SessionEvent = 'ended' | 'in' | 'out';

const listeners = new Set<(event: SessionEvent) => void>();
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('muster-session');
const tell = (event: SessionEvent) => {
  for (const listener of listeners) listener(event);
};
channel?.addEventListener('message', ({ data }) => {
  if (data === 'in' || data === 'out') tell(data);
});

function announce(event: 'in' | 'out') {
  channel?.postMessage(event);
  tell(event);
}

/** Called when an answer was 401: the page asks for a new sign-in without losing what was typed. */
export const sessionEnded = (): void => tell('ended');

/** Calls back on every session event; returns the way to stop. */
export function onSession(listener: (event: SessionEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
