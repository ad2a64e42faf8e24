// v1.md, "Devices": the device, its location, and the endpoints on both.
import * as z from 'zod/mini';
import {
  list,
  nameText,
  number,
  optionalText,
  pathId,
  pathInteger,
  row,
  rowsLike,
  rowsOf,
  text,
} from '#/contract/endpoint.ts';
import { parseFactFilter } from '#/contract/facts.ts';
import { tag } from '#/contract/tags.ts';
import { resource } from '#/contract/resource.ts';

/** Largest page size of our service; the document names no limit. */
export const MAX_ROWS_PER_PAGE = 1000;

/**
 * 'Online' and 'Offline' in any letter case. Other words are kept, because they do not mean Offline. The document has no state
 * for a device that never connected: it is Offline there, and was never seen. Without times that is unknown.
 */
function statusOf({ DeviceStatus, LastSeenTime }: Record<string, unknown>): string {
  if (typeof DeviceStatus !== 'string') return 'Unknown';
  const status = DeviceStatus.trim();
  const known = ['Online', 'Offline'].find((word) => word.toLowerCase() === status.toLowerCase());
  return known === 'Offline' && LastSeenTime === '' ? 'NotConnected' : (known ?? (status || 'Unknown'));
}

/**
 * A device in listings. The document names the first six fields; the rest is inventory that some services add (ours:
 * site, times, agent, system and tags). A `DeviceKey` that a service puts into a listing is dropped.
 */
export const device = row(
  z.looseObject({
    DeviceId: z.string().check(z.minLength(1)),
    DeviceName: text,
    DeviceGroup: text,
    LocalAddr: text,
    LocalPort: text,
    /** Read as 'NotConnected' for a device that never connected. */
    DeviceStatus: z.string(),
    CustomerName: optionalText,
    CustomerSite: optionalText,
    CreatedTime: optionalText,
    LastSeenTime: optionalText,
    AgentVersion: optionalText,
    AgentUpdate: optionalText,
    AgentProblem: optionalText,
    AgentProblemText: optionalText,
    AgentProblemTime: optionalText,
    /** `Asked`: the device is to take a new key. `Sent`: it was sent one, and has not used it yet. '' otherwise. */
    KeyRotation: optionalText,
    /** Why its agent cannot take a new key, or did not take the last one. */
    KeyProblem: optionalText,
    /** Which destinations tunnels may be opened to from here: 'none', 'loopback' or patterns (tunnel-allowance.ts). */
    TunnelsAllowed: optionalText,
    SysOS: optionalText,
    SysArch: optionalText,
    SysHostname: optionalText,
    SysPlatform: optionalText,
    SysKernelVersion: optionalText,
    SysCpuModel: optionalText,
    SysTotalMemory: optionalText,
    SysTotalDisk: optionalText,
    SysMacAddress: optionalText,
    // Absent if a service lists devices without their tags; some send null for none.
    Tags: z.catch(
      z.optional(
        z.pipe(
          z.transform((value) => (value === null ? [] : value)),
          rowsLike(tag),
        ),
      ),
      undefined,
    ),
  }),
  {
    drop: ['DeviceKey'],
    settle: (read) => {
      read['DeviceStatus'] = statusOf(read);
    },
  },
);
export type Device = z.output<typeof device>;

/**
 * Whether the agent of a device can update itself: it already has the service's program, an older one, or has run a newer
 * one; it waits for a job to end, or is restarting; it cannot, and AgentProblemText says why. '' for an agent without
 * updates.
 */
export type AgentUpdate = 'Current' | 'Available' | 'Newer' | 'Waiting' | 'Updating' | 'Unable';

/** What is wrong with an agent: its link version is incompatible, or its last update failed. */
export type AgentProblem = 'TooOld' | 'TooNew' | 'UpdateFailed';

/** The agent's program that the service publishes as /agent.mjs. */
const publishedAgent = z.object({
  Version: z.string(),
  Sha256: z.string(),
  Size: z.int(),
  /** Increases with each build. Missing if the service does not sign. */
  Sequence: z.optional(z.int()),
  /** Ed25519, SPKI in base64. */
  PublicKey: z.optional(z.string()),
});

/** The answer of create, the only time a key is shown. */
export const newDevice = z.object({ DeviceId: z.string(), DeviceKey: z.string() });
export type NewDevice = z.output<typeof newDevice>;

/** One page of the fleet; TotalNumDevices is undefined if the service does not report it. */
const devicePage = z.pipe(
  z.transform((value: unknown, context): { Devices: unknown[]; TotalNumDevices?: number | undefined } => {
    const rows = rowsOf(value);
    if (!rows) {
      context.issues.push({ code: 'custom', message: 'holds no list of devices', input: value });
      return z.NEVER;
    }
    const total =
      typeof value === 'object' && value !== null && 'TotalNumDevices' in value ? value.TotalNumDevices : '';
    const count = total === '' || total === null ? Number.NaN : Number(total);
    return Number.isInteger(count) && count >= rows.length
      ? { Devices: rows, TotalNumDevices: count }
      : { Devices: rows };
  }),
  z.object({ Devices: rowsLike(device), TotalNumDevices: z.optional(z.int()) }),
);
export type DevicePage = z.output<typeof devicePage>;

/** NaN if a service sends no number: one invalid coordinate must not hide the locations of the whole fleet. */
const degrees = z.catch(number, Number.NaN);

/** The location of a device. 0/0 means "never set" (v1.md, "Device location"); readers check the range. */
export const deviceLocation = z.object({ DeviceId: text, Lat: degrees, Lng: degrees });
export type DeviceLocation = z.output<typeof deviceLocation>;

