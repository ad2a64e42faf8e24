// The audit log, an addition: who did what to which object, when and from where.
import * as z from 'zod/mini';
import { pageFields, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

const word = z.optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)));
const time = z.optional(z.string().check(z.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time')));

const filters = {
  /** `person:<id>`, `token:<id>`, `session:<id>`, `device:<id>` or `rollout:<id>`, matched exactly; or a part of a person's or token's name. */
  actor: word,
  /** `devices`: what agents did themselves; `people`: everything else. */
  by: z.optional(z.enum(['people', 'devices'], 'must be people or devices')),
  /** An action such as `device.update`, or the part before its dot for all of that kind. */
  action: word,
  /** The id of a device, job, artifact …; the Name of a tunnel. */
  object: word,
  /** An id as for `object`, or a part of the name of a device, job, artifact …, of a removed one the last; ignores letter case. */
  about: word,
  outcome: z.optional(z.enum(['done', 'refused'], 'must be done or refused')),
  from: time,
  to: time,
};

const auditEntry = z.object({
  Id: z.string().check(z.minLength(1)),
  Time: text,
  Actor: text,
  /** Name of a person, token or device; '' if it has none or is not known any more. A removed person or device keeps it. */
  ActorName: text,
  /** The client's address. */
  Address: text,
  Action: text,
  /** Ids separated by spaces; a tag comes before the device that it is attached to. */
  Object: text,
  /** Name of the device, job or artifact in Object, of a removed one the last; '' as for ActorName. */
  ObjectName: text,
  Outcome: text,
  /** SHA-256 of the entry together with the Hash of the one before. */
  Hash: text,
  /** The bulk action that the entry belongs to. */
  BulkId: z.optional(text),
});
export type AuditEntry = z.output<typeof auditEntry>;
const auditFilters = z.object(filters);
export type AuditFilters = z.output<typeof auditFilters>;

const deed = z.object({ Time: text, Actor: text, ActorName: text });
/** Missing where the log does not have it, and where the caller's role may not see the entry. */
const origin = z.object({ Created: z.optional(deed), Changed: z.optional(z.extend(deed, { Action: text })) });
export type Origin = z.output<typeof origin>;

export const auditEndpoints = resource('audit', {}).operations({
  list: {
    method: 'GET',
    path: '/v1/audit',
    permission: 'read',
    addition: true,
    summary: 'List the entries of the audit log that meet every given condition, newest first, page by page',
    query: z.object({ ...filters, ...pageFields }),
    response: z.object({ Items: z.array(auditEntry), Next: text }),
  },
  csv: {
    method: 'GET',
    path: '/v1/audit.csv',
    permission: 'read',
    addition: true,
    summary: 'Get all of these entries as CSV',
    query: auditFilters,
    file: 'text/csv',
  },
  origin: {
    method: 'GET',
    path: '/v1/audit/origin',
    permission: 'read',
    addition: true,
    summary: 'Get who created a device, job, rollout or artifact, and who changed it last',
    query: z.object({ object: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)) }),
    response: origin,
  },
});
