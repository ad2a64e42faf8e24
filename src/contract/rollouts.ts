// Rollouts, an addition: one artifact or workflow for many devices, wave by wave, paused automatically when devices fail or
// do not come back. Each wave is an ordinary parent job.
import * as z from 'zod/mini';
import { list, nameText, number, optionalText, pageFields, pathId, text } from '#/contract/endpoint.ts';
import { MOST_DEVICES, SUBMIT_BODY_BYTES } from '#/contract/job-draft.ts';
import { connectForWorkflow, resource } from '#/contract/resource.ts';

export const ROLLOUT_STATES = ['Scheduled', 'Running', 'Waiting', 'Paused', 'Succeeded', 'Failed', 'Aborted'] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];
export const isOver = (state: RolloutState | undefined): boolean =>
  state === 'Succeeded' || state === 'Failed' || state === 'Aborted';
/** `NotBack`: it succeeded, but has not been Online since for as long as the gate requires. */
export const ROLLOUT_DEVICE_STATES = [
  'Pending',
  'Waiting',
  'Running',
  'Succeeded',
  'Failed',
  'RolledBack',
  'NoAnswer',
  'NotBack',
  'Skipped',
  'Cancelled',
] as const;
export type RolloutDeviceState = (typeof ROLLOUT_DEVICE_STATES)[number];

/** "3 days", "90 minutes" */
export function minutesText(minutes: number): string {
  const [size, unit] = minutes % 1440 === 0 ? [1440, 'day'] : minutes % 60 === 0 ? [60, 'hour'] : [1, 'minute'];
  const count = minutes / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const MAX_WAVES = 20;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const clockTime = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time like 22:00'));
const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
const integer = (least: number, most: number) =>
  z
    .int('must be a whole number')
    .check(z.gte(least, `must be at least ${least}`), z.lte(most, `must be at most ${most}`));
const ids = z
  .array(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)))
  .check(z.minLength(1, 'must name a device'), z.maxLength(MOST_DEVICES, `must name at most ${MOST_DEVICES} devices`));

/** Exactly one of three: chosen devices, a cumulative percentage of all targets, or a number of devices. */
const waveDraft = z
  .object({
    DeviceIds: z.optional(ids),
    Percent: z.optional(integer(1, 100)),
    Count: z.optional(integer(1, MOST_DEVICES)),
  })
  .check(
    z.refine(
      (wave) => Object.values(wave).filter((value) => value !== undefined).length === 1,
      'needs exactly one of DeviceIds, Percent and Count',
    ),
  );
export type WaveDraft = z.output<typeof waveDraft>;

/** Percentages are cumulative: finds the first wave whose percentage adds no device, and why. */
export function percentFault(waves: readonly WaveDraft[]): { at: number; because: string } | undefined {
  let before: { at: number; percent: number } | undefined;
  for (const [at, { Percent: percent }] of waves.entries()) {
    if (percent === undefined) continue;
    if (before && percent <= before.percent)
      return { at, because: `must be more than the ${before.percent} % of wave ${before.at + 1}` };
    before = { at, percent };
  }
  return undefined;
}

/** A wave starts only inside a window; running jobs may end later. If From is after To, it ends the next day. */
const windowDraft = z.object({
  Days: z.array(z.enum(DAYS)).check(z.minLength(1, 'must name a day')),
  From: clockTime,
  To: clockTime,
  Zone: z.string().check(z.refine(isZone, 'must be a time zone like Europe/Berlin')),
});
export type RolloutWindow = z.output<typeof windowDraft>;

/** The zone data that windows are read with: that of the service's Node.js. */
const zoneData = z.object({
  /** Of the IANA Time Zone Database: `2026c`. */
  Version: text,
  /**
   * Zones of the windows for which the newer data of the service's machine, of this Version, says otherwise now or within a year:
   * since when, and by how many minutes windows are late; early if negative.
   */
  Outdated: z.array(z.object({ Zone: text, Version: text, Since: text, Minutes: number })),
});
export type ZoneData = z.output<typeof zoneData>;

const gate = z.object({
  /** Percent of a wave's devices that must succeed and be Online for OnlineMinutes before the next wave starts. */
  SuccessPercent: integer(1, 100),
  OnlineMinutes: integer(0, 24 * 60),
  /** The rollout pauses if a wave has not passed by then. */
  TimeoutMinutes: integer(1, 60 * 24 * 30),
});
const pauseAfter = z
  .object({ FailedPercent: z.optional(integer(0, 100)), FailedCount: z.optional(integer(0, MOST_DEVICES)) })
  .check(
    z.refine(
      ({ FailedPercent, FailedCount }) => (FailedPercent === undefined) !== (FailedCount === undefined),
      'needs exactly one of FailedPercent and FailedCount',
    ),
  );

