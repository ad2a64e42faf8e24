// The cookie of a browser's session: named, set, rotated. The store decides what a session gives access to: the
// service's account, or a token for the upstream service of a gateway.
import type { IncomingMessage } from 'node:http';
import type { Context as HonoContext } from 'hono';
import type { Clock } from '../clock.ts';
import type { Caller } from '../store/caller.ts';
import type { Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { LIFETIME_MS, PREVIOUS_VALID_MS, ROTATE_AFTER_MS } from '../store/sessions.ts';

/** Precision of "last used": storing every use would make each read a write. */
export const USE_PRECISION_MS = 60_000;

/** Unimportant writes: if the disk refuses one, the request continues. */
export const ignoreErrors = (note: Promise<unknown>) => void note.catch(() => {});

/** The cookie's names without and with TLS. They contain the instance's id, because cookies ignore ports. */
export const cookieNames = (instanceId: string) => [`muster_${instanceId}`, `__Host-muster_${instanceId}`] as const;

/**
 * The value of a cookie; undefined if there are two of that name, because another host of the domain may have set one.
 */
function onlyCookie(header: string, name: string): string | undefined {
  const values = header.split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=');
    return key.trim() === name ? [value.join('=').trim()] : [];
  });
  if (values.length > 1)
    throw new Problem(
      400,
      `The request has the cookie ${name} twice`,
      'Another site on this domain may have set one of them. Delete the cookies of this address, then sign in again.',
    );
  return values[0];
}

interface Rotating {
  id: string;
  rotated: number;
  last_used: number;
  /** Whether the presented value is the previous one. */
  previous: boolean;
}

interface SessionStore<Session extends Rotating> {
  find(value: string, now: number): Promise<Session | undefined>;
  /** Replaces a session's value `before`; undefined if another request just did. */
  rotate(session: Session, before: string, from: IncomingMessage): Promise<string | undefined>;
  noteUse(session: Session, from: IncomingMessage): Promise<unknown>;
}

/**
 * What the cookie needs from the service; `publicUrl` is read at each use, because it is known only after listening.
 */
interface Site {
  readonly publicUrl: string;
  clock: Pick<Clock, 'now' | 'steady'>;
  /** Part of the cookie's name: cookies ignore ports, and two services may share a host. */
  instanceId: string;
}

type SessionSecret = NonNullable<Caller['secret']>;

export interface SessionCookie<Session> {
  /** The session of this request's cookie; rotates the cookie when it is due. */
  session(http: HonoContext<Env>): Promise<(Session & { secret: SessionSecret }) | undefined>;
  /** What this request's cookie holds, whether or not it gives access. */
  value(http: HonoContext<Env>): string | undefined;
  /** Refuses a request that another site may have caused. */
  requireOwnOrigin(http: HonoContext<Env>, may?: { beMissing: boolean }): void;
  /** Whether the browser may have a session: it sent the cookie, or it came from another site and sends none then. */
  maybeSignedIn(http: HonoContext<Env>): boolean;
  setCookie(http: HonoContext<Env>, value: string): void;
  clearCookie(http: HonoContext<Env>): void;
}

export function openSessionCookie<Session extends Rotating>(
  site: Site,
  store: SessionStore<Session>,
): SessionCookie<Session> {
  const { now, steady } = site.clock;
  const secure = () => site.publicUrl.startsWith('https:');
  const [plainName, secureName] = cookieNames(site.instanceId);
  const cookieName = () => (secure() ? secureName : plainName);
  const writeCookie = (http: HonoContext<Env>, value: string, seconds: number) =>
    http.env.outgoing.setHeader(
      'Set-Cookie',
      `${cookieName()}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure() ? '; Secure' : ''}`,
    );
  const setCookie = (http: HonoContext<Env>, value: string) => writeCookie(http, value, LIFETIME_MS / 1000);

  // The answer with a new value may get lost (leaving a page cancels its requests), so it is sent again while the old
  // value is valid.
  const replaced = new Map<string, { value: string; until: number }>();
  const rotate = async (session: Session, before: string, from: IncomingMessage): Promise<string | undefined> => {
    const value = await store.rotate(session, before, from);
    if (value === undefined) return undefined;
    const at = steady();
    for (const [id, { until }] of replaced) if (until <= at) replaced.delete(id);
    replaced.set(session.id, { value, until: at + PREVIOUS_VALID_MS });
    return value;
  };

  const valueOf = (http: HonoContext<Env>) => onlyCookie(http.env.incoming.headers.cookie ?? '', cookieName());

  return {
    value: valueOf,
    session: async (http) => {
      const value = valueOf(http);
      const session = value === undefined ? undefined : await store.find(value, now());
      if (value === undefined || !session) return undefined;
      if (session.previous || now() >= session.rotated + ROTATE_AFTER_MS) {
        const rotated = session.previous ? undefined : await rotate(session, value, http.env.incoming);
        const fresh = rotated ?? replaced.get(session.id)?.value;
        if (fresh !== undefined) setCookie(http, fresh);
        return { ...session, secret: { value: fresh ?? value, isCurrent: fresh !== undefined } };
      }
      if (now() >= session.last_used + USE_PRECISION_MS) {
        ignoreErrors(store.noteUse(session, http.env.incoming));
      }
      return { ...session, secret: { value, isCurrent: true } };
    },

    requireOwnOrigin: (http, { beMissing } = { beMissing: false }) => {
      const origin = http.env.incoming.headers.origin;
      if (origin === site.publicUrl || (origin === undefined && beMissing)) return;
      throw new Problem(
        403,
        'The request comes from another address',
        `This service takes a browser's changes only from pages at ${site.publicUrl}: open it there, or start it with PUBLIC_URL set to the address you use.`,
      );
    },

    maybeSignedIn: (http) => {
      const { cookie = '', 'sec-fetch-site': from } = http.env.incoming.headers;
      return from === 'cross-site' || cookie.includes(`${cookieName()}=`);
    },

    setCookie,
    clearCookie: (http) => writeCookie(http, '', 0),
  };
}
