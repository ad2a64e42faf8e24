// The outbox of alerts: messages and their deliveries, written in the transaction that decides to send them. A delivery
// is attempted until it succeeds or a day has passed.
import type { AlertDelivery, AlertDevice, AlertMessage } from '#/contract/alerts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { RuleRow } from './alert-settings.ts';
import { insertRow } from './database.ts';
import type { Database, Reader, Tx } from './database.ts';
import { newId } from './ids.ts';
import { narrowed } from './narrowed.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** One event in the next message of a rule. */
export interface EventRow {
  seq: number;
  object: number;
  at: number;
  since: number;
  device_id: string;
  device_name: string;
  site: string;
  text: string;
  job_id: string;
  rollout_id: string;
  /** The devices of a job or rollout, as JSON. */
  devices: string;
  /** Whether it still fires. */
  fires: number;
}

/** When the first and the last event for the next message were recorded; undefined if there are none. */
export async function eventSpan(db: Reader, ruleSeq: number): Promise<{ first: number; last: number } | undefined> {
  const { first = null, last = null } =
    (await db.get<{ first: number | null; last: number | null }>(
      'SELECT min(at) AS first, max(at) AS last FROM alert_events WHERE rule_seq = ?',
      ruleSeq,
    )) ?? {};
  return first === null || last === null ? undefined : { first, last };
}

/** Takes all events of a rule, oldest first. */
export async function takeEvents(tx: Tx, ruleSeq: number): Promise<EventRow[]> {
  const events = await tx.all<EventRow>(
    `SELECT e.*, CASE WHEN f.object IS NULL THEN 0 ELSE 1 END AS fires
     FROM alert_events e LEFT JOIN alert_firing f ON f.rule_seq = e.rule_seq AND f.object = e.object
     WHERE e.rule_seq = ? ORDER BY e.seq`,
    ruleSeq,
  );
  await dropEvents(tx, ruleSeq);
  return events;
}

/** A silenced rule never reports what happens during the silence. */
export const dropEvents = (tx: Tx, ruleSeq: number) => tx.run('DELETE FROM alert_events WHERE rule_seq = ?', ruleSeq);

