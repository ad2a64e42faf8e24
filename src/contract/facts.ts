// Facts of devices, an addition: what agents report about the machine they run on, by name.
import * as z from 'zod/mini';
import { pageFields, text } from '#/contract/endpoint.ts';
import { FACT_NAME, LONGEST_FACT } from '#/contract/fact-values.ts';
import { resource } from '#/contract/resource.ts';

/** The conditions of a filter: exact values by name. */
export type FactFilter = Record<string, string>;

/** Most facts in one filter. */
const MOST_CONDITIONS = 20;

/** Reads the conditions from a JSON object; undefined for anything else. */
export function parseFactFilter(json: string): FactFilter | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const read = z.safeParse(factFilter, value);
  return read.success ? read.data : undefined;
}

const NO_FACTS = 'must be names of facts with their values, like os=debian';
const conditions = z.record(z.string(), z.string()).check(
  z.refine(
    (facts) => Object.entries(facts).every(([name, value]) => FACT_NAME.test(name) && value.length <= LONGEST_FACT),
    NO_FACTS,
  ),
  z.refine((facts) => Object.keys(facts).length <= MOST_CONDITIONS, `must not have more than ${MOST_CONDITIONS} facts`),
);
/**
 * Exact values by name, all of which a device must have. Checked as a whole, so that a form can show the error. A record
 * loses the name `__proto__`: without that condition it would concern all devices.
 */
export const factFilter = z.pipe(
  z.transform((value: unknown, context) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      context.issues.push({ code: 'custom', message: NO_FACTS, input: value });
    return value as z.input<typeof conditions>;
  }),
  conditions,
);

const fact = z.object({
  Name: text,
  Value: text,
  /** When the device first reported this value. */
  Time: text,
});
export type Fact = z.output<typeof fact>;

const factName = z.string().check(z.regex(FACT_NAME, 'must be the name of a fact: a to z, 0 to 9, _ and .'));
const oneName = z.object({ fact_name: factName });

export const factEndpoints = resource('facts', { poll: 30_000 }).operations({
  ofDevice: {
    method: 'GET',
    path: '/v1/device/:device_id/facts',
    permission: 'read',
    addition: true,
    summary: 'List the facts that a device reported, by name',
    params: z.object({ device_id: z.string() }),
    response: z.object({
      Items: z.array(fact),
      /** When the device last reported its facts; '' if it never did. */
      ReportedTime: text,
      /** What was left out of the last report, or could not be found out on the device, and why. */
      Problems: z.array(text),
    }),
  },
  names: {
    method: 'GET',
    path: '/v1/facts',
    permission: 'read',
    addition: true,
    summary: 'List the names of all facts that devices reported',
    response: z.object({ Names: z.array(z.string()) }),
  },
  /** The whole fleet in one answer, for a column of a table. It has an ETag. */
  values: {
    method: 'GET',
    path: '/v1/facts/:fact_name',
    permission: 'read',
    addition: true,
    summary: 'List the values of a fact, each with the devices that have it',
    params: oneName,
    response: z.object({ Items: z.array(z.object({ Value: z.string(), Devices: z.array(z.string()) })) }),
  },
  counts: {
    method: 'GET',
    path: '/v1/facts/:fact_name/counts',
    permission: 'read',
    addition: true,
    summary: 'Count the devices that have each value of a fact, the most frequent first',
    params: oneName,
    query: z.object({ limit: pageFields.limit }),
    response: z.object({
      Items: z.array(z.object({ Value: z.string(), Devices: z.int() })),
      /** How many values there are, listed or not. */
      Values: z.int(),
    }),
  },
});
