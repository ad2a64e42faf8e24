// Changes, an addition: which devices changed since a version, and a stream that names what changes.
import * as z from 'zod/mini';
import { device } from '#/contract/devices.ts';
import { text, type Group } from '#/contract/endpoint.ts';

/** Names a moment of the account's data. Of use only in later requests to the same service. */
const since = z.optional(z.string().check(z.maxLength(200)));

const ids = z.optional(z.union([z.array(z.string()), z.literal('many')]));
const flag = z.optional(z.literal(true));

/** Ids only, of what the caller may read. 'many': more than a reader would ask for one by one. */
export const changeEvent = z.object({
  /** Added, changed or deleted. */
  Devices: ids,
  /** Jobs to single devices, and parents: for a child the id of its parent. */
  Jobs: ids,
  Bulk: ids,
  /** Created, steered, gone on, or deleted. The figures of their waves change with jobs and devices. */
  Rollouts: ids,
  Tunnels: flag,
  Artifacts: flag,
  Workflows: flag,
  Tags: flag,
  /** Usage, tokens, sessions and how many alerts fire too. */
  Account: flag,
  /** What fires, its rules and channels, and the deliveries. */
  Alerts: flag,
});
export type ChangeEvent = z.output<typeof changeEvent>;

export const changeEndpoints = {
  /** Without `since`: the present version, to be asked for before everything is read. */
  changes: {
    method: 'GET',
    path: '/v1/changes',
    addition: true,
    summary: 'Get the devices that changed since a version; with Reset, all have to be read again',
    query: z.object({ since }),
    response: z.object({
      Version: text,
      Reset: z.boolean(),
      /** As in listings, with Lat and Lng. */
      Devices: z.array(device),
      Removed: z.array(z.string()),
    }),
  },
  /**
   * `ready` comes first; then a `change` whenever something changed, at most one a second, with the version as its id.
   * `Last-Event-ID` or `since` resumes; `reset` if that version is too old. Ends with the session or token.
   */
  events: {
    method: 'GET',
    path: '/v1/events',
    addition: true,
    summary: 'Stream what changes, named by ids',
    query: z.object({ since }),
    events: changeEvent,
  },
} as const satisfies Group;
