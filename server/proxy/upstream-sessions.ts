// Sign-in at a gateway: the upstream service checks the token once, and then it is sealed into a session.
import * as z from 'zod/mini';
import { tokenExpiry } from '#/contract/token-expiry.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { parse, readJson } from '../http/implement.ts';
import type { App } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { deleteSealedSession, insertSealedSession } from '../store/sealed-sessions.ts';
import type { SealedSession } from '../store/sealed-sessions.ts';
import { VERSION } from '../version.ts';
import { clientAddress } from '../http/client-address.ts';
import type { SessionCookie } from '../auth/session-cookie.ts';
import { openSigninLimit } from '../auth/signin-limit.ts';
import { emailOf } from './upstream-account.ts';
import type { GatewayContext } from './upstream-service.ts';

const signIn = z.object({ Token: z.string().check(z.regex(/^\s*[\u0021-\u007e]{1,8192}\s*$/, 'must be one word')) });
const noStore = { 'Cache-Control': 'no-store' };

/** Registers /auth/session for a gateway. */
export function upstreamSessionRoutes(app: App, context: GatewayContext, cookie: SessionCookie<SealedSession>): void {
  const { db, now, clock, config, upstream } = context;
  const limit = openSigninLimit(config.signinLimit, clock.steady);
  const about = { Service: 'muster', Version: VERSION, Upstream: upstream.address };
  const map = config.mapTiles && { MapTiles: config.mapTiles.url, MapAttribution: config.mapTiles.attribution };

  app.get('/auth/session', async (http) => {
    const session = await cookie.session(http);
    if (!session) return http.json({ SignedIn: false, ...about }, 200, noStore);
    const expires = tokenExpiry(session.token);
    return http.json(
      {
        SignedIn: true,
        UserEmail: session.email,
        ...(expires !== undefined && { TokenExpires: printIsoTime(new Date(expires)) }),
        ...about,
        ...(config.installCommand !== undefined && { InstallCommand: config.installCommand }),
        ...map,
      },
      200,
      noStore,
    );
  });

  app.post('/auth/session', async (http) => {
    cookie.requireOwnOrigin(http, { beMissing: true });
    const given = parse(signIn, await readJson(http.env.incoming));
    const token = given.Token.trim();
    const email = await emailOf(upstream, token).catch((cause: unknown) => {
      if (cause instanceof Problem && cause.status === 401) limit.failed(clientAddress(config, http.env.incoming));
      throw cause;
    });
    const before = await cookie.session(http);
    const { value } = await db.write(async (tx) => {
      if (before) await deleteSealedSession(tx, before.id);
      return insertSealedSession(tx, upstream.address, email, token, now());
    });
    cookie.setCookie(http, value);
    return http.json({ UserEmail: email }, 200, noStore);
  });

  app.delete('/auth/session', async (http) => {
    const session = await cookie.session(http);
    if (session) {
      cookie.requireOwnOrigin(http);
      await db.write((tx) => deleteSealedSession(tx, session.id));
      cookie.clearCookie(http);
    }
    return http.body(null, 200, noStore);
  });
}
