// Evaluates alert rules: which devices, tunnels and limits fire now, and the events for the next message of each rule.
//
// A state fires once it has lasted for the time that the rule sets. Each run compares what fires with the tables, so a
// restart neither repeats nor misses anything, and a device is not "Offline" merely because the service was down.
import type { AlertDevice, AlertEvent } from '#/contract/alerts.ts';
import { factsOfRule, NO_FACTS, rulesFor, type RuleRow } from './alert-settings.ts';
import type { Reader, SqlValue, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { CAUSES } from './state-history.ts';

/** The rule's scope as a condition on `d`, a row of `devices`. */
export function scopeOf(rule: Pick<RuleRow, 'account_id' | 'grp' | 'tag_id' | 'site' | 'facts'>): {
  where: string;
  values: SqlValue[];
} {
  const { account_id, grp, tag_id, site } = rule;
  const all: [sql: string, ...values: SqlValue[]][] = [];
  if (grp !== '') all.push(['d.grp = ?', grp]);
  if (tag_id !== '') all.push(['EXISTS (SELECT 1 FROM device_tags WHERE device_seq = d.seq AND tag_id = ?)', tag_id]);
  if (site !== '') all.push(['d.site = ?', site]);
  for (const [name, value] of Object.entries(factsOfRule(rule))) all.push([HAS_FACT, account_id, name, value]);
  return { where: all.map(([sql]) => ` AND ${sql}`).join(''), values: all.flatMap(([, ...values]) => values) };
}
const HAS_FACT = `EXISTS (SELECT 1 FROM device_facts WHERE device_seq = d.seq AND value_seq = (
  SELECT seq FROM fact_values WHERE name_seq = (SELECT seq FROM fact_names WHERE account_id = ? AND name = ?) AND value = ?))`;
const isScoped = ({ grp, tag_id, site, facts }: RuleRow): boolean =>
  grp !== '' || tag_id !== '' || site !== '' || facts !== NO_FACTS;

// ---- States that last ------------------------------------------------------------------------------------------------

/** What a rule watches: `state` selects the rows that are in the state, `since` is when each entered it. */
interface Watched {
  from: string;
  object: string;
  since: string;
  state: string;
  /** A further condition for starting to fire; what fires already needs only `state`. */
  extraToStart: string;
}
const OFFLINE: Watched = {
  from: 'devices d',
  object: 'd.seq',
  since: 'd.state_time',
  // A device that has never connected is not Offline in this sense.
  state: 'd.account_id = ? AND d.state_online = 0 AND d.last_seen IS NOT NULL',
  extraToStart: '',
};
const WATCHED: Partial<Record<AlertEvent, Watched>> = {
  DeviceOffline: OFFLINE,
  DeviceBack: OFFLINE,
  TunnelPublic: {
    from: 'tunnels t JOIN devices d ON d.seq = t.device_seq',
    object: 't.seq',
    since: 't.connected',
    state: "t.account_id = ? AND t.protocol = 'HTTP' AND t.login = 0 AND t.offered = 1",
    // A tunnel that fires keeps firing while its agent reconnects.
    extraToStart: ' AND t.connected IS NOT NULL',
  },
};

/** A limit of the account that is nearly reached. */
export interface NearLimit {
  object: number;
  text: string;
}

/** Whether what fires differs from the tables, so that a transaction is needed. */
export async function isStale(db: Reader, rule: RuleRow, now: number): Promise<boolean> {
  const watched = WATCHED[rule.event];
  if (!watched) return false;
  for (const { sql, values } of [newlyFiring(watched, rule, now), noLongerFiring(watched, rule)])
    if (await db.get(`SELECT 1 ${sql} LIMIT 1`, ...values)) return true;
  return false;
}

function newlyFiring({ from, object, since, state, extraToStart }: Watched, rule: RuleRow, now: number) {
  const { where, values } = scopeOf(rule);
  return {
    sql: `FROM ${from} WHERE ${state}${extraToStart} AND ${since} <= ?${where}
      AND NOT EXISTS (SELECT 1 FROM alert_firing f WHERE f.rule_seq = ? AND f.object = ${object})`,
    values: [rule.account_id, now - rule.for_minutes * 60_000, ...values, rule.seq],
  };
}

function noLongerFiring({ from, object, state }: Watched, rule: RuleRow) {
  const { where, values } = scopeOf(rule);
  return {
    sql: `FROM alert_firing WHERE rule_seq = ?
      AND NOT EXISTS (SELECT 1 FROM ${from} WHERE ${object} = alert_firing.object AND ${state}${where})`,
    values: [rule.seq, rule.account_id, ...values],
  };
}

/** What a rule is decided by, whether it is stored or not. */
export type RuleScope = Pick<RuleRow, 'account_id' | 'event' | 'grp' | 'tag_id' | 'site' | 'facts' | 'for_minutes'>;

/** What a rule would fire for now, and the first of the devices; undefined for events that do not last. */
export async function wouldFire(
  db: Reader,
  rule: RuleScope,
  now: number,
  most: number,
): Promise<{ count: number; devices: AlertDevice[] } | undefined> {
  const watched = rule.event === 'DeviceBack' ? undefined : WATCHED[rule.event];
  if (!watched) return undefined;
  const { where, values } = scopeOf(rule);
  const firing = `FROM ${watched.from} WHERE ${watched.state}${watched.extraToStart} AND ${watched.since} <= ?${where}`;
  const conditions = [rule.account_id, now - rule.for_minutes * 60_000, ...values];
  const { count = 0 } = (await db.get<{ count: number }>(`SELECT count(*) AS count ${firing}`, ...conditions)) ?? {};
  const devices = await db.all<AlertDevice>(
    `SELECT d.id AS "DeviceId", d.name AS "DeviceName" ${firing} ORDER BY ${watched.since} DESC LIMIT ?`,
    ...conditions,
    most,
  );
  return { count, devices };
}

/** How far back it looks: as far as there are few enough changes. */
export const HOURS = [7 * 24, 24, 1];
export const MOST_CHANGES = 20_000;
const MOST_DEVICES = 10_000;

/** Whether there are no more rows than `most`. */
export const isFew = async (db: Reader, rows: string, most: number, ...values: SqlValue[]): Promise<boolean> =>
  ((
    await db.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${rows} LIMIT ${most + 1}) AS first`,
      ...values,
    )
  )?.n ?? 0) <= most;

/**
 * How often a rule would have fired in the last seven days, or in fewer hours if too much happened. Undefined if the
 * history does not tell. Devices count where they are now.
 */
export async function wouldHaveFired(
  db: Reader,
  rule: RuleScope,
  now: number,
): Promise<{ fired: number; hours: number } | undefined> {
  const isBack = rule.event === 'DeviceBack';
  if (rule.event !== 'DeviceOffline' && !isBack) return undefined;
  const lasted = rule.for_minutes * 60_000;
  const last = isBack ? now : now - lasted;
  const group = scopeOf({ ...rule, tag_id: '', site: '', facts: NO_FACTS });
  const inGroup = [rule.account_id, ...group.values];
  // SQLite keeps the order of a CROSS JOIN: the changes of a few devices are found by device, those of a large fleet by
  // time, among those of all others.
  const byDevice = await isFew(db, `devices d WHERE d.account_id = ?${group.where}`, MOST_DEVICES, ...inGroup);
  const joined = `${byDevice ? 'devices d CROSS JOIN state_changes c' : 'state_changes c CROSS JOIN devices d'}
    WHERE c.at >= ? AND c.at <= ? AND d.seq = c.device_seq AND d.account_id = ?`;
  const { where, values } = scopeOf(rule);
  // Back: it had been Offline for as long. Offline: it was not Online again before.
  const condition = isBack
    ? `c.cause = ${CAUSES.connected}
       AND (SELECT max(o.at) FROM state_changes o WHERE o.device_seq = c.device_seq AND o.at < c.at) <= c.at - ?`
    : `c.cause NOT IN (${CAUSES.connected}, ${CAUSES.firstConnected})
       AND NOT EXISTS (SELECT 1 FROM state_changes o WHERE o.device_seq = c.device_seq AND o.at > c.at AND o.at < c.at + ?)`;
  for (const hours of HOURS) {
    const from = now - hours * 3_600_000;
    const canCount = byDevice
      ? await isFew(db, joined + group.where, MOST_CHANGES, from, last, ...inGroup)
      : await isFew(db, 'state_changes WHERE at >= ? AND at <= ?', MOST_CHANGES, from, last);
    if (!canCount) continue;
    const found = await db.get<{ fired: number }>(
      `SELECT count(*) AS fired FROM ${joined} AND ${condition}${where}`,
      from,
      last,
      rule.account_id,
      lasted,
      ...values,
    );
    return { fired: found?.fired ?? 0, hours };
  }
  return undefined;
}

/** Brings what fires in line with the tables. A `DeviceBack` rule adds an event for each device that came back. */
export async function noteStates(tx: Tx, rule: RuleRow, now: number): Promise<void> {
  const watched = WATCHED[rule.event];
  if (!watched) return;
  const isBack = rule.event === 'DeviceBack';
  const added = newlyFiring(watched, rule, now);
  await tx.run(
    `INSERT INTO alert_firing (rule_seq, object, since, noted)
     SELECT CAST(? AS BIGINT), ${watched.object}, ${watched.since}, ${isBack ? 1 : 0} ${added.sql}`,
    rule.seq,
    ...added.values,
  );
  const removed = noLongerFiring(watched, rule);
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
  await tx.run(`DELETE ${removed.sql}`, ...removed.values);
}

/** The same for limits, which are in no table; `near` has every limit that is nearly reached. */
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

/** The limits that fire for the rule. */
export const notedLimits = async (db: Reader, ruleSeq: number): Promise<number[]> =>
  (await db.all<{ object: number }>('SELECT object FROM alert_firing WHERE rule_seq = ?', ruleSeq)).map(
    ({ object }) => object,
  );

/** Whether anything fires that has no event yet. */
export const hasUnnoted = async (db: Reader, ruleSeq: number): Promise<boolean> =>
  (await db.get('SELECT 1 FROM alert_firing WHERE rule_seq = ? AND noted = 0 LIMIT 1', ruleSeq)) !== undefined;

/** Adds an event for everything that fires and has none yet. */
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

/** Stores how many objects fire; the update also reports the change to dashboards. */
export const countFiring = (tx: Tx, rule: RuleRow) =>
  rule.event === 'DeviceBack'
    ? Promise.resolve()
    : tx.run(
        `UPDATE alert_rules SET firing = (SELECT count(*) FROM alert_firing WHERE rule_seq = ?1)
         WHERE seq = ?1 AND firing <> (SELECT count(*) FROM alert_firing WHERE rule_seq = ?1)`,
        rule.seq,
      );

/** The number of devices at each site in the rule's scope, and how many of them fire. */
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
  /** The affected devices: a rule with a scope applies if at least one of them is in it. */
  deviceSeqs: readonly number[];
}

/** The limit for one message. */
const MAX_DEVICES = 1_000;
const DEVICES_IN = perDialect(
  (sql) =>
    `FROM devices d WHERE d.account_id = ? AND d.seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** Queues an event for each rule that applies, in the transaction that records what happened. */
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
      `SELECT d.id AS "DeviceId", d.name AS "DeviceName" ${DEVICES_IN(tx)}${where} ORDER BY d.seq LIMIT ${MAX_DEVICES}`,
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
