// Which version of an artifact runs where, an addition: the last version that succeeded on each device, even if the job and
// the artifact have been deleted since.
import * as z from 'zod/mini';
import { list, nameText, number, pageFields, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

export const MOST_VERSIONS = 5_000;

const deviceVersion = z.object({
  DeviceId: z.string(),
  /** The name shared by all versions of an artifact, as in outcome rules. */
  ArtifactName: text,
  Version: text,
  /** When its job ended. */
  Time: text,
  JobId: text,
});
export type DeviceVersion = z.output<typeof deviceVersion>;

const versionCount = row(z.looseObject({ ArtifactName: text, Version: text, Devices: number }));
export type VersionCount = z.output<typeof versionCount>;

export const deviceVersionEndpoints = resource('versions', { poll: 30_000, follows: ['jobs'] }).operations({
  /**
   * Exactly one of `artifact` and `device_id`. `since`, the Version of an earlier response, limits the list to later
   * changes; after Reset everything has to be read again.
   */
  list: {
    method: 'GET',
    path: '/v1/versions',
    permission: 'read',
    addition: true,
    summary: 'List which version of an artifact each device has, or those of one device',
    query: z.object({
      artifact: z.optional(nameText),
      device_id: z.optional(z.string()),
      since: z.optional(z.string().check(z.maxLength(200))),
      ...pageFields,
      limit: z.optional(
        z.string().check(z.regex(/^([1-9]\d{0,2}|[1-4]\d{3}|5000)$/, 'must be a whole number from 1 to 5000')),
      ),
    }),
    response: z.object({
      Items: z.array(deviceVersion),
      Next: text,
      Version: text,
      Reset: z.boolean(),
      /** With `since`: devices that no longer have a version. */
      None: z.array(z.string()),
    }),
  },
  counts: {
    method: 'GET',
    path: '/v1/versions/counts',
    permission: 'read',
    addition: true,
    summary: 'Count the devices that have each version of each artifact',
    response: list(versionCount),
  },
});
