// Standing orders. Requested only where the account lists the capability.
import { mutationOptions } from '@tanstack/react-query';
import {
  standingOrderEndpoints,
  type OrderedDevice,
  type OrderedDeviceState,
  type StandingOrder,
  type StandingOrderForm,
} from '#/contract/standing-orders.ts';
import { call } from '#/api/call.ts';
import { items, query, requestMutation } from '#/api/query.ts';

const PAGE = '200';
/** Polling intervals in milliseconds: the counts change with every job of the group. */
const OFTEN = 5_000;
const SELDOM = 30_000;

const isMoving = ({ Counts }: StandingOrder) => Boolean(Counts['Pending'] || Counts['Waiting'] || Counts['Running']);

export const standingOrderQueries = {
  list: () =>
    query(
      standingOrderEndpoints.list,
      {},
      { poll: (orders) => (orders?.some(isMoving) ? OFTEN : SELDOM), pollLive: OFTEN },
    ),
  /** Refetched whenever the counts of the order change. */
  devices: ({ Name, Version, Counts }: StandingOrder, states: readonly OrderedDeviceState[]) =>
    items(
      standingOrderEndpoints.devices,
      { params: { name: Name }, query: { limit: PAGE, state: states.join(',') } },
      { part: JSON.stringify([Version, Counts]), poll: false, keepPrevious: true },
    ),
};

/** Makes the service refuse the write if the order has changed meanwhile. */
const unchanged = (order: StandingOrder | undefined) => ({ headers: { 'if-match': `"${order?.Version ?? 0}"` } });

export const standingOrderMutations = {
  /** `before`: the order as shown; undefined for a new one. */
  save: (before: StandingOrder | undefined) =>
    mutationOptions({
      mutationFn: ({ Name, ...body }: StandingOrderForm) =>
        call(standingOrderEndpoints.save, { params: { name: Name.trim() }, body }, unchanged(before)),
      meta: { operation: standingOrderEndpoints.save },
    }),
  remove: (order: StandingOrder) =>
    requestMutation(standingOrderEndpoints.remove, { params: { name: order.Name } }, unchanged(order)),
  /** `devices`: only these devices; all if undefined. */
  retry: ({ Name, Version }: StandingOrder, devices?: readonly OrderedDevice[]) =>
    requestMutation(standingOrderEndpoints.retry, {
      params: { name: Name },
      body: { Version, ...(devices && { DeviceIds: devices.map(({ DeviceId }) => DeviceId) }) },
    }),
};
