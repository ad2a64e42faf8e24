// The archive, an addition: ended jobs that lists do not show any more, with their output. `POST /v1/bulk` archives and
// restores them; one of them is read by its id as before.
import * as z from 'zod/mini';
import { number, text } from '#/contract/endpoint.ts';
import { job } from '#/contract/jobs.ts';
import { resource } from '#/contract/resource.ts';

/** Most jobs that one request names. */
const MOST_EXPORTED = 200;

/** A text that the search found. The letter case does not matter. */
const archiveHit = z.object({
  /** The job, or one of its children. */
  JobId: z.string(),
  DeviceName: text,
  /** Result: why it ended. */
  In: z.enum(['JobName', 'Command', 'DeviceName', 'Stdout', 'Stderr', 'Result']),
  /** In the stream, from 1. */
  Line: number,
  /** The line, shortened around what was found. */
  Text: text,
});
export type SearchHit = z.output<typeof archiveHit>;

const archivedJob = z.object({
  /** As in the list of jobs. */
  Job: job,
  /** Output that is stored of it and its children. */
  OutputBytes: number,
  /** Of a search: at most five of each stream. The same job may have more in the following answers. */
  Hits: z.optional(z.array(archiveHit)),
  /** There are more than the search shows of one job. */
  MoreHits: z.optional(z.boolean()),
});
export type ArchiveItem = z.output<typeof archivedJob>;

export const archiveEndpoints = resource('archive', { poll: 15_000, follows: ['jobs'] }).operations({
  /**
   * With `search`, only jobs with that text in names, commands and all stored output. An answer comes after a part of a
   * second at the latest, with what was found by then, and Next goes on from there. `limit`: jobs, or hits of a search.
   */
  list: {
    method: 'GET',
    path: '/v1/archive',
    permission: 'read',
    addition: true,
    summary: 'List archived jobs, those archived last first; or search their names, commands and output',
    query: z.object({
      limit: z.optional(
        z.string().check(z.regex(/^([1-9]\d?|[1-4]\d\d|500)$/, 'must be a whole number from 1 to 500')),
      ),
      before: z.optional(z.string().check(z.regex(/^(\d{1,16}(\.\d{1,16}){1,3})?$/, 'must be a Next of this list'))),
      search: z.optional(z.string().check(z.maxLength(500))),
    }),
    response: z.object({
      Items: z.array(archivedJob),
      /** '' at the end. */
      Next: z.string(),
      /** Archived jobs of the account. */
      Total: number,
      /** How far this answer has looked: jobs to their end, and bytes of output. */
      Searched: z.optional(z.object({ Jobs: number, Bytes: number })),
    }),
  },
  export: {
    method: 'GET',
    path: '/v1/archive.zip',
    permission: 'read',
    addition: true,
    summary: 'Get archived jobs with all their output as a ZIP file: those with these ids, or all',
    query: z.object({
      jobs: z.optional(
        z
          .string()
          .check(
            z.refine(
              (ids) => ids !== '' && ids.split(',').length <= MOST_EXPORTED,
              `must be 1 to ${MOST_EXPORTED} ids with commas`,
            ),
          ),
      ),
    }),
    file: 'application/zip',
  },
});
