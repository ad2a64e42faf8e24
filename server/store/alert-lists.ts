// What fires now, for lists.
import type { RuleRow } from './alert-settings.ts';
import type { Reader } from './database.ts';

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
export const firingRules = (db: Reader, accountId: number): Promise<(RuleRow & { since: number })[]> =>
  db.all<RuleRow & { since: number }>(
    `SELECT alert_rules.*, (SELECT min(since) FROM alert_firing WHERE rule_seq = seq) AS since
     FROM alert_rules WHERE account_id = ? AND firing > 0 AND event <> 'DeviceBack' ORDER BY since DESC, seq`,
    accountId,
  );

/** The objects that fire for a rule, latest first. */
export function firingObjects(db: Reader, { seq, event }: RuleRow): Promise<FiringObject[]> {
  const isTunnel = event === 'TunnelPublic';
  const joined =
    event === 'QuotaNear'
      ? 'LEFT JOIN devices d ON d.seq = 0'
      : isTunnel
        ? 'LEFT JOIN tunnels t ON t.seq = f.object LEFT JOIN devices d ON d.seq = t.device_seq'
        : 'LEFT JOIN devices d ON d.seq = f.object';
  return db.all<FiringObject>(
    `SELECT f.since, ${isTunnel ? "coalesce(t.local_dest, '')" : 'f.text'} AS text, coalesce(d.id, '') AS device_id,
       coalesce(d.name, '') AS device_name, coalesce(d.site, '') AS site
     FROM alert_firing f ${joined} WHERE f.rule_seq = ? ORDER BY f.since DESC, f.object LIMIT ${MAX_OBJECTS}`,
    seq,
  );
}

/** How many objects fire in total, without silenced rules. */
export const countFiringOf = async (db: Reader, accountId: number, now: number): Promise<number> =>
  (
    await db.get<{ firing: number | null }>(
      `SELECT sum(firing) AS firing FROM alert_rules
       WHERE account_id = ? AND event <> 'DeviceBack' AND (silent_until IS NULL OR silent_until <= ?)`,
      accountId,
      now,
    )
  )?.firing ?? 0;
