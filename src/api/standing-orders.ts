// Standing orders. Only asked for where the account says that the service has them.
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import {
  standingOrderEndpoints,
  type OrderedDevice,
  type OrderedDeviceState,
  type StandingOrder,
  type StandingOrderForm,
} from '#/contract/standing-orders.ts';
import { call } from '#/api/call.ts';
import { requestMutation, requestOf } from '#/api/request-of.ts';

const PAGE = '200';
/** Milliseconds between two looks: the figures change with every job of a group. */
const OFTEN = 5_000;
const SELDOM = 30_000;

const isMoving = ({ Counts }: StandingOrder) => Boolean(Counts['Pending'] || Counts['Waiting'] || Counts['Running']);
const devicesOf = ({ pages }: { pages: { Items: OrderedDevice[] }[] }) => pages.flatMap(({ Items }) => Items);

export const standingOrderQueries = {
  list: () =>
    queryOptions({
      queryKey: ['orders'],
      queryFn: ({ signal }) => call(standingOrderEndpoints.list, {}, { signal }),
      refetchInterval: ({ state: { data } }) => (data?.some(isMoving) ? OFTEN : SELDOM),
    }),
  /** Read again whenever the figures of the order change. */
  devices: ({ Name, Version, Counts }: StandingOrder, states: readonly OrderedDeviceState[]) =>
    infiniteQueryOptions({
      queryKey: ['orders', Name, 'devices', JSON.stringify([Version, Counts])],
      queryFn: ({ signal, pageParam: before }) =>
        call(
          standingOrderEndpoints.devices,
          { params: { name: Name }, query: { limit: PAGE, state: states.join(','), ...(before && { before }) } },
          { signal },
        ),
      initialPageParam: '',
      getNextPageParam: ({ Next }) => Next || undefined,
      select: devicesOf,
      placeholderData: (before) => before,
    }),
};

const changed = { invalidates: [['orders'], ['jobs']] };
/** A service that it was changed on meanwhile refuses it. */
const unchanged = (order: StandingOrder | undefined) => ({ headers: { 'if-match': `"${order?.Version ?? 0}"` } });

export const standingOrderMutations = {
  /** `before`: as it is shown; undefined for a new one. */
  save: (before: StandingOrder | undefined) =>
    mutationOptions({
      mutationFn: ({ Name, ...body }: StandingOrderForm) =>
        call(standingOrderEndpoints.save, { params: { name: Name.trim() }, body }, unchanged(before)),
      meta: changed,
    }),
  remove: (order: StandingOrder) => {
    const request = { params: { name: order.Name } };
    return {
      ...mutationOptions({
        mutationFn: () => call(standingOrderEndpoints.remove, request, unchanged(order)),
        meta: changed,
      }),
      request: requestOf(standingOrderEndpoints.remove, request),
    };
  },
  /** `devices`: only these. */
  retry: ({ Name, Version }: StandingOrder, devices?: readonly OrderedDevice[]) =>
    requestMutation(
      standingOrderEndpoints.retry,
      {
        params: { name: Name },
        body: { Version, ...(devices && { DeviceIds: devices.map(({ DeviceId }) => DeviceId) }) },
      },
      changed,
    ),
};
