// Signing browsers in and out: a token, or the code of a printed link, is exchanged once for a cookie that scripts
// cannot read.
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { parse, readJson } from '../http/implement.ts';
import type { App } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { ownerOf } from '../store/people.ts';
import { deleteSession, insertSession, redeemSigninCode } from '../store/sessions.ts';
import type { NewSession } from '../store/sessions.ts';
import { tokenHolder } from '../store/tokens.ts';
import type { Tx } from '../store/database.ts';
import { VERSION } from '../version.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Authenticator } from './authenticate.ts';
import type { SigninLimit } from './signin-limit.ts';

const signIn = z.union(
  [
    z.object({ Token: z.string(), Code: z.optional(z.undefined()) }),
    z.object({ Code: z.string(), Token: z.optional(z.undefined()) }),
  ],
  'needs a Token or a Code',
);
const noStore = { 'Cache-Control': 'no-store' };

/** Registers /auth/session: reading the session, signing in, signing out. */
export function sessionRoutes(app: App, context: Context, authenticator: Authenticator, limit: SigninLimit): void {
  const { db, now, config, audit } = context;
  const about = { Service: 'muster', Version: VERSION };
  // The source of map tiles, for signed-in users only.
  const map = config.mapTiles && { MapTiles: config.mapTiles.url, MapAttribution: config.mapTiles.attribution };

  app.get('/auth/session', async (http) => {
    const session = await authenticator.session(http);
    return http.json(
      session ? { SignedIn: true, UserEmail: session.email, ...about, ...map } : { SignedIn: false, ...about },
      200,
      noStore,
    );
  });

  app.post('/auth/session', async (http) => {
    // Without an Origin the client is not a browser, which always sends one with a POST.
    authenticator.requireOwnOrigin(http, { beMissing: true });
    const address = clientAddress(config, http.env.incoming);
    const given = parse(signIn, await readJson(http.env.incoming));
    const before = await authenticator.session(http);

    const opened = await db.write(
      async (tx) => {
        const who =
          given.Token === undefined ? await byCode(tx, given.Code.trim()) : await byToken(tx, given.Token.trim());
        if (!who) return undefined;
        if (before) await deleteSession(tx, before.id);
        const { id, value } = await insertSession(tx, who.account.id, { ...who.session, address }, now());
        await audit.record(tx, { account: who.account, actor: who.actor, address }, 'session.open', id);
        return { value, email: who.account.email };
      },
      { essential: true },
    );
    if (!opened) {
      limit.failed(address);
      await db.write((tx) => audit.refused(tx, { actor: 'unknown', address }, 'session.open'));
      throw given.Token !== undefined
        ? new Problem(401, 'The token is not valid', 'Check that you copied all of it. It may also have been revoked.')
        : new Problem(
            401,
            'The sign-in link is not valid any more',
            'It works once, for 10 minutes. "npm run token -- link" on the service’s machine prints a new one; or sign in with a token.',
          );
    }
    authenticator.setCookie(http, opened.value);
    return http.json({ UserEmail: opened.email }, 200, noStore);
  });

  app.delete('/auth/session', async (http) => {
    const session = await authenticator.session(http);
    if (session) {
      authenticator.requireOwnOrigin(http);
      const caller = {
        account: { id: session.account_id, email: session.email },
        actor: session.person_id === null ? `session:${session.id}` : `person:${session.person_id}`,
        address: clientAddress(config, http.env.incoming),
      };
      await db.write(
        async (tx) => {
          await deleteSession(tx, session.id);
          await audit.record(tx, caller, 'session.close', session.id);
        },
        { essential: true },
      );
      authenticator.clearCookie(http);
    }
    return http.body(null, 200, noStore);
  });

  interface Who {
    account: { id: number; email: string };
    actor: string;
    session: Omit<NewSession, 'address'>;
  }
  async function byToken(tx: Tx, secret: string): Promise<Who | undefined> {
    const holder = await tokenHolder(tx, secret, now());
    if (!holder) return undefined;
    const { id, account_id, email, person_id } = holder;
    return {
      account: { id: account_id, email },
      actor: person_id === null ? `token:${id}` : `person:${person_id}`,
      session: { how: 'token', tokenId: id, personId: person_id ?? undefined },
    };
  }
  async function byCode(tx: Tx, code: string): Promise<Who | undefined> {
    const accountId = await redeemSigninCode(tx, code, now());
    const owner = accountId === undefined ? undefined : await ownerOf(tx, accountId);
    return (
      owner && {
        account: { id: owner.account_id, email: owner.email },
        actor: `person:${owner.id}`,
        session: { how: 'link', personId: owner.id },
      }
    );
  }
}
