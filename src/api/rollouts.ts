// Rollouts. Only asked for where the account says that the service has them.
import { infiniteQueryOptions, mutationOptions, queryOptions, type Query } from '@tanstack/react-query';
import {
  isOver,
  rolloutEndpoints,
  type Rollout,
  type RolloutDevice,
  type RolloutDeviceState,
  type RolloutDraft,
  type RolloutSummary,
} from '#/contract/rollouts.ts';
import { call } from '#/api/call.ts';
import { livePace, type QueryReading } from '#/api/live.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { requestMutation } from '#/api/request-of.ts';

const PAGE = '100';
/** Milliseconds between two readings. Of an open one also where changes are reported: its gates wait for time to pass. */
const OFTEN = 3_000;
const SELDOM = 60_000;
const WHILE_LIVE = 10_000;

/** Only those; all without it. */
export interface RolloutDeviceFilter {
  state: RolloutDeviceState | undefined;
  wave: number | undefined;
}

interface DevicePage {
  Items: RolloutDevice[];
  Next: string;
}
const devicesOf = ({ pages }: { pages: DevicePage[] }): RolloutDevice[] => pages.flatMap(({ Items }) => Items);

export const rolloutQueries = {
  list: () =>
    queryOptions({
      queryKey: ['rollouts'],
      queryFn: ({ signal }) => call(rolloutEndpoints.list, {}, { signal }),
      refetchInterval: livePace(({ state: { data } }: QueryReading<RolloutSummary[]>) =>
        data?.some(({ State }) => !isOver(State)) ? 2 * OFTEN : SELDOM,
      ),
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['rollouts', id],
      queryFn: async ({ signal, client }) => {
        const rollout = await call(rolloutEndpoints.get, { params: { rollout_id: id } }, { signal });
        // Its devices are read with it, so that a page does not say two things at once.
        const filters = { queryKey: ['rollouts', id], predicate: ({ queryKey }: Query) => queryKey.length > 2 };
        void client.invalidateQueries(filters, { cancelRefetch: false });
        return rollout;
      },
      refetchInterval: livePace(
        ({ state: { data } }: QueryReading<Rollout>) => (isOver(data?.State) ? SELDOM : OFTEN),
        WHILE_LIVE,
      ),
    }),
  /** By wave; read again with the rollout. */
  devices: (id: string, filter: RolloutDeviceFilter) =>
    infiniteQueryOptions({
      queryKey: ['rollouts', id, 'devices', filter],
      queryFn: ({ signal, pageParam: before }) => {
        const { state, wave } = filter;
        return call(
          rolloutEndpoints.devices,
          {
            params: { rollout_id: id },
            query: {
              limit: PAGE,
              ...(state && { state }),
              ...(wave && { wave: String(wave) }),
              ...(before && { before }),
            },
          },
          { signal },
        );
      },
      initialPageParam: '',
      getNextPageParam: ({ Next }) => Next || undefined,
      select: devicesOf,
      placeholderData: (before) => before,
    }),
  states: (id: string) =>
    queryOptions({
      queryKey: ['rollouts', id, 'states'],
      queryFn: ({ signal }) => call(rolloutEndpoints.states, { params: { rollout_id: id } }, { signal }),
    }),
  plan: (body: RolloutDraft) =>
    queryOptions({
      queryKey: ['rollout-plan', body],
      queryFn: ({ signal }) => call(rolloutEndpoints.plan, { body }, { signal }),
      retry: false,
      placeholderData: (before) => before,
    }),
};

const changed = { invalidates: [['rollouts'], ['jobs']] };

export type RolloutAction = 'pause' | 'resume' | 'advance' | 'retry' | 'abort' | 'rollback' | 'skip' | 'remove';
interface Steering {
  id: string;
  /** As it was seen. */
  version: number;
  reason?: string;
  /** Of a retry: only these; all that failed without it. */
  deviceIds?: readonly string[] | undefined;
}
const steering = ({ id, version, reason, deviceIds }: Steering) => ({
  params: { rollout_id: id },
  body: { Version: version, ...(reason && { Reason: reason }), ...(deviceIds && { DeviceIds: [...deviceIds] }) },
});

export const rolloutMutations = {
  create: (keys: RequestKeys) =>
    mutationOptions({
      mutationFn: (body: RolloutDraft) =>
        keys.send(body, (headers) => call(rolloutEndpoints.create, { body }, { headers })),
      meta: changed,
    }),
  /** Answers with the id of a new rollout where the action makes one. */
  steer: (action: Exclude<RolloutAction, 'skip' | 'remove'>, what: Steering) => {
    const request = steering(what);
    return action === 'rollback'
      ? requestMutation(rolloutEndpoints.rollback, request, changed)
      : requestMutation(rolloutEndpoints[action], request, changed);
  },
  skip: ({ id, version, reason }: Steering, DeviceId: string) =>
    requestMutation(
      rolloutEndpoints.skip,
      { params: { rollout_id: id }, body: { Version: version, DeviceId, ...(reason && { Reason: reason }) } },
      changed,
    ),
  remove: (id: string) => requestMutation(rolloutEndpoints.remove, { params: { rollout_id: id } }, changed),
};
