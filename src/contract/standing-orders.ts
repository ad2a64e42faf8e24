// Standing orders: "the devices of this group should have this version". A device without it gets exactly one job; after a
// failure a person has to ask again. An addition.
import * as z from 'zod/mini';
import { list, nameText, number, pageFields, row, text } from '#/contract/endpoint.ts';
import { MOST_DEVICES, SUBMIT_BODY_BYTES } from '#/contract/job-draft.ts';
import { resource } from '#/contract/resource.ts';

const LONGEST_ORDER_NAME = 80;
export const MOST_ORDERS = 200;

/**
 * `Pending`: it gets its job soon, or a rollout or another job brings the artifact. `Replaced`: it took the version, and
 * has another one since. `Cancelled`: its job was cancelled or deleted.
 */
export const ORDERED_DEVICE_STATES = [
  'Has',
  'Pending',
  'Waiting',
  'Running',
  'Failed',
  'RolledBack',
  'NoAnswer',
  'Cancelled',
  'Replaced',
] as const;
export type OrderedDeviceState = (typeof ORDERED_DEVICE_STATES)[number];
/** Nothing more happens in these until a person asks. */
export const ENDED_STATES = ['Failed', 'RolledBack', 'NoAnswer', 'Cancelled', 'Replaced'] as const;
const STATE_LIST = new RegExp(`^(${ORDERED_DEVICE_STATES.join('|')})(,(${ORDERED_DEVICE_STATES.join('|')}))*$`);

const standingOrder = row(
  z.looseObject({
    Name: text,
    DeviceGroup: text,
    ArtifactId: text,
    /** Of all its versions, as in outcome rules; these two stay when the artifact is deleted. */
    ArtifactName: text,
    ArtifactVersion: text,
    /** `Stopped`: the artifact was deleted. */
    State: z.catch(z.enum(['Active', 'Stopped']), 'Active'),
    /** Why it is stopped. */
    Because: text,
    /** Raised by each change. */
    Version: number,
    /** In the group. */
    Devices: number,
    /** Devices by state; those without any are omitted. */
    Counts: z.catch(z.record(z.string(), z.number()), {}),
    /** As in views. */
    ChangedBy: text,
    ChangedByName: text,
    ChangedTime: text,
  }),
);
export type StandingOrder = z.output<typeof standingOrder>;

const orderedDevice = z.object({
  DeviceId: z.string(),
  DeviceName: text,
  State: z.enum(ORDERED_DEVICE_STATES),
  Because: text,
  /** '' where it has none. */
  JobId: text,
});
export type OrderedDevice = z.output<typeof orderedDevice>;

const orderName = nameText.check(z.maxLength(LONGEST_ORDER_NAME));
const params = z.object({ name: orderName });
const orderDraft = z.object({
  DeviceGroup: z.string().check(
    z.maxLength(255),
    z.refine((group) => group.trim() !== '', 'must not be empty'),
  ),
  ArtifactId: z.string().check(z.minLength(1, 'must not be empty')),
});
/** What a person fills in. */
export const standingOrderForm = z.extend(orderDraft, { Name: orderName });
export type StandingOrderForm = z.output<typeof standingOrderForm>;

export const standingOrderEndpoints = resource('orders', { id: 'name', poll: 15_000, follows: ['jobs'] }).operations({
  list: {
    method: 'GET',
    path: '/v1/orders',
    permission: 'read',
    addition: true,
    summary: 'List the standing orders with their figures, by name',
    response: list(standingOrder),
  },
  /**
   * `If-Match: "<Version>"`, with "0" for a new one: 412 if it is another by now. The figures of the list change all the
   * time, so that its own ETag is of no use here. Names differ by more than upper and lower case. Another ArtifactId
   * begins anew.
   */
  save: {
    method: 'PUT',
    path: '/v1/orders/:name',
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: 'Have the devices of a group get a version, those that join later too',
    params,
    body: orderDraft,
  },
  /** `If-Match` as for `save`. Jobs that it has submitted go on. */
  remove: {
    method: 'DELETE',
    path: '/v1/orders/:name',
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: 'Delete a standing order',
    params,
  },
  devices: {
    method: 'GET',
    path: '/v1/orders/:name/devices',
    permission: 'read',
    addition: true,
    summary: 'List the devices of the group with what became of each, page by page',
    params,
    query: z.object({
      state: z.optional(z.string().check(z.regex(STATE_LIST, `must be some of ${ORDERED_DEVICE_STATES.join(',')}`))),
      ...pageFields,
    }),
    response: z.object({ Items: z.array(orderedDevice), Next: text }),
  },
  /** Another Version than the present one is a 409. Without DeviceIds: all of them. */
  retry: {
    method: 'POST',
    path: '/v1/orders/:name/retry',
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: 'Give the devices that failed one more job each',
    params,
    bodyLimit: SUBMIT_BODY_BYTES,
    body: z.object({
      Version: z.optional(z.int()),
      DeviceIds: z.optional(
        z
          .array(z.string())
          .check(
            z.minLength(1, 'must name a device'),
            z.maxLength(MOST_DEVICES, `must name at most ${MOST_DEVICES} devices`),
          ),
      ),
    }),
    response: z.object({ Devices: number }),
  },
});
