// Rules as sentences, and labels of events and deliveries.
import type { AlertChannel, AlertDelivery, AlertEvent, AlertRule, FiringAlert } from '#/contract/alerts.ts';
import type { Tag } from '#/contract/tags.ts';
import { counted } from '#/lib/format.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';

export const EVENT_LABELS: Record<AlertEvent, string> = {
  DeviceOffline: 'A device is Offline',
  DeviceBack: 'A device is Online again',
  TunnelPublic: 'A tunnel is public',
  JobFailed: 'A job fails',
  RolloutPaused: 'A rollout pauses',
  RolloutEnded: 'A rollout ends',
  QuotaNear: 'A limit is nearly reached',
};
export interface Severity {
  /** 0 is the worst. */
  rank: number;
  label: string;
  mark: string;
}
const CRITICAL: Severity = { rank: 0, label: 'Critical', mark: 'Failed' };
const WARNING: Severity = { rank: 1, label: 'Warning', mark: 'Interrupted' };

/** A device that is away and a door that is open cannot wait; a limit that comes nearer can. */
export const severityOf = (event: string): Severity =>
  event === 'DeviceOffline' || event === 'TunnelPublic' ? CRITICAL : WARNING;

/** "3 devices" */
export const firingCount = ({ When, Count }: Pick<FiringAlert, 'When' | 'Count'>): string =>
  counted(Count, When === 'TunnelPublic' ? 'tunnel' : When === 'QuotaNear' ? 'limit' : 'device');

/** The worst first: by severity, then by how many, then by how long. */
export const worstFirst = (alerts: readonly FiringAlert[]): FiringAlert[] =>
  alerts.toSorted(
    (one, other) =>
      severityOf(one.When).rank - severityOf(other.When).rank ||
      other.Count - one.Count ||
      one.Since.localeCompare(other.Since),
  );

export const eventLabel = (event: string): string =>
  Object.hasOwn(EVENT_LABELS, event) ? EVENT_LABELS[event as AlertEvent] : event;

/** A message that is waiting for its next attempt shows that earlier ones failed. */
export const deliveryWords = ({ State, Attempts }: Pick<AlertDelivery, 'State' | 'Attempts'>): StateWords => ({
  label: State,
  mark: State === 'Delivered' ? 'Succeeded' : State,
  failed: State === 'Waiting' ? Attempts : 0,
});

const minutes = (count: number): string =>
  count > 0 && count % 1_440 === 0
    ? counted(count / 1_440, 'day')
    : count > 0 && count % 60 === 0
      ? counted(count / 60, 'hour')
      : counted(count, 'minute');

type Scope = Pick<AlertRule, 'DeviceGroup' | 'TagId' | 'CustomerSite'> & { Facts?: AlertRule['Facts'] };

/** " of group shops with tag beta at site Berlin with os=debian" */
function scopeText({ DeviceGroup, TagId, CustomerSite, Facts = {} }: Scope, tags: readonly Tag[]): string {
  const tag = tags.find((each) => each.TagId === TagId)?.TagName ?? TagId;
  return [
    DeviceGroup && ` of group ${DeviceGroup}`,
    TagId && ` with tag ${tag}`,
    CustomerSite && ` at site ${CustomerSite}`,
    ...Object.entries(Facts).map(([name, value], at) => `${at === 0 ? ' with' : ' and'} ${name}=${value}`),
  ]
    .filter(Boolean)
    .join('');
}

/** "When a device of group shops is Offline for 5 minutes" */
export function conditionText(
  rule: Pick<AlertRule, 'When' | 'ForMinutes'> & { Percent?: number | undefined } & Scope,
  tags: readonly Tag[],
): string {
  const scope = scopeText(rule, tags);
  const lasting = rule.ForMinutes > 0 ? ` for ${minutes(rule.ForMinutes)}` : '';
  switch (rule.When) {
    case 'DeviceOffline':
      return `When a device${scope} is Offline${lasting}`;
    case 'DeviceBack':
      return `When a device${scope} is Online again${rule.ForMinutes > 0 ? ` after ${minutes(rule.ForMinutes)} or more` : ''}`;
    case 'TunnelPublic':
      return `When a device${scope} has a public tunnel${lasting}`;
    case 'JobFailed':
      return `When a job fails${scope && ` on a device${scope}`}`;
    case 'RolloutPaused':
      return `When a rollout${scope && ` to a device${scope}`} pauses`;
    case 'RolloutEnded':
      return `When a rollout${scope && ` to a device${scope}`} ends`;
    case 'QuotaNear':
      return rule.Percent === undefined
        ? 'When a limit of the account or the disk is nearly reached'
        : `When ${rule.Percent} % of a limit of the account is used, or the disk is nearly full`;
    default:
      return rule.When;
  }
}

/** "→ Ops, Mail, at most one message in 30 minutes" */
export function messagesText(
  { Channels, QuietMinutes }: Pick<AlertRule, 'Channels' | 'QuietMinutes'>,
  channels: readonly AlertChannel[],
): string {
  const names = Channels.map((id) => channels.find(({ ChannelId }) => ChannelId === id)?.Name ?? id);
  const quiet = QuietMinutes > 0 ? `, at most one message in ${minutes(QuietMinutes)}` : '';
  return `→ ${names.length === 0 ? 'no channel' : names.join(', ')}${quiet}`;
}
