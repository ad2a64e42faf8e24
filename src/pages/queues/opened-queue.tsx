// The complete queue of one device in execution order, with stale jobs marked.
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { QueuedJob } from '#/features/job-queue/queues.ts';
import { jobsText, staleWarning } from '#/features/jobs/job-words.ts';
import { StopJobDialog } from '#/features/jobs/job-dialogs.tsx';
import { StaleMark } from '#/features/job-queue/stale-mark.tsx';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName } from '#/ui/table/table.tsx';
import { formatCount } from '#/lib/format.ts';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { QueueRow } from './queue-rows.ts';
import classes from './queues.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

export function QueuedJobLink({ job: { JobId, JobName, ParentJobId } }: { job: QueuedJob }) {
  return (
    <Link to={ParentJobId ? paths.childJob(ParentJobId, JobId) : paths.job(JobId)} className={rowName}>
      <MiddleEllipsis text={JobName || JobId} />
    </Link>
  );
}

/** What will happen to these jobs, in one sentence. */
function fate({ status, waiting, running }: QueueRow): string {
  const jobs = jobsText(waiting.length);
  if (waiting.length === 0) return 'Nothing waits behind the running job.';
  const order = waiting.length === 1 ? '' : ', one at a time in this order';
  if (status === 'Offline' || status === 'NotConnected')
    return `When it ${status === 'Offline' ? 'reconnects' : 'connects for the first time'}, ${waiting.length === 1 ? 'this job runs' : `these ${jobs} run`}${order}.`;
  if (status === 'Online')
    return `${running.length > 0 ? 'After what runs now' : 'It is online'}: ${waiting.length === 1 ? 'this job runs' : `these ${jobs} run`}${order}.`;
  return `${waiting.length === 1 ? 'This job runs' : `These ${jobs} run`}${order}.`;
}

interface OpenedQueueProps {
  row: QueueRow;
  /** "app.tar.gz 1.2.0"; undefined for an unknown artifact. */
  artifactText: (id: string | undefined) => string | undefined;
  onRemove: () => void;
}

export function OpenedQueue({ row, artifactText, onRemove }: OpenedQueueProps) {
  const { name, status, running, waiting, stale } = row;
  const noRemove = useMay(jobEndpoints.remove, 'Removing jobs');
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const [stopping, setStopping] = useState<QueuedJob>();
  const [shown, more] = useMoreRows([...running, ...waiting]);
  return (
    <section aria-label={`Queue of ${name}`} className={classes.opened}>
      <header>
        <div>
          <p>{fate(row)}</p>
          {stale.size > 0 && (
            <p className={classes.warn}>
              <strong>{staleWarning(stale.size, status === 'Online')}</strong>
            </p>
          )}
        </div>
        {stale.size > 0 && (
          <Gate why={noRemove}>
            <Button size="xs" color="red" variant="light" onClick={onRemove}>
              Remove {stale.size === 1 ? 'the stale job' : `the ${formatCount(stale.size)} stale jobs`}…
            </Button>
          </Gate>
        )}
      </header>
      <ol>
        {shown.map((job, index) => {
          const reasons = stale.get(job);
          const artifact = artifactText(job.ArtifactId);
          const isRunning = job.state === 'Running';
          return (
            <li key={job.JobId} data-stale={reasons !== undefined || undefined}>
              <span className={classes.position}>
                {isRunning ? (
                  <StateMark state="Running" label={<span className="visually-hidden">Running</span>} />
                ) : (
                  formatCount(index + 1 - running.length)
                )}
              </span>
              <span className={classes.job}>
                <QueuedJobLink job={job} />
                {artifact && artifact !== job.JobName && (
                  <span className="dim">
                    <bdi>{artifact}</bdi>
                  </span>
                )}
                {job.ParentJobId && <span className="dim">part of a larger job</span>}
              </span>
              <span className="dim">
                {isRunning ? 'running, submitted ' : 'waiting since '}
                <Time at={job.created} />
              </span>
              {reasons && <StaleMark reasons={reasons} />}
              {job.canStop && (
                <Gate why={noStop}>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="gray"
                    className={classes.stop}
                    aria-label={`Stop ${job.JobName || job.JobId}`}
                    onClick={() => setStopping(job)}
                  >
                    Stop…
                  </Button>
                </Gate>
              )}
            </li>
          );
        })}
      </ol>
      {more}
      {stopping && <StopJobDialog job={stopping} state={stopping.state} onClose={() => setStopping(undefined)} />}
    </section>
  );
}
