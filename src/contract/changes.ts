// Changes, an addition: the devices that changed since a version, and an event stream that names changed resources.
import * as z from 'zod/mini';
import { device } from '#/contract/devices.ts';
import { text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** Identifies a moment of the account's data, for later requests to the same service. */
const since = z.optional(z.string().check(z.maxLength(200)));

/**
 * What changed, by resource name: the ids of changed objects, `many` if they are too many to list, or `true` for any
 * change. Only what the caller may read; a child job is reported by its parent's id.
 */
export const changeEvent = z.record(z.string(), z.union([z.array(z.string()), z.literal('many'), z.literal(true)]));
export type ChangeEvent = z.output<typeof changeEvent>;

export const changeEndpoints = resource('changes', {}).operations({
  /** Without `since`: the current version, which a client requests before it reads everything. */
  changes: {
    method: 'GET',
    path: '/v1/changes',
    permission: 'read',
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
    permission: 'read',
    addition: true,
    summary: 'Stream what changes, named by ids',
    query: z.object({ since }),
    events: changeEvent,
  },
});
