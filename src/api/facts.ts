// Facts of devices. Requested only where the account lists the capability.
import { factEndpoints } from '#/contract/facts.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { query } from '#/api/query.ts';

const UNKNOWN = new ApiError('unexpected', 'The facts of devices are not known here', {
  detail: 'This service does not collect them. Remove the filter by fact.',
});

/** Each device's value of a fact, by DeviceId. */
type ValuesById = ReadonlyMap<string, string>;

/** Values of the whole fleet are read this often, in milliseconds: agents check theirs every few minutes. */
const POLL_INTERVAL = 60_000;
/** The most values of a fact that are offered to choose from. */
const MOST_VALUES = '500';

const isSame = (one: ValuesById, other: ValuesById): boolean =>
  one.size === other.size && [...one].every(([id, value]) => other.get(id) === value);

export const factQueries = {
  ofDevice: (id: string) => query(factEndpoints.ofDevice, { params: { device_id: id } }),
  names: () => query(factEndpoints.names, {}),
  /** Devices per value, the most frequent values only. */
  counts: (name: string) => query(factEndpoints.counts, { params: { fact_name: name }, query: { limit: MOST_VALUES } }),
  /** Returns the same map object while nothing changes. */
  values: (name: string) =>
    query<typeof factEndpoints.values, ValuesById>(
      factEndpoints.values,
      { params: { fact_name: name } },
      {
        read: async ({ before, signal }) => {
          if (!(await isOffered('facts'))) throw UNKNOWN;
          const { Items } = await call(factEndpoints.values, { params: { fact_name: name } }, { signal });
          const values = new Map(Items.flatMap(({ Value, Devices }) => Devices.map((id) => [id, Value] as const)));
          return before && isSame(before, values) ? before : values;
        },
        structuralSharing: false,
        poll: POLL_INTERVAL,
      },
    ),
};
