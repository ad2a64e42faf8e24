// Refuses what the caller's role does not permit: the one check of all operations, before parsing, and again where the body
// decides. Handlers use it only where the permission depends on what is stored.
import { isPermitted, roleFor } from '#/contract/permissions.ts';
import type { Needed, Permission, Rights } from '#/contract/permissions.ts';
import { permissionFor } from '#/contract/resource.ts';
import type { OperationRow } from '#/contract/resource.ts';
import { FIRST_ACCOUNT } from '../store/accounts.ts';
import type { Caller } from '../store/caller.ts';
import type { Tx } from '../store/database.ts';
import { currentRights } from '../store/people.ts';
import { Problem } from './problem.ts';

/** Refuses whoever has none of the permissions that the operation can need. */
export function requireLeastPermission(caller: Rights, operation: OperationRow): void {
  const { permission } = operation;
  requireNeeded(caller, operation, typeof permission === 'object' ? permission.oneOf[0] : permission);
}

/** Refuses whoever lacks the permission that this request needs. */
export function requirePermission(caller: Rights, operation: OperationRow, request: object): void {
  requireNeeded(caller, operation, permissionFor(operation, request));
}

function requireNeeded(caller: Rights, { unlimited }: OperationRow, needed: Needed): void {
  if (needed === 'anyone') return;
  if (needed !== 'self') requireRole(caller, needed);
  if (unlimited) requireUnlimited(caller, needed === 'self' ? 'read' : needed);
}

export function requireRole({ role }: Rights, permission: Permission): void {
  if (isPermitted(role, permission)) return;
  throw new Problem(
    403,
    'Your role does not permit this',
    `It needs the role ${roleFor(permission)}; yours is ${role}. An Admin of the account can change it.`,
    { members: { Permission: permission, Role: role } },
  );
}

/** Refuses to put a device into a group that the role does not cover. */
export function requireGroup({ role, groups }: Rights, group: string): void {
  if (groups?.includes(group) ?? true) return;
  throw new Problem(
    403,
    'Your role does not cover this group',
    groups?.length === 0
      ? 'It covers no group of devices. An Admin of the account can change it.'
      : `It covers devices of ${groups?.map((each) => `"${each}"`).join(', ')}: choose a group among them. An Admin of the account can change it.`,
    { members: { Permission: 'operate', Role: role } },
  );
}

/** Refuses a role that is limited to device groups. */
export function requireUnlimited({ role, groups }: Rights, permission: Permission): void {
  if (!groups) return;
  throw new Problem(
    403,
    'Your role does not permit this',
    'It concerns devices of all groups, and your role is limited to some of them. An Admin of the account can change it.',
    { members: { Permission: permission, Role: role } },
  );
}

/**
 * Whether the caller may still manage the account, read in the transaction that changes it: the role may have changed since
 * the request was let through.
 */
export async function requireManager(tx: Tx, caller: Caller): Promise<void> {
  const rights = await currentRights(tx, caller);
  if (!rights) throw new Problem(401, 'Not signed in', 'Sign in again: this session or token has ended.');
  requireRole(rights, 'admin');
  requireUnlimited(rights, 'admin');
}

/** Refuses a token that would change its own person: who finds one must not become the person. */
export function refuseTokenOf(
  person: string | undefined,
  { personId, tokenId }: Pick<Caller, 'personId' | 'tokenId'>,
): void {
  if (personId === undefined || tokenId === undefined || personId !== person) return;
  throw new Problem(
    403,
    'A token changes nothing about its person',
    'Sign in as that person, with a password, a link or at the identity provider, and do it there.',
  );
}

/** Refuses whoever may not see figures of the whole service, all accounts included: they belong to its operator. */
export function requireServiceView(caller: Caller): void {
  requireUnlimited(caller, 'read');
  if (caller.account.id === FIRST_ACCOUNT) return;
  throw new Problem(
    403,
    'These figures are about the whole service',
    'Use a token of its first account, or METRICS_PORT.',
  );
}