export interface MessageDraft {
  text: string;
  devices: readonly AlertDevice[];
  jobId: string;
  rolloutId: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Writes a message of a rule with a delivery for each of its channels. */
export async function insertMessage(
  tx: Tx,
  rule: RuleRow,
  { text, devices, jobId, rolloutId }: MessageDraft,
  now: number,
): Promise<void> {
  const seq = await insertRow(
    tx,
    `INSERT INTO alert_messages (id, account_id, at, event, rule, text, devices, job_id, rollout_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    newId(),
    rule.account_id,
    now,
    rule.event,
    rule.name,
    text,
    JSON.stringify(devices),
    jobId,
    rolloutId,
  );
  const channels = await tx.all<{ seq: number; name: string }>(
    `SELECT seq, name FROM alert_channels JOIN alert_rule_channels ON channel_seq = seq WHERE rule_seq = ? ORDER BY seq`,
    rule.seq,
  );
  for (const channel of channels)
    await tx.run(
      `INSERT INTO alert_deliveries (id, account_id, message_seq, channel_seq, channel, state, due, until)
       VALUES (?, ?, ?, ?, ?, 'Waiting', ?, ?)`,
      newId(),
      rule.account_id,
      seq,
      channel.seq,
      channel.name,
      now,
      now + DAY_MS,
    );
  await tx.run('UPDATE alert_rules SET sent = ? WHERE seq = ?', now, rule.seq);
}

// ---- Deliveries ------------------------------------------------------------------------------------------------------

export interface DueDelivery {
  seq: number;
  channel_seq: number;
  attempts: number;
  id: string;
  at: number;
  event: AlertMessage['Event'];
  rule: string;
  text: string;
  devices: string;
  job_id: string;
  rollout_id: string;
}

/** What to send now: the oldest delivery of each channel, so that a channel that does not answer holds up no other. */
export const dueDeliveries = (db: Reader, now: number): Promise<DueDelivery[]> =>
  db.all<DueDelivery>(
    `SELECT d.seq, channel_seq, attempts, m.id, m.at, event, rule, text, devices, job_id, rollout_id
     FROM alert_deliveries d JOIN alert_messages m ON m.seq = message_seq
     WHERE d.seq IN (SELECT min(seq) FROM alert_deliveries WHERE state = 'Waiting' AND due <= ? GROUP BY channel_seq)
     ORDER BY d.seq`,
    now,
  );

export interface Attempt {
  state: 'Waiting' | 'Delivered' | 'Failed';
  because: string;
  /** When the next attempt is made. */
  due: number;
  now: number;
}

/** When attempts to deliver end; 0 if the delivery no longer exists. */
export const limitOf = async (tx: Tx, seq: number): Promise<number> =>
  (await tx.get<{ until: number }>('SELECT until FROM alert_deliveries WHERE seq = ?', seq))?.until ?? 0;

/** Records an attempt, unless the delivery has ended in the meantime. */
export const noteAttempt = (tx: Tx, seq: number, { state, because, due, now }: Attempt) =>
  tx.run(
    `UPDATE alert_deliveries SET state = ?, because = ?, due = ?, last = ?, attempts = attempts + 1
     WHERE seq = ? AND state = 'Waiting'`,
    state,
    because,
    due,
    now,
    seq,
  );

interface DeliveryRow {
  seq: number;
  id: string;
  channel: string;
  state: string;
  attempts: number;
  due: number;
  because: string;
  last: number | null;
  message: string;
  at: number;
  event: string;
  rule: string;
  text: string;
  job_id: string;
  rollout_id: string;
  devices: string;
}

const time = (at: number): string => printIsoTime(new Date(at));

/**
 * Newest first, below the number `before`; `Next` continues the list. A role limited to groups sees messages that are of
 * its devices alone: what others say counts or names the rest.
 */
export async function listDeliveries(
  db: Reader,
  scope: Scope,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<{ Items: AlertDelivery[]; Next: string }> {
  const { rows, next } = await narrowed(
    limit,
    before ?? Number.MAX_SAFE_INTEGER,
    (after, atOnce) => deliveriesBelow(db, scope.accountId, after, atOnce),
    scope.groups ? (batch) => ofScope(db, scope, batch) : undefined,
  );
  return {
    Items: rows.map((row) => ({
      DeliveryId: row.id,
      MessageId: row.message,
      Time: time(row.at),
      Event: row.event,
      Rule: row.rule,
      Text: row.text,
      ...(row.job_id && { JobId: row.job_id }),
      ...(row.rollout_id && { RolloutId: row.rollout_id }),
      Channel: row.channel,
      State: row.state,
      Attempts: row.attempts,
      Because: row.because,
      LastTime: row.last === null ? '' : time(row.last),
      NextTime: row.state === 'Waiting' ? time(row.due) : '',
    })),
    Next: next,
  };
}

const deliveriesBelow = (db: Reader, accountId: number, before: number, limit: number): Promise<DeliveryRow[]> =>
  db.all<DeliveryRow>(
    `SELECT d.seq, d.id, channel, state, attempts, due, because, last, m.id AS message, at, event, rule, text, job_id, rollout_id, devices
     FROM alert_deliveries d JOIN alert_messages m ON m.seq = message_seq
     WHERE d.account_id = ? AND d.seq < ? ORDER BY d.seq DESC LIMIT ?`,
    accountId,
    before,
    limit,
  );

/** Which of these deliveries are of messages about nothing but the scope's devices. */
async function ofScope(db: Reader, scope: Scope, rows: DeliveryRow[]): Promise<DeliveryRow[]> {
  const own = inGroups(db.dialect, scope, 'd.grp');
  const isAll = async (sql: string, id: string): Promise<boolean> => {
    const found = await db.get<{ total: number; own: number }>(
      `SELECT count(*) AS total, coalesce(sum(CASE WHEN d.seq IS NOT NULL${own.sql} THEN 1 ELSE 0 END), 0) AS own ${sql}`,
      ...own.values,
      id,
      scope.accountId,
    );
    return found !== undefined && found.total > 0 && found.own === found.total;
  };
  const known = new Map<string, Promise<boolean>>();
  const once = (key: string, find: () => Promise<boolean>) => {
    const result = known.get(key) ?? find();
    known.set(key, result);
    return result;
  };
  const kept: DeliveryRow[] = [];
  for (const row of rows) {
    const ids = (JSON.parse(row.devices) as AlertDevice[]).map(({ DeviceId }) => DeviceId);
    if (!(await once(row.devices, () => areOwn(db, scope, ids)))) continue;
    if (row.job_id !== '' && !(await once(`job ${row.job_id}`, () => isAll(DEVICES_OF_JOB, row.job_id)))) continue;
    if (
      row.rollout_id !== '' &&
      !(await once(`rollout ${row.rollout_id}`, () => isAll(DEVICES_OF_ROLLOUT, row.rollout_id)))
    )
      continue;
    kept.push(row);
  }
  return kept;
}

const DEVICES_OF_JOB = `FROM jobs top LEFT JOIN jobs j ON j.parent_seq = top.seq
  LEFT JOIN devices d ON d.seq = coalesce(j.device_seq, top.device_seq) WHERE top.id = ? AND top.account_id = ?`;
const DEVICES_OF_ROLLOUT = `FROM rollouts r JOIN rollout_devices rd ON rd.rollout_seq = r.seq
  LEFT JOIN devices d ON d.id = rd.device_id WHERE r.id = ? AND r.account_id = ?`;

/** Whether these are devices, at least one, and all of them in the scope. */
async function areOwn(db: Reader, scope: Scope, ids: readonly string[]): Promise<boolean> {
  const own = inGroups(db.dialect, scope, 'grp');
  const distinct = [...new Set(ids)];
  const found = await db.get<{ own: number }>(
    `SELECT count(*) AS own FROM devices WHERE id IN (SELECT value FROM ${db.dialect.list('asked')}) AND +account_id = ?${own.sql}`,
    JSON.stringify(distinct),
    scope.accountId,
    ...own.values,
  );
  return distinct.length > 0 && found?.own === distinct.length;
}

const BATCH = 500;

/** Removes messages from before this time, with their deliveries. */
export async function pruneMessages(db: Database, before: number): Promise<void> {
  for (let removed = BATCH; removed === BATCH;)
    removed = await db.write(
      async (tx) => {
        const { changes } = await tx.run(
          `DELETE FROM alert_messages WHERE seq IN (SELECT seq FROM alert_messages WHERE at < ? ORDER BY at LIMIT ${BATCH})`,
          before,
        );
        return changes;
      },
      { patient: true, essential: true },
    );
}
