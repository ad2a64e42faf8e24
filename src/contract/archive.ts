// The archive, an addition: ended jobs that no longer appear in lists, with their output. `POST /v1/bulk` archives and
// restores them; a single one is still read by its id.
import * as z from 'zod/mini';
import { number, text } from '#/contract/endpoint.ts';
import { job } from '#/contract/jobs.ts';
import { resource } from '#/contract/resource.ts';

/** Most jobs named in one request. */
const MAX_EXPORTED = 200;

/** A match of a search, which ignores letter case. */
const archiveHit = z.object({
  /** The job, or one of its children. */
  JobId: z.string(),
  DeviceName: text,
  /** Result: why it ended. */
  In: z.enum(['JobName', 'Command', 'DeviceName', 'Stdout', 'Stderr', 'Result']),
  /** Number of the line in the stream, from 1. */
  Line: number,
  /** The line, shortened around the match. */
  Text: text,
});
export type SearchHit = z.output<typeof archiveHit>;

const archivedJob = z.object({
  /** As in the list of jobs. */
  Job: job,
  /** Size of the stored output of the job and its children. */
  OutputBytes: number,
  /** In a search: at most five per stream. The following pages may have more for the same job. */
  Hits: z.optional(z.array(archiveHit)),
  /** Whether the job has more matches than a search shows. */
  MoreHits: z.optional(z.boolean()),
});
export type ArchiveItem = z.output<typeof archivedJob>;

export const archiveEndpoints = resource('archive', { poll: 15_000, follows: ['jobs'] }).operations({
  /**
   * With `search`, only jobs with that text in names, commands or any stored output. Each page is sent within a fraction
   * of a second with the hits so far, and Next continues from there. `limit`: jobs, or hits of a search.
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
      /** What this page searched: completed jobs, and bytes of output. */
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
              (ids) => ids !== '' && ids.split(',').length <= MAX_EXPORTED,
              `must be 1 to ${MAX_EXPORTED} ids with commas`,
            ),
          ),
      ),
    }),
    file: 'application/zip',
  },
});
