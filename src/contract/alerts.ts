// Alerts, an addition: rules that watch the fleet, and messages about it to webhooks and e-mail addresses.
import * as z from 'zod/mini';
import { list, nameText, number, optionalNumber, optionalText, pageFields, pathId, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

export const ALERT_EVENTS = [
  'DeviceOffline',
  'DeviceBack',
  'JobFailed',
  'RolloutPaused',
  'RolloutEnded',
  'QuotaNear',
  'TunnelPublic',
] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];
/** Events of a state that lasts: they fire until it is over, and a rule may wait before it fires. */
export const LASTING: readonly AlertEvent[] = ['DeviceOffline', 'DeviceBack', 'TunnelPublic'];
/** Events of the whole account: a rule cannot limit them to some devices. */
export const UNSCOPED: readonly AlertEvent[] = ['QuotaNear'];

/** A day; 30 days. */
const MOST_FOR = 1_440;
const MOST_QUIET = 43_200;
const minutes = (most: number) =>
  z
    .int('must be a whole number of minutes')
    .check(z.gte(0, 'must be at least 0'), z.lte(most, `must be at most ${most}`));

// ---- Channels ------------------------------------------------------------------------------------------------------

const webhookUrl = z.string().check(
  z.maxLength(2_000),
  z.refine((value) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol);
  }, 'must be an http or https address'),
  z.refine((value) => {
    const url = URL.parse(value);
    return !url?.username && !url?.password;
  }, 'must not contain a user name or password'),
);
/** Strict: an address becomes a part of an SMTP command and of a header. */
const emailAddress = z
  .string()
  .check(z.maxLength(254), z.regex(/^[^\s@<>()[\]",;:\\\p{Cc}]+@[^\s@<>()[\]",;:\\\p{Cc}]+$/u, 'must be an address'));

/** The fields of its Kind are needed. */
export const channelDraft = z
  .object({
    Name: nameText,
    Kind: z.enum(['webhook', 'email'], 'must be webhook or email'),
    Url: z.optional(webhookUrl),
    /** `slack`: a body that Slack and compatible services show as it is. */
    Format: z.optional(z.enum(['json', 'slack'], 'must be json or slack')),
    /** Signs each request; without it the service makes one. */
    Secret: z.optional(z.string().check(z.minLength(16), z.maxLength(200))),
    To: z.optional(z.array(emailAddress).check(z.maxLength(20, 'must be at most 20 addresses'))),
  })
  .check(
    z.refine(({ Kind, Url }) => Kind !== 'webhook' || Url !== undefined, { path: ['Url'], error: 'must not be empty' }),
    z.refine(({ Kind, To }) => Kind !== 'email' || (To ?? []).length > 0, { path: ['To'], error: 'must not be empty' }),
  );
export type ChannelDraft = z.output<typeof channelDraft>;

const channel = z.object({
  ChannelId: z.string().check(z.minLength(1)),
  Name: text,
  /** `webhook` or `email`. */
  Kind: text,
  /** Of a webhook, without its path, which may be a secret. */
  Url: optionalText,
  Format: optionalText,
  To: z.optional(z.array(text)),
  CreatedTime: text,
});
export type AlertChannel = z.output<typeof channel>;

// ---- Rules ---------------------------------------------------------------------------------------------------------

const scope = z.optional(z.string().check(z.maxLength(255)));
const ruleFields = {
  Name: nameText,
  When: z.enum(ALERT_EVENTS, `must be one of ${ALERT_EVENTS.join(', ')}`),
  /** Only devices of this group, with this tag, at this site; missing or '': any. */
  DeviceGroup: scope,
  TagId: scope,
  CustomerSite: scope,
  /** How long the state must last before it fires. */
  ForMinutes: minutes(MOST_FOR),
  /** At most one message in this time; what happens meanwhile is in the next one. */
  QuietMinutes: minutes(MOST_QUIET),
  Channels: z.array(z.string()).check(z.minLength(1, 'must not be empty'), z.maxLength(20)),
};
export const ruleDraft = z.object(ruleFields);
export type RuleDraft = z.output<typeof ruleDraft>;
const ruleChange = z.object({
  Name: z.optional(ruleFields.Name),
  When: z.optional(ruleFields.When),
  DeviceGroup: scope,
  TagId: scope,
  CustomerSite: scope,
  ForMinutes: z.optional(ruleFields.ForMinutes),
  QuietMinutes: z.optional(ruleFields.QuietMinutes),
  Channels: z.optional(ruleFields.Channels),
});
export type RuleChange = z.output<typeof ruleChange>;

export const silenceDraft = z.object({
  /** '' ends the silence. */
  Until: z
    .string()
    .check(z.refine((value) => value === '' || !Number.isNaN(Date.parse(value)), 'must be a time, or empty')),
  Reason: z.string().check(z.maxLength(255)),
});

const silence = z.optional(z.object({ Until: text, Reason: text }));

const rule = z.object({
  RuleId: z.string().check(z.minLength(1)),
  Name: text,
  When: text,
  DeviceGroup: text,
  TagId: text,
  CustomerSite: text,
  ForMinutes: number,
  QuietMinutes: number,
  Channels: z.array(text),
  /** While it lasts the rule sends nothing. */
  Silence: silence,
  CreatedTime: text,
});
export type AlertRule = z.output<typeof rule>;

