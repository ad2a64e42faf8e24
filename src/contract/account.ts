// v1.md, "Account": the holder of the account and the limits of its plan. The tokens are an addition of this project.
import * as z from 'zod/mini';
import { list, nameText, number, optionalNumber, optionalText, pathId, text } from '#/contract/endpoint.ts';
import { groupNames, role } from '#/contract/people.ts';
import { resource } from '#/contract/resource.ts';

/** What a service may offer beyond the document. A plain service sends no list; unknown words are ignored. */
export const CAPABILITIES = [
  'agent-update',
  'alerts',
  'alert-email',
  'archive',
  'audit',
  'bulk',
  'device-key',
  'enrolment',
  'facts',
  'history',
  'idempotency',
  'jobs',
  'key-rotation',
  'live',
  'notes',
  'open-tunnels',
  'orders',
  'output',
  'people',
  'queue',
  'rollouts',
  'rules',
  'sessions',
  'stop',
  'tags',
  'timeline',
  'tokens',
  'uploads',
  'usage',
  'versions',
  'views',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const isCapability = (word: unknown): word is Capability => CAPABILITIES.some((known) => known === word);
const capabilities = z.catch(
  z.optional(
    z.pipe(
      z.array(z.unknown()),
      z.transform((words) => words.filter(isCapability)),
    ),
  ),
  undefined,
);

/** Longest time, in days, after which devices take new keys. */
const MAX_ROTATION_DAYS = 3650;

export const account = z.looseObject({
  UserEmail: text,
  PlanMaxDeviceLimit: number,
  NumDevicesAdded: number,
  ArtifactBytesUsed: optionalNumber,
  ArtifactBytesLimit: optionalNumber,
  /** An artifact must be smaller than this; without it, than 10 MB. */
  ArtifactBytesMax: optionalNumber,
  /**
   * Stored output of ended jobs. At the limit the oldest output is removed first; the jobs remain. A role that is limited to
   * groups gets the limits only: the rest is about the devices of all groups.
   */
  OutputBytesUsed: optionalNumber,
  OutputBytesLimit: optionalNumber,
  /** For how many days output is stored, if that is limited. */
  OutputDays: optionalNumber,
  /** Which output will be removed next, and when. */
  OutputRemoval: z.catch(
    z.optional(
      z.object({
        Time: text,
        Jobs: optionalNumber,
        Bytes: number,
        Because: z.enum(['JOB_OUTPUT_DAYS', 'JOB_OUTPUT_MB']),
      }),
    ),
    undefined,
  ),
  /** What the service offers beyond the document. Missing or empty: nothing. */
  Capabilities: capabilities,
  /** Most devices of a job to `DeviceIds`; missing if the service does not accept `DeviceIds`. */
  JobDevicesLimit: optionalNumber,
  /** Its name, if it has one. */
  Name: optionalText,
  /** Whether everybody who signs in with a password needs a second factor. */
  NeedsSecondFactor: z.catch(z.optional(z.boolean()), undefined),
  /** After how many days each device takes a new key; missing: never by itself. */
  KeyRotationDays: optionalNumber,
  /** How many devices, tunnels and limits are firing now. */
  AlertsFiring: optionalNumber,
  /**
   * For how many hours the service recognises a request resent with its Idempotency-Key. If it is missing, the header is
   * not sent: a browser may send a service on another origin only the headers that it allows.
   */
  IdempotencyKeyHours: optionalNumber,
  /** A problem of the disk with the service's data: `Low`, `Full` or `ReadOnly`. */
  DiskState: optionalText,
  /** For which devices without Node.js the service has one to bring along, as `linux-x64`. */
  AgentRuntimes: z.catch(z.optional(z.array(text)), undefined),
  /** By how many seconds the node's clock is ahead of its database's, if by more than five. */
  ClockAheadSeconds: optionalNumber,
  /** Free bytes on that disk; not for roles that are limited to device groups. */
  DiskBytesFree: optionalNumber,
});
export type Account = z.output<typeof account>;

/** An API token in lists: only the beginning of the secret. */
export const apiToken = z.object({
  TokenId: z.string(),
  Name: text,
  Prefix: text,
  CreatedTime: text,
  LastUsedTime: optionalText,
  /** The address of its last use. */
  LastUsedFrom: optionalText,
  /** What it may do; a service without roles sends none. */
  Role: z.catch(z.optional(role), undefined),
  /** Empty: all device groups. */
  Groups: z.catch(z.optional(z.array(z.string())), undefined),
  /** '' for never. */
  ExpiresTime: optionalText,
  /** Whose it is: the caller's own, another person's, or the account's. */
  Owner: z.catch(z.optional(z.enum(['me', 'person', 'account'])), undefined),
  /** That person, for Admins. */
  PersonId: optionalText,
  OwnerName: optionalText,
});
export type ApiToken = z.output<typeof apiToken>;

/** The session of a signed-in browser. */
export const session = z.object({
  SessionId: z.string(),
  /** How the browser signed in: 'Token', 'Password', 'Provider', or 'Link' for the sign-in link that the service prints. */
  How: text,
  /** Name of that token. */
  TokenName: optionalText,
  Prefix: optionalText,
  /** Whose it is; missing for a token of the account. */
  PersonId: optionalText,
  PersonName: optionalText,
  CreatedTime: text,
  LastUsedTime: text,
  /** Address of its last use. */
  Address: text,
  /** Whether it is the session of this request. */
  Current: z.boolean(),
});
export type Session = z.output<typeof session>;

export const newApiToken = z.object({ TokenId: z.string(), Token: z.string() });
export type NewApiToken = z.output<typeof newApiToken>;

export const accountEndpoints = resource('account', { live: 'flag', poll: 30_000 }).operations({
  get: {
    method: 'GET',
    path: '/v1/account',
    permission: 'read',
    summary: 'Get the account and its usage',
    response: account,
  },
  update: {
    method: 'PATCH',
    path: '/v1/account',
    permission: 'admin',
    unlimited: true,
    addition: true,
    summary:
      'Change the name of the account, whether it requires a second factor, or how long keys of devices are used',
    changes: ['people'],
    body: z
      .object({
        Name: z.optional(z.string().check(z.maxLength(255))),
        NeedsSecondFactor: z.optional(z.boolean()),
        /** 0: never by themselves. */
        KeyRotationDays: z.optional(
          z
            .int('must be a whole number')
            .check(z.gte(0, 'must be at least 0'), z.lte(MAX_ROTATION_DAYS, `must be at most ${MAX_ROTATION_DAYS}`)),
        ),
      })
      .check(
        z.refine(
          (change) => Object.values(change).some((value) => value !== undefined),
          'must hold at least one of Name, NeedsSecondFactor, KeyRotationDays',
        ),
      ),
  },
  tokens: {
    method: 'GET',
    path: '/v1/account/tokens',
    permission: 'self',
    summary: 'List your API tokens, as an Admin those of everybody, or of the account within your groups',
    addition: true,
    response: list(apiToken),
  },
  createToken: {
    method: 'POST',
    path: '/v1/account/tokens',
    permission: 'self',
    summary: 'Create an API token; it is in this answer only',
    addition: true,
    // Whether anybody's rights differ is part of who one is.
    changes: ['people'],
    // A resend with the same Idempotency-Key behaves as for creating a device.
    once: true,
    body: z.object({
      Name: nameText,
      /** `account` needs the permission `admin`. Without it: "me" for a person, "account" for a token of the account. */
      Owner: z.optional(z.enum(['me', 'account'])),
      /** A token never has more than who makes it. Without these two: the same. */
      Role: z.optional(role),
      /** Empty: all device groups. */
      Groups: z.optional(groupNames),
      /** Without it, the token lasts until it is revoked, or as long as the token that makes it. */
      ExpiresTime: z.optional(z.iso.datetime({ offset: true, error: 'must be a time like 2027-11-23T22:00:00Z' })),
      /**
       * Required from a dashboard session, so that a browser left open cannot yield a permanent token: the person's
       * password, a token of theirs or of the account that may do at least what the new one may, or the single-use code of
       * a new sign-in link. Not needed within ten minutes of signing in at an identity provider. Ignored for a request with a
       * token.
       */
      Proof: z.optional(z.string().check(z.maxLength(8192))),
    }),
    response: newApiToken,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/account/tokens/:token_id',
    permission: 'self',
    summary: 'Revoke an API token; it stops working at once',
    addition: true,
    changes: ['people'],
    params: z.object({ token_id: pathId }),
  },
  sessions: {
    method: 'GET',
    path: '/v1/account/sessions',
    permission: 'self',
    summary: 'List your signed-in browsers, as an Admin those of everybody, the one used last first',
    addition: true,
    response: z.array(session),
  },
  endSessions: {
    method: 'DELETE',
    path: '/v1/account/sessions',
    permission: 'self',
    summary: 'Sign out all browsers that one sees but the one that asks; asked with a token, all of them',
    addition: true,
  },
  endSession: {
    method: 'DELETE',
    path: '/v1/account/sessions/:session_id',
    permission: 'self',
    summary: 'Sign out one browser',
    addition: true,
    params: z.object({ session_id: pathId }),
  },
});
