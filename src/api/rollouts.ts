// Rollouts. Only asked for where the account says that the service has them.
import { isOver, rolloutEndpoints, type RolloutDeviceState, type RolloutDraft } from '#/contract/rollouts.ts';
import { mutation, items, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

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

export const rolloutQueries = {
  list: () =>
    query(
      rolloutEndpoints.list,
      {},
      { poll: (rows) => (rows?.some(({ State }) => !isOver(State)) ? 2 * OFTEN : SELDOM) },
    ),
  one: (id: string) =>
    query(
      rolloutEndpoints.get,
      { params: { rollout_id: id } },
      {
        poll: (rollout) => (isOver(rollout?.State) ? SELDOM : OFTEN),
        pollLive: WHILE_LIVE,
        isOver: ({ State }) => isOver(State),
      },
    ),
  /** By wave; read again with the rollout, so that a page does not say two things at once. */
  devices: (id: string, { state, wave }: RolloutDeviceFilter) =>
    items(
      rolloutEndpoints.devices,
      {
        params: { rollout_id: id },
        query: { limit: PAGE, ...(state && { state }), ...(wave && { wave: String(wave) }) },
      },
      { readWith: 'get', poll: false, keepPrevious: true },
    ),
  states: (id: string) =>
    query(rolloutEndpoints.states, { params: { rollout_id: id } }, { readWith: 'get', poll: false }),
  plan: (body: RolloutDraft) =>
    query(rolloutEndpoints.plan, { body }, { isSnapshot: true, poll: false, retry: false, keepPrevious: true }),
};

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
  create: (keys: RequestKeys) => mutation(rolloutEndpoints.create, {}, { keys }),
  /** Answers with the id of a new rollout where the action makes one. */
  steer: (action: Exclude<RolloutAction, 'skip' | 'remove'>, what: Steering) => {
    const request = steering(what);
    return action === 'rollback'
      ? requestMutation(rolloutEndpoints.rollback, request)
      : requestMutation(rolloutEndpoints[action], request);
  },
  skip: ({ id, version, reason }: Steering, DeviceId: string) =>
    requestMutation(rolloutEndpoints.skip, {
      params: { rollout_id: id },
      body: { Version: version, DeviceId, ...(reason && { Reason: reason }) },
    }),
  remove: (id: string) => requestMutation(rolloutEndpoints.remove, { params: { rollout_id: id } }),
};
