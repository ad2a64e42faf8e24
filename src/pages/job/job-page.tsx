// One job: its state and its output. A job to a group or tag shows why it failed and its devices, a job to one device its
// log.
import { useMemo } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { FollowedJob } from '#/api/job-output.ts';
import { isMissing } from '#/api/api-error.ts';
import { deviceQueries } from '#/api/devices.ts';
import { useOffered } from '#/api/capabilities.ts';
import { canStop, isMoving, isParent, isStopping, jobState } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { OriginLine } from '#/features/audit-link/origin.tsx';
import { useSmallFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { FAILURES, verdictOf, type Judgement, type VerdictCounts } from '#/features/jobs/verdict.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { useDeferredQuery } from '#/ui/use-deferred-query.ts';
import { Empty, NoDataYet, Skeleton, View } from '#/ui/page/view.tsx';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { deployAgain, keysOf, whyNoRetry, type ChildJobs } from './children/child-jobs.ts';
import { useChildRows } from './children/use-child-rows.ts';
import { JobChildren } from './job-children.tsx';
import { JobProgress } from './job-progress.tsx';
import { ChildrenPicture } from './children-picture.tsx';
import { JobFacts } from './job-facts.tsx';
import { JobLog } from './job-log.tsx';
import { ALREADY_ASKED, explainWaiting } from '#/features/jobs/job-words.ts';
import { countChildren, jobWords } from '#/features/jobs/outcome.ts';
import { DeleteJobDialog, StopJobDialog } from '#/features/jobs/job-dialogs.tsx';
import { VerdictMark } from '#/features/jobs/verdict-mark.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { jobUrl } from './children/job-url.ts';
import { useOutcome } from './use-job-outcome.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './job-page.module.css';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const RetryDialog = lazyDialog(() => import('./children/retry-dialog.tsx'), 'RetryDialog');
const RulesDialog = lazyDialog(() => import('#/features/rule-editor/rules-dialog.tsx'), 'RulesDialog');
const EndedJobsDialog = lazyDialog(() => import('#/features/job-archive/ended-jobs-dialog.tsx'), 'EndedJobsDialog');
const FailuresPanel = lazyPart(() => import('./failures/failures-panel.tsx'), 'FailuresPanel');

export function JobPage() {
  const { id = '' } = useParams();
  const job = useDeferredQuery(useQuery(jobQueries.one(id)));
  if (job.data) return <FoundJob key={id} followed={job.data} query={job} />;
  return (
    <Page title="Job" back={<Link to={paths.jobs()}>Jobs</Link>}>
      {isMissing(job.error) ? (
        <Empty title="There is no such job" next={{ label: 'All jobs', to: paths.jobs() }}>
          It may have been deleted.
        </Empty>
      ) : (
        <NoDataYet query={job} name="the job" />
      )}
    </Page>
  );
}

function FoundJob({
  followed,
  query,
}: {
  followed: FollowedJob;
  query: ReturnType<typeof useDeferredQuery<FollowedJob>>;
}) {
  const { complete, job } = followed;
  const [{ dialog, child }, url] = useUrlState(jobUrl);
  const navigate = useNavigate();
  const outcome = useOutcome(job);
  // A log can be judged only once all of it has been read.
  const judgement = isParent(job) || !complete ? undefined : verdictOf(job);
  const words = jobWords(job, outcome);
  const name = job.JobName || 'Job without a name';
  const close = () => url.close('dialog');
  const isParentJob = isParent(job);
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const noDelete = useMay(jobEndpoints.remove, 'Deleting jobs');
  return (
    <Page
      title={name}
      heading={
        <span className={classes.heading}>
          <bdi>{name}</bdi> {judgement ? <VerdictMark judgement={judgement} /> : <StateOf words={words} />}
        </span>
      }
      state={judgement ? { label: judgement.verdict, mark: judgement.verdict } : words}
      back={
        job.ParentJobId ? (
          <Link to={paths.childJob(job.ParentJobId, job.JobId)}>All devices of this job</Link>
        ) : job.ArchivedTime === undefined ? (
          <Link to={paths.jobs()}>Jobs</Link>
        ) : (
          <Link to={paths.archive()}>Archive</Link>
        )
      }
      actions={
        <>
          {!isParentJob && !isMoving(job) && <RetryButton job={job} onClick={() => url.open({ dialog: 'retry' })} />}
          {job.RuleName !== undefined && (
            <Button variant="default" onClick={() => url.open({ dialog: 'rules' })}>
              Outcome rules…
            </Button>
          )}
          {canStop(job) && (
            <Gate why={noStop ?? (isStopping(job) ? ALREADY_ASKED : undefined)}>
              <Button variant="default" onClick={() => url.open({ dialog: 'stop' })}>
                Stop…
              </Button>
            </Gate>
          )}
          <ArchiveButton job={job} onClick={(action) => url.open({ dialog: action })} />
          <Gate why={noDelete}>
            <Button variant="default" onClick={() => url.open({ dialog: 'delete' })}>
              Delete…
            </Button>
          </Gate>
        </>
      }
    >
      <View query={query} name="the job" empty={null}>
        {() => (
          <>
            <JobFacts job={job} />
            {isStopping(job) && (
              <p className={classes.note}>
                Stop requested (<Timestamp text={job.StopTime} />
                ). Offline devices stop it when they reconnect.
              </p>
            )}
            {outcome ? (
              <ParentBody job={job} outcome={outcome} />
            ) : (
              <SingleBody followed={followed} judgement={judgement} />
            )}
            {!job.ParentJobId && <OriginLine object={job.JobId} />}
          </>
        )}
      </View>
      <RetryDialog
        open={dialog === 'retry' && !isParentJob && { job, targets: [job], which: 'this job', onClose: close }}
      />
      <RulesDialog open={dialog === 'rules' && !!job.RuleName && { name: job.RuleName, job, child, onClose: close }} />
      <EndedJobsDialog
        open={(dialog === 'archive' || dialog === 'unarchive') && { action: dialog, jobs: [job], onClose: close }}
      />
      {dialog === 'stop' && canStop(job) && (
        <StopJobDialog job={job} state={jobState(job)} outcome={outcome} onClose={close} />
      )}
      {dialog === 'delete' && (
        <DeleteJobDialog
          job={job}
          outcome={outcome}
          onClose={close}
          onDeleted={() => void navigate(paths.jobs(), { replace: true })}
        />
      )}
    </Page>
  );
}

/** On a service without attempts, a job is retried by another deploy to its device. */
function RetryButton({ job, onClick }: { job: Job; onClick: () => void }) {
  const hasAttempts = useOffered('jobs');
  const noRetry = useMay(jobEndpoints.submit, 'Retrying', { WorkflowId: job.WorkflowId });
  const { DeviceId } = job;
  if (hasAttempts === false)
    return (
      DeviceId && (
        <Gate why={noRetry}>
          <Button variant="default" component={Link} to={paths.deploy(deployAgain(job))}>
            Deploy again
          </Button>
        </Gate>
      )
    );
  const reason = whyNoRetry(job, DeviceId ? 1 : 0);
  return (
    <Gate why={noRetry ?? reason}>
      <Button variant="default" onClick={onClick}>
        Retry…
      </Button>
    </Gate>
  );
}

/** Archives an ended job or restores an archived one, if the service has an archive. */
function ArchiveButton({ job, onClick }: { job: Job; onClick: (action: 'archive' | 'unarchive') => void }) {
  const hasArchive = useOffered('archive') === true;
  const noArchive = useMay(bulkEndpoints.create, job.ArchivedTime === undefined ? 'Archiving jobs' : 'Restoring jobs', {
    Action: 'archive',
  });
  if (!hasArchive || job.ParentJobId) return null;
  if (job.ArchivedTime !== undefined)
    return (
      <Gate why={noArchive}>
        <Button variant="default" onClick={() => onClick('unarchive')}>
          Restore…
        </Button>
      </Gate>
    );
  const reason = isMoving(job) ? 'Only an ended job can be archived' : undefined;
  return (
    <Gate why={noArchive ?? reason}>
      <Button variant="default" onClick={() => onClick('archive')}>
        Archive…
      </Button>
    </Gate>
  );
}

function ParentBody({ job, outcome }: { job: Job; outcome: VerdictCounts }) {
  const { query, rows: all, outputs } = useChildRows(job.JobId);
  const fleet = useSmallFleet(query.data !== undefined);
  const { last: rows, earlier } = useMemo(() => byAttempt(all), [all]);
  const jobs = useMemo((): ChildJobs => {
    const keys = keysOf(all);
    const byKey = new Map(Array.from(keys, ([row, key]) => [key, row]));
    return { rows, counts: countChildren(rows), earlier, outputs, keys, byKey };
  }, [all, rows, earlier, outputs]);
  const failed = FAILURES.some((verdict) => jobs.counts[verdict]);
  return (
    <>
      <JobProgress job={job} outcome={outcome} rows={rows} />
      <View
        query={query}
        name="the devices of this job"
        isEmpty={(list) => list.rows.length === 0}
        empty={<Empty title="No devices">The service lists no child jobs for this job.</Empty>}
      >
        {() => (
          <>
            <FailuresPanel open={failed && { job, jobs }} fallback={<Skeleton name="the failures" rows={3} />} />
            {rows.length > 1 && <ChildrenPicture jobs={jobs} />}
            <JobChildren parent={job} jobs={jobs} fleet={fleet} />
          </>
        )}
      </View>
    </>
  );
}

function SingleBody({ followed, judgement }: { followed: FollowedJob; judgement: Judgement | undefined }) {
  const { job } = followed;
  const waiting = jobState(job) === 'Waiting';
  const device = useQuery({
    ...deviceQueries.one(job.DeviceId),
    enabled: waiting && job.DeviceId !== '',
    retry: false,
  });
  const online = device.data && device.data.DeviceStatus === 'Online';
  return (
    <div className={classes.single}>
      {waiting && <p className={classes.note}>{explainWaiting(online)}</p>}
      <JobLog
        job={job}
        followed={followed}
        judgement={judgement}
        device={job.DeviceName || job.DeviceId || 'the job'}
      />
    </div>
  );
}
