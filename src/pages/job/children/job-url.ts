// The URL state of a job's page: how its devices are filtered and sorted, and what is opened over them.
import { VERDICTS } from '#/features/jobs/verdict.ts';
import { sortPart } from '#/ui/table/sort.ts';
import { oneOf, optional, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export const jobUrl = urlSchema({
  /** A part of a device's name or output, in any letter case. */
  name: plainText,
  state: oneOf(VERDICTS),
  sort: sortPart(['device', 'site', 'group', 'state', 'exit', 'started', 'duration']),
  /** The device whose output is opened. */
  child: optional,
  /** Of that output; here so that closing it takes them along. */
  log: optional,
  line: optional,
  /** The group of failures that is opened, and what is shown as its example. */
  failures: optional,
  example: oneOf(['end']),
  dialog: optional,
});

export type JobUrl = typeof jobUrl.defaults;
