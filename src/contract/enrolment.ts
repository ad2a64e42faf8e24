// Enrolment, an addition: devices that join the account by themselves, with a key that many of them share.
import * as z from 'zod/mini';
import { list, nameText, number, pathId, row, text } from '#/contract/endpoint.ts';
import { deviceDraft, newDevice } from '#/contract/devices.ts';
import { resource } from '#/contract/resource.ts';

/** Most enrolment keys of an account. */
export const MOST_ENROLMENT_KEYS = 200;
/** Most devices of an account that wait for approval or were rejected. */
export const MOST_PENDING = 20_000;
/** Most uses of a key that has a limit. */
const MOST_USES = 1_000_000;

const flag = z.catch(z.boolean(), false);
const groupText = z.string().check(z.maxLength(255));
const optionalName = z.optional(groupText);

/** A key in lists; the secret is only in the answer that creates it. */
const enrolmentKey = row(
  z.looseObject({
    EnrolmentId: z.string(),
    Name: text,
    /** The first characters of the secret. */
    Prefix: text,
    DeviceGroup: text,
    CustomerName: text,
    CustomerSite: text,
    /** Names of tags. */
    Tags: z.catch(z.array(z.string()), []),
    /** 0: no limit. */
    MaxUses: number,
    Uses: number,
    /** '' for never. */
    ExpiresTime: text,
    NeedsApproval: flag,
    /**
     * Whether its install command was to allow tunnels. It is the device that allows them: the key itself permits and prevents
     * nothing. Missing if it was not said.
     */
    AllowTunnels: z.catch(z.optional(z.boolean()), undefined),
    /** '' if it was never used. */
    LastUsedTime: text,
    CreatedTime: text,
  }),
);
export type EnrolmentKey = z.output<typeof enrolmentKey>;

/**
 * Why a device waits: its key asks for approval; the machine already is a device, and did not prove its key; or that device
 * was seen within the last 24 hours, so that this may be a copy of it.
 */
const BECAUSE = ['NeedsApproval', 'KnownMachine', 'PossibleClone'] as const;
export type PendingBecause = (typeof BECAUSE)[number];

/** Values that a device reports, by name. */
const facts = z
  .record(z.string().check(z.regex(/^[a-z0-9_.]{1,64}$/)), z.string().check(z.maxLength(512)))
  .check(z.refine((given) => Object.keys(given).length <= 200, 'must hold at most 200 facts'));
export type ReportedFacts = z.output<typeof facts>;

const pendingDevice = row(
  z.looseObject({
    PendingId: z.string(),
    State: z.enum(['Waiting', 'Rejected']),
    Because: z.enum(BECAUSE),
    DeviceName: text,
    DeviceGroup: text,
    /** The device that the machine already is, if it is one. */
    DeviceId: text,
    EnrolmentName: text,
    /** What its key gives it. */
    CustomerSite: text,
    /** Short form of the fingerprint, to compare with the one that the device prints. */
    Fingerprint: text,
    Address: text,
    Facts: z.catch(z.record(z.string(), z.string()), {}),
    FirstSeenTime: text,
    LastSeenTime: text,
  }),
);
export type PendingDevice = z.output<typeof pendingDevice>;

const newKey = z.object({ EnrolmentId: z.string(), EnrolKey: z.string() });
export type NewEnrolmentKey = z.output<typeof newKey>;

/** While a person has to approve the device, it gets a PendingId and asks again with the same body. */
const joined = z.union([newDevice, z.object({ PendingId: z.string() })]);

/** Letters of pairing codes: none looks like a digit or another one. */
export const PAIRING_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ';
export const PAIRING_LENGTH = 8;

/** A code as a person may type it: in lower case, with blanks or dashes. */
const pairingCode = z.pipe(
  z.transform((typed) => (typeof typed === 'string' ? typed.toUpperCase().replaceAll(/[\s-]/g, '') : typed)),
  z
    .string()
    .check(
      z.regex(
        new RegExp(`^[${PAIRING_LETTERS}]{${PAIRING_LENGTH}}$`),
        `must be the ${PAIRING_LENGTH} letters that the device shows`,
      ),
    ),
);

/** What a person types to pair a device. */
export const pairingDraft = z.object({ Code: pairingCode, ...deviceDraft.shape });

const machineId = z.string().check(z.minLength(8, 'must have at least 8 characters'), z.maxLength(255));
const secret = z.string().check(z.minLength(22, 'must have at least 128 random bits'), z.maxLength(255));

const onePending = z.object({ pending_id: pathId });

