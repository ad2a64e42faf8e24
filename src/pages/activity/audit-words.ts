// Entries of the audit log in words: what was done, who did it, to what, and the page that shows it.
import type { AuditEntry } from '#/contract/audit.ts';
import { paths } from '#/paths.ts';

const ACTIONS: Record<string, string> = {
  'device.create': 'Created device',
  'device.update': 'Changed device',
  'device.locate': 'Set location',
  'device.remove': 'Deleted device',
  'device.rekey': 'Created new device key',
  'device.update-agent': 'Updated agent',
  'tag.create': 'Created tag',
  'tag.remove': 'Deleted tag',
  'tag.attach': 'Added tag',
  'tag.detach': 'Removed tag',
  'job.submit': 'Submitted job',
  'job.retry': 'Retried job',
  'job.stop': 'Stopped job',
  'job.remove': 'Deleted job',
  'job.archive': 'Archived job',
  'job.unarchive': 'Restored job from archive',
  'artifact.upload': 'Uploaded artifact',
  'artifact.download': 'Downloaded artifact',
  'artifact.remove': 'Deleted artifact',
  'workflow.create': 'Created workflow',
  'workflow.remove': 'Deleted workflow',
  'tunnel.open': 'Opened tunnel',
  'tunnel.end': 'Tunnel ended',
  'tunnel.remove': 'Closed tunnel',
  'tunnel.remove-all': 'Closed all tunnels',
  'token.create': 'Created API token',
  'token.revoke': 'Revoked API token',
  'token.use': 'Used API token',
  'session.open': 'Signed in',
  'session.close': 'Signed out',
  'session.end': 'Signed out a browser',
  'session.end-all': 'Signed out all browsers',
  'signin-link.make': 'Created sign-in link',
  'bulk.edit': 'Changed many devices',
  'bulk.tag': 'Tagged many devices',
  'bulk.untag': 'Removed a tag from many devices',
  'bulk.delete': 'Deleted many',
  'bulk.stop': 'Stopped many jobs',
  'bulk.archive': 'Archived many jobs',
  'bulk.unarchive': 'Restored many jobs from archive',
  'bulk.newKey': 'Created many device keys',
  'bulk.cancel': 'Cancelled bulk action',
};

export const actionText = ({ Action }: Pick<AuditEntry, 'Action'>): string =>
  Object.hasOwn(ACTIONS, Action) ? ACTIONS[Action]! : Action;

/** Kinds of actions that one can filter by. */
export const KINDS = {
  device: 'Devices',
  tag: 'Tags',
  job: 'Jobs',
  artifact: 'Artifacts',
  workflow: 'Workflows',
  tunnel: 'Tunnels',
  bulk: 'Bulk actions',
  session: 'Sign-ins',
  token: 'API tokens',
} as const;
export type Kind = keyof typeof KINDS;

const WHO: Record<string, string> = {
  operator: 'Operator of the service',
  unknown: 'Unknown',
  'sign-in link': 'Sign-in link',
  'download link': 'Download link',
};
const PROGRAMS: Record<string, string> = { token: 'Token', session: 'Browser', device: 'Device' };

/** "Token Build server", "Browser, Sign-in link", "Device pump-7". */
export function actorText({ Actor, ActorName }: Pick<AuditEntry, 'Actor' | 'ActorName'>): string {
  const [kind = '', id = ''] = Actor.split(':');
  const program = PROGRAMS[kind];
  if (program === undefined || id === '') return WHO[Actor] ?? Actor;
  return kind === 'session' && ActorName !== '' ? `${program}, ${ActorName}` : `${program} ${ActorName || id}`;
}

/** The id that an entry is about: of a tag on a device, the device's. */
export const subjectOf = ({ Action, Object: target }: Pick<AuditEntry, 'Action' | 'Object'>): string =>
  // Ids of sessions are of no use to anybody.
  Action.startsWith('session.')
    ? ''
    : ((Action.startsWith('bulk.') ? target.split(' ').at(0) : target.split(' ').at(-1)) ?? '');

/** The page that shows it; undefined if there is none. */
export function pageOf(entry: Pick<AuditEntry, 'Action' | 'Object'>): string | undefined {
  const id = subjectOf(entry);
  const [kind, what] = entry.Action.split('.');
  if (id === '' || what === 'remove') return undefined;
  if (kind === 'device' || what === 'attach' || what === 'detach') return paths.device(id);
  if (kind === 'job') return paths.job(id);
  if (kind === 'bulk') return paths.bulk(id);
  if (kind === 'artifact') return paths.artifact(id);
  return undefined;
}
