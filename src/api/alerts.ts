// Alerts: channels, rules, what fires, and the deliveries. Only asked for where the account says that the service has them.
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import {
  alertEndpoints,
  type AlertDelivery,
  type ChannelDraft,
  type RuleDraft,
  type SilenceDraft,
} from '#/contract/alerts.ts';
import { call } from '#/api/call.ts';
import { livePace } from '#/api/live.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { requestMutation } from '#/api/request-of.ts';

const PAGE = '50';
/** Milliseconds between two looks in front of a service that does not report changes. */
const EVERY = 15_000;

interface DeliveryPage {
  Items: AlertDelivery[];
  Next: string;
}
const deliveriesOf = ({ pages }: { pages: DeliveryPage[] }): AlertDelivery[] => pages.flatMap(({ Items }) => Items);

export const alertQueries = {
  firing: () =>
    queryOptions({
      queryKey: ['alerts', 'firing'],
      queryFn: ({ signal }) => call(alertEndpoints.firing, {}, { signal }),
      refetchInterval: livePace(EVERY),
    }),
  rules: () =>
    queryOptions({
      queryKey: ['alerts', 'rules'],
      queryFn: ({ signal }) => call(alertEndpoints.rules, {}, { signal }),
    }),
  channels: () =>
    queryOptions({
      queryKey: ['alerts', 'channels'],
      queryFn: ({ signal }) => call(alertEndpoints.channels, {}, { signal }),
    }),
  deliveries: () =>
    infiniteQueryOptions({
      queryKey: ['alerts', 'deliveries'],
      queryFn: ({ signal, pageParam: before }) =>
        call(alertEndpoints.deliveries, { query: { limit: PAGE, ...(before && { before }) } }, { signal }),
      initialPageParam: '',
      getNextPageParam: ({ Next }) => Next || undefined,
      select: deliveriesOf,
      refetchInterval: livePace(EVERY),
    }),
};

const changed = { invalidates: [['alerts'], ['account']] };

export const alertMutations = {
  createChannel: (keys: RequestKeys) =>
    mutationOptions({
      mutationFn: (body: ChannelDraft) =>
        keys.send(body, (headers) => call(alertEndpoints.createChannel, { body }, { headers })),
      meta: changed,
    }),
  removeChannel: (id: string) => requestMutation(alertEndpoints.removeChannel, { params: { channel_id: id } }, changed),
  testChannel: (id: string) => requestMutation(alertEndpoints.testChannel, { params: { channel_id: id } }, {}),
  /** Without an id a new one. */
  saveRule: (id: string | undefined, keys: RequestKeys) =>
    mutationOptions({
      mutationFn: async (body: RuleDraft): Promise<void> => {
        if (id !== undefined) await call(alertEndpoints.updateRule, { params: { rule_id: id }, body });
        else await keys.send(body, (headers) => call(alertEndpoints.createRule, { body }, { headers }));
      },
      meta: changed,
    }),
  removeRule: (id: string) => requestMutation(alertEndpoints.removeRule, { params: { rule_id: id } }, changed),
  silenceRule: (id: string) =>
    mutationOptions({
      mutationFn: (body: SilenceDraft) => call(alertEndpoints.silenceRule, { params: { rule_id: id }, body }),
      meta: changed,
    }),
};
