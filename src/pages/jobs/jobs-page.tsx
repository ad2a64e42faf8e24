// All jobs with their current state, newest first by default.
import { Button } from '@mantine/core';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { useOffered } from '#/api/capabilities.ts';
import { canStop, isMoving, isStopping, jobState } from '#/contract/job-state.ts';
import { JobTabs } from '#/features/page-tabs/page-tabs.tsx';
import { outcomeOf } from '#/features/jobs/outcome.ts';
import { DeleteJobDialog, StopJobDialog } from '#/features/jobs/job-dialogs.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import { Page } from '#/ui/page/page.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { JobFilters } from './job-filters.tsx';
import { NO_JOB_FILTER, isJobListFiltered, jobListUrl } from './job-list.ts';
import { jobSelection } from './job-selection.ts';
import { JobsTable } from './jobs-table.tsx';
import { useJobList } from './use-job-list.ts';
import classes from './jobs.module.css';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** From here on the page advises to tidy up: "executed jobs should be deleted to keep the job queue short" (v1.md). */
const MANY_EXECUTED = 200;

const EndedJobsDialog = lazyDialog(() => import('#/features/job-archive/ended-jobs-dialog.tsx'), 'EndedJobsDialog');
const StopJobsDialog = lazyDialog(() => import('./stop-jobs-dialog.tsx'), 'StopJobsDialog');

const canBeStopped = (job: Job) => canStop(job) && !isStopping(job);
const isExecuted = (job: Job) => !isMoving(job);

export function JobsPage() {
  const [view, url] = useUrlState(jobListUrl);
  const { jobs, all, find, shown, choices, tags, isDeviceAlone, isSortable, count, more, readRest } = useJobList(view);
  const selected = useStore(jobSelection);
  const filtered = isJobListFiltered(view);
  const executed = shown.filter(isExecuted);
  const picked = selected.size === 0 ? [] : all.filter(({ JobId }) => selected.has(JobId));
  const { dialog } = view;
  // Without an archive, ended jobs can only be deleted.
  const archive = useOffered('archive');
  const hasArchive = archive === true;
  const toArchive = dialog === 'archive' || dialog === 'archive-selected';
  const toDelete = dialog === 'delete-ended' || dialog === 'delete-selected';
  const toStop = useSnapshot(dialog === 'stop-selected', () =>
    picked.length > 0 ? picked.filter(canBeStopped) : undefined,
  );
  const subject = all.find(({ JobId }) => JobId === view.job);
  const close = () => url.close('dialog', 'job');
  const openEnded = async () => {
    await readRest();
    url.open({ dialog: hasArchive ? 'archive' : 'delete-ended' });
  };
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noEnded = useMay(bulkEndpoints.create, hasArchive ? 'Archiving jobs' : 'Deleting jobs', {
    Action: hasArchive ? 'archive' : 'delete',
  });
  const verb = archive === false ? 'Delete' : 'Archive';
  const isList = picked.length === 0 || dialog === 'archive' || dialog === 'delete-ended';
  const of = isList ? shown : picked;
  return (
    <Page
      title="Jobs"
      lead="What was deployed, newest first."
      actions={
        <>
          <Gate why={noEnded ?? (executed.length === 0 ? 'There is no executed job in this list' : undefined)}>
            <Button loading={more?.isFetchingNextPage ?? false} onClick={() => void openEnded()}>
              {verb} executed…
            </Button>
          </Gate>
          <Gate why={noDeploy}>
            <Button variant="filled" component={Link} to={paths.deploy()}>
              Deploy
            </Button>
          </Gate>
        </>
      }
    >
      <JobTabs />
      <View
        query={jobs}
        name="jobs"
        isEmpty={(rows) => rows.length === 0}
        empty={
          <Empty title="No jobs yet" scoped next={{ label: 'Deploy something', to: paths.deploy(), why: noDeploy }}>
            A job runs an artifact or a workflow on a device, a group or a tag. Its output appears here while it runs.
          </Empty>
        }
      >
        {() => (
          <div className={classes.list}>
            <JobFilters choices={choices} count={count} />
            {isDeviceAlone && (
              <p className="dim">This service does not report the device’s part in jobs to groups and tags.</p>
            )}
            {executed.length > MANY_EXECUTED && (
              <div className={classes.note}>
                <p>
                  {formatCount(executed.length)} executed jobs {filtered ? 'match' : 'are in the list'}.{' '}
                  {hasArchive
                    ? 'Archived, their output can still be searched, and the list stays short.'
                    : 'Delete them to keep the queue of the service short.'}
                </p>
                <Gate why={noEnded}>
                  <Button size="xs" onClick={() => void openEnded()}>
                    {verb} executed…
                  </Button>
                </Gate>
              </div>
            )}
            {shown.length === 0 ? (
              <Empty
                title="No job matches"
                next={{ label: 'Clear filters', variant: 'default', onClick: () => url.set(NO_JOB_FILTER) }}
              />
            ) : (
              <JobsTable
                jobs={shown}
                find={find}
                tags={tags}
                sort={isSortable ? view.sort : undefined}
                onSort={isSortable ? (sort) => url.set({ sort }) : undefined}
                onStop={({ JobId }) => url.open({ dialog: 'stop', job: JobId })}
                onDelete={({ JobId }) => url.open({ dialog: 'delete', job: JobId })}
              />
            )}
            {more && <NextPage reading={more} label="Show older jobs" />}
            {picked.length > 0 && (
              <JobBar
                jobs={picked}
                hidden={picked.filter((job) => !shown.includes(job)).length}
                onStop={() => url.open({ dialog: 'stop-selected' })}
                onArchive={hasArchive ? () => url.open({ dialog: 'archive-selected' }) : undefined}
                onDelete={() => url.open({ dialog: 'delete-selected' })}
              />
            )}
          </div>
        )}
      </View>
      {dialog === 'stop' && subject && (
        <StopJobDialog job={subject} state={jobState(subject)} outcome={outcomeOf(subject)} onClose={close} />
      )}
      <StopJobsDialog open={toStop && { jobs: toStop, onClose: close }} />
      {dialog === 'delete' && subject && (
        <DeleteJobDialog job={subject} outcome={outcomeOf(subject)} onClose={close} onDeleted={close} />
      )}
      <EndedJobsDialog
        open={
          ((toArchive && hasArchive) || toDelete) &&
          jobs.data && {
            action: toDelete ? 'delete' : 'archive',
            jobs: of.filter(isExecuted),
            moving: isList ? 0 : of.filter(isMoving).length,
            isList,
            onClose: close,
          }
        }
      />
    </Page>
  );
}

