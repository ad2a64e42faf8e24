// Alerts, an addition: channels, rules, what fires, and deliveries.
import {
  LASTING,
  UNSCOPED,
  type alertEndpoints,
  type ChannelDraft,
  type FiringAlert,
  type RuleTrial,
} from '#/contract/alerts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { nearLimits } from '../alerts/near-limits.ts';
import { firingText } from '../alerts/words.ts';
import { NO_SMTP } from '../alerts/alerts.ts';
import { countAttempt, openSigninLimit } from '../auth/signin-limit.ts';
import type { Context } from '../context.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireUnlimited } from '../http/require-permission.ts';
import { wouldFire, wouldHaveFired } from '../store/alert-firing.ts';
import { failedLately } from '../store/alert-jobs.ts';
import { firingObjects, firingRules } from '../store/alert-lists.ts';
import { listDeliveries } from '../store/alert-outbox.ts';
import {
  channelById,
  deleteChannel,
  deleteRule,
  draftRow,
  insertChannel,
  insertRule,
  listChannels,
  listRules,
  ruleById,
  silenceOf,
  silenceRule,
  trialRow,
  updateRule,
} from '../store/alert-settings.ts';
import type { RuleRow } from '../store/alert-settings.ts';
import type { Tx } from '../store/database.ts';
import { newSecret } from '../store/ids.ts';
import { isInScope, scopeOf } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { RecentSecrets } from './recent-secrets.ts';

const DEFAULT_LIMIT = 100;
/** Devices that a trial of a rule names. */
const MOST_SHOWN = 20;
/** Test messages that an account may send in a minute. */
const TESTS = 20;
/** A silence is temporary: a rule that is no longer wanted should be deleted. */
const MAX_SILENCE_MS = 366 * 24 * 60 * 60 * 1000;

const time = (at: number): string => printIsoTime(new Date(at));

/** Refuses fields that would have no effect. */
function checkRule(draft: RuleTrial): void {
  const { When, DeviceGroup, TagId, CustomerSite, Facts = {}, ForMinutes, Percent } = draft;
  if (ForMinutes > 0 && !LASTING.includes(When))
    throw invalid([{ field: 'ForMinutes', message: `must be 0 for ${When}, which does not last` }]);
  if (Percent !== undefined && When !== 'QuotaNear')
    throw invalid([{ field: 'Percent', message: `must be missing for ${When}, which is of no limit` }]);
  if (!UNSCOPED.includes(When)) return;
  for (const [field, value] of Object.entries({ DeviceGroup, TagId, CustomerSite, Facts: Object.keys(Facts).join('') }))
    if (value) throw invalid([{ field, message: `must be empty for ${When}, which is of the whole account` }]);
}

/** A role limited to groups makes rules for one of them. */
function requireOwnGroup(request: HandlerRequest, group = ''): void {
  if (isInScope(scopeOf(request), group)) return;
  throw invalid([{ field: 'DeviceGroup', message: `must be one of your groups: ${request.groups?.join(', ')}` }]);
}

/** The rule, if the caller may change it: one for the whole account concerns other groups too. */
async function changeableRule(tx: Tx, request: HandlerRequest, id: string): Promise<RuleRow> {
  const rule = await ruleById(tx, scopeOf(request), id);
  if (rule.grp === '') requireUnlimited(request, 'operate');
  return rule;
}

