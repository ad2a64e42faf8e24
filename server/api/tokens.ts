// The API tokens of people and of the account.
import type { NewApiToken, accountEndpoints } from '#/contract/account.ts';
import { isLess, permissionsOf } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { openProofs } from '../auth/proof.ts';
import type { SigninGuards } from '../auth/sessions.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireRole } from '../http/require-permission.ts';
import type { Caller } from '../store/caller.ts';
import type { Reader, Tx } from '../store/database.ts';
import { currentRights } from '../store/people.ts';
import { runOnce } from '../store/submissions.ts';
import { createToken, listTokens, revokeToken, tokenExpiry } from '../store/tokens.ts';
import type { TokenOwner } from '../store/tokens.ts';
import { RecentSecrets } from './recent-secrets.ts';

type TokenHandlers = Pick<Handlers<typeof accountEndpoints>, 'tokens' | 'createToken' | 'revokeToken'>;
type Draft = Parameters<TokenHandlers['createToken']>[0]['body'];

/**
 * An Admin of all groups sees and revokes every token of the account; undefined stands for that. Others have their own,
 * and an Admin of some groups those of the account that reach no further. A token sees itself, not the others of its person.
 */
function tokensSeenBy({ role, groups, personId, tokenId = '' }: Caller): TokenOwner | undefined {
  if (role === 'Admin' && !groups) return undefined;
  const more = role === 'Admin' && groups ? { groups } : {};
  return personId !== undefined && tokenId === '' ? { personId, ...more } : { tokenId, ...more };
}

/** When what the caller signed in with ends by itself: a token that it makes must not outlive it. */
const expiryOf = async (db: Reader, { tokenId }: Caller): Promise<number | undefined> =>
  tokenId === undefined ? undefined : tokenExpiry(db, tokenId);

const rightsText = ({ role, groups }: Rights): string =>
  groups ? `${role} of the groups ${groups.join(', ')}` : `${role} of all groups`;

export function tokenRoutes(context: Context, guards: Pick<SigninGuards, 'limit' | 'passwords'>): TokenHandlers {
  const { db, audit, now } = context;
  const proofs = openProofs(context, guards, 'No token was created.');
  const recent = new RecentSecrets<NewApiToken>();
  const time = (at: number | null) => (at === null ? '' : printIsoTime(new Date(at)));

  /** What the new token gets, or why the maker cannot give that. */
  const grantOf = async (tx: Tx, request: Caller, draft: Draft) => {
    const own = await currentRights(tx, request);
    if (!own) throw new Problem(401, 'Not signed in', 'Sign in again: this session or token has ended.');
    const owner = draft.Owner ?? (request.personId === undefined ? 'account' : 'me');
    if (owner === 'account') requireRole(own, 'admin');
    if (owner === 'me' && request.personId === undefined)
      throw invalid([{ field: 'Owner', message: 'must be "account": a token of the account belongs to no person' }]);
    const groups = draft.Groups === undefined ? own.groups : [...new Set(draft.Groups)];
    const isUnlimited = !groups || (draft.Groups !== undefined && groups.length === 0);
    const rights: Rights = { role: draft.Role ?? own.role, ...(!isUnlimited && { groups }) };
    // Without any common group, the maker may do nothing.
    if (isLess(own, rights) || rights.groups?.length === 0) {
      const field = isLess(own, { role: rights.role, groups: own.groups }) ? 'Role' : 'Groups';
      throw new Problem(
        403,
        'A token cannot do more than you',
        `Choose the same or less: you are ${rightsText(own)}.`,
        {
          errors: [{ field, message: `is more than you have: you are ${rightsText(own)}` }],
          members: { Permission: permissionsOf(rights.role).at(-1) ?? 'read', Role: own.role },
        },
      );
    }
    const latest = await expiryOf(tx, request);
    const expires = draft.ExpiresTime === undefined ? latest : Date.parse(draft.ExpiresTime);
    if (expires !== undefined && expires <= now())
      throw invalid([{ field: 'ExpiresTime', message: 'must be in the future' }]);
    if (latest !== undefined && expires !== undefined && expires > latest)
      throw new Problem(
        403,
        'A token cannot last longer than the one that makes it',
        `That one ends ${time(latest)}.`,
        {
          errors: [{ field: 'ExpiresTime', message: `must not be later than ${time(latest)}` }],
          members: { Permission: 'read', Role: own.role },
        },
      );
    return { rights, expires, personId: owner === 'me' ? request.personId : undefined };
  };

  return {
    tokens: async (request) => {
      const owner = tokensSeenBy(request);
      const rows = await listTokens(db, request.account.id, owner);
      return rows.map((row) => ({
        TokenId: row.id,
        Name: row.name,
        Prefix: row.prefix,
        CreatedTime: time(row.created),
        LastUsedTime: time(row.last_used),
        LastUsedFrom: row.last_used_from,
        Role: row.role as Rights['role'],
        Groups: JSON.parse(row.groups_json) as string[],
        ExpiresTime: time(row.expires),
        Owner: row.person_id === null ? 'account' : row.person_id === request.personId ? 'me' : 'person',
        ...(!owner && row.person_id !== null && { PersonId: row.person_id, OwnerName: row.person ?? '' }),
      }));
    },

    createToken: async (request) => {
      // A program that shows its token is no browser that somebody may have found open.
      const proof = request.sessionId === undefined ? undefined : await proofs.take(request, request.body.Proof);
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      let created: NewApiToken | undefined;
      const { Proof: _, ...draft } = request.body;
      const submission = { accountId, key, content: askedBy(request, draft) };
      const write = () =>
        db.write((tx) =>
          runOnce(tx, submission, now(), async () => {
            const { rights, expires, personId } = await grantOf(tx, request, draft);
            // Checked only for the first request, because a repeated one has a link that it already used up.
            if (proof) await proofs.require(tx, request, proof, rights);
            const { id, secret } = await createToken(tx, accountId, draft.Name, now(), { personId, rights, expires });
            await audit.record(tx, request, 'token.create', id);
            const answer = { TokenId: id, Token: secret };
            created = answer;
            if (key !== undefined) tx.afterCommit(() => recent.remember(id, answer));
            return id;
          }),
        );
      const { id: tokenId } = await proofs.guard(request, 'token.create', write);
      const answer = created ?? recent.recall(tokenId);
      // A token that was revoked in the meantime would be useless.
      if (answer && (created || (await listTokens(db, accountId)).some(({ id }) => id === tokenId))) return answer;
      throw new Problem(
        409,
        'The token was created, but it is lost',
        `This request created the token "${tokenId}", but its answer was lost. Revoke it and create another.`,
      );
    },

    revokeToken: (request) =>
      db.write(
        async (tx) => {
          const { token_id: id } = request.params;
          await revokeToken(tx, request.account.id, id, now(), tokensSeenBy(request));
          await audit.record(tx, request, 'token.revoke', id);
        },
        { essential: true },
      ),
  };
}