export const enrolmentEndpoints = resource('enrolment', { live: 'flag', poll: 15_000 }).operations({
  list: {
    method: 'GET',
    path: '/v1/enrolment',
    permission: 'admin',
    addition: true,
    summary: 'List the enrolment keys, the newest first',
    response: list(enrolmentKey),
  },
  create: {
    method: 'POST',
    path: '/v1/enrolment',
    permission: 'admin',
    addition: true,
    summary: 'Create an enrolment key; it is in this answer only',
    changes: ['tags'],
    once: true,
    body: z.object({
      Name: nameText,
      DeviceGroup: groupText,
      CustomerName: optionalName,
      CustomerSite: optionalName,
      /** Names; tags that do not exist yet are created. */
      Tags: z.optional(z.array(nameText).check(z.maxLength(20, 'must hold at most 20 tags'))),
      /** 0: no limit. */
      MaxUses: z._default(z.int().check(z.gte(0), z.lte(MOST_USES)), 0),
      /** Without it, the key lasts until it is deleted. */
      ExpiresTime: z.optional(z.iso.datetime({ offset: true, error: 'must be a time like 2027-11-23T22:00:00Z' })),
      NeedsApproval: z._default(z.boolean(), false),
      AllowTunnels: z.optional(z.boolean()),
    }),
    response: newKey,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/enrolment/:enrolment_id',
    permission: 'admin',
    addition: true,
    summary: 'Delete an enrolment key; it stops working at once, for devices that wait for approval too',
    params: z.object({ enrolment_id: pathId }),
  },
  pending: {
    method: 'GET',
    path: '/v1/enrolment/pending',
    permission: 'read',
    addition: true,
    summary: 'List the devices that wait for approval, and those that were rejected, the newest first',
    response: list(pendingDevice),
  },
  approve: {
    method: 'POST',
    path: '/v1/enrolment/pending/:pending_id/approve',
    // A machine that is a device already needs an Admin, as a new key does.
    permission: 'operate',
    addition: true,
    summary: 'Let a device join; a machine that is a device already becomes that device again, with a new key',
    changes: ['devices', 'account'],
    params: onePending,
    body: z.object({ DeviceName: z.optional(nameText), DeviceGroup: optionalName }),
  },
  reject: {
    method: 'POST',
    path: '/v1/enrolment/pending/:pending_id/reject',
    permission: 'operate',
    addition: true,
    summary: 'Refuse a device for good, until it is approved after all',
    params: onePending,
  },
  enrol: {
    method: 'POST',
    path: '/v1/enrol',
    permission: 'anyone',
    addition: true,
    summary:
      'Join as a device, with an enrolment key: 200 with the key of the device, or 202 while it waits for approval',
    changes: ['devices', 'account'],
    body: z.object({
      EnrolKey: z.string().check(z.minLength(1), z.maxLength(255)),
      /** The same at each start of the same machine, and on no other one. */
      MachineId: machineId,
      DeviceName: nameText,
      Facts: z._default(facts, {}),
      /** Chosen by the device, at random: whoever knows it can ask for a lost answer again until the key was used. */
      Secret: z.optional(secret),
      /** The key of the device that the machine is already, as a proof. */
      OldKey: z.optional(z.string().check(z.maxLength(255))),
    }),
    response: joined,
  },
  beginPairing: {
    method: 'POST',
    path: '/v1/pair/begin',
    permission: 'anyone',
    addition: true,
    summary:
      'Get a code for a person to type, good for ten minutes; the same again to the same machine with the same Secret',
    body: z.object({
      MachineId: machineId,
      DeviceName: nameText,
      Facts: z._default(facts, {}),
      Secret: secret,
    }),
    response: z.object({ PairingId: z.string(), Code: z.string(), ExpiresTime: z.string() }),
  },
  askPairing: {
    method: 'GET',
    path: '/v1/pair/:pairing_id',
    permission: 'anyone',
    addition: true,
    summary:
      'With the header Muster-Secret: 202 until somebody has typed the code, then the key of the device, again and again until it was used',
    params: z.object({ pairing_id: pathId }),
    response: z.union([newDevice, z.object({ ExpiresTime: z.string() })]),
  },
  claimPairing: {
    method: 'POST',
    path: '/v1/pair/:pairing_code/claim',
    // A machine that is a device already needs an Admin, as a new key does.
    permission: 'operate',
    addition: true,
    summary: 'Make the device that shows this code one of the account',
    changes: ['devices', 'account'],
    params: z.object({ pairing_code: pairingCode }),
    body: deviceDraft,
    response: z.object({ DeviceId: z.string() }),
  },
});
