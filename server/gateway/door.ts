// Who asks. An API client shows a token, a browser its session's cookie; everybody else stays outside.
import type { Context as HonoContext } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Caller } from '../audit.ts';
import type { Context } from '../context.ts';
import type { Env } from '../implement.ts';
import { Problem } from '../problem.ts';
import {
  findSession,
  LIFETIME_MS,
  noteSessionUse,
  PREVIOUS_VALID_MS,
  ROTATE_AFTER_MS,
  rotateSession,
} from '../store/sessions.ts';
import type { Session } from '../store/sessions.ts';
import { holderOf, noteTokenUse } from '../store/tokens.ts';
import { clientAddress } from './client-address.ts';

/** How exact "last used" is. Noting every use would make each read a write. */
const NOTE_USE_MS = 60_000;

export interface Door {
  /** Who makes this request of the API, or a 401 (403: a browser's write from another page). */
  caller(http: HonoContext<Env>): Promise<Caller>;
  /** The session of this request's cookie; rotates the cookie when it is due. */
  session(http: HonoContext<Env>): Promise<Session | undefined>;
  /** Refuses a request that another site may have made the browser send. */
  requireOwnOrigin(http: HonoContext<Env>, may?: { beMissing: boolean }): void;
  setCookie(http: HonoContext<Env>, value: string): void;
  clearCookie(http: HonoContext<Env>): void;
}

/** @param instanceId goes into the cookie's name: cookies ignore ports, and two services may share a host */
export function openDoor(context: Context, instanceId: string): Door {
  const { db, now, config } = context;
  const secure = () => context.publicUrl.startsWith('https:');
  const cookieName = () => `${secure() ? '__Host-' : ''}muster_${instanceId}`;
  const writeCookie = (http: HonoContext<Env>, value: string, seconds: number) =>
    http.env.outgoing.setHeader(
      'Set-Cookie',
      `${cookieName()}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure() ? '; Secure' : ''}`,
    );
  /** Notes that matter little: when the disk refuses one, the request goes on. */
  const inPassing = (note: Promise<unknown>) => void note.catch(() => {});

  // The answer that carries a new value may get lost (a page that is left cancels its requests), so while the old one
  // still works the new one is told again.
  const replaced = new Map<string, { value: string; until: number }>();
  const rotate = async (session: Session): Promise<string | undefined> => {
    const at = now();
    const value = await db.write((tx) => rotateSession(tx, session, at));
    if (value === undefined) return undefined;
    for (const [id, { until }] of replaced) if (until <= at) replaced.delete(id);
    replaced.set(session.id, { value, until: at + PREVIOUS_VALID_MS });
    return value;
  };

  const door: Door = {
    caller: async (http) => {
      const address = clientAddress(config, http.env.incoming);
      const authorization = http.env.incoming.headers.authorization;
      if (authorization !== undefined) {
        const secret = /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1];
        const holder = secret === undefined ? undefined : holderOf(db, secret);
        if (!holder)
          throw new Problem(
            401,
            'The token is not valid',
            'It may have been revoked. Make another on the Account page or with "npm run token".',
          );
        if ((holder.last_used ?? 0) + NOTE_USE_MS <= now())
          inPassing(db.write((tx) => noteTokenUse(tx, holder.id, now())));
        return { account: { id: holder.account_id, email: holder.email }, actor: `token:${holder.id}`, address };
      }
      const session = await door.session(http);
      if (!session)
        throw new Problem(401, 'Not signed in', 'Sign in again, or send the header "Authorization: Bearer <token>".');
      if (http.req.method !== 'GET' && http.req.method !== 'HEAD') door.requireOwnOrigin(http);
      return { account: { id: session.account_id, email: session.email }, actor: `session:${session.id}`, address };
    },

    session: async (http) => {
      const value = getCookie(http, cookieName());
      const session = value === undefined ? undefined : findSession(db, value, now());
      if (!session) return undefined;
      if (session.previous) {
        const again = replaced.get(session.id);
        if (again) door.setCookie(http, again.value);
      } else if (now() >= session.rotated + ROTATE_AFTER_MS) {
        const fresh = (await rotate(session)) ?? replaced.get(session.id)?.value;
        if (fresh !== undefined) door.setCookie(http, fresh);
      } else if (now() >= session.last_used + NOTE_USE_MS) {
        inPassing(db.write((tx) => noteSessionUse(tx, session.id, now())));
      }
      return session;
    },

    requireOwnOrigin: (http, { beMissing } = { beMissing: false }) => {
      const origin = http.env.incoming.headers.origin;
      if (origin === context.publicUrl || (origin === undefined && beMissing)) return;
      throw new Problem(
        403,
        'The request comes from another address',
        `This service takes a browser's changes only from pages at ${context.publicUrl}: open it there, or start it with PUBLIC_URL set to the address you use.`,
      );
    },

    setCookie: (http, value) => writeCookie(http, value, LIFETIME_MS / 1000),
    clearCookie: (http) => writeCookie(http, '', 0),
  };
  return door;
}
