// The jobs that use an artifact, as links.
import type { Job } from '#/contract/jobs.ts';
import { countsOf } from '#/contract/job-state.ts';
import { jobWords } from '#/features/jobs/outcome.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './artifact-jobs.module.css';

interface ArtifactJobsProps {
  jobs: readonly Job[];
  /** What they are, for screen readers. */
  name: string;
  most: number;
}

/** A group's or tag's job by how many of its devices still wait. */
const targetOf = (job: Job): string => {
  const { DeviceName, DeviceId, DeviceGroup } = job;
  const counts = countsOf(job);
  if (counts) return `${DeviceGroup ? `group ${DeviceGroup}, ` : ''}${formatCount(counts.Waiting ?? 0)} waiting`;
  return DeviceName || DeviceId;
};

export function ArtifactJobs({ jobs, name, most }: ArtifactJobsProps) {
  return (
    <>
      <ul className={classes.jobs} aria-label={name}>
        {jobs.slice(0, most).map((job) => (
          <li key={job.JobId}>
            <Link to={paths.job(job.JobId)}>{job.JobName || 'Without a name'}</Link>
            <span className="dim">{targetOf(job)}</span>
            <StateOf words={jobWords(job)} />
          </li>
        ))}
      </ul>
      {jobs.length > most && <p className="dim">and {formatCount(jobs.length - most)} more</p>}
    </>
  );
}