/** Degrees, as JSON numbers. */
export const positionFields = {
  Lat: z
    .number('must be a number')
    .check(z.gte(-90, 'must be between -90 and 90'), z.lte(90, 'must be between -90 and 90')),
  Lng: z
    .number('must be a number')
    .check(z.gte(-180, 'must be between -180 and 180'), z.lte(180, 'must be between -180 and 180')),
};
export const position = z.object(positionFields);
export type Position = z.output<typeof position>;

const groupText = z.string().check(z.maxLength(255));

/** Body of create. The group may be empty: a device need not belong to one. */
export const deviceDraft = z.object({ DeviceName: nameText, DeviceGroup: groupText });
export type DeviceDraft = z.output<typeof deviceDraft>;

export const deviceChangeFields = {
  DeviceName: z.optional(nameText),
  DeviceGroup: z.optional(groupText),
  CustomerName: z.optional(z.string().check(z.maxLength(255))),
  CustomerSite: z.optional(z.string().check(z.maxLength(255))),
};

/** Body of update: at least one of the four. */
export const deviceChange = z
  .object(deviceChangeFields)
  .check(
    z.refine(
      (change) => Object.values(change).some((value) => value !== undefined),
      'must hold at least one of DeviceName, DeviceGroup, CustomerName, CustomerSite',
    ),
  );
export type DeviceChange = z.output<typeof deviceChange>;

/** All given conditions must match (AND). */
export const deviceFilter = z.object({
  device_name: z.optional(z.string()),
  device_group: z.optional(z.string()),
  device_id: z.optional(z.string()),
  device_status: z.optional(z.string()),
  device_tag: z.optional(z.string()),
  /** An addition: exact values of facts by name, as a JSON object. */
  facts: z.optional(
    z
      .string()
      .check(
        z.refine(
          (json) => parseFactFilter(json) !== undefined,
          'must be a JSON object of facts and their values, like {"os":"debian"}',
        ),
      ),
  ),
});
export type DeviceFilter = z.output<typeof deviceFilter>;

const oneDevice = z.object({ device_id: pathId });
const onePage = z.object({
  page_num: pathInteger(),
  rows_per_page: pathInteger(MAX_ROWS_PER_PAGE),
});

export const deviceEndpoints = resource('devices', { live: 'ids', id: 'device_id', poll: 5_000 }).operations({
  create: {
    method: 'POST',
    path: '/v1/devices',
    permission: 'operate',
    changes: ['account'],
    summary: 'Create a device',
    // A resend with the same Idempotency-Key creates no second device. For a minute it returns the original response, key
    // included; later, or after a restart, a 409 that names the device: only the hash of its key is stored, and `rekey`
    // creates a new key.
    once: true,
    body: deviceDraft,
    response: newDevice,
  },
  update: {
    method: 'PATCH',
    path: '/v1/devices/:device_id',
    permission: 'operate',
    summary: 'Change the named fields of a device',
    params: oneDevice,
    body: deviceChange,
  },
  locate: {
    method: 'POST',
    path: '/v1/devices/location/:device_id',
    permission: 'operate',
    summary: 'Set where a device is',
    params: oneDevice,
    body: position,
  },
  locations: {
    method: 'GET',
    path: '/v1/devices/location',
    permission: 'read',
    summary: 'List the locations of all devices',
    response: list(deviceLocation),
  },
  page: {
    method: 'GET',
    path: '/v1/devices/:page_num/:rows_per_page',
    permission: 'read',
    summary: 'List devices, page by page',
    params: onePage,
    response: devicePage,
  },
  filter: {
    method: 'GET',
    path: '/v1/devices/:page_num/:rows_per_page/filters',
    permission: 'read',
    summary: 'List the devices that meet every given condition, page by page',
    params: onePage,
    query: deviceFilter,
    response: list(device),
  },
  selected: {
    method: 'GET',
    path: '/v1/devices',
    permission: 'read',
    summary: 'List the devices named in the body (a GET with a body: browsers cannot send one)',
    body: z.array(z.object({ DeviceId: z.string() })),
    response: list(device),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/devices/:device_id',
    permission: 'operate',
    changes: ['account', 'jobs', 'tunnels'],
    summary: 'Delete a device, its waiting jobs and its tunnels',
    params: oneDevice,
  },
  rekey: {
    method: 'POST',
    path: '/v1/devices/:device_id/key',
    permission: 'admin',
    summary: 'Give a device a new key; the old one stops working at once',
    addition: true,
    params: oneDevice,
    response: newDevice,
  },
  /** It is sent the key over its connection, at once or when it is Online again; the old one counts until it uses the new one. */
  rotateKey: {
    method: 'POST',
    path: '/v1/device/:device_id/rotate-key',
    permission: 'admin',
    summary: 'Have a device take a new key over its connection; the old one counts until the device uses the new one',
    addition: true,
    params: oneDevice,
  },
  agent: {
    method: 'GET',
    path: '/v1/agent',
    permission: 'read',
    summary: "The agent's program that this service publishes as /agent.mjs",
    addition: true,
    response: publishedAgent,
  },
  updateAgent: {
    method: 'POST',
    path: '/v1/device/:device_id/update-agent',
    permission: 'operate',
    summary: 'Update a device’s agent to the one that the service publishes, when no job runs',
    addition: true,
    params: oneDevice,
  },
  // To become Admin only once users have roles.
  downgradeAgent: {
    method: 'POST',
    path: '/v1/device/:device_id/downgrade-agent',
    permission: 'admin',
    summary: 'Put the published agent on a device that has run a newer one; Sequence has to name the published one',
    addition: true,
    params: oneDevice,
    body: z.object({ Sequence: z.int().check(z.gte(0)) }),
  },
});
