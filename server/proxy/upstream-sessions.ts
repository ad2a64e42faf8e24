// Signing in at a gateway: the token is checked by the upstream service once, and then sealed into a session.
import { text as textOf } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { ACCOUNT_PATH, readAccountAnswer } from '#/contract/sign-in-check.ts';
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
import { upstreamFault } from './upstream-fault.ts';
import { withoutToken } from './upstream-scrub.ts';
import { refuseInvalid } from './upstream-answer.ts';
import type { GatewayContext } from './upstream-service.ts';
import type { Upstream } from './upstream.ts';

const signIn = z.object({ Token: z.string().check(z.regex(/^\s*[\u0021-\u007e]{1,8192}\s*$/, 'must be one word')) });
const noStore = { 'Cache-Control': 'no-store' };
const MAX_READ = 64 * 1024;

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
    const answer = await accountOf(upstream, token);
    const wait = Math.min(Number(answer.retryAfter), 3_600) || undefined;
    const account = readAccountAnswer(upstream.host, answer.status, answer.body, wait);
    if ('fault' in account) {
      const { status, title, detail } = account.fault;
      if (status === 401) limit.failed(clientAddress(config, http.env.incoming));
      const { retryAfter } = answer;
      throw new Problem(status, title, detail, {
        headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
      });
    }
    const before = await cookie.session(http);
    const { value } = await db.write(async (tx) => {
      if (before) await deleteSealedSession(tx, before.id);
      return insertSealedSession(tx, upstream.address, account.email, token, now());
    });
    cookie.setCookie(http, value);
    return http.json({ UserEmail: account.email }, 200, noStore);
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

async function accountOf(upstream: Upstream, token: string) {
  try {
    const answer = await upstream.ask({
      method: 'GET',
      target: ACCOUNT_PATH,
      token,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(25_000), // shorter than the browser's time limit
    });
    refuseInvalid(answer, upstream);
    let read = 0;
    answer.on('data', (part: Buffer) => {
      read += part.length;
      if (read > MAX_READ) answer.destroy();
    });
    const body = await textOf(answer).catch(() => '');
    const retryAfter = answer.headers['retry-after'];
    // The service's text about the token is shown, without the token itself.
    return {
      status: answer.statusCode ?? 0,
      body: withoutToken(body, token),
      retryAfter: retryAfter && withoutToken(retryAfter, token),
    };
  } catch (cause) {
    throw upstreamFault(cause, upstream.host);
  }
}
