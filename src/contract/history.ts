// The history of states, an addition: when devices went Online and Offline, and how long they were Online.
import * as z from 'zod/mini';
import { number, pageFields, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

const time = z.optional(z.string().check(z.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time')));

const stateChange = z.object({
  DeviceId: z.string().check(z.minLength(1)),
  /** `Online`, `Offline`, or `Unknown` while the service was down. */
  State: text,
  Time: text,
  /** `FirstConnected`, `Connected`, `Disconnected`, `NewKey`, `NotBack` after the service was down, `ServiceDown`, `ServiceUp`. */
  Cause: text,
});
/** Descriptions of the causes. */
export const CAUSE_TEXTS: Readonly<Record<string, string>> = {
  FirstConnected: 'connected for the first time',
  Connected: 'connected',
  Disconnected: 'connection lost',
  NewKey: 'new key',
  NotBack: 'not back after the service was down',
  ServiceDown: 'the service was down',
  ServiceUp: 'the service was up again',
};
export type DeviceStateChange = z.output<typeof stateChange>;

/** A time when the service was down, and the state of every device is unknown. */
const serviceGap = z.object({ From: text, To: text });
export type ServiceGap = z.output<typeof serviceGap>;

export const AVAILABILITY_BY = ['device', 'site', 'group'] as const;
export const AVAILABILITY_SORTS = ['changes', 'offline', 'worst'] as const;

const availability = z.object({
  /** The DeviceId, the site or the group. */
  Key: text,
  Name: text,
  Devices: number,
  Changes: number,
  /** The three fields add up to the span of all Devices, each counted from its first connection. */
  OnlineSeconds: number,
  OfflineSeconds: number,
  UnknownSeconds: number,
  /** With `steps`: the percentage of time Online in each step of the span, or -1 where nothing is known. */
  Strip: z.optional(z.array(number)),
});
export type Availability = z.output<typeof availability>;

/** Span of a summary in hours; the maximum is the default of HISTORY_DAYS. */
const HOURS = z.string().check(z.regex(/^([1-9]\d{0,2}|1\d{3}|20\d\d|21[0-5]\d|2160)$/, 'must be 1 to 2160'));

/** Most steps of a series: as many as a wide screen has columns. */
export const MAX_SERIES_STEPS = 1_000;

const endedJobs = z.object({
  /** When the hour or day began in which they ended. */
  Time: text,
  Succeeded: number,
  Failed: number,
  /** Cancelled or Interrupted. */
  Other: number,
});

const counts = z.array(number);
const series = z.object({
  From: text,
  /** Seconds from one value to the next. */
  Step: number,
  /** How many devices were in each state at the beginning of each step; together they are the devices that had connected. */
  Online: counts,
  Offline: counts,
  Unknown: counts,
  Jobs: z.array(endedJobs),
});
export type HistorySeries = z.output<typeof series>;

/** Longest replay, in days. */
export const MAX_REPLAY_DAYS = 7;

/** Every state at From and every change until `to`, as columns: a million changes are not a million objects. */
const replay = z.object({
  From: text,
  Devices: z.array(z.string()),
  /** One letter for each of Devices: `O` Online, `F` Offline, `-` not connected yet. */
  States: z.string(),
  /** In order of time. */
  Changes: z.object({
    /** Since From. */
    Seconds: counts,
    /** Positions in Devices. */
    Device: counts,
    /** One letter each. */
    State: z.string(),
  }),
  /** When the service was down: every device is Unknown then. */
  Gaps: z.array(serviceGap),
});
export type Replay = z.output<typeof replay>;

export const historyEndpoints = resource('history', {}).operations({
  changes: {
    method: 'GET',
    path: '/v1/history/devices',
    permission: 'read',
    addition: true,
    summary: 'List changes of the state of a device or of all, newest first, page by page; of a device with the gaps',
    query: z.object({
      device_id: z.optional(z.string()),
      from: time,
      to: time,
      limit: pageFields.limit,
      before: z.optional(z.string().check(z.regex(/^(\d{1,15}-\d{1,15})?$/, 'must be a Next value of this list'))),
    }),
    response: z.object({ Items: z.array(stateChange), Next: text }),
  },
  summary: {
    method: 'GET',
    path: '/v1/history/summary',
    permission: 'read',
    addition: true,
    summary:
      'Sum up how long devices, sites or groups were Online in the last hours until To, which in accounts of 5,000 devices and more may be some minutes ago',
    query: z.object({
      /** Defaults to 24. */
      hours: z.optional(HOURS),
      by: z.optional(z.enum(AVAILABILITY_BY, 'must be device, site or group')),
      sort: z.optional(z.enum(AVAILABILITY_SORTS, 'must be changes, offline or worst')),
      /** Into how many steps the strip of each row divides the span. */
      steps: z.optional(z.string().check(z.regex(/^([1-9]\d?|1\d\d|200)$/, 'must be a whole number from 1 to 200'))),
      ...pageFields,
    }),
    response: z.object({
      From: text,
      To: text,
      Gaps: z.array(serviceGap),
      Items: z.array(availability),
      Next: text,
    }),
  },
  series: {
    method: 'GET',
    path: '/v1/history/series',
    permission: 'read',
    addition: true,
    summary: 'Count the devices in each state at each step of the last hours, and the jobs that ended by hour or day',
    query: z.object({
      /** Defaults to 24. */
      hours: z.optional(HOURS),
      /** Seconds; by default so many that there are about 300 steps. */
      step: z.optional(z.string().check(z.regex(/^[1-9]\d{0,6}$/, 'must be a number of seconds'))),
    }),
    response: series,
  },
  replay: {
    method: 'GET',
    path: '/v1/history/replay',
    permission: 'read',
    addition: true,
    summary: 'Get the state of every device at a time and every change until another, at most seven days later',
    /** By default the last 24 hours. */
    query: z.object({ from: time, to: time }),
    response: replay,
  },
});
