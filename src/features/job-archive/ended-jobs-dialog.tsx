// Archives ended jobs, restores archived ones, or deletes either: which, the run, and a result for each.
import { useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import type { Job } from '#/contract/jobs.ts';
import { bulkArchive, bulkDeleteJobs } from '#/api/archive.ts';
import { RunSteps } from '#/features/bulk/run-steps.tsx';
import { useBulkRun } from '#/features/bulk/use-bulk-run.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { paths } from '#/paths.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './ended-jobs-dialog.module.css';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { useMay } from '#/api/people.ts';

const DAY = 86_400_000;

const ACTIONS = {
  archive: {
    verb: 'Archive',
    write: bulkArchive('archive'),
    plan: 'They leave all lists. Their output stays searchable in the archive, and they can be restored.',
  },
  unarchive: {
    verb: 'Restore',
    write: bulkArchive('unarchive'),
    plan: 'They return from the archive to the list of jobs.',
  },
  delete: {
    verb: 'Delete',
    write: bulkDeleteJobs(),
    plan: 'Their results and output are deleted. This cannot be undone.',
  },
};
const DOING = { archive: 'Archiving jobs', unarchive: 'Restoring jobs', delete: 'Deleting jobs' };
export type EndedJobsAction = keyof typeof ACTIONS;

/** Those that ended more than this many days ago; without a readable time nobody knows, and they stay. */
function olderThan(jobs: readonly Job[], days: number, now: number): readonly Job[] {
  if (!(days > 0)) return jobs;
  return jobs.filter((job) => {
    const { ended, started, created } = timesOf(job);
    const at = ended ?? started ?? created;
    return at !== undefined && now - at.getTime() > days * DAY;
  });
}

const keyOf = ({ JobId }: Job) => JobId;
const nameOf = ({ JobName, JobId }: Job) => visible(JobName || JobId);

interface EndedJobsDialogProps {
  action: EndedJobsAction;
  jobs: readonly Job[];
  /** What else was picked and still waits or runs. */
  moving?: number;
  /** All of a list, and not picked one by one: their age can be chosen. */
  isList?: boolean;
  onClose: () => void;
}

export function EndedJobsDialog({ onClose, ...given }: EndedJobsDialogProps) {
  // What was asked about is what is done, whatever else ends meanwhile.
  const [{ action, jobs: all, moving = 0, isList = false }] = useState(given);
  const run = useBulkRun<Job>({ keyOf, nameOf, noun: 'job' }, ['jobs']);
  const [days, setDays] = useState('0');
  const [now] = useState(Date.now);
  const jobs = olderThan(all, Number(days), now);
  const { verb, write, plan } = ACTIONS[action];
  const why = useMay(bulkEndpoints.create, DOING[action], { Action: action });
  const isLoss = action === 'delete';
  return (
    <BaseDialog
      title={`${verb} ended jobs`}
      why={why}
      size="lg"
      closeOnClickOutside={false}
      busy={run.needsPage}
      onClose={onClose}
    >
      <RunSteps
        run={run}
        items={jobs}
        what={`${verb} jobs`}
        fault={jobs.length === 0 ? 'No ended job is left to choose.' : undefined}
        button={`${verb} ${jobsText(jobs.length)}`}
        typed={isLoss}
        danger={isLoss}
        fields={
          isList && (
            <TextInput
              className={classes.days}
              type="number"
              min={0}
              max={3650}
              step={1}
              label="Ended more than this many days ago"
              description="0: all of them"
              value={days}
              onChange={(event) => setDays(event.currentTarget.value)}
            />
          )
        }
        plan={
          <>
            <p>
              <strong>{jobs.length === 1 && jobs[0] ? nameOf(jobs[0]) : jobsText(jobs.length)}</strong>
              {moving > 0 && `; ${formatCount(moving)} that wait or run are left alone`}.
            </p>
            <p>{plan}</p>
          </>
        }
        write={write}
        onward={
          action === 'archive' && (
            <Button variant="default" component={Link} to={paths.archive()}>
              Open the archive
            </Button>
          )
        }
        onClose={onClose}
      />
    </BaseDialog>
  );
}