interface JobBarProps {
  jobs: readonly Job[];
  /** Number of selected jobs that the filter hides. */
  hidden: number;
  onStop: () => void;
  /** Undefined without an archive. */
  onArchive: (() => void) | undefined;
  onDelete: () => void;
}

/** The bar with the number of selected jobs and their bulk actions. */
function JobBar({ jobs, hidden, onStop, onArchive, onDelete }: JobBarProps) {
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const noArchive = useMay(bulkEndpoints.create, 'Archiving jobs', { Action: 'archive' });
  const noDelete = useMay(jobEndpoints.remove, 'Deleting jobs');
  const moving = jobs.filter(isMoving).length;
  const stoppable = jobs.filter(canBeStopped).length;
  const reason = moving === jobs.length ? 'None of the selected jobs has ended' : undefined;
  return (
    <SelectionBar
      name="jobs"
      count={jobs.length}
      note={
        <>
          {moving > 0 && ` · ${formatCount(moving)} wait or run`}
          {hidden > 0 && ` · ${formatCount(hidden)} not in this list`}
        </>
      }
      onClear={jobSelection.clear}
    >
      {stoppable > 0 && (
        <Gate why={noStop}>
          <Button size="xs" onClick={onStop}>
            Stop {formatCount(stoppable)}…
          </Button>
        </Gate>
      )}
      {onArchive && (
        <Gate why={noArchive ?? reason}>
          <Button size="xs" onClick={onArchive}>
            Archive…
          </Button>
        </Gate>
      )}
      <Gate why={noDelete ?? reason}>
        <Button size="xs" color="red" onClick={onDelete}>
          Delete…
        </Button>
      </Gate>
    </SelectionBar>
  );
}
