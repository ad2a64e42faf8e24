// What a role that is limited to device groups sees of the audit log: entries about what lies in its groups now. Entries
// about what the account shares, about people and about deleted objects are for roles without limits, and for whoever
// did it.
import type { AuditRow } from './audit-log.ts';
import type { Reader } from './database.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** Kinds of actions whose targets end with the id of a device. */
const OF_DEVICES: ReadonlySet<string> = new Set(['tag', 'note', 'tunnel']);

type Named = Pick<AuditRow, 'actor' | 'action' | 'target'>;

export const kindOf = ({ action }: Pick<Named, 'action'>): string => action.slice(0, action.indexOf('.'));

/** For each kind of objects that lie in groups, whether a row `o` does; `own` is the condition for a device `v`. */
const IN_SCOPE = new Map(
  Object.entries<{ table: string; key: string; where: (own: string) => string[] }>({
    device: { table: 'devices', key: 'id', where: (own) => [own.replaceAll('v.', 'o.')] },
    job: {
      table: 'jobs',
      key: 'id',
      where: (own) => [
        ` AND EXISTS (SELECT 1 FROM devices v WHERE v.seq = o.device_seq${own})`,
        ` AND EXISTS (SELECT 1 FROM jobs c CROSS JOIN devices v WHERE c.parent_seq = o.seq AND v.seq = c.device_seq${own})`,
      ],
    },
    rollout: {
      table: 'rollouts',
      key: 'id',
      where: (own) => [
        ` AND EXISTS (SELECT 1 FROM rollout_devices r CROSS JOIN devices v
        WHERE r.rollout_seq = o.seq AND v.id = r.device_id${own})`,
      ],
    },
    'alert-rule': { table: 'alert_rules', key: 'id', where: (own) => [own.replaceAll('v.', 'o.')] },
    order: { table: 'standing_orders', key: 'name', where: (own) => [own.replaceAll('v.', 'o.')] },
  }),
);
/** Whether objects of this kind lie in groups, so that a limited role may not see the name of each. */
export const isOfGroups = (kind: string): boolean => IN_SCOPE.has(kind);

/** The objects of an entry that decide who sees it, each as `<kind>:<id>`; none if no group has anything to do with it. */
function objectsOf(row: Named): string[] {
  const kind = kindOf(row);
  if (OF_DEVICES.has(kind)) {
    // An agent's own entries name only the tunnel.
    if (row.actor.startsWith('device:')) return [row.actor];
    const ids = row.target.split(' ');
    return ids.length > 1 ? [`device:${ids.at(-1)}`] : [];
  }
  if (!isOfGroups(kind)) return [];
  return (kind === 'order' ? [row.target] : row.target.split(' ')).map((id) => `${kind}:${id}`);
}

/** The objects of these entries that are in the scope, each as `<kind>:<id>`. */
async function objectsInScope(db: Reader, scope: Scope, rows: readonly Named[]): Promise<Set<string>> {
  const asked = Map.groupBy(new Set(rows.flatMap(objectsOf)), (each) => each.slice(0, each.indexOf(':')));
  const own = inGroups(db.dialect, scope, 'v.grp');
  const found = new Set<string>();
  for (const [kind, objects] of asked) {
    const of = IN_SCOPE.get(kind);
    const ids = JSON.stringify(objects.map((each) => each.slice(kind.length + 1)));
    // By their ids, of which there are few: not all devices of the groups.
    const account = of?.key === 'id' ? '+o.account_id' : 'o.account_id';
    for (const where of of?.where(own.sql) ?? []) {
      const among = db.dialect.among(`o.${of?.key}`, `SELECT value FROM ${db.dialect.list('asked')}`);
      const inScope = await db.all<{ id: string }>(
        `SELECT o.${of?.key} AS id FROM ${of?.table} o WHERE ${among} AND ${account} = ?${where}`,
        ids,
        scope.accountId,
        ...own.values,
      );
      for (const { id } of inScope) found.add(`${kind}:${id}`);
    }
  }
  return found;
}

/** The entries that a limited role sees, and the objects in its groups that they are about. */
export async function entriesInScope<Row extends AuditRow>(
  db: Reader,
  scope: Scope,
  caller: string,
  rows: readonly Row[],
): Promise<{ rows: Row[]; objects: Set<string> }> {
  const objects = await objectsInScope(db, scope, rows);
  const isOwn = (row: Row) => {
    if (row.account_id !== scope.accountId) return false;
    if (row.actor === caller) return true;
    const about = objectsOf(row);
    return about.length > 0 && about.every((each) => objects.has(each));
  };
  return { rows: rows.filter(isOwn), objects };
}
