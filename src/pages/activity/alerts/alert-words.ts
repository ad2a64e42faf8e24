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
export const eventLabel = (event: string): string =>
  Object.hasOwn(EVENT_LABELS, event) ? EVENT_LABELS[event as AlertEvent] : event;

/** How bad it is that a rule fires. */
type Severity = 'Critical' | 'Warning';
const SEVERITIES: Record<Severity, { rank: number; mark: string }> = {
  Critical: { rank: 0, mark: 'Failed' },
  Warning: { rank: 1, mark: 'Interrupted' },
};
const severityOf = (event: string): Severity => (event === 'DeviceOffline' ? 'Critical' : 'Warning');
export function severityWords(event: string): StateWords {
  const label = severityOf(event);
  return { label, mark: SEVERITIES[label].mark };
}

type Urgency = Pick<FiringAlert, 'When' | 'Count' | 'Since'>;
/** Orders firing alerts: the most severe first, then the most devices, then the longest. */
export const byUrgency = (one: Urgency, other: Urgency): number =>
  SEVERITIES[severityOf(one.When)].rank - SEVERITIES[severityOf(other.When)].rank ||
  other.Count - one.Count ||
  Date.parse(one.Since) - Date.parse(other.Since);

/** A message that is waiting for its next attempt shows that earlier ones failed. */
export const deliveryWords = ({ State, Attempts }: Pick<AlertDelivery, 'State' | 'Attempts'>): StateWords => ({
  label: State,
  mark: State === 'Delivered' ? 'Succeeded' : State,
  failed: State === 'Waiting' ? Attempts : 0,
});

interface Template {
  /** Also the name of the rule. */
  label: string;
  rule: Pick<AlertRule, 'When' | 'DeviceGroup' | 'TagId' | 'CustomerSite' | 'ForMinutes' | 'QuietMinutes'>;
}

/** Rules to start with. Where a group is named after its gateways, the first one watches that group. */
export function templatesFor(groups: readonly string[]): Template[] {
  const anywhere = { DeviceGroup: '', TagId: '', CustomerSite: '', ForMinutes: 0, QuietMinutes: 30 };
  const gateways = groups.find((group) => /gateway/i.test(group));
  return [
    {
      label: `A ${gateways === undefined ? 'device' : 'gateway'} is down for 10 minutes`,
      rule: { ...anywhere, When: 'DeviceOffline', DeviceGroup: gateways ?? '', ForMinutes: 10 },
    },
    { label: 'Any rollout pauses', rule: { ...anywhere, When: 'RolloutPaused', QuietMinutes: 0 } },
    { label: 'Any job fails', rule: { ...anywhere, When: 'JobFailed' } },
    { label: 'Storage or licence 80 % used', rule: { ...anywhere, When: 'QuotaNear', QuietMinutes: 1_440 } },
  ];
}

const minutes = (count: number): string =>
  count > 0 && count % 1_440 === 0
    ? counted(count / 1_440, 'day')
    : count > 0 && count % 60 === 0
      ? counted(count / 60, 'hour')
      : counted(count, 'minute');

type Scope = Pick<AlertRule, 'DeviceGroup' | 'TagId' | 'CustomerSite'>;

/** " of group shops with tag beta at site Berlin" */
function scopeText({ DeviceGroup, TagId, CustomerSite }: Scope, tags: readonly Tag[]): string {
  const tag = tags.find((each) => each.TagId === TagId)?.TagName ?? TagId;
  return [
    DeviceGroup && ` of group ${DeviceGroup}`,
    TagId && ` with tag ${tag}`,
    CustomerSite && ` at site ${CustomerSite}`,
  ]
    .filter(Boolean)
    .join('');
}

/** "When a device of group shops is Offline for 5 minutes" */
export function conditionText(rule: Pick<AlertRule, 'When' | 'ForMinutes'> & Scope, tags: readonly Tag[]): string {
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
      return 'When a limit of the account or the disk is nearly reached';
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