export function alertRoutes({ db, audit, now, alerts, disk, clock }: Context): Handlers<typeof alertEndpoints> {
  const tests = openSigninLimit(TESTS, clock.steady);
  const recent = new RecentSecrets<{ ChannelId: string; Secret?: string }>();

  const countTest = ({ account }: HandlerRequest) => countAttempt(tests, String(account.id), 'Too many test messages');

  const requireSendable = async (body: ChannelDraft) => {
    if (body.Kind === 'email' && !alerts.hasEmail)
      throw new Problem(
        409,
        'This service sends no e-mail',
        `${NO_SMTP}: its operator sets SMTP_URL and SMTP_FROM. A webhook works without.`,
      );
    const refusal = body.Kind === 'webhook' ? await alerts.refusalOf(body.Url ?? '') : undefined;
    if (refusal !== undefined) throw invalid([{ field: 'Url', message: `is refused: ${refusal}` }]);
  };

  return {
    channels: ({ account }) => listChannels(db, account.id),

    createChannel: async (request) => {
      const { body, account } = request;
      await requireSendable(body);
      const key = idempotencyKey(request.http);
      let created: { ChannelId: string; Secret?: string } | undefined;
      const { id } = await db.write((tx) =>
        runOnce(tx, { accountId: account.id, key, content: askedBy(request, body) }, now(), async () => {
          const secret = body.Kind === 'webhook' ? (body.Secret ?? newSecret('whsec')) : '';
          const ChannelId = await insertChannel(tx, account.id, body, secret, now());
          await audit.record(tx, request, 'alert-channel.create', ChannelId);
          const answer = { ChannelId, ...(secret && { Secret: secret }) };
          created = answer;
          if (key !== undefined) tx.afterCommit(() => recent.remember(ChannelId, answer));
          return ChannelId;
        }),
      );
      const answer = created ?? recent.recall(id);
      if (answer) return answer;
      throw new Problem(
        409,
        'The channel was created, but its secret is lost',
        `This request created the channel "${id}", but its answer was lost. Delete it and create another.`,
      );
    },

    removeChannel: (request) =>
      db.write(
        async (tx) => {
          await deleteChannel(tx, request.account.id, request.params.channel_id);
          await audit.record(tx, request, 'alert-channel.remove', request.params.channel_id);
        },
        { essential: true },
      ),

    testDraft: async (request) => {
      const { body } = request;
      await requireSendable(body);
      countTest(request);
      await db.write((tx) => audit.record(tx, request, 'alert-channel.test', 'new'));
      const { delivered, because, status } = await alerts.test(draftRow(body, now()));
      return { Delivered: delivered, Because: because, Status: status };
    },

    testChannel: async (request) => {
      const channel = await channelById(db, request.account.id, request.params.channel_id);
      countTest(request);
      await db.write((tx) => audit.record(tx, request, 'alert-channel.test', channel.id));
      const { delivered, because, status } = await alerts.test(channel);
      return { Delivered: delivered, Because: because, Status: status };
    },

    rules: (request) => listRules(db, scopeOf(request), now()),

    tryRule: async (request) => {
      const { body, account } = request;
      checkRule(body);
      requireOwnGroup(request, body.DeviceGroup);
      const rule = trialRow(account.id, body);
      if (body.When === 'QuotaNear') return { Count: (await nearLimits(db, rule, disk.state())).length, Devices: [] };
      const firing = await wouldFire(db, rule, now(), MOST_SHOWN);
      const past = await (body.When === 'JobFailed' ? failedLately : wouldHaveFired)(db, rule, now());
      return {
        ...(firing && { Count: firing.count }),
        Devices: firing?.devices ?? [],
        ...(past && { Fired: past.fired, Hours: past.hours }),
      };
    },

    createRule: (request) => {
      checkRule(request.body);
      requireOwnGroup(request, request.body.DeviceGroup);
      const submission = { accountId: request.account.id, key: idempotencyKey(request.http), content: request.body };
      return db.write(async (tx) => {
        const { id: RuleId } = await runOnce(tx, submission, now(), async () => {
          const id = await insertRule(tx, request.account.id, request.body, now());
          await audit.record(tx, request, 'alert-rule.create', id);
          return id;
        });
        return { RuleId };
      });
    },

    updateRule: (request) =>
      db.write(async (tx) => {
        const rule = await changeableRule(tx, request, request.params.rule_id);
        requireOwnGroup(request, request.body.DeviceGroup ?? rule.grp);
        await updateRule(tx, rule, request.body, checkRule);
        await audit.record(tx, request, 'alert-rule.update', request.params.rule_id);
      }),

    removeRule: (request) =>
      db.write(
        async (tx) => {
          await deleteRule(tx, await changeableRule(tx, request, request.params.rule_id));
          await audit.record(tx, request, 'alert-rule.remove', request.params.rule_id);
        },
        { essential: true },
      ),

    silenceRule: (request) => {
      const { Until, Reason } = request.body;
      const until = Until === '' ? null : Date.parse(Until);
      if (until !== null && until <= now()) throw invalid([{ field: 'Until', message: 'must be in the future' }]);
      if (until !== null && until > now() + MAX_SILENCE_MS)
        throw invalid([{ field: 'Until', message: 'must be within a year' }]);
      return db.write(async (tx) => {
        const rule = await changeableRule(tx, request, request.params.rule_id);
        await silenceRule(tx, rule, { until, reason: Reason });
        const action = until === null ? 'alert-rule.unsilence' : 'alert-rule.silence';
        await audit.record(tx, request, action, request.params.rule_id);
      });
    },

    firing: async (request) => {
      const scope = scopeOf(request);
      const shown: FiringAlert[] = [];
      for (const rule of await firingRules(db, scope)) {
        const objects = await firingObjects(db, scope, rule);
        const [first] = objects;
        if (!first) continue;
        shown.push({
          RuleId: rule.id,
          Rule: rule.name,
          When: rule.event,
          Since: time(rule.since),
          Text: firingText(rule.event, rule.firing, first.text),
          Count: rule.firing,
          Devices: objects.map(({ device_id, device_name, site, since, text }) => ({
            DeviceId: device_id,
            DeviceName: device_name,
            CustomerSite: site,
            Since: time(since),
            Text: text,
          })),
          Silence: silenceOf(rule, now()),
        });
      }
      return shown;
    },

    deliveries: ({ query: { limit, before }, ...request }) =>
      listDeliveries(db, scopeOf(request), {
        before: before ? Number(before) : undefined,
        limit: Number(limit ?? DEFAULT_LIMIT),
      }),
  };
}
