// The people of an account, an addition: their roles, invitations, and what the caller may do.
import * as z from 'zod/mini';
import { list, optionalText, pathId, text } from '#/contract/endpoint.ts';
import { PERMISSIONS, ROLES } from '#/contract/permissions.ts';
import { resource } from '#/contract/resource.ts';

export const role = z.enum(ROLES);
/** Empty: all groups. */
export const groupNames = z
  .array(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)))
  .check(z.maxLength(100));

/** An e-mail address as far as it can be checked without sending to it. */
export const emailText = z
  .string()
  .check(z.maxLength(254), z.regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'must be an e-mail address'));
/** A person's name; may be empty, and is then shown as the e-mail address. */
export const personName = z.string().check(z.maxLength(255));

/** NIST SP 800-63B, section 3.1.1: the length counts. The most common ones are refused when one is set. */
export const MIN_PASSWORD_LENGTH = 12;
export const password = z
  .string()
  .check(
    z.minLength(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`),
    z.maxLength(1024, 'must have at most 1024 characters'),
  );

export const person = z.object({
  PersonId: z.string(),
  Name: text,
  Email: text,
  Role: role,
  Groups: z.array(z.string()),
  State: z.enum(['Invited', 'Active', 'Disabled']),
  Source: z.enum(['password', 'oidc']),
  /** Whether signing in needs a code of an authenticator app. */
  SecondFactor: z.boolean(),
  /** '' for never. */
  LastSeenTime: text,
  /** Who gave the role, in words: "given by" and a person, a token, the operator, or a claim of the identity provider. */
  RoleSource: optionalText,
  /** Of an invitation that is open. */
  ExpiresTime: optionalText,
});
export type Person = z.output<typeof person>;

const me = z.object({
  PersonId: z.optional(z.string()),
  TokenId: z.optional(z.string()),
  Name: text,
  Email: text,
  Role: role,
  Groups: z.array(z.string()),
  Permissions: z.array(z.object({ Permission: z.enum(PERMISSIONS), Source: text })),
  Account: z.object({ Name: text }),
  SecondFactor: z.boolean(),
  /** Whether there is anybody whose rights differ: another person, or a token with less than everything. */
  HasOthers: z.optional(z.boolean()),
  /** Whether the person has a password, which can then be changed. */
  HasPassword: z.optional(z.boolean()),
  /** Where the person's password is. */
  Source: z.optional(z.enum(['password', 'oidc'])),
});
export type Me = z.output<typeof me>;

const invitation = z.object({
  PersonId: z.string(),
  /** Works once; shown only here. */
  InviteUrl: z.string(),
  ExpiresTime: z.string(),
  /** Whether it was sent by e-mail too. */
  Emailed: z.optional(z.boolean()),
});
export type Invitation = z.output<typeof invitation>;

const onePerson = z.object({ person_id: pathId });

export const peopleEndpoints = resource('people', { live: 'flag', id: 'person_id', poll: 30_000 }).operations({
  me: {
    method: 'GET',
    path: '/v1/me',
    permission: 'self',
    addition: true,
    summary: 'Get who the caller is, and what it may do',
    response: me,
  },
  list: {
    method: 'GET',
    path: '/v1/people',
    permission: 'admin',
    // It says the groups of everybody.
    unlimited: true,
    addition: true,
    summary: 'List the people of the account',
    response: list(person),
  },
  invite: {
    method: 'POST',
    path: '/v1/people',
    permission: 'admin',
    unlimited: true,
    addition: true,
    summary: 'Invite a person; the link is in this answer only, and works once',
    // A resend with the same Idempotency-Key behaves as for creating a device.
    once: true,
    body: z.object({ Email: emailText, Name: personName, Role: role, Groups: groupNames }),
    response: invitation,
  },
  renewInvitation: {
    method: 'POST',
    path: '/v1/people/:person_id/invite',
    permission: 'admin',
    unlimited: true,
    addition: true,
    summary: 'Make a new link for a person who was invited, or who forgot the password; the old one ends',
    params: onePerson,
    response: invitation,
  },
  update: {
    method: 'PATCH',
    path: '/v1/people/:person_id',
    permission: 'admin',
    unlimited: true,
    changes: ['account'],
    addition: true,
    summary: 'Change the name, role, groups or state of a person, or remove a lost second factor',
    params: onePerson,
    body: z
      .object({
        Name: z.optional(personName),
        Role: z.optional(role),
        Groups: z.optional(groupNames),
        Disabled: z.optional(z.boolean()),
        /** Removes a second factor that was lost together with its recovery codes. */
        SecondFactor: z.optional(z.literal(false)),
      })
      .check(
        z.refine(
          (change) => Object.values(change).some((value) => value !== undefined),
          'must hold at least one of Name, Role, Groups, Disabled, SecondFactor',
        ),
      ),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/people/:person_id',
    permission: 'admin',
    unlimited: true,
    changes: ['account'],
    addition: true,
    summary: 'Remove a person, with their sessions and tokens',
    params: onePerson,
  },
});
