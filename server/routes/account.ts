// v1.md, "Account", and the account's API tokens.
import type { NewApiToken, accountEndpoints } from '#/contract/account.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import type { Handlers } from '../implement.ts';
import { Problem, notFound } from '../problem.ts';
import { readAccount } from '../store/accounts.ts';
import { once } from '../store/orders.ts';
import { listTokens, makeToken, revokeToken } from '../store/tokens.ts';
import { RecentSecrets } from './recent-secrets.ts';

export function accountRoutes({ db, audit, now, room, retention }: Context): Handlers<typeof accountEndpoints> {
  const recent = new RecentSecrets<NewApiToken>();
  return {
    get: ({ account }) => {
      const found = readAccount(db, account.id);
      if (!found) throw notFound('account', account.email);
      const state = room.state();
      return {
        ...found,
        ...retention.usage(account.id),
        ...(state !== 'Enough' && { DiskState: state, DiskBytesFree: room.free() }),
      };
    },

    tokens: ({ account }) =>
      listTokens(db, account.id).map(({ id, name, prefix, created, last_used }) => ({
        TokenId: id,
        Name: name,
        Prefix: prefix,
        CreatedTime: printIsoTime(new Date(created)),
        LastUsedTime: last_used === null ? '' : printIsoTime(new Date(last_used)),
      })),

    createToken: async (request) => {
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      let created: NewApiToken | undefined;
      const { made } = await db.write((tx) =>
        once(tx, { accountId, key, what: request.body }, now(), () => {
          const { id, secret } = makeToken(tx, accountId, request.body.Name, now());
          audit.record(tx, request, 'token.create', id);
          const answer = { TokenId: id, Token: secret };
          created = answer;
          if (key !== undefined) tx.afterCommit(() => recent.remember(id, answer));
          return id;
        }),
      );
      const answer = created ?? recent.recall(made);
      // One that was revoked in the meantime opens nothing.
      if (answer && (created || listTokens(db, accountId).some(({ id }) => id === made))) return answer;
      throw new Problem(
        409,
        'The token was made, but it is lost',
        `This order has made the token "${made}", and it went with an answer that did not arrive. Revoke it and make another.`,
      );
    },

    revokeToken: (request) =>
      db.write(
        (tx) => {
          revokeToken(tx, request.account.id, request.params.token_id, now());
          audit.record(tx, request, 'token.revoke', request.params.token_id);
        },
        { essential: true },
      ),
  };
}
