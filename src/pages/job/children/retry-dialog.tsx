// Does a job again on some of its devices, after a look at what is there already: as further attempts of the job or of
// its parent, or, where there are none, as one new job for each.
import { withoutDownloadTokens } from '#/contract/mask-secrets.ts';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import type { Device } from '#/contract/devices.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { submittedAs } from '#/api/submitted.ts';
import { bulkDeploy, deployRequest } from '#/api/bulk.ts';
import { isParent } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { BulkFrame } from '#/features/bulk/bulk-frame.tsx';
import { BulkSteps, type BulkActionProps } from '#/features/bulk/bulk-steps.tsx';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { queryClient } from '#/api/query-client.ts';
import { queueQueries, type Queues } from '#/features/job-queue/queue-reader.ts';
import { isSameOrder, retriesOf, retryName } from '#/features/jobs/retry-name.ts';
import { paths } from '#/paths.ts';
import { AttemptDialog } from './attempt-dialog.tsx';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Link } from '#/ui/url/link.tsx';

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
  const { parent, isRead, showLast } = useParent(job);
  if (job.Attempts !== undefined)
    return <AttemptDialog {...props} ids={ids} {...(!isParent(job) && { onDone: showLast })} />;
  if (parent?.Attempts !== undefined) return <AttemptDialog {...props} job={parent} ids={ids} onDone={showLast} />;
  if (!isRead) return null;
  return (
    <BulkFrame title={`Retry ${which}: ${devicesText(ids.length)}`} ids={ids} stale={['jobs']} onClose={onClose}>
      {(frame) => <RetrySteps job={job} frame={frame} />}
    </BulkFrame>
  );
}

/** The parent of a child, and the way to the last attempt of its device in a parent. */
function useParent({ ParentJobId: id = '', DeviceId }: Job) {
  const navigate = useNavigate();
  const reading = useQuery({ ...jobQueries.one(id), enabled: id !== '', retry: false });
  const showLast = async (of: string) => {
    const children = await queryClient.query({ ...jobQueries.children(of), staleTime: 0 }).catch(() => []);
    const last = byAttempt(children).last.find((child) => child.DeviceId === DeviceId);
    void navigate(paths.job(last?.JobId || of), { replace: true });
  };
  return {
    parent: reading.data?.job,
    isRead: id === '' || !reading.isPending,
    showLast: (of: string) => void showLast(of),
  };
}

/**
 * What the job ran; where the service does not report it, what this browser submitted, an artifact with the same Command,
 * or what the user chooses.
 */
function useWork(job: Job) {
  const { Command } = job;
  const own = job.ArtifactId || job.WorkflowId ? undefined : submittedAs(job.JobId, job.ParentJobId);
  const { ArtifactId } = job;
  const WorkflowId = job.WorkflowId ?? own?.WorkflowId;
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: Boolean(ArtifactId) || !WorkflowId });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: !ArtifactId && Boolean(WorkflowId) });
  const [chosen, choose] = useState<string>();
  if (ArtifactId) {
    const lost = artifacts.data?.every((each) => each.ArtifactId !== ArtifactId) ? 'artifact' : undefined;
    return { work: { ArtifactId }, lost };
  }
  if (WorkflowId) {
    const lost = workflows.data?.every((each) => each.WorkflowId !== WorkflowId) ? 'workflow' : undefined;
    return { work: { WorkflowId }, lost };
  }
  const same = Command ? artifacts.data?.filter((each) => withoutDownloadTokens(each.Command) === Command) : undefined;
  const stillThere = artifacts.data?.find((each) => each.ArtifactId === own?.ArtifactId)?.ArtifactId;
  const id = chosen ?? stillThere ?? (same?.length === 1 ? same[0]?.ArtifactId : undefined) ?? '';
  const choices = artifacts.data?.map((each) => ({ value: each.ArtifactId, label: artifactText(each) })) ?? [];
  const field = (
    <NativeSelect
      label="Artifact"
      description={
        stillThere && id === stillThere
          ? 'This browser submitted it. The service does not report what this job ran.'
          : 'The service does not report what this job ran.'
      }
      value={id}
      onChange={({ currentTarget: { value } }) => choose(value)}
      data={[{ value: '', label: 'Choose an artifact' }, ...choices]}
    />
  );
  return { work: id ? { ArtifactId: id } : undefined, lost: undefined, field };
}

function RetrySteps({ job, frame }: { job: Job; frame: BulkActionProps }) {
  const { work, lost, field } = useWork(job);
  const list = useJobs({ name: retriesOf(job.JobName).trim() }, { most: 500 });
  const queues = useQuery(queueQueries.all());
  // List and queues grow by the new jobs themselves: name and plan are settled with the click.
  const [settled, setSettled] = useState<{ name: string; queues: Queues }>();
  const taken = list.data?.map(({ JobName }) => JobName);
  const name = settled?.name ?? (taken && retryName(job.JobName, taken));
  const made = useRef<string>(undefined);
  const workOf = (Name = '') => ({ Name, ...work });
  const queued = settled?.queues ?? queues.data;
  const fault =
    list.error || queues.error
      ? 'Waiting jobs could not be read.'
      : name === undefined || queued === undefined
        ? 'Reading waiting jobs.'
        : lost
          ? `The ${lost} of this job was deleted. Deploy another one to these devices.`
          : work
            ? undefined
            : 'Choose what this job ran.';
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
        const write = bulkDeploy(workOf(name));
        return Promise.resolve({
          ...write,
          send: async (device) => {
            const answer = await write.send(device);
            made.current = jobIdIn(answer);
            return answer;
          },
        });
      }}
      note={(change) => (
        <>
          <Readiness devices={change} queues={queued} />
          <p>
            {change.length === 1 ? 'It' : 'Each'} is named <strong>{name}</strong>.
          </p>
        </>
      )}
      onward={<Onward job={job} made={frame.devices.length === 1 ? made : undefined} />}
    >
      {/* With something here the plan shows why it cannot begin. */}
      {field ?? (fault !== undefined && <span hidden />)}
    </BulkSteps>
  );
}

const jobIdIn = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null && 'JobId' in answer && typeof answer.JobId === 'string'
    ? answer.JobId
    : undefined;

/** To the new jobs; from the page of a single job, a retry on its device opens by itself. */
function Onward({ job, made }: { job: Job; made: { current: string | undefined } | undefined }) {
  const navigate = useNavigate();
  const isSingle = !isParent(job);
  useEffect(() => {
    if (isSingle && made?.current) void navigate(paths.job(made.current), { replace: true });
  }, [isSingle, made, navigate]);
  return (
    <Button component={Link} to={paths.jobs({ name: retriesOf(job.JobName) })}>
      See the jobs
    </Button>
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
