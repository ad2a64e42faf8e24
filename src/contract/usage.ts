// What the account uses from day to day, an addition.
import * as z from 'zod/mini';
import { number, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** The last reading of a day in UTC, `2026-11-23`. */
const usageDay = z.object({ Day: text, Devices: number, ArtifactBytes: number, OutputBytes: number });
export type UsageDay = z.output<typeof usageDay>;

export const usageEndpoints = resource('usage', {}).operations({
  list: {
    method: 'GET',
    path: '/v1/history/usage',
    permission: 'read',
    addition: true,
    summary: 'List what the account used on each of the last days, newest first; today as it is now',
    query: z.object({
      /** 90 if it is not given. */
      days: z.optional(z.string().check(z.regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000'))),
    }),
    response: z.object({ Items: z.array(usageDay) }),
  },
});
