// v1.md, "Account", and the account's API tokens and sessions.
import type { Capability, accountEndpoints } from '#/contract/account.ts';
import { MOST_DEVICES } from '#/contract/job-draft.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { SigninGuards } from '../auth/sessions.ts';
import type { Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { requireManager } from '../http/require-permission.ts';
import { notFound } from '../store/errors.ts';
import { countFiringOf } from '../store/alert-lists.ts';
import { readAccount, updateAccount } from '../store/accounts.ts';
import type { Caller } from '../store/caller.ts';
import { personById } from '../store/people.ts';
import { scopeOf } from '../store/scope.ts';
import { endSession, endSessions, listSessions } from '../store/sessions.ts';
import type { SessionOwner } from '../store/sessions.ts';
import { tokenRoutes } from './tokens.ts';

/** How sessions were opened, as they are listed. */
const HOW = { link: 'Link', token: 'Token', password: 'Password', oidc: 'Provider' } as const;

/**
 * An Admin of all groups sees and ends the sessions of everybody, others their own; undefined: everybody's. A token sees
 * those that were opened with it, not the others of its person.
 */
function sessionsSeenBy({ role, groups, personId, tokenId = '' }: Caller): SessionOwner | undefined {
  if (role === 'Admin' && !groups) return undefined;
  return personId !== undefined && tokenId === '' ? { personId } : { tokenId };
}

/** The capabilities of the contract that this version offers. */
const OFFERED: readonly Capability[] = [
  'agent-update',
  'alerts',
  'archive',
  'audit',
  'bulk',
  'device-key',
  'enrolment',
  'facts',
  'history',
  'idempotency',
  'jobs',
  'key-rotation',
  'live',
  'notes',
  'open-tunnels',
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
  'uploads',
  'usage',
  'versions',
  'views',
];

export function accountRoutes(
  context: Context,
  guards: Pick<SigninGuards, 'limit' | 'passwords'>,
): Handlers<typeof accountEndpoints> {
  const { db, audit, now, disk, order, retention, alerts, cluster, runtimes, config } = context;
  const time = (at: number) => printIsoTime(new Date(at));

  return {
    get: async (request) => {
      const { account } = request;
      const found = await readAccount(db, account.id);
      if (!found) throw notFound('account', account.email);
      const state = disk.state();
      const { OutputBytesUsed, OutputRemoval, ...outputLimits } = await retention.usage(account.id);
      return {
        ...found,
        ...outputLimits,
        // A limited role learns of no other devices, nor how much they print.
        ...(request.groups
          ? { NumDevicesAdded: (await order.seqs(scopeOf(request))).length }
          : { OutputBytesUsed, OutputRemoval }),
        ArtifactBytesMax: config.artifactMax,
        Capabilities: alerts.hasEmail ? [...OFFERED, 'alert-email'] : [...OFFERED],
        JobDevicesLimit: MOST_DEVICES,
        AlertsFiring: await countFiringOf(db, scopeOf(request), now()),
        IdempotencyKeyHours: 24,
        AgentRuntimes: (await runtimes.all()).map(({ platform }) => platform),
        ...(cluster.isClockWrong() && { ClockAheadSeconds: Math.round(cluster.clockAheadMs() / 1000) }),
        // Why writing fails, or will, concerns everybody; the figures of the machine do not concern a limited role.
        ...(state !== 'Enough' && { DiskState: state, ...(!request.groups && { DiskBytesFree: disk.free() }) }),
      };
    },

    ...tokenRoutes(context, guards),

    update: (request) =>
      db.write(async (tx) => {
        await requireManager(tx, request);
        const { Name: name, NeedsSecondFactor: needsOtp, KeyRotationDays: rotationDays } = request.body;
        if (needsOtp === true && request.personId !== undefined) {
          const person = await personById(tx, request.personId);
          if (person?.source === 'password' && person.otp_secret === null)
            throw new Problem(
              409,
              'You have no second factor yourself',
              'Set it up for yourself first: otherwise you could do nothing else from now on.',
            );
        }
        await updateAccount(tx, request.account.id, { name, needsOtp, rotationDays });
        await audit.record(tx, request, 'account.update', '');
      }),

    sessions: async (request) => {
      const rows = await listSessions(db, request.account.id, now(), sessionsSeenBy(request));
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
          const owner = sessionsSeenBy(request);
          const { changes } = await endSessions(tx, request.account.id, { but: request.sessionId, owner });
          await audit.record(tx, request, 'session.end-all', String(changes));
        },
        { essential: true },
      ),

    endSession: (request) =>
      db.write(
        async (tx) => {
          const { session_id: id } = request.params;
          await endSession(tx, request.account.id, id, sessionsSeenBy(request));
          await audit.record(tx, request, 'session.end', request.params.session_id);
        },
        { essential: true },
      ),
  };
}
