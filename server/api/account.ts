// v1.md, "Account", and the account's API tokens and sessions.
import type { Capability, NewApiToken, accountEndpoints } from '#/contract/account.ts';
import { MOST_DEVICES } from '#/contract/job-draft.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { SigninLimit } from '../auth/signin-limit.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireManager } from '../http/require-permission.ts';
import { notFound } from '../store/errors.ts';
import { countFiringOf } from '../store/alert-lists.ts';
import { readAccount, updateAccount } from '../store/accounts.ts';
import type { Caller } from '../store/caller.ts';
import type { Reader, Tx } from '../store/database.ts';
import { personById } from '../store/people.ts';
import { scopeOf } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { endSession, endSessions, holderOf, listSessions, redeemSigninCode } from '../store/sessions.ts';
import type { SessionOwner } from '../store/sessions.ts';
import { tokenHolder, listTokens, createToken, revokeToken } from '../store/tokens.ts';
import { RecentSecrets } from './recent-secrets.ts';

const PROOF_NEEDED =
  'is needed: an API token, or the link that "npm run token -- link" prints on the service’s machine';

/** How sessions were opened, as they are listed. */
const HOW = { link: 'Link', token: 'Token', password: 'Password', oidc: 'Provider' } as const;

/** An Admin of all groups sees and ends the sessions of everybody, others their own; undefined: everybody's. */
async function sessionsSeenBy(
  db: Reader,
  { role, groups, personId, credential }: Caller,
): Promise<SessionOwner | undefined> {
  if (role === 'Admin' && !groups) return undefined;
  if (personId !== undefined) return { personId };
  return { tokenId: (await holderOf(db, credential)).replace(/^token:/, '') };
}

/** The capabilities of the contract that this version offers. */
const OFFERED: readonly Capability[] = [
  'agent-update',
  'alerts',
  'archive',
  'audit',
  'bulk',
  'device-key',
  'history',
  'idempotency',
  'jobs',
  'live',
  'notes',
  'orders',
  'output',
  'people',
  'queue',
  'rollouts',
  'rules',
  'sessions',
  'stop',
  'tags',
  'timeline',
  'tokens',
  'usage',
  'versions',
  'views',
];

export function accountRoutes(
  { db, audit, now, disk, order, retention, alerts, cluster }: Context,
  limit: SigninLimit,
): Handlers<typeof accountEndpoints> {
  const recent = new RecentSecrets<NewApiToken>();
  const time = (at: number) => printIsoTime(new Date(at));

  /** Whether a browser's user has proved more than a session. Uses up a sign-in code. */
  const isProven = async (tx: Tx, { account, sessionId }: HandlerRequest, proof: string): Promise<boolean> => {
    if (sessionId === undefined || (await tokenHolder(tx, proof, now()))?.account_id === account.id) return true;
    // Users paste the whole link.
    const code = /#code=(\S+)$/.exec(proof)?.[1] ?? proof;
    return (await redeemSigninCode(tx, code, now())) === account.id;
  };

  return {
    get: async (request) => {
      const { account } = request;
      const found = await readAccount(db, account.id);
      if (!found) throw notFound('account', account.email);
      const state = disk.state();
      return {
        ...found,
        // A limited role learns of no other devices.
        ...(request.groups && { NumDevicesAdded: (await order.seqs(scopeOf(request))).length }),
        ...(await retention.usage(account.id)),
        Capabilities: alerts.hasEmail ? [...OFFERED, 'alert-email'] : [...OFFERED],
        JobDevicesLimit: MOST_DEVICES,
        AlertsFiring: await countFiringOf(db, account.id, now()),
        IdempotencyKeyHours: 24,
        ...(cluster.isClockWrong() && { ClockAheadSeconds: Math.round(cluster.clockAheadMs() / 1000) }),
        ...(state !== 'Enough' && { DiskState: state, DiskBytesFree: disk.free() }),
      };
    },

    tokens: async ({ account }) =>
      (await listTokens(db, account.id)).map(({ id, name, prefix, created, last_used }) => ({
        TokenId: id,
        Name: name,
        Prefix: prefix,
        CreatedTime: time(created),
        LastUsedTime: last_used === null ? '' : time(last_used),
      })),

    createToken: async (request) => {
      const proof = request.body.Proof?.trim() ?? '';
      if (request.sessionId !== undefined && proof === '') throw invalid([{ field: 'Proof', message: PROOF_NEEDED }]);
      const errors = [{ field: 'Proof', message: 'is not valid: check that it was copied whole; a link works once' }];
      const notProven = new Problem(403, 'The proof is not valid', 'No token was created.', { errors });
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      let created: NewApiToken | undefined;
      const submission = { accountId, key, content: { Name: request.body.Name } };
      const write = db.write((tx) =>
        runOnce(tx, submission, now(), async () => {
          // Checked only for the first request, because a repeated one has a link that it already used up.
          if (!(await isProven(tx, request, proof))) throw notProven;
          const { id, secret } = await createToken(tx, accountId, request.body.Name, now());
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
          await revokeToken(tx, request.account.id, request.params.token_id, now());
          await audit.record(tx, request, 'token.revoke', request.params.token_id);
        },
        { essential: true },
      ),

    update: (request) =>
      db.write(async (tx) => {
        await requireManager(tx, request);
        const { Name: name, NeedsSecondFactor: needsOtp } = request.body;
        if (needsOtp === true && request.personId !== undefined) {
          const person = await personById(tx, request.personId);
          if (person?.source === 'password' && person.otp_secret === null)
            throw new Problem(
              409,
              'You have no second factor yourself',
              'Set it up for yourself first: otherwise you could do nothing else from now on.',
            );
        }
        await updateAccount(tx, request.account.id, { name, needsOtp });
        await audit.record(tx, request, 'account.update', '');
      }),

    sessions: async (request) => {
      const rows = await listSessions(db, request.account.id, now(), await sessionsSeenBy(db, request));
      return rows.map(({ id, created, last_used, address, how, name, prefix, person_id, person }) => ({
        SessionId: id,
        How: HOW[how],
        ...(prefix !== null && { TokenName: name ?? '', Prefix: prefix }),
        ...(person_id !== null && { PersonId: person_id, PersonName: person ?? '' }),
        CreatedTime: time(created),
        LastUsedTime: time(last_used),
        Address: address,
        Current: id === request.sessionId,
      }));
    },

    endSessions: (request) =>
      db.write(
        async (tx) => {
          const owner = await sessionsSeenBy(tx, request);
          const { changes } = await endSessions(tx, request.account.id, { but: request.sessionId, owner });
          await audit.record(tx, request, 'session.end-all', String(changes));
        },
        { essential: true },
      ),

    endSession: (request) =>
      db.write(
        async (tx) => {
          const { session_id: id } = request.params;
          await endSession(tx, request.account.id, id, await sessionsSeenBy(tx, request));
          await audit.record(tx, request, 'session.end', request.params.session_id);
        },
        { essential: true },
      ),
  };
}
