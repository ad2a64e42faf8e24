// The URL state of a job's page: how its devices are filtered and sorted, and what is open.
import { spanPart } from '#/features/job-picture/brush-url.ts';
import { VERDICTS } from '#/features/jobs/verdict.ts';
import { sortPart } from '#/ui/table/sort.ts';
import { oneOf, optional, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export const jobUrl = urlSchema({
  /** A part of a device's name or output, ignoring letter case. */
  name: plainText,
  state: oneOf(VERDICTS),
  /** The selected parts of the picture's axes: when devices ran, and how long they took. */
  time: spanPart,
  took: spanPart,
  sort: sortPart(['device', 'site', 'group', 'state', 'exit', 'started', 'duration']),
  /** The device whose output is open. */
  child: optional,
  /** State of that output, kept here so that closing the output clears it. */
  log: optional,
  line: optional,
  /** The open group of failures, and the log shown as its example. */
  failures: optional,
  example: oneOf(['end']),
  dialog: optional,
});

export type JobUrl = typeof jobUrl.defaults;
