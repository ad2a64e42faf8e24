// What roles and permissions allow, in words.
import { permissionsOf, ROLES, roleFor, type Permission, type Role } from '#/contract/permissions.ts';

export const ROLE_TEXTS: Record<Role, string> = {
  Viewer: 'Sees devices, jobs, logs and the audit log, and changes nothing.',
  Deployer: 'Also edits devices and deploys artifacts that are already stored.',
  Operator: 'Also uploads artifacts, creates workflows and opens tunnels: runs anything on a device.',
  Admin: 'Also manages people, tokens, device keys and alert channels.',
};

export const PERMISSION_TEXTS: Record<Permission, string> = {
  read: 'See devices, jobs and logs',
  operate: 'Edit devices, deploy stored artifacts',
  connect: 'Upload artifacts, run commands, open tunnels',
  admin: 'Manage people, tokens, keys and channels',
};

export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: role }));

/** The least role that has a permission, if this one lacks it. */
export const roleNeededFor = (role: Role, permission: Permission): Role | undefined =>
  permissionsOf(role).includes(permission) ? undefined : roleFor(permission);

/** "All devices", or the groups. */
export const groupsText = (groups: readonly string[]): string =>
  groups.length === 0 ? 'All devices' : groups.join(', ');
