// Who may do what. Roles are fixed; each has the permissions of the one before it and one more.

export const PERMISSIONS = ['read', 'operate', 'connect', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** From the least to the most powerful. */
export const ROLES = ['Viewer', 'Deployer', 'Operator', 'Admin'] as const;
export type Role = (typeof ROLES)[number];

export const permissionsOf = (role: Role): readonly Permission[] => PERMISSIONS.slice(0, ROLES.indexOf(role) + 1);

/** What an operation can need: a permission of one's role; to be signed in; or nothing. */
export type Needed = Permission | 'self' | 'anyone';

export const isPermitted = (role: Role, needed: Needed): boolean =>
  needed === 'self' || needed === 'anyone' || permissionsOf(role).includes(needed);

/** The least role with this permission. */
export const roleFor = (needed: Needed): Role => ROLES[PERMISSIONS.findIndex((each) => each === needed)] ?? 'Viewer';

const lesserRole = (one: Role, other: Role): Role =>
  ROLES[Math.min(ROLES.indexOf(one), ROLES.indexOf(other))] ?? 'Viewer';

/** What a person or token may do, and where. */
export interface Rights {
  role: Role;
  /** The device groups that the role is limited to; undefined: all of them, and devices without a group. */
  groups?: readonly string[] | undefined;
}

/** What both allow. */
export function commonRights(one: Rights, other: Rights): Rights {
  const role = lesserRole(one.role, other.role);
  if (!one.groups || !other.groups) return { role, groups: one.groups ?? other.groups };
  return { role, groups: one.groups.filter((group) => other.groups?.includes(group)) };
}

/** Whether `now` lacks something that `before` had. */
export function isLess(now: Rights, before: Rights): boolean {
  const common = commonRights(now, before);
  return common.role !== before.role || common.groups?.length !== before.groups?.length;
}
