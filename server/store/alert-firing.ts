// What rules of alerts find: states that last, as the tables have them, and events for the next message of each rule.
//
// A state fires once it has lasted for the rule's time. It is compared with the tables each time, so that a restart
// neither repeats nor misses anything, and what the service did not see while it was down is never "Offline".
import type { AlertDevice, AlertEvent } from '#/contract/alerts.ts';
import { rulesFor, type RuleRow } from './alert-settings.ts';
import type { Reader, SqlValue, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

/** A condition on `d`, a row of `devices`. */
function scopeOf({ grp, tag_id, site }: Pick<RuleRow, 'grp' | 'tag_id' | 'site'>): {
  where: string;
  values: SqlValue[];
} {
  const all: [sql: string, value: string][] = [];
  if (grp !== '') all.push(['d.grp = ?', grp]);
  if (tag_id !== '') all.push(['EXISTS (SELECT 1 FROM device_tags WHERE device_seq = d.seq AND tag_id = ?)', tag_id]);
  if (site !== '') all.push(['d.site = ?', site]);
  return { where: all.map(([sql]) => ` AND ${sql}`).join(''), values: all.map(([, value]) => value) };
}
const isScoped = ({ grp, tag_id, site }: RuleRow): boolean => grp !== '' || tag_id !== '' || site !== '';

// ---- States that last ------------------------------------------------------------------------------------------------

/** What a rule watches: `state` is true of the rows that are so, `since` says from when on. */
interface Watched {
  from: string;
  object: string;
  since: string;
  state: string;
  /** Beyond `state`: before it fires. */
  begins: string;
}
const AWAY: Watched = {
  from: 'devices d',
  object: 'd.seq',
  since: 'd.state_time',
  // A device that never connected is not away.
  state: 'd.account_id = ? AND d.state_online = 0 AND d.last_seen IS NOT NULL',
  begins: '',
};
const WATCHED: Partial<Record<AlertEvent, Watched>> = {
  DeviceOffline: AWAY,
  DeviceBack: AWAY,
  TunnelPublic: {
    from: 'tunnels t JOIN devices d ON d.seq = t.device_seq',
    object: 't.seq',
    since: 't.connected',
    state: "t.account_id = ? AND t.protocol = 'HTTP' AND t.login = 0 AND t.offered = 1",
    // Its agent may be away for a moment: the tunnel is the same afterwards.
    begins: ' AND t.connected IS NOT NULL',
  },
};

/** A limit of the account that is nearly reached. */
export interface NearLimit {
  object: number;
  text: string;
}

/** Whether the tables differ from what is noted of the rule, so that a unit of work is needed. */
export async function hasMoved(db: Reader, rule: RuleRow, now: number): Promise<boolean> {
  const watched = WATCHED[rule.event];
  if (!watched) return false;
  for (const { sql, values } of [beginning(watched, rule, now), over(watched, rule)])
    if (await db.get(`SELECT 1 ${sql} LIMIT 1`, ...values)) return true;
  return false;
}

function beginning({ from, object, since, state, begins }: Watched, rule: RuleRow, now: number) {
  const { where, values } = scopeOf(rule);
  return {
    sql: `FROM ${from} WHERE ${state}${begins} AND ${since} <= ?${where}
      AND NOT EXISTS (SELECT 1 FROM alert_firing f WHERE f.rule_seq = ? AND f.object = ${object})`,
    values: [rule.account_id, now - rule.for_minutes * 60_000, ...values, rule.seq],
  };
}

function over({ from, object, state }: Watched, rule: RuleRow) {
  const { where, values } = scopeOf(rule);
  return {
    sql: `FROM alert_firing WHERE rule_seq = ?
      AND NOT EXISTS (SELECT 1 FROM ${from} WHERE ${object} = alert_firing.object AND ${state}${where})`,
    values: [rule.seq, rule.account_id, ...values],
  };
}

/** Brings what fires in line with the tables. A `DeviceBack` rule has an event for each device that is back. */
export async function noteStates(tx: Tx, rule: RuleRow, now: number): Promise<void> {
  const watched = WATCHED[rule.event];
  if (!watched) return;
  const isBack = rule.event === 'DeviceBack';
  const began = beginning(watched, rule, now);
  await tx.run(
    `INSERT INTO alert_firing (rule_seq, object, since, noted)
     SELECT CAST(? AS BIGINT), ${watched.object}, ${watched.since}, ${isBack ? 1 : 0} ${began.sql}`,
    rule.seq,
    ...began.values,
  );
  const ended = over(watched, rule);
  if (isBack) {
    const { where, values } = scopeOf(rule);
    await tx.run(
      `INSERT INTO alert_events (rule_seq, object, at, since, device_id, device_name, site)
       SELECT rule_seq, d.seq, CAST(? AS BIGINT), alert_firing.since, d.id, d.name, d.site
       FROM alert_firing JOIN devices d ON d.seq = alert_firing.object
       WHERE rule_seq = ? AND d.state_online = 1${where} ORDER BY d.seq`,
      now,
      rule.seq,
      ...values,
    );
  }
  await tx.run(`DELETE ${ended.sql}`, ...ended.values);
}

/** The same for limits, which no table has: `near` is all that are nearly reached. */
export async function noteLimits(tx: Tx, rule: RuleRow, near: readonly NearLimit[], now: number): Promise<void> {
  const rows = await tx.all<{ object: number }>('SELECT object FROM alert_firing WHERE rule_seq = ?', rule.seq);
  for (const { object } of rows)
    if (!near.some((limit) => limit.object === object))
      await tx.run('DELETE FROM alert_firing WHERE rule_seq = ? AND object = ?', rule.seq, object);
  for (const { object, text } of near)
    await tx.run(
      `INSERT INTO alert_firing (rule_seq, object, since, noted, text) VALUES (?, ?, ?, 0, ?)
       ON CONFLICT (rule_seq, object) DO UPDATE SET text = excluded.text`,
      rule.seq,
      object,
      now,
      text,
    );
}

/** Which limits are noted of the rule. */
export const notedLimits = async (db: Reader, ruleSeq: number): Promise<number[]> =>
  (await db.all<{ object: number }>('SELECT object FROM alert_firing WHERE rule_seq = ?', ruleSeq)).map(
    ({ object }) => object,
  );

/** Whether anything fires that is in no message yet. */
export const hasUnnoted = async (db: Reader, ruleSeq: number): Promise<boolean> =>
  (await db.get('SELECT 1 FROM alert_firing WHERE rule_seq = ? AND noted = 0 LIMIT 1', ruleSeq)) !== undefined;

/** Makes events of what fires and is in no message yet. */
export async function noteNew(tx: Tx, rule: RuleRow, now: number): Promise<void> {
  const isTunnel = rule.event === 'TunnelPublic';
  const joined = isTunnel
    ? 'LEFT JOIN tunnels t ON t.seq = f.object LEFT JOIN devices d ON d.seq = t.device_seq'
    : rule.event === 'QuotaNear'
      ? 'LEFT JOIN devices d ON d.seq = 0'
      : 'LEFT JOIN devices d ON d.seq = f.object';
  await tx.run(
    `INSERT INTO alert_events (rule_seq, object, at, since, device_id, device_name, site, text)
     SELECT f.rule_seq, f.object, CAST(? AS BIGINT), f.since, coalesce(d.id, ''), coalesce(d.name, ''), coalesce(d.site, ''),
       ${isTunnel ? "coalesce(t.local_dest, '')" : 'f.text'}
     FROM alert_firing f ${joined} WHERE f.rule_seq = ? AND f.noted = 0 ORDER BY f.object`,
    now,
    rule.seq,
  );
  await tx.run('UPDATE alert_firing SET noted = 1 WHERE rule_seq = ? AND noted = 0', rule.seq);
}

/** Stores how many objects fire, which is also what reports the change to dashboards. */
export const countFiring = (tx: Tx, rule: RuleRow) =>
  rule.event === 'DeviceBack'
    ? Promise.resolve()
    : tx.run(
        `UPDATE alert_rules SET firing = (SELECT count(*) FROM alert_firing WHERE rule_seq = ?1)
         WHERE seq = ?1 AND firing <> (SELECT count(*) FROM alert_firing WHERE rule_seq = ?1)`,
        rule.seq,
      );

/** Devices of each site in the rule's scope, and how many of them fire. */
export function sitesOf(db: Reader, rule: RuleRow): Promise<{ site: string; devices: number; firing: number }[]> {
  const { where, values } = scopeOf(rule);
  return db.all(
    `SELECT d.site, count(*) AS devices, count(f.object) AS firing
     FROM devices d LEFT JOIN alert_firing f ON f.rule_seq = ? AND f.object = d.seq
     WHERE d.account_id = ?${where} AND d.site <> '' GROUP BY d.site`,
    rule.seq,
    rule.account_id,
    ...values,
  );
}

// ---- Events ----------------------------------------------------------------------------------------------------------

export interface AlertOccurrence {
  event: 'RolloutPaused' | 'RolloutEnded' | 'JobFailed';
  text: string;
  jobId?: string;
  rolloutId?: string;
  /** All devices that it concerns: a rule for some devices applies if one of these is among them. */
  deviceSeqs: readonly number[];
}

/** Devices of one message. */
const MOST_DEVICES = 1_000;
const DEVICES_IN = perDialect(
  (sql) =>
    `FROM devices d WHERE d.account_id = ? AND d.seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** Queues an alert for each rule that applies, in the unit of work in which it happens. */
export async function queueAlert(
  tx: Tx,
  accountId: number,
  { event, text, jobId = '', rolloutId = '', deviceSeqs }: AlertOccurrence,
  now: number,
): Promise<void> {
  const list = JSON.stringify(deviceSeqs);
  for (const rule of await rulesFor(tx, accountId, event)) {
    const { where, values } = scopeOf(rule);
    const devices = await tx.all<AlertDevice>(
      `SELECT d.id AS "DeviceId", d.name AS "DeviceName" ${DEVICES_IN(tx)}${where} ORDER BY d.seq LIMIT ${MOST_DEVICES}`,
      accountId,
      list,
      ...values,
    );
    if (isScoped(rule) && devices.length === 0) continue;
    await tx.run(
      `INSERT INTO alert_events (rule_seq, at, since, text, job_id, rollout_id, devices) VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6)`,
      rule.seq,
      now,
      tx.dialect.storable(text.toWellFormed()),
      jobId,
      rolloutId,
      JSON.stringify(devices),
    );
  }
}
