// What a caller sees of an account: all of it, or the devices of some groups and what concerns them.
import type { Rights } from '#/contract/permissions.ts';
import type { Dialect } from './dialect.ts';

export interface Scope {
  accountId: number;
  /** Undefined: everything, devices without a group too. */
  groups?: readonly string[] | undefined;
}

export const scopeOf = ({ account, groups }: Pick<Rights, 'groups'> & { account: { id: number } }): Scope => ({
  accountId: account.id,
  groups,
});

/** Everything in the account: for what the service does by itself. */
export const wholeAccount = (accountId: number): Scope => ({ accountId });

export const isInScope = ({ groups }: Scope, group: string): boolean => groups?.includes(group) ?? true;

/**
 * The condition that a device's group, an SQL expression, is in the scope, beginning with AND; empty for everything. Its
 * values belong where it stands in the statement.
 */
export function inGroups({ list }: Dialect, { groups }: Scope, group: string): { sql: string; values: string[] } {
  if (!groups) return { sql: '', values: [] };
  return { sql: ` AND ${group} IN (SELECT value FROM ${list('own')})`, values: [JSON.stringify(groups)] };
}
