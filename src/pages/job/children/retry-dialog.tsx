// Does a job again on some of its devices, after a look at what is there already: as further attempts of the job, or, on a
// service without these, as one new job for each.
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import type { Device } from '#/contract/devices.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { bulkDeploy, deployRequest } from '#/api/bulk.ts';
import { JOBS_CHANGED, jobQueries } from '#/api/jobs.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { BulkFrame } from '#/features/bulk/bulk-frame.tsx';
import { BulkSteps, type BulkActionProps } from '#/features/bulk/bulk-steps.tsx';
import { queueQueries, type Queues } from '#/features/job-queue/queue-reader.ts';
import { isSameOrder, retriesOf, retryName } from '#/features/jobs/retry-name.ts';
import { paths } from '#/paths.ts';
import { AttemptDialog } from './attempt-dialog.tsx';
import { devicesText, formatCount } from '#/lib/format.ts';

interface RetryDialogProps {
  job: Job;
  /** Its jobs of single devices that are done again. */
  targets: readonly Job[];
  /** Which of them, for the title: "the failed". */
  which: string;
  onClose: () => void;
}

export function RetryDialog(props: RetryDialogProps) {
  const { job, targets, which, onClose } = props;
  // What was asked about is what is done, whatever else fails meanwhile.
  const [ids] = useState(() => [...new Set(targets.map(({ DeviceId }) => DeviceId).filter(Boolean))]);
  if (job.Attempts !== undefined) return <AttemptDialog {...props} ids={ids} />;
  return (
    <BulkFrame title={`Retry ${which}: ${devicesText(ids.length)}`} ids={ids} stale={JOBS_CHANGED} onClose={onClose}>
      {(frame) => <RetrySteps job={job} frame={frame} />}
    </BulkFrame>
  );
}

function RetrySteps({ job, frame }: { job: Job; frame: BulkActionProps }) {
  const { ArtifactId, WorkflowId } = job;
  const list = useQuery(jobQueries.list());
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: Boolean(ArtifactId) });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: !ArtifactId && Boolean(WorkflowId) });
  const lost =
    (ArtifactId && artifacts.data?.every((each) => each.ArtifactId !== ArtifactId) && 'artifact') ||
    (!ArtifactId && WorkflowId && workflows.data?.every((each) => each.WorkflowId !== WorkflowId) && 'workflow');
  const queues = useQuery(queueQueries.all());
  // List and queues grow by the new jobs themselves: name and plan are settled with the click.
  const [settled, setSettled] = useState<{ name: string; queues: Queues }>();
  const taken = list.data?.map(({ JobName }) => JobName);
  const name = settled?.name ?? (taken && retryName(job.JobName, taken));
  const workOf = (Name = '') => ({ Name, ...(ArtifactId ? { ArtifactId } : { WorkflowId: WorkflowId ?? '' }) });
  const queued = settled?.queues ?? queues.data;
  const fault =
    list.error || queues.error
      ? 'Waiting jobs could not be read.'
      : name === undefined || queued === undefined
        ? 'Reading waiting jobs.'
        : lost
          ? `The ${lost} of this job was deleted. Deploy another one to these devices.`
          : undefined;
  return (
    <BulkSteps
      {...frame}
      what="Retry"
      whySkipped={({ DeviceId }) => {
        // Never twice: the same order may be on its way there from an earlier retry, or still wait.
        const other = queued?.get(DeviceId)?.find(({ JobName }) => isSameOrder(JobName, job.JobName));
        return other && `It has “${other.JobName}” already, which has not ended`;
      }}
      does={['gets a new job', 'get a new job each']}
      fault={fault}
      button={(count) => `Retry on ${devicesText(count)}`}
      typed={frame.devices.length > 1}
      requests={(change) => change.map(deployRequest(workOf(name)))}
      write={() => {
        if (name === undefined || !queued) return Promise.reject(new Error('Waiting jobs are still being read'));
        setSettled({ name, queues: queued });
        return bulkDeploy(workOf(name));
      }}
      note={(change) => (
        <>
          <Readiness devices={change} queues={queued} />
          <p>
            {change.length === 1 ? 'It' : 'Each'} is named <strong>{name}</strong>.
          </p>
        </>
      )}
      onward={
        <Button component={Link} to={paths.jobs({ name: retriesOf(job.JobName) })}>
          See the jobs
        </Button>
      }
    >
      {/* With something here the plan shows why it cannot begin. */}
      {fault !== undefined && <span hidden />}
    </BulkSteps>
  );
}

/** How many of the devices run the new job now, how many only later, and how many have something else to do before. */
function Readiness({ devices, queues }: { devices: Device[]; queues: Queues | undefined }) {
  const online = devices.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
  const waiting = devices.length - online;
  const busy = devices.filter(({ DeviceId }) => queues?.has(DeviceId)).length;
  return (
    <>
      <p>
        {online > 0 &&
          `${formatCount(online)} ${online === 1 ? 'is' : 'are'} Online: it runs there after what is queued. `}
        {waiting > 0 &&
          `${formatCount(waiting)} ${waiting === 1 ? 'is' : 'are'} not Online: it waits there until the device connects.`}
      </p>
      {busy === 1 && <p>1 has another job queued, which runs first.</p>}
      {busy > 1 && <p>{formatCount(busy)} have other jobs queued, which run before.</p>}
    </>
  );
}
