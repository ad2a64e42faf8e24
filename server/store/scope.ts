// What a caller sees of an account: all of it, or the devices of some groups and what concerns them.
import { createHash } from 'node:crypto';
import type { Rights } from '#/contract/permissions.ts';
import type { Dialect } from './dialect.ts';

export interface Scope {
  accountId: number;
  /** Undefined: everything, devices without a group too. */
  groups?: readonly string[] | undefined;
}

/** Bumped when a device gets another group, which changes what limited roles see of everything that concerns it. */
export const DEVICES_MOVED = 'devices moved';

export const scopeOf = ({ account, groups }: Pick<Rights, 'groups'> & { account: { id: number } }): Scope => ({
  accountId: account.id,
  groups,
});

/** Everything in the account: for what the service does by itself. */
export const wholeAccount = (accountId: number): Scope => ({ accountId });

export const isInScope = ({ groups }: Scope, group: string): boolean => groups?.includes(group) ?? true;

/** The same text for the same groups; empty for everything. It tells nobody what the groups are. */
export const groupsKey = ({ groups }: Scope): string =>
  groups ? createHash('sha256').update(JSON.stringify(groups.toSorted())).digest('hex').slice(0, 32) : '';

/** What answers are cached by, and a part of their ETags. */
export const scopeKey = (scope: Scope): string =>
  scope.groups ? `${scope.accountId}-${groupsKey(scope)}` : String(scope.accountId);

/**
 * The condition that a device's group, an SQL expression, is in the scope, beginning with AND; empty for everything. Its
 * values belong where it stands in the statement.
 */
export function inGroups({ list }: Dialect, { groups }: Scope, group: string): { sql: string; values: string[] } {
  if (!groups) return { sql: '', values: [] };
  return { sql: ` AND ${group} IN (SELECT value FROM ${list('own')})`, values: [JSON.stringify(groups)] };
}
