// What entries of the audit log are about, and the page that shows it.
import type { AuditEntry } from '#/contract/audit.ts';
import { paths } from '#/paths.ts';

/** Kinds of actions that one can filter by. */
export const KINDS = {
  device: 'Devices',
  tag: 'Tags',
  job: 'Jobs',
  artifact: 'Artifacts',
  workflow: 'Workflows',
  rollout: 'Rollouts',
  order: 'Standing orders',
  rules: 'Outcome rules',
  view: 'Saved views',
  note: 'Notes',
  tunnel: 'Tunnels',
  bulk: 'Bulk actions',
  session: 'Sign-ins',
  token: 'API tokens',
  'alert-rule': 'Alert rules',
  'alert-channel': 'Alert channels',
} as const;
export type Kind = keyof typeof KINDS;

/** Their target begins with the id; that of others ends with it. */
const FIRST = /^(bulk|tunnel)\./;

/** Theirs is a name, which may have spaces. */
const NAMED = /^(order|rules|view)\./;

/** The id or name that an entry is about: of a tag on a device, the device's. */
export function subjectOf({ Action, Object: target }: Pick<AuditEntry, 'Action' | 'Object'>): string {
  // Ids of sessions are of no use to anybody.
  if (Action.startsWith('session.')) return '';
  return NAMED.test(Action) ? target : (target.split(' ').at(FIRST.test(Action) ? 0 : -1) ?? '');
}

/** The page that shows it; undefined if there is none. */
export function pageOf(entry: Pick<AuditEntry, 'Action' | 'Object'>): string | undefined {
  const id = subjectOf(entry);
  const [kind, what] = entry.Action.split('.');
  if (id === '' || what === 'remove') return undefined;
  if (kind === 'device' || kind === 'note' || what === 'attach' || what === 'detach') return paths.device(id);
  if (kind === 'job') return id === 'all' ? paths.archive() : paths.job(id);
  if (kind === 'bulk') return paths.bulk(id);
  if (kind === 'artifact') return paths.artifact(id);
  if (kind === 'workflow') return paths.workflows();
  if (kind === 'rollout') return paths.rollout(id);
  if (kind === 'order') return paths.orders();
  if (kind === 'alert-rule' || kind === 'alert-channel') return paths.alerts();
  return undefined;
}
