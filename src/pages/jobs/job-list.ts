// Which jobs the list shows and in which order, from the URL.
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import type { Tag } from '#/contract/tags.ts';
import { artifactText } from '#/api/artifacts.ts';
import type { JobConditions } from '#/api/job-pages.ts';
import { isParent } from '#/contract/job-state.ts';
import { spanOf, timesOf } from '#/features/jobs/job-times.ts';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { VERDICTS, type Verdict } from '#/features/jobs/verdict.ts';
import { JOB_KINDS, isKind, isWithin, type JobKind } from '#/features/jobs/lately.ts';
import { outcomeOf, stateOf } from '#/features/jobs/outcome.ts';
import { sortPart, sortRows, type Sort } from '#/ui/table/sort.ts';
import { oneOf, optional, positive, plainText, urlSchema } from '#/ui/url/url-schema.ts';

const JOB_COLUMNS = ['name', 'target', 'state', 'submitted', 'started', 'took'] as const;

const KINDS = Object.keys(JOB_KINDS) as JobKind[];
const isKindName = (state: Verdict | JobKind): state is JobKind => KINDS.some((kind) => kind === state);

export const jobListUrl = urlSchema({
  /** A part of the name, ignoring letter case. */
  name: plainText,
  /** A state, or a group of states. */
  state: oneOf([...VERDICTS, ...KINDS]),
  /** Hours within which the job was active. */
  within: positive,
  // At most one of these three is set.
  device: plainText,
  group: plainText,
  tag: plainText,
  artifact: plainText,
  sort: sortPart(JOB_COLUMNS),
  dialog: optional,
  /** The job of the open dialog. */
  job: optional,
});

export type JobListView = Omit<typeof jobListUrl.defaults, 'dialog' | 'job'>;

/** The state after "Clear filters". */
export const NO_JOB_FILTER = {
  name: '',
  state: undefined,
  within: undefined,
  device: '',
  group: '',
  tag: '',
  artifact: '',
};

export const isJobListFiltered = ({ name, state, within, device, group, tag, artifact }: JobListView): boolean =>
  name.trim() !== '' || [state, within, device, group, tag, artifact].some(Boolean);

/** Whether a job or one of its devices is in this state: a running parent may already have failures. */
function isIn(job: Job, state: Verdict): boolean {
  if (stateOf(job) === state) return true;
  return state !== 'Succeeded' && state !== 'Finished' && (outcomeOf(job)?.[state] ?? 0) > 0;
}

/** Filtering by device finds only jobs to the device itself, not to its groups and tags. */
export function filterJobs(
  jobs: readonly Job[],
  { name, state, within, device, group, tag, artifact }: JobListView,
  now = new Date(),
): Job[] {
  const part = name.trim().toLowerCase();
  return jobs.filter(
    (job) =>
      (part === '' || job.JobName.toLowerCase().includes(part) || job.JobId.toLowerCase() === part) &&
      (device === '' || job.DeviceId === device) &&
      (group === '' || job.DeviceGroup === group) &&
      (tag === '' || job.TagId === tag) &&
      (artifact === '' || job.ArtifactId === artifact) &&
      (within === undefined || isWithin(job, within, now)) &&
      (state === undefined || (isKindName(state) ? isKind(job, state) : isIn(job, state))),
  );
}

/** The status condition for each state, for a service that filters jobs. */
const STATUSES: Record<Verdict | JobKind, string> = {
  moving: 'Waiting,Running',
  bad: 'Failed,RolledBack,NoAnswer,Interrupted',
  Failed: 'Failed',
  'Rolled back': 'RolledBack',
  'No answer': 'NoAnswer',
  Interrupted: 'Interrupted',
  Cancelled: 'Cancelled',
  Succeeded: 'Succeeded',
  // A service that filters jobs reports how they ended.
  Finished: '',
  Running: 'Running',
  Waiting: 'Waiting',
};
const HOUR = 3_600_000;

/** The filter as conditions for the service, which may match slightly more: the time is rounded to full hours. */
export function conditionsOf(
  { name, state, within, device, group, tag, artifact }: JobListView,
  now: Date,
): JobConditions {
  const target = device ? `device:${device}` : group ? `group:${group}` : tag ? `tag:${tag}` : '';
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  const status = state && STATUSES[state];
  return {
    ...(name.trim() && { name: name.trim() }),
    ...(status && { status }),
    ...(target && { target }),
    ...(artifact && { artifact }),
    ...(within !== undefined && { active: new Date(hour - within * HOUR).toISOString() }),
  };
}

/** `jobs`: newest first, which remains the order of equal jobs. */
export function sortJobs(jobs: Job[], sort: Sort | undefined, tags: Tag[] | undefined): Job[] {
  const by = JOB_COLUMNS.find((column) => column === sort?.by);
  if (!by) return jobs;
  const now = new Date();
  const keys: Record<typeof by, (job: Job) => string | number | undefined> = {
    name: ({ JobName, JobId }) => JobName || JobId,
    target: (job) => targetText(targetOf(job, tags)),
    state: (job) => VERDICTS.indexOf(stateOf(job)),
    submitted: (job) => timesOf(job).created?.getTime(),
    started: (job) => timesOf(job).started?.getTime(),
    took: (job) => spanOf(job, now),
  };
  return sortRows(jobs, keys[by], sort?.down ?? false);
}

export interface Choice {
  value: string;
  label: string;
}

const byLabel = (choices: ReadonlyMap<string, string>): Choice[] =>
  sortRows(
    Array.from(choices, ([value, label]) => ({ value, label })),
    ({ label }) => label,
    false,
  );

export type Choices = Record<'devices' | 'groups' | 'tags' | 'artifacts', Choice[]>;

/** The targets and artifacts of the jobs of a list. */
export function choicesOf(jobs: readonly Job[], tags: Tag[] = [], artifacts: readonly Artifact[] = []): Choices {
  const found = {
    devices: new Map<string, string>(),
    groups: new Map<string, string>(),
    tags: new Map<string, string>(),
    artifacts: new Map<string, string>(),
  };
  const names = new Map(artifacts.map((artifact) => [artifact.ArtifactId, artifactText(artifact)]));
  for (const job of jobs) {
    if (job.ArtifactId) found.artifacts.set(job.ArtifactId, names.get(job.ArtifactId) || `Deleted, ${job.ArtifactId}`);
    if (!isParent(job)) {
      if (job.DeviceId) found.devices.set(job.DeviceId, job.DeviceName || job.DeviceId);
    } else if (job.DeviceGroup) found.groups.set(job.DeviceGroup, job.DeviceGroup);
    else if (job.TagId) {
      const target = targetOf(job, tags);
      found.tags.set(job.TagId, target.kind === 'tag' ? target.name : job.TagId);
    }
  }
  return {
    devices: byLabel(found.devices),
    groups: byLabel(found.groups),
    tags: byLabel(found.tags),
    artifacts: byLabel(found.artifacts),
  };
}