// ---- What fires, and what was sent ---------------------------------------------------------------------------------

const alertDevice = z.object({ DeviceId: text, DeviceName: text });
export type AlertDevice = z.output<typeof alertDevice>;

const firing = z.object({
  RuleId: z.string().check(z.minLength(1)),
  Rule: text,
  When: text,
  /** Since when the first of it has been so. */
  Since: text,
  Text: text,
  /** How many devices, tunnels or limits. */
  Count: number,
  /** The latest of them, at most 100. A device may be there more than once, for its tunnels. */
  Devices: z.array(z.object({ ...alertDevice.shape, CustomerSite: text, Since: text, Text: text })),
  Silence: silence,
});
export type FiringAlert = z.output<typeof firing>;

/** The JSON body of a webhook. */
export interface AlertMessage {
  /** The same on each repeat. */
  Id: string;
  Time: string;
  Event: AlertEvent | 'Test';
  Rule: string;
  Text: string;
  /** At most 1,000 of them; the Text has the true number. */
  Devices: AlertDevice[];
  JobId?: string;
  RolloutId?: string;
}

const delivery = z.object({
  DeliveryId: z.string().check(z.minLength(1)),
  /** `Id` of the message. */
  MessageId: text,
  Time: text,
  Event: text,
  Rule: text,
  Text: text,
  /** If the message is about one. */
  JobId: optionalText,
  RolloutId: optionalText,
  Channel: text,
  /** `Waiting` for its first or next attempt, `Delivered`, `Failed` for good. */
  State: text,
  Attempts: number,
  /** Of the last attempt. */
  Because: text,
  LastTime: text,
  /** Of a waiting one. */
  NextTime: text,
});
export type AlertDelivery = z.output<typeof delivery>;

const testResult = z.object({
  Delivered: z.boolean(),
  /** Why not; '' if there is nothing to say. */
  Because: text,
  /** HTTP status of the answer. */
  Status: optionalNumber,
});
export type ChannelTest = z.output<typeof testResult>;

const oneChannel = z.object({ channel_id: pathId });
const oneRule = z.object({ rule_id: pathId });

export const alertEndpoints = resource('alerts', { live: 'flag', poll: 15_000 }).operations({
  channels: {
    method: 'GET',
    path: '/v1/alerts/channels',
    permission: 'read',
    addition: true,
    summary: 'List the channels that alerts go to, oldest first',
    response: list(channel),
  },
  createChannel: {
    method: 'POST',
    path: '/v1/alerts/channels',
    permission: 'admin',
    changes: ['account'],
    addition: true,
    summary: 'Create a channel; the secret of a webhook is in this answer only',
    once: true,
    body: channelDraft,
    response: z.object({ ChannelId: z.string(), Secret: optionalText }),
  },
  removeChannel: {
    method: 'DELETE',
    path: '/v1/alerts/channels/:channel_id',
    permission: 'admin',
    changes: ['account'],
    addition: true,
    summary: 'Delete a channel; what waits for it is not sent any more',
    params: oneChannel,
  },
  testChannel: {
    method: 'POST',
    path: '/v1/alerts/channels/:channel_id/test',
    permission: 'admin',
    addition: true,
    summary: 'Send a test message at once, and report what happened',
    params: oneChannel,
    response: testResult,
  },
  rules: {
    method: 'GET',
    path: '/v1/alerts/rules',
    permission: 'read',
    addition: true,
    summary: 'List the rules, oldest first',
    response: list(rule),
  },
  createRule: {
    method: 'POST',
    path: '/v1/alerts/rules',
    permission: 'operate',
    changes: ['account'],
    addition: true,
    summary: 'Create a rule',
    once: true,
    body: ruleDraft,
    response: z.object({ RuleId: z.string() }),
  },
  updateRule: {
    method: 'PATCH',
    path: '/v1/alerts/rules/:rule_id',
    permission: 'operate',
    changes: ['account'],
    addition: true,
    summary: 'Change the given fields of a rule',
    params: oneRule,
    body: ruleChange,
  },
  removeRule: {
    method: 'DELETE',
    path: '/v1/alerts/rules/:rule_id',
    permission: 'operate',
    changes: ['account'],
    addition: true,
    summary: 'Delete a rule; messages that were decided are still sent',
    params: oneRule,
  },
  silenceRule: {
    method: 'POST',
    path: '/v1/alerts/rules/:rule_id/silence',
    permission: 'operate',
    changes: ['account'],
    addition: true,
    summary: 'Let a rule send nothing until a time; what still fires then is sent',
    params: oneRule,
    body: silenceDraft,
  },
  firing: {
    method: 'GET',
    path: '/v1/alerts/firing',
    permission: 'read',
    addition: true,
    summary: 'List what fires now, by rule, the latest first',
    response: list(firing),
  },
  deliveries: {
    method: 'GET',
    path: '/v1/alerts/deliveries',
    permission: 'read',
    addition: true,
    summary: 'List the deliveries of messages, newest first, page by page',
    query: z.object({ ...pageFields }),
    response: z.object({ Items: z.array(delivery), Next: text }),
  },
});
