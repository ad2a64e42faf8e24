// Standing orders, an addition: "the devices of this group should have this version". A device without the version gets
// exactly one job; after a failure a user has to retry.
import * as z from 'zod/mini';
import { list, nameText, number, pageFields, row, text } from '#/contract/endpoint.ts';
import { MOST_DEVICES, SUBMIT_BODY_BYTES } from '#/contract/job-draft.ts';
import { resource } from '#/contract/resource.ts';

const LONGEST_ORDER_NAME = 80;
export const MOST_ORDERS = 200;

/**
 * `Pending`: its job follows soon, or a rollout or another job delivers the artifact. `Replaced`: it had the version, and
 * has another one now. `Cancelled`: its job was cancelled or deleted.
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
/** Final states, until a user retries. */
export const ENDED_STATES = ['Failed', 'RolledBack', 'NoAnswer', 'Cancelled', 'Replaced'] as const;
const STATE_LIST = new RegExp(`^(${ORDERED_DEVICE_STATES.join('|')})(,(${ORDERED_DEVICE_STATES.join('|')}))*$`);

const standingOrder = row(
  z.looseObject({
    Name: text,
    DeviceGroup: text,
    ArtifactId: text,
    /** The name shared by all versions, as in outcome rules. Name and version remain when the artifact is deleted. */
    ArtifactName: text,
    ArtifactVersion: text,
    /** `Stopped`: the artifact was deleted. */
    State: z.catch(z.enum(['Active', 'Stopped']), 'Active'),
    /** Why the order is stopped. */
    Because: text,
    /** Increased by each change. */
    Version: number,
    /** Number of devices in the group. */
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
  /** '' if the device has no job. */
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
/** The form that a user fills in. */
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
   * `If-Match: "<Version>"`, with "0" for a new order: 412 if the Version has changed. The ETag of the list would not do,
   * because its counts change all the time. Names are case-insensitive. Another ArtifactId starts the order over.
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
  /** `If-Match` as for `save`. Submitted jobs continue. */
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
  /** A Version other than the current one is a 409. Without DeviceIds: all devices in a final state. */
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
