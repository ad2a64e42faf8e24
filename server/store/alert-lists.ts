// What fires now, for lists.
import { isRuleVisible, isSilent } from './alert-settings.ts';
import type { RuleRow } from './alert-settings.ts';
import type { Reader } from './database.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

export interface FiringObject {
  since: number;
  text: string;
  /** '' for a limit of the account. */
  device_id: string;
  device_name: string;
  site: string;
}

/** The most objects listed for one rule. */
const MAX_OBJECTS = 100;

/** The rules that fire, latest first; `since` is when the rule's first object started to fire. */
export async function firingRules(db: Reader, scope: Scope): Promise<(RuleRow & { since: number })[]> {
  const rows = await db.all<RuleRow & { since: number }>(
    `SELECT alert_rules.*, (SELECT min(since) FROM alert_firing WHERE rule_seq = seq) AS since
     FROM alert_rules WHERE account_id = ? AND firing > 0 AND event <> 'DeviceBack' ORDER BY since DESC, seq`,
    scope.accountId,
  );
  if (!scope.groups) return rows;
  const own: typeof rows = [];
  for (const row of rows) {
    if (row.event === 'QuotaNear' || !isRuleVisible(scope, row)) continue;
    const found = await firingIn(db, scope, row);
    if (found.firing > 0) own.push({ ...row, ...found });
  }
  return own.sort((one, other) => other.since - one.since);
}

const isTunnel = ({ event }: Pick<RuleRow, 'event'>) => event === 'TunnelPublic';
const JOINED_TUNNELS = 'LEFT JOIN tunnels t ON t.seq = f.object LEFT JOIN devices d ON d.seq = t.device_seq';
const JOINED_DEVICES = 'LEFT JOIN devices d ON d.seq = f.object';

/** The objects in the scope that fire for a rule, latest first. */
export function firingObjects(db: Reader, scope: Scope, rule: RuleRow): Promise<FiringObject[]> {
  const { seq, event } = rule;
  const own = inGroups(db.dialect, scope, 'd.grp');
  const joined =
    event === 'QuotaNear' ? 'LEFT JOIN devices d ON d.seq = 0' : isTunnel(rule) ? JOINED_TUNNELS : JOINED_DEVICES;
  return db.all<FiringObject>(
    `SELECT f.since, ${isTunnel(rule) ? "coalesce(t.local_dest, '')" : 'f.text'} AS text, coalesce(d.id, '') AS device_id,
       coalesce(d.name, '') AS device_name, coalesce(d.site, '') AS site
     FROM alert_firing f ${joined} WHERE f.rule_seq = ?${own.sql} ORDER BY f.since DESC, f.object LIMIT ${MAX_OBJECTS}`,
    seq,
    ...own.values,
  );
}

/** How many devices or tunnels in the scope fire for a rule, and since when; limits of the account are in no group. */
async function firingIn(db: Reader, scope: Scope, rule: RuleRow): Promise<{ firing: number; since: number }> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  const found = await db.get<{ firing: number; since: number | null }>(
    `SELECT count(*) AS firing, min(f.since) AS since FROM alert_firing f ${isTunnel(rule) ? JOINED_TUNNELS : JOINED_DEVICES}
     WHERE f.rule_seq = ?${own.sql}`,
    rule.seq,
    ...own.values,
  );
  return { firing: found?.firing ?? 0, since: found?.since ?? 0 };
}

/** How many objects in the scope fire in total, without silenced rules. */
export async function countFiringOf(db: Reader, scope: Scope, now: number): Promise<number> {
  if (scope.groups)
    return (await firingRules(db, scope)).reduce((sum, row) => sum + (isSilent(row, now) ? 0 : row.firing), 0);
  const found = await db.get<{ firing: number | null }>(
    `SELECT sum(firing) AS firing FROM alert_rules
       WHERE account_id = ? AND event <> 'DeviceBack' AND (silent_until IS NULL OR silent_until <= ?)`,
    scope.accountId,
    now,
  );
  return found?.firing ?? 0;
}
