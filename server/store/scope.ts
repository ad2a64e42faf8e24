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

/** A condition, beginning with AND, and its values, which belong where it stands in the statement. */
export interface Condition {
  sql: string;
  values: string[];
}

/** Holds for everything. */
export const EVERYTHING: Condition = { sql: '', values: [] };

/** That a device's group, an SQL expression, is in the scope. */
export function inGroups({ list }: Dialect, { groups }: Scope, group: string): Condition {
  if (!groups) return EVERYTHING;
  return { sql: ` AND ${group} IN (SELECT value FROM ${list('own')})`, values: [JSON.stringify(groups)] };
}

/** That there is a device in the scope with this seq or id, an SQL expression. */
export function isOwnDevice(dialect: Dialect, scope: Scope, { seq, id }: { seq?: string; id?: string }): Condition {
  if (!scope.groups) return EVERYTHING;
  const { sql, values } = inGroups(dialect, scope, 'own_device.grp');
  const which = seq === undefined ? `own_device.id = ${id}` : `own_device.seq = ${seq}`;
  return { sql: ` AND EXISTS (SELECT 1 FROM devices own_device WHERE ${which}${sql})`, values };
}
