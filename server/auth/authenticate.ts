// Identifies the caller: an API client by its token, a browser by its session cookie. All others are refused.
import type { Context as HonoContext } from 'hono';
import type { Caller } from '../store/caller.ts';
import type { Context } from '../context.ts';
import type { Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { resealBulkKeys } from '../store/bulk-keys.ts';
import { findSession, recordSessionUse, rotateSession } from '../store/sessions.ts';
import type { Session } from '../store/sessions.ts';
import { tokenHolder, recordTokenUse } from '../store/tokens.ts';
import { bearerOf } from '../http/bearer.ts';
import { clientAddress } from '../http/client-address.ts';
import { openSigninLimit } from './signin-limit.ts';
import { ignoreErrors, USE_PRECISION_MS, openSessionCookie } from './session-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';

/** Refused tokens of an address that the audit log records in a minute. */
const RECORDED_REFUSALS = 3;

export interface Authenticator extends SessionCookie<Session> {
  /** The caller of this API request, or a 401 (403: a browser's write from another page). */
  caller(http: HonoContext<Env>): Promise<Caller>;
}

export function openAuthenticator(context: Context): Authenticator {
  const { db, now, config, audit, clock } = context;
  const recorded = openSigninLimit(RECORDED_REFUSALS, clock.steady);
  /** In the audit log, as far as it cannot be flooded. */
  const recordRefusal = (address: string) => {
    try {
      recorded.failed(address);
    } catch {
      return;
    }
    ignoreErrors(db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'token.use')));
  };
  const holder = cachedForTick((secret: string) => tokenHolder(db, secret, now()));
  const cookie = openSessionCookie(context, {
    find: (value, at) => findSession(db, value, at),
    // Read inside the transaction: the clock may be set before it runs.
    rotate: (session: Session, before, from) =>
      db.write(
        async (tx) => {
          const value = await rotateSession(tx, session, clientAddress(config, from), now());
          if (value !== undefined) await resealBulkKeys(tx, `session:${session.id}`, before, value);
          return value;
        },
        { essential: true },
      ),
    noteUse: (session, from) => db.write((tx) => recordSessionUse(tx, session, clientAddress(config, from), now())),
  });
  return {
    ...cookie,
    caller: async (http) => {
      const address = clientAddress(config, http.env.incoming);
      const { authorization } = http.env.incoming.headers;
      if (authorization !== undefined) {
        const secret = bearerOf(authorization);
        const found = secret === undefined ? undefined : await holder(secret);
        if (secret === undefined || !found) {
          recordRefusal(address);
          throw new Problem(
            401,
            'The token is not valid',
            'It may have been revoked. Create another in Settings under Tokens or with "npm run token".',
          );
        }
        if (Math.abs(now() - (found.last_used ?? 0)) >= USE_PRECISION_MS)
          ignoreErrors(db.write((tx) => recordTokenUse(tx, found.id, address, now())));
        return {
          account: { id: found.account_id, email: found.email },
          actor: found.person_id === null ? `token:${found.id}` : `person:${found.person_id}`,
          credential: `token:${found.id}`,
          personId: found.person_id ?? undefined,
          tokenId: found.id,
          ...found.rights,
          address,
          secret: { value: secret, isCurrent: true },
        };
      }
      const session = await cookie.session(http);
      if (!session)
        throw new Problem(401, 'Not signed in', 'Sign in again, or send the header "Authorization: Bearer <token>".');
      if (http.req.method !== 'GET' && http.req.method !== 'HEAD') cookie.requireOwnOrigin(http);
      if (session.needsOtp)
        throw new Problem(
          403,
          'Set up a second factor first',
          'This account requires one of everybody who signs in with a password. Open the dashboard to set it up.',
          { members: { Needs: 'OtpSetup' } },
        );
      const { id: sessionId, account_id: id, person_id: personId, token_id: tokenId, email, rights, secret } = session;
      const credential = `session:${sessionId}`;
      const actor = personId === null ? credential : `person:${personId}`;
      return {
        account: { id, email },
        actor,
        credential,
        personId: personId ?? undefined,
        tokenId: tokenId ?? undefined,
        ...rights,
        sessionId,
        address,
        secret,
      };
    },
  };
}

/**
 * Looks up each key once per tick of the event loop, so that requests that arrive together share a lookup. Results are
 * not kept longer: a token that another process revokes must become invalid at once.
 */
function cachedForTick<Value>(find: (key: string) => Value): (key: string) => Value {
  const found = new Map<string, Value>();
  const forget = () => found.clear();
  return (key) => {
    if (found.size === 0) setImmediate(forget);
    const known = found.get(key) ?? find(key);
    found.set(key, known);
    return known;
  };
}
