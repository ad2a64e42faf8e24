// v1.md, "Account", and the account's API tokens.
import type { accountEndpoints } from '#/contract/account.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../implement.ts';
import { notFound } from '../problem.ts';
import { readAccount } from '../store/accounts.ts';
import { listTokens, makeToken, revokeToken } from '../store/tokens.ts';

export function accountRoutes({ db, audit, now, room }: Context): Handlers<typeof accountEndpoints> {
  return {
    get: ({ account }) => {
      const found = readAccount(db, account.id);
      if (!found) throw notFound('account', account.email);
      const state = room.state();
      return { ...found, ...(state !== 'Enough' && { DiskState: state, DiskBytesFree: room.free() }) };
    },

    tokens: ({ account }) =>
      listTokens(db, account.id).map(({ id, name, prefix, created, last_used }) => ({
        TokenId: id,
        Name: name,
        Prefix: prefix,
        CreatedTime: printIsoTime(new Date(created)),
        LastUsedTime: last_used === null ? '' : printIsoTime(new Date(last_used)),
      })),

    createToken: (request) =>
      db.write((tx) => {
        const { id, secret } = makeToken(tx, request.account.id, request.body.Name, now());
        audit.record(tx, request, 'token.create', id);
        return { TokenId: id, Token: secret };
      }),

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
