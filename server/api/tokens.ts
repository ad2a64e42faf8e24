// The API tokens of people and of the account.
import type { NewApiToken, accountEndpoints } from '#/contract/account.ts';
import { isLess, permissionsOf } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { SigninGuards } from '../auth/sessions.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireRole } from '../http/require-permission.ts';
import type { Caller } from '../store/caller.ts';
import type { Reader, Tx } from '../store/database.ts';
import { currentRights, personById } from '../store/people.ts';
import { holderOf, readSession, redeemSigninCode } from '../store/sessions.ts';
import { runOnce } from '../store/submissions.ts';
import { createToken, listTokens, revokeToken, tokenExpiry, tokenHolder } from '../store/tokens.ts';
import type { TokenOwner } from '../store/tokens.ts';
import { RecentSecrets } from './recent-secrets.ts';

type TokenHandlers = Pick<Handlers<typeof accountEndpoints>, 'tokens' | 'createToken' | 'revokeToken'>;
type Draft = Parameters<TokenHandlers['createToken']>[0]['body'];

/** Signing in at an identity provider this recently is a proof. */
const PROVIDER_PROVES_MS = 600_000;
const PROOF_NEEDED =
  'is needed: your password or a token. Without either, use the link that "npm run token -- link" prints on the service’s machine, or sign in again at the identity provider just before';

/**
 * An Admin of all groups sees and revokes every token of the account; undefined stands for that. Others have their own,
 * and an Admin of some groups those of the account that reach no further.
 */
async function tokensSeenBy(
  db: Reader,
  { role, groups, personId, credential }: Caller,
): Promise<TokenOwner | undefined> {
  if (role === 'Admin' && !groups) return undefined;
  const more = role === 'Admin' && groups ? { groups } : {};
  if (personId !== undefined) return { personId, ...more };
  return { tokenId: (await holderOf(db, credential)).replace(/^token:/, ''), ...more };
}

/** When what the caller signed in with ends by itself: a token that it makes must not outlive it. */
async function expiryOf(db: Reader, { credential }: Caller): Promise<number | undefined> {
  const holder = await holderOf(db, credential);
  return holder.startsWith('token:') ? tokenExpiry(db, holder.slice('token:'.length)) : undefined;
}

const rightsText = ({ role, groups }: Rights): string =>
  groups ? `${role} of the groups ${groups.join(', ')}` : `${role} of all groups`;

export function tokenRoutes(
  { db, audit, now }: Context,
  { limit, passwords }: Pick<SigninGuards, 'limit' | 'passwords'>,
): TokenHandlers {
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

  /** Whether the proof is the password of the person in front of the browser; slow, so not inside a transaction. */
  const isPassword = async ({ personId, address }: Caller, proof: string): Promise<boolean> => {
    const person = personId === undefined ? undefined : await personById(db, personId);
    if (!person || person.password === '' || /^mu[a-z]_|#code=/.test(proof)) return false;
    if (await tokenHolder(db, proof, now())) return false;
    return (await passwords.check(person.email, proof, address))?.id === person.id;
  };

  /** Whether a browser's user has proved more than a session. Uses up a sign-in code. */
  const isProven = async (tx: Tx, { account, personId }: Caller, proof: string, asked: Rights): Promise<boolean> => {
    const holder = await tokenHolder(tx, proof, now());
    if (holder) {
      const isTheirs = holder.person_id === null || holder.person_id === personId;
      return holder.account_id === account.id && isTheirs && !isLess(holder.rights, asked);
    }
    // Users paste the whole link.
    const code = /#code=(\S+)$/.exec(proof)?.[1] ?? proof;
    return (await redeemSigninCode(tx, code, now())) === account.id;
  };

  const hasJustSignedIn = async ({ sessionId }: Caller): Promise<boolean> => {
    const session = sessionId === undefined ? undefined : await readSession(db, sessionId);
    return session?.how === 'oidc' && now() < session.created + PROVIDER_PROVES_MS;
  };

  /** The proof as it was given, or that none is needed. */
  const proofOf = async (request: HandlerRequest & { body: Draft }): Promise<{ isGiven: boolean; text: string }> => {
    const text = request.body.Proof?.trim() ?? '';
    if (request.sessionId === undefined) return { isGiven: true, text };
    if (text === '') {
      if (await hasJustSignedIn(request)) return { isGiven: true, text };
      throw invalid([{ field: 'Proof', message: PROOF_NEEDED }]);
    }
    return { isGiven: await isPassword(request, request.body.Proof ?? ''), text };
  };

  return {
    tokens: async (request) => {
      const owner = await tokensSeenBy(db, request);
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
      const proof = await proofOf(request);
      const errors = [{ field: 'Proof', message: 'is not valid: check that it was copied whole; a link works once' }];
      const notProven = new Problem(403, 'The proof is not valid', 'No token was created.', { errors });
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      let created: NewApiToken | undefined;
      const { Proof: _, ...draft } = request.body;
      // Whoever asks is part of it: nobody gets the token of somebody else by the same key.
      const submission = { accountId, key, content: { ...draft, holder: request.personId ?? request.credential } };
      const write = db.write((tx) =>
        runOnce(tx, submission, now(), async () => {
          const { rights, expires, personId } = await grantOf(tx, request, draft);
          // Checked only for the first request, because a repeated one has a link that it already used up.
          if (!proof.isGiven && !(await isProven(tx, request, proof.text, rights))) throw notProven;
          const { id, secret } = await createToken(tx, accountId, draft.Name, now(), { personId, rights, expires });
          await audit.record(tx, request, 'token.create', id);
          const answer = { TokenId: id, Token: secret };
          created = answer;
          if (key !== undefined) tx.afterCommit(() => recent.remember(id, answer));
          return id;
        }),
      );
      const { id: tokenId } = await write.catch(async (cause: unknown) => {
        if (cause !== notProven) throw cause;
        limit.failed(request.address);
        await db.write((tx) => audit.refused(tx, request, 'token.create'));
        throw cause;
      });
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
          await revokeToken(tx, request.account.id, id, now(), await tokensSeenBy(tx, request));
          await audit.record(tx, request, 'token.revoke', id);
        },
        { essential: true },
      ),
  };
}