const draftFields = {
  Name: nameText,
  DeviceGroup: z.optional(z.string()),
  TagId: z.optional(z.string()),
  DeviceIds: z.optional(ids),
  ArtifactId: z.optional(z.string()),
  WorkflowId: z.optional(z.string()),
  Waves: z
    .array(waveDraft)
    .check(z.minLength(1, 'must have a wave'), z.maxLength(MAX_WAVES, `must be at most ${MAX_WAVES}`)),
  Gate: gate,
  /** More failures than this in the running wave pause the rollout. */
  PauseAfter: pauseAfter,
  /** `confirm`: a user must approve each wave after the first. */
  Advance: z.enum(['auto', 'confirm']),
  StartTime: z.optional(z.iso.datetime({ offset: true, error: 'must be a time like 2026-11-23T22:00:00Z' })),
  Windows: z.optional(z.array(windowDraft).check(z.maxLength(20, 'must be at most 20'))),
  /** Devices that join the group or get the tag later are added to the last wave until it starts. */
  IncludeNew: z._default(z.boolean(), false),
};
const rolloutDraft = z.object(draftFields).check(({ value, issues }) => {
  const refuse = (message: string) => issues.push({ code: 'custom', message, input: value });
  const { DeviceGroup, TagId, DeviceIds, ArtifactId, WorkflowId } = value;
  if ([DeviceGroup, TagId, DeviceIds].filter((target) => target !== undefined && target !== '').length !== 1)
    refuse('needs exactly one target: DeviceGroup, TagId or DeviceIds');
  if ([ArtifactId, WorkflowId].filter((payload) => payload !== undefined && payload !== '').length !== 1)
    refuse('needs exactly one of ArtifactId and WorkflowId');
  const fault = percentFault(value.Waves);
  if (fault)
    issues.push({
      code: 'custom',
      message: `wave ${fault.at + 1} ${fault.because}: percents count all devices so far`,
      path: ['Waves', fault.at, 'Percent'],
      input: value,
    });
});
export type RolloutDraft = z.output<typeof rolloutDraft>;

const counts = z.record(z.string(), number);

const wave = z.object({
  /** From 1. */
  Number: number,
  State: z.enum(['Pending', 'Running', 'Passed']),
  /** The parent job; '' before the wave starts. */
  JobId: text,
  Devices: number,
  /** Number of devices by state; states without devices are omitted. */
  Counts: counts,
  /**
   * How many devices have succeeded, how many of these are back Online, and how many must be. These figures stay as they
   * were when the wave passed.
   */
  Gate: z.object({
    Success: number,
    BackOnline: number,
    Needed: number,
    Passed: z.boolean(),
    /** When enough devices will have been Online for long enough, if they stay Online; '' if too few are. */
    BackTime: text,
    /** How many more have failed, and how many more that succeeded are Offline, than when the wave passed. */
    Since: z.optional(z.object({ Failed: number, Offline: number })),
  }),
  /** Set if a user started the next wave before this one had passed its gate. */
  Advanced: z.optional(z.boolean()),
  StartTime: text,
  EndTime: text,
});
export type RolloutWave = z.output<typeof wave>;

/** A step of the rollout, by the service or a user. */
const stepDone = z.object({
  Time: text,
  /** As in the audit log; '' for the service. */
  Actor: text,
  ActorName: text,
  Text: text,
  Reason: text,
});

const summaryFields = {
  RolloutId: z.string().check(z.minLength(1)),
  Name: text,
  State: z.enum(ROLLOUT_STATES),
  /** Increased by each step. */
  Version: number,
  /** Why it waits, is paused, or ended. */
  Because: text,
  /** Number of the last started wave, from 1; 0 before the first. */
  Wave: number,
  WaveCount: number,
  Devices: number,
  Counts: counts,
  ArtifactId: optionalText,
  WorkflowId: optionalText,
  CreatedTime: text,
  /** '' until it has ended. */
  EndTime: text,
};
const summary = z.object(summaryFields);
export type RolloutSummary = z.output<typeof summary>;

const rollout = z.object({
  ...summaryFields,
  Waves: z.array(wave),
  /** The newest first. */
  Steps: z.array(stepDone),
  /** The draft that it was created from, without its devices. */
  Settings: z.object({
    Gate: gate,
    PauseAfter: z.object({ FailedPercent: z.optional(number), FailedCount: z.optional(number) }),
    Advance: z.enum(['auto', 'confirm']),
    StartTime: optionalText,
    Windows: z.array(windowDraft),
    IncludeNew: z.boolean(),
    DeviceGroup: optionalText,
    TagId: optionalText,
  }),
  /** Where there are windows. */
  Zones: z.optional(zoneData),
  /** While it is paused: what paused it, and whether a resume would do anything. `Rights`: whoever started it may no longer deploy. */
  Paused: z.optional(z.object({ By: z.enum(['Person', 'Gate', 'Rights']), CanResume: z.boolean() })),
});
export type Rollout = z.output<typeof rollout>;

const rolloutDevice = z.object({
  DeviceId: z.string(),
  DeviceName: text,
  Wave: number,
  State: z.enum(ROLLOUT_DEVICE_STATES),
  Because: text,
  JobId: text,
  Attempt: number,
});
export type RolloutDevice = z.output<typeof rolloutDevice>;

const rolloutRun = z.object({
  DeviceId: z.string(),
  DeviceName: text,
  Wave: number,
  State: z.enum(ROLLOUT_DEVICE_STATES),
  JobId: text,
  StartTime: text,
  /** '' while it runs. */
  EndTime: text,
});
export type RolloutRun = z.output<typeof rolloutRun>;

