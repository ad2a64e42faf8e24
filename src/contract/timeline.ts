// The timeline, an addition: everything that happened to a device, in order, and the notes that users write about it.
import * as z from 'zod/mini';
import { optionalText, pageFields, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

export const TIMELINE_KINDS = ['state', 'job', 'edit', 'tunnel', 'key', 'note'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];
const KIND_LIST = new RegExp(`^(${TIMELINE_KINDS.join('|')})(,(${TIMELINE_KINDS.join('|')}))*$`);

const timelineItem = z.object({
  Id: z.string().check(z.minLength(1)),
  Time: text,
  /** One of TIMELINE_KINDS. */
  Kind: text,
  /** What happened, in words; for a note its text. */
  Text: text,
  /** As in the audit log; '' if the device or the service did it. */
  Actor: text,
  ActorName: text,
  /** The new state of the device, or the final state of a job. */
  State: optionalText,
  JobId: optionalText,
  /** Set on a child job. */
  ParentId: optionalText,
  NoteId: optionalText,
});
export type TimelineItem = z.output<typeof timelineItem>;

export const LONGEST_NOTE = 2_000;
const noteDraft = z.object({
  Text: z.string().check(
    z.maxLength(LONGEST_NOTE, `must have at most ${LONGEST_NOTE} characters`),
    z.refine((value) => value.trim() !== '', 'must not be empty'),
  ),
});

const oneDevice = z.object({ device_id: z.string() });

export const timelineEndpoints = resource('timeline', {
  id: 'device_id',
  poll: 30_000,
  // A report of devices names those that changed; the others may be about any device.
  follows: ['devices', 'jobs', 'tunnels', 'tags', 'enrolment', 'bulk'],
}).operations({
  list: {
    method: 'GET',
    path: '/v1/device/:device_id/timeline',
    permission: 'read',
    addition: true,
    summary: 'List what happened to a device: states, jobs, edits, tunnels, keys and notes, newest first, page by page',
    params: oneDevice,
    query: z.object({
      kind: z.optional(z.string().check(z.regex(KIND_LIST, `must be some of ${TIMELINE_KINDS.join(',')}`))),
      ...pageFields,
    }),
    response: z.object({ Items: z.array(timelineItem), Next: text }),
  },
  addNote: {
    method: 'POST',
    path: '/v1/device/:device_id/notes',
    permission: 'operate',
    addition: true,
    summary: 'Write a note about a device',
    once: true,
    params: oneDevice,
    body: noteDraft,
    response: z.object({ NoteId: z.string() }),
  },
  removeNote: {
    method: 'DELETE',
    path: '/v1/device/:device_id/notes/:note_id',
    permission: 'operate',
    addition: true,
    summary: 'Delete a note',
    params: z.object({ device_id: z.string(), note_id: z.string() }),
  },
});
