// The account's usage per day, an addition.
import * as z from 'zod/mini';
import { number, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** The last measurement of a day in UTC, `2026-11-23`. */
const usageDay = z.object({ Day: text, Devices: number, ArtifactBytes: number, OutputBytes: number });
export type UsageDay = z.output<typeof usageDay>;

export const usageEndpoints = resource('usage', {}).operations({
  list: {
    method: 'GET',
    path: '/v1/history/usage',
    permission: 'read',
    // The figures of a day are of all groups together.
    unlimited: true,
    addition: true,
    summary: 'List what the account used on each of the last days, newest first; today as it is now',
    query: z.object({
      /** Defaults to 90. */
      days: z.optional(z.string().check(z.regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000'))),
    }),
    response: z.object({ Items: z.array(usageDay) }),
  },
});