/** Two numbers of milliseconds. */
const span = z.string().check(z.regex(/^\d{1,15}-\d{1,15}$/, 'must be like 1000-2000'));

const oneRollout = z.object({ rollout_id: pathId });
/** A Version other than the current one is refused with a 409 that says what happened. */
const controlBody = z.object({ Version: z.int(), Reason: z.optional(z.string().check(z.maxLength(500))) });

const step = <Name extends string>(name: Name, what: string) =>
  ({
    method: 'POST',
    path: `/v1/rollout/:rollout_id/${name}`,
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: what,
    params: oneRollout,
    body: controlBody,
  }) as const;

export const rolloutEndpoints = resource('rollouts', {
  live: 'ids',
  id: 'rollout_id',
  poll: 60_000,
  follows: ['jobs', 'devices'],
}).operations({
  create: {
    method: 'POST',
    path: '/v1/rollout',
    permission: connectForWorkflow,
    changes: ['jobs'],
    addition: true,
    summary: 'Roll out an artifact or workflow to devices, wave by wave',
    once: true,
    bodyLimit: SUBMIT_BODY_BYTES,
    body: rolloutDraft,
    response: z.object({ RolloutId: z.string().check(z.minLength(1)) }),
  },
  /** Left: devices that no wave includes; they form an additional last wave. */
  plan: {
    method: 'POST',
    path: '/v1/rollout/plan',
    permission: 'read',
    addition: true,
    summary: 'Show which devices would be in which wave; changes nothing',
    bodyLimit: SUBMIT_BODY_BYTES,
    body: rolloutDraft,
    response: z.object({
      Waves: z.array(z.object({ Devices: z.array(z.string()), Offline: number })),
      Left: z.array(z.string()),
      /** Where there are windows. */
      Zones: z.optional(zoneData),
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/rollout',
    permission: 'read',
    addition: true,
    summary: 'List the rollouts, newest first',
    response: list(summary),
  },
  get: {
    method: 'GET',
    path: '/v1/rollout/:rollout_id',
    permission: 'read',
    addition: true,
    summary: 'Get a rollout with its waves and what was done',
    params: oneRollout,
    response: rollout,
  },
  devices: {
    method: 'GET',
    path: '/v1/rollout/:rollout_id/devices',
    permission: 'read',
    addition: true,
    summary: 'List the devices of a rollout with their states, by wave',
    params: oneRollout,
    query: z.object({
      ...pageFields,
      before: z.optional(z.string().check(z.regex(/^(\d{1,3}\..{1,255})?$/, 'must be a Next value of this list'))),
      state: z.optional(z.enum(ROLLOUT_DEVICE_STATES)),
      wave: z.optional(z.string().check(z.regex(/^\d{1,3}$/, 'must be the Number of a wave'))),
      during: z.optional(span),
      took: z.optional(span),
    }),
    response: z.object({ Items: z.array(rolloutDevice), Next: text }),
  },
  /** The state of every device, for an overview. */
  states: {
    method: 'GET',
    path: '/v1/rollout/:rollout_id/states',
    permission: 'read',
    addition: true,
    summary: 'List the ids of the devices of a rollout by wave and state',
    params: oneRollout,
    response: list(z.object({ Wave: number, State: z.enum(ROLLOUT_DEVICE_STATES), DeviceIds: z.array(z.string()) })),
  },
  /** When the devices that have begun did so, and when they ended, for a picture of all waves. */
  runs: {
    method: 'GET',
    path: '/v1/rollout/:rollout_id/runs',
    permission: 'read',
    addition: true,
    summary: 'List when each device of a rollout began and ended, by wave',
    params: oneRollout,
    response: list(rolloutRun),
  },
  pause: step('pause', 'Begin no further wave; what runs goes on'),
  resume: step(
    'resume',
    'Go on with a paused rollout whose wave can still pass; the failures so far do not pause it again',
  ),
  advance: step('advance', 'Begin the next wave without waiting for the gate, also where it paused the rollout'),
  /** Without DeviceIds: all failed devices. */
  retry: {
    ...step('retry', 'Try again on the devices that failed, as further attempts of their jobs'),
    bodyLimit: SUBMIT_BODY_BYTES,
    body: z.object({ ...controlBody.shape, DeviceIds: z.optional(ids) }),
  },
  abort: step('abort', 'End a rollout: what waits is cancelled, what runs may end'),
  /** Answers with the new rollout. */
  rollback: {
    ...step('rollback', 'Roll out the version before to exactly those devices that took this one'),
    response: z.object({ RolloutId: z.string().check(z.minLength(1)) }),
  },
  skip: {
    ...step('skip', 'Leave devices out; a rollout that its gate paused goes on if the wave can then pass'),
    bodyLimit: SUBMIT_BODY_BYTES,
    body: z.object({ ...controlBody.shape, DeviceIds: ids }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/rollout/:rollout_id',
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: 'Delete a rollout that has ended; its jobs stay',
    params: oneRollout,
  },
});
