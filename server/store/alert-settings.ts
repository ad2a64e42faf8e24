// Rules and channels of alerts.
import {
  DEFAULT_PERCENT,
  type AlertChannel,
  type AlertEvent,
  type AlertRule,
  type ChannelDraft,
  type RuleChange,
  type RuleDraft,
  type RuleTrial,
} from '#/contract/alerts.ts';
import type { FactFilter } from '#/contract/facts.ts';
import { MOST_ALERT_CHANNELS, MOST_ALERT_RULES } from '#/contract/limits.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { InvalidInput, notFound } from './errors.ts';
import { insertRow } from './database.ts';
import type { Reader, SqlValue, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { newId } from './ids.ts';
import { requireRoom } from './room.ts';
import { isInScope } from './scope.ts';
import type { Scope } from './scope.ts';

const time = (at: number): string => printIsoTime(new Date(at));

// ---- Channels --------------------------------------------------------------------------------------------------------

export interface ChannelRow {
  seq: number;
  id: string;
  name: string;
  kind: 'webhook' | 'email';
  url: string;
  format: string;
  secret: string;
  /** Addresses, as JSON. */
  recipients: string;
  created: number;
}

/** The path of a webhook may be a secret, as it is for Slack, so only the origin is shown. */
const hostOf = (address: string): string => {
  const url = URL.parse(address);
  if (!url) return '';
  return url.pathname === '/' && !url.search ? url.origin : `${url.origin}/…`;
};

const shownChannel = ({ id, name, kind, url, format, recipients, created }: ChannelRow): AlertChannel => ({
  ChannelId: id,
  Name: name,
  Kind: kind,
  ...(kind === 'webhook' ? { Url: hostOf(url), Format: format } : { To: JSON.parse(recipients) as string[] }),
  CreatedTime: time(created),
});

/** Oldest first. */
export const listChannels = async (db: Reader, accountId: number): Promise<AlertChannel[]> =>
  (await db.all<ChannelRow>('SELECT * FROM alert_channels WHERE account_id = ? ORDER BY seq', accountId)).map(
    shownChannel,
  );

/** The account's channel with this id, or a 404. */
export async function channelById(db: Reader, accountId: number, id: string): Promise<ChannelRow> {
  const row = await db.get<ChannelRow>('SELECT * FROM alert_channels WHERE id = ? AND account_id = ?', id, accountId);
  if (!row) throw notFound('channel', id);
  return row;
}

export const channelBySeq = (db: Reader, seq: number): Promise<ChannelRow | undefined> =>
  db.get<ChannelRow>('SELECT * FROM alert_channels WHERE seq = ?', seq);

const fieldsOf = ({ Kind, Url = '', Format = 'json', To = [] }: ChannelDraft) => ({
  kind: Kind,
  url: Kind === 'webhook' ? new URL(Url).href : '',
  format: Kind === 'webhook' ? Format : '',
  recipients: JSON.stringify(Kind === 'email' ? To : []),
});

/** A channel that is not stored. */
export const draftRow = (draft: ChannelDraft, created: number): ChannelRow => ({
  ...fieldsOf(draft),
  seq: 0,
  id: '',
  name: draft.Name,
  secret: draft.Secret ?? '',
  created,
});

/** Returns the id of the new channel. `secret` signs the requests of a webhook. */
export async function insertChannel(
  tx: Tx,
  accountId: number,
  draft: ChannelDraft,
  secret: string,
  now: number,
): Promise<string> {
  await requireRoom(
    tx,
    { most: MOST_ALERT_CHANNELS, what: 'channels', remedy: 'Delete channels that are no longer needed first.' },
    'alert_channels WHERE account_id = ?',
    accountId,
  );
  const id = newId();
  const { kind, url, format, recipients } = fieldsOf(draft);
  await tx.run(
    `INSERT INTO alert_channels (id, account_id, name, kind, url, format, secret, recipients, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    draft.Name.toWellFormed(),
    kind,
    url,
    format,
    secret,
    recipients,
    now,
  );
  return id;
}

/** Pending deliveries to the channel fail for good. */
export async function deleteChannel(tx: Tx, accountId: number, id: string): Promise<void> {
  const { seq } = await channelById(tx, accountId, id);
  await tx.run('DELETE FROM alert_channels WHERE seq = ?', seq);
  await tx.run(
    "UPDATE alert_deliveries SET state = 'Failed', because = 'the channel was deleted' WHERE channel_seq = ? AND state = 'Waiting'",
    seq,
  );
}

// ---- Rules -----------------------------------------------------------------------------------------------------------

export interface RuleRow {
  seq: number;
  id: string;
  account_id: number;
  name: string;
  event: AlertEvent;
  grp: string;
  tag_id: string;
  site: string;
  /** JSON: values that its devices have. */
  facts: string;
  for_minutes: number;
  quiet_minutes: number;
  percent: number;
  silent_until: number | null;
  silence_reason: string;
  sent: number | null;
  firing: number;
  created: number;
}

export const isSilent = ({ silent_until }: Pick<RuleRow, 'silent_until'>, now: number): boolean =>
  silent_until !== null && silent_until > now;

/** The rule's current silence in the API's form. */
export const silenceOf = (row: Pick<RuleRow, 'silent_until' | 'silence_reason'>, now: number): AlertRule['Silence'] =>
  isSilent(row, now) ? { Until: time(row.silent_until ?? 0), Reason: row.silence_reason } : undefined;

/** The rules of all accounts. */
export const allRules = (db: Reader): Promise<RuleRow[]> => db.all<RuleRow>('SELECT * FROM alert_rules ORDER BY seq');

export const ruleBySeq = (db: Reader, seq: number): Promise<RuleRow | undefined> =>
  db.get<RuleRow>('SELECT * FROM alert_rules WHERE seq = ?', seq);

export const rulesFor = (db: Reader, accountId: number, event: AlertEvent): Promise<RuleRow[]> =>
  db.all<RuleRow>('SELECT * FROM alert_rules WHERE account_id = ? AND event = ? ORDER BY seq', accountId, event);

/** As stored. */
export const NO_FACTS = '{}';
export const factsOfRule = ({ facts }: Pick<RuleRow, 'facts'>): FactFilter => JSON.parse(facts) as FactFilter;

/**
 * Whether a rule is shown: a role limited to groups sees those of its groups, and those of the whole account. Tags, sites
 * and facts reach into other groups.
 */
export const isRuleVisible = (scope: Scope, { grp, tag_id, site, facts }: RuleRow): boolean =>
  grp === '' ? !scope.groups || (tag_id === '' && site === '' && facts === NO_FACTS) : isInScope(scope, grp);

/** The rule with this id, or a 404 if the scope has none. */
export async function ruleById(db: Reader, scope: Scope, id: string): Promise<RuleRow> {
  const row = await db.get<RuleRow>('SELECT * FROM alert_rules WHERE id = ? AND account_id = ?', id, scope.accountId);
  if (!row || !isRuleVisible(scope, row)) throw notFound('rule', id);
  return row;
}

/** Those in the scope, oldest first. */
export async function listRules(db: Reader, scope: Scope, now: number): Promise<AlertRule[]> {
  const { accountId } = scope;
  const all = await db.all<RuleRow>('SELECT * FROM alert_rules WHERE account_id = ? ORDER BY seq', accountId);
  const rows = all.filter((row) => isRuleVisible(scope, row));
  const uses = await db.all<{ rule: number; channel: string }>(
    `SELECT rule_seq AS rule, alert_channels.id AS channel
     FROM alert_rule_channels JOIN alert_channels ON alert_channels.seq = channel_seq WHERE account_id = ? ORDER BY channel_seq`,
    accountId,
  );
  return rows.map((row) => ({
    RuleId: row.id,
    Name: row.name,
    When: row.event,
    DeviceGroup: row.grp,
    TagId: row.tag_id,
    CustomerSite: row.site,
    Facts: factsOfRule(row),
    ForMinutes: row.for_minutes,
    QuietMinutes: row.quiet_minutes,
    Percent: row.event === 'QuotaNear' ? row.percent : undefined,
    Channels: uses.flatMap(({ rule, channel }) => (rule === row.seq ? [channel] : [])),
    Silence: silenceOf(row, now),
    CreatedTime: time(row.created),
  }));
}

const CHANNELS_OF = perDialect(
  (sql) => `SELECT seq, id FROM alert_channels WHERE account_id = ? AND id IN (SELECT value FROM ${sql.list('asked')})`,
);

async function setChannels(tx: Tx, accountId: number, ruleSeq: number, ids: readonly string[]): Promise<void> {
  const found = await tx.all<{ seq: number; id: string }>(CHANNELS_OF(tx), accountId, JSON.stringify(ids));
  const missing = ids.find((id) => !found.some((channel) => channel.id === id));
  if (missing !== undefined) {
    const message = `names no channel "${missing}"`;
    const fields = [{ field: 'Channels', message }];
    throw new InvalidInput('The request is not valid', `Channels ${message}.`, { fields });
  }
  await tx.run('DELETE FROM alert_rule_channels WHERE rule_seq = ?', ruleSeq);
  for (const { seq } of found)
    await tx.run('INSERT INTO alert_rule_channels (rule_seq, channel_seq) VALUES (?, ?)', ruleSeq, seq);
}

const COLUMNS = ['name', 'event', 'grp', 'tag_id', 'site', 'facts', 'for_minutes', 'quiet_minutes', 'percent'] as const;
const valuesOf = (draft: RuleDraft): SqlValue[] => [
  draft.Name.toWellFormed(),
  draft.When,
  draft.DeviceGroup?.toWellFormed() ?? '',
  draft.TagId?.toWellFormed() ?? '',
  draft.CustomerSite?.toWellFormed() ?? '',
  JSON.stringify(draft.Facts ?? {}),
  draft.ForMinutes,
  draft.QuietMinutes,
  draft.Percent ?? DEFAULT_PERCENT,
];

/** What decides when a rule fires, of one that is not stored. */
export const trialRow = (
  accountId: number,
  {
    When,
    DeviceGroup = '',
    TagId = '',
    CustomerSite = '',
    Facts = {},
    ForMinutes,
    Percent = DEFAULT_PERCENT,
  }: RuleTrial,
) => ({
  account_id: accountId,
  event: When,
  grp: DeviceGroup,
  tag_id: TagId,
  site: CustomerSite,
  facts: JSON.stringify(Facts),
  for_minutes: ForMinutes,
  percent: Percent,
});

/** Returns the id of the new rule. */
export async function insertRule(tx: Tx, accountId: number, draft: RuleDraft, now: number): Promise<string> {
  await requireRoom(
    tx,
    { most: MOST_ALERT_RULES, what: 'alert rules', remedy: 'Delete rules that are no longer needed first.' },
    'alert_rules WHERE account_id = ?',
    accountId,
  );
  const id = newId();
  const seq = await insertRow(
    tx,
    `INSERT INTO alert_rules (${COLUMNS.join(', ')}, id, account_id, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...valuesOf(draft),
    id,
    accountId,
    now,
  );
  await setChannels(tx, accountId, seq, draft.Channels);
  return id;
}

/** Changes the given fields. `check` throws if the resulting rule is not valid. */
export async function updateRule(
  tx: Tx,
  row: RuleRow,
  change: RuleChange,
  check: (draft: Omit<RuleDraft, 'Channels'>) => void,
): Promise<void> {
  const draft = {
    Name: change.Name ?? row.name,
    When: change.When ?? row.event,
    DeviceGroup: change.DeviceGroup ?? row.grp,
    TagId: change.TagId ?? row.tag_id,
    CustomerSite: change.CustomerSite ?? row.site,
    Facts: change.Facts ?? factsOfRule(row),
    ForMinutes: change.ForMinutes ?? row.for_minutes,
    QuietMinutes: change.QuietMinutes ?? row.quiet_minutes,
    Percent: change.Percent ?? ((change.When ?? row.event) === 'QuotaNear' ? row.percent : undefined),
    Channels: change.Channels ?? [],
  };
  check(draft);
  await tx.run(
    `UPDATE alert_rules SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE seq = ?`,
    ...valuesOf(draft),
    row.seq,
  );
  if (change.Channels) await setChannels(tx, row.account_id, row.seq, change.Channels);
  if (draft.When === row.event) return;
  // What fires for one event means nothing for another.
  await tx.run('UPDATE alert_rules SET firing = 0 WHERE seq = ?', row.seq);
  await tx.run('DELETE FROM alert_firing WHERE rule_seq = ?', row.seq);
  await tx.run('DELETE FROM alert_events WHERE rule_seq = ?', row.seq);
}

export const deleteRule = (tx: Tx, { seq }: RuleRow) => tx.run('DELETE FROM alert_rules WHERE seq = ?', seq);

/**
 * Silences a rule, or ends its silence with null. Events for its next message are dropped; whatever still fires after
 * the silence gets a new event.
 */
export async function silenceRule(
  tx: Tx,
  { seq }: RuleRow,
  { until, reason }: { until: number | null; reason: string },
): Promise<void> {
  await tx.run(
    'UPDATE alert_rules SET silent_until = ?, silence_reason = ? WHERE seq = ?',
    until,
    until === null ? '' : reason.toWellFormed(),
    seq,
  );
  if (until === null) return;
  await tx.run(
    'UPDATE alert_firing SET noted = 0 WHERE rule_seq = ?1 AND object IN (SELECT object FROM alert_events WHERE rule_seq = ?1)',
    seq,
  );
  await tx.run('DELETE FROM alert_events WHERE rule_seq = ?', seq);
}
