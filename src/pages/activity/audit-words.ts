// The objects of audit entries, and the pages that show them.
import type { AuditEntry } from '#/contract/audit.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';

/** The kinds of actions, as a filter. */
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

/** Actions whose target begins with the id. All others end with it. */
const ID_FIRST = /^(bulk|tunnel)\./;

/** Actions whose target is a name, which may contain spaces. */
const NAMED = /^(order|rules|view)\./;

/** The id or name of the object. Tagging a device is about the device. */
export function subjectOf({ Action, Object: target }: Pick<AuditEntry, 'Action' | 'Object'>): string {
  // A session's id means nothing to a reader.
  if (Action.startsWith('session.')) return '';
  return NAMED.test(Action) ? target : (target.split(' ').at(ID_FIRST.test(Action) ? 0 : -1) ?? '');
}

/** What a bulk action is about, as its entry counts it: "100 devices". Empty for other actions. */
export function itemsText({ Action, Object: target }: Pick<AuditEntry, 'Action' | 'Object'>): string {
  const [, count, of = ''] = (Action.startsWith('bulk.') && /^\S+ (\d+) (Devices|Jobs)$/.exec(target)) || [];
  if (count === undefined) return '';
  const noun = of.toLowerCase();
  return count === '1' ? `1 ${noun.slice(0, -1)}` : `${formatCount(Number(count))} ${noun}`;
}

/** The page of the object, for a tunnel of its device; undefined if it has none. */
export function pageOf(entry: Pick<AuditEntry, 'Actor' | 'Action' | 'Object'>): string | undefined {
  const id = subjectOf(entry);
  const [kind, what] = entry.Action.split('.');
  if (kind === 'tunnel') {
    const device = entry.Actor.startsWith('device:') ? entry.Actor.slice(7) : entry.Object.split(' ')[1];
    return device && paths.device(device);
  }
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
