// Rollouts. Requested only where the account lists the capability.
import {
  isOver,
  rolloutEndpoints,
  type RolloutDeviceState,
  type RolloutDraft,
  type RolloutSummary,
} from '#/contract/rollouts.ts';
import { mutation, items, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

const PAGE = '100';
/** Polling intervals in milliseconds. An open rollout is polled even while live, because its gates depend on time. */
const OFTEN = 3_000;
const SELDOM = 60_000;
const WHILE_LIVE = 10_000;

/** Limits the devices of a rollout; undefined fields match all. */
export interface RolloutDeviceFilter {
  state: RolloutDeviceState | undefined;
  wave: number | undefined;
  /** When they ran, and how long they took, in milliseconds. */
  time?: Span | undefined;
  took?: Span | undefined;
}

interface Span {
  from: number;
  to: number;
}

const spanText = ({ from, to }: Span) => `${from}-${to}`;

/** Whether it goes on only when a person resumes it or lets the next wave begin; a maintenance window opens by itself. */
export const waitsForPerson = ({ State, Because }: Pick<RolloutSummary, 'State' | 'Because'>): boolean =>
  State === 'Paused' || (State === 'Waiting' && !Because.includes('maintenance window'));

export const rolloutQueries = {
  list: () =>
    query(
      rolloutEndpoints.list,
      {},
      { poll: (rows) => (rows?.some(({ State }) => !isOver(State)) ? 2 * OFTEN : SELDOM) },
    ),
  /** The same for the number in the navigation, which jobs and devices do not change: only steps of rollouts do. */
  steps: () => query(rolloutEndpoints.list, {}, { part: 'steps', poll: SELDOM, spacing: OFTEN, isOver: () => true }),
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
  /** Devices by wave; refetched with the rollout, so that a page never contradicts itself. */
  devices: (id: string, { state, wave, time, took }: RolloutDeviceFilter) =>
    items(
      rolloutEndpoints.devices,
      {
        params: { rollout_id: id },
        query: {
          limit: PAGE,
          ...(state && { state }),
          ...(wave && { wave: String(wave) }),
          ...(time && { during: spanText(time) }),
          ...(took && { took: spanText(took) }),
        },
      },
      { readWith: 'get', poll: false, keepPrevious: true },
    ),
  states: (id: string) =>
    query(rolloutEndpoints.states, { params: { rollout_id: id } }, { readWith: 'get', poll: false }),
  runs: (id: string) => query(rolloutEndpoints.runs, { params: { rollout_id: id } }, { readWith: 'get', poll: false }),
  plan: (body: RolloutDraft) =>
    query(rolloutEndpoints.plan, { body }, { isSnapshot: true, poll: false, retry: false, keepPrevious: true }),
};

export type RolloutAction = 'pause' | 'resume' | 'advance' | 'retry' | 'abort' | 'rollback' | 'skip' | 'remove';
interface Control {
  id: string;
  /** The version shown to the user. */
  version: number;
  reason?: string;
  /** For a retry: only these devices; all failed ones if undefined. */
  deviceIds?: readonly string[] | undefined;
}
const controlRequest = ({ id, version, reason, deviceIds }: Control) => ({
  params: { rollout_id: id },
  body: { Version: version, ...(reason && { Reason: reason }), ...(deviceIds && { DeviceIds: [...deviceIds] }) },
});

export const rolloutMutations = {
  create: (keys: RequestKeys) => mutation(rolloutEndpoints.create, {}, { keys }),
  /** A rollback answers with the id of the new rollout. */
  control: (action: Exclude<RolloutAction, 'skip' | 'remove'>, what: Control) => {
    const request = controlRequest(what);
    return action === 'rollback'
      ? requestMutation(rolloutEndpoints.rollback, request)
      : requestMutation(rolloutEndpoints[action], request);
  },
  skip: ({ id, version, reason }: Control, deviceIds: readonly string[]) =>
    requestMutation(rolloutEndpoints.skip, {
      params: { rollout_id: id },
      body: { Version: version, DeviceIds: [...deviceIds], ...(reason && { Reason: reason }) },
    }),
  remove: (id: string) => requestMutation(rolloutEndpoints.remove, { params: { rollout_id: id } }),
};
