// Stops the selected jobs individually, and shows the result of each.
import type { Job } from '#/contract/jobs.ts';
import { bulkStop } from '#/api/bulk-cancel.ts';
import { BulkJobsDialog } from '#/features/bulk/bulk-jobs-dialog.tsx';
import { jobsText, targetOf, targetText } from '#/features/jobs/job-words.ts';
import { outcomeOf, outcomeText, jobWords } from '#/features/jobs/outcome.ts';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Column } from '#/ui/table/table.tsx';

const nameOf = ({ JobName, JobId }: Job) => visible(JobName || JobId);
const detailOf = (job: Job) => {
  const outcome = outcomeOf(job);
  return outcome && outcomeText(outcome, formatCount);
};

function State({ job }: { job: Job }) {
  const { mark, failed = 0 } = jobWords(job);
  return <StateMark state={mark} label={detailOf(job)} isBad={failed > 0} />;
}

const COLUMNS: Column<Job>[] = [
  { header: 'Job', width: '34%', cell: (job) => <span title={job.JobId}>{nameOf(job)}</span> },
  { header: 'Target', width: '22%', phone: 'second', cell: (job) => visible(targetText(targetOf(job))) },
  { header: 'State', phone: 'wide', cell: (job) => <State job={job} /> },
];

const write = bulkStop();

/** `jobs`: waiting and running jobs. */
export function StopJobsDialog({ jobs, onClose }: { jobs: readonly Job[]; onClose: () => void }) {
  return (
    <BulkJobsDialog
      title={`Stop ${jobsText(jobs.length)}`}
      verb="Stop"
      jobs={jobs}
      columns={COLUMNS}
      nameOf={nameOf}
      write={write}
      onClose={onClose}
    >
      <p>
        <strong>What runs is stopped, what waits is cancelled; of a job to many, on all its devices.</strong>
      </p>
      <p>Offline devices stop when they reconnect. Records and output stay.</p>
    </BulkJobsDialog>
  );
}
