// The jobs that deployed an artifact, the latest first: what, to which devices, when, by whom and with which outcome.
import { useMemo } from 'react';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import { CreatedBy } from '#/features/audit-link/origin.tsx';
import { TargetLink } from '#/features/jobs/job-links.tsx';
import { timesOf } from '#/features/jobs/job-times.ts';
import { targetOf } from '#/features/jobs/job-words.ts';
import { awaitedOffline, jobWords, outcomeOf, totalOf } from '#/features/jobs/outcome.ts';
import { OutcomeCell } from '#/features/jobs/outcome-bar.tsx';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './artifact-page.module.css';

/** The most versions whose jobs are read: the newest ones. */
const MOST_VERSIONS = 50;
const FIRST = 10;

/** The jobs that deployed one of these. */
export function useDeployments(own: readonly Artifact[]) {
  const ids = useMemo(() => new Set(own.slice(0, MOST_VERSIONS).map(({ ArtifactId }) => ArtifactId)), [own]);
  const jobs = useJobs({ artifact: [...ids].join(',') }, { enabled: ids.size > 0 });
  const { data } = jobs;
  // Where the service cannot filter them, these are all jobs.
  const used = useMemo(() => {
    if (ids.size === 0) return [];
    const isReported = data?.some(({ ArtifactId, WorkflowId }) => ArtifactId !== undefined || WorkflowId !== undefined);
    return isReported ? data?.filter(({ ArtifactId = '' }) => ids.has(ArtifactId)) : data;
  }, [data, ids]);
  return { ...jobs, data: used };
}

interface ArtifactDeploymentsProps {
  reading: Parameters<typeof View<Job[]>>[0]['query'];
  own: readonly Artifact[];
  /** Whether the service says which artifact a job runs. */
  isReported: boolean;
}

const keyOf = ({ JobId }: Job) => JobId;

export function ArtifactDeployments({ reading, own, isReported }: ArtifactDeploymentsProps) {
  return (
    <Section title="Deployments">
      {isReported ? (
        <View
          query={reading}
          name="the deployments"
          rows={3}
          isEmpty={({ length }) => length === 0}
          empty={<p className="dim">No jobs use it.</p>}
        >
          {(jobs) => <Jobs jobs={jobs} own={own} />}
        </View>
      ) : (
        <p className="dim">This service does not report which jobs use it.</p>
      )}
    </Section>
  );
}

function Jobs({ jobs, own }: { jobs: readonly Job[]; own: readonly Artifact[] }) {
  const [shown, more] = useMoreRows(jobs, FIRST);
  const versionOf = (id: string | undefined) => own.find(({ ArtifactId }) => ArtifactId === id)?.Version ?? '';
  const columns: Column<Job>[] = [
    {
      header: 'Version',
      width: '12%',
      phone: 'second',
      cell: ({ ArtifactId }) => <bdi>{versionOf(ArtifactId)}</bdi>,
    },
    {
      header: 'Job',
      cell: ({ JobId, JobName }) => (
        <Link to={paths.job(JobId)} className={rowName}>
          <MiddleEllipsis text={JobName || 'Without a name'} />
        </Link>
      ),
    },
    { header: 'Target', width: '18%', phone: 'second', cell: (job) => <TargetLink target={targetOf(job)} /> },
    {
      header: 'Deployed',
      width: '20%',
      phone: 'end',
      cell: (job) => (
        <>
          <Time at={timesOf(job).created} raw={job.CreatedTime} />
          <CreatedBy object={job.JobId} />
        </>
      ),
    },
    {
      header: 'Outcome',
      width: '28%',
      phone: 'wide',
      cell: (job) => {
        const outcome = outcomeOf(job);
        return (
          <span className={classes.outcome}>
            <StateOf words={jobWords(job, outcome)} />
            {outcome && totalOf(outcome) > 0 && (
              <OutcomeCell outcome={outcome} of={job.JobName || job.JobId} awaits={awaitedOffline(job)} />
            )}
          </span>
        );
      },
    },
  ];
  return (
    <>
      <DataTable name="Deployments" columns={columns} rows={shown} rowKey={keyOf} />
      {more}
    </>
  );
}
