// Alert channels, rules, firing alerts and deliveries. Requested only where the account lists the capability.
import { mutationOptions } from '@tanstack/react-query';
import { alertEndpoints, type ChannelDraft, type RuleDraft, type RuleTrial } from '#/contract/alerts.ts';
import { call } from '#/api/call.ts';
import { mutation, items, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

const PAGE = '50';

export const alertQueries = {
  firing: () => query(alertEndpoints.firing, {}),
  rules: () => query(alertEndpoints.rules, {}),
  channels: () => query(alertEndpoints.channels, {}),
  tried: (body: RuleTrial) =>
    query(
      alertEndpoints.tryRule,
      { body },
      // Not cut off when the dialog closes: the service would note a write whose client has gone.
      { retry: false, keepPrevious: true, read: () => call(alertEndpoints.tryRule, { body }) },
    ),
  deliveries: () => items(alertEndpoints.deliveries, { query: { limit: PAGE } }),
};

export const alertMutations = {
  createChannel: (keys: RequestKeys) => mutation(alertEndpoints.createChannel, {}, { keys }),
  removeChannel: (id: string) => requestMutation(alertEndpoints.removeChannel, { params: { channel_id: id } }),
  testDraft: (body: ChannelDraft) => requestMutation(alertEndpoints.testDraft, { body }),
  testChannel: (id: string) => requestMutation(alertEndpoints.testChannel, { params: { channel_id: id } }),
  /** Creates a rule if there is no id. */
  saveRule: (id: string | undefined, keys: RequestKeys) =>
    mutationOptions({
      mutationFn: async (body: RuleDraft): Promise<void> => {
        if (id !== undefined) await call(alertEndpoints.updateRule, { params: { rule_id: id }, body });
        else await keys.send(body, (headers) => call(alertEndpoints.createRule, { body }, { headers }));
      },
      meta: { operation: alertEndpoints.updateRule },
    }),
  removeRule: (id: string) => requestMutation(alertEndpoints.removeRule, { params: { rule_id: id } }),
  silenceRule: (id: string) => mutation(alertEndpoints.silenceRule, { params: { rule_id: id } }),
};
