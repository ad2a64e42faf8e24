// Removes stale waiting jobs from the queues of their devices: lists them with the reasons, and shows the result of each.
// A job that has started meanwhile keeps running.
import { useState } from 'react';
import { bulkCancel, type WaitingPart } from '#/api/bulk-cancel.ts';
import { BulkJobsDialog } from '#/features/bulk/bulk-jobs-dialog.tsx';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { Time } from '#/ui/controls/time.tsx';
import type { Column } from '#/ui/table/table.tsx';
import classes from '#/features/bulk/bulk-dialog.module.css';

export interface WaitingJob extends WaitingPart {
  JobName: string;
  DeviceId: string;
  DeviceName: string;
  /** Time of submission in milliseconds since the epoch. */
  created: number | undefined;
  /** Why it is removed. */
  why: string;
}

const write = bulkCancel();
const deviceOf = ({ DeviceName, DeviceId }: WaitingJob) => visible(DeviceName || DeviceId || 'A device');
const jobOf = ({ JobName, JobId }: WaitingJob) => visible(JobName || JobId);
const nameOf = (job: WaitingJob) => `${deviceOf(job)}: ${jobOf(job)}`;

const COLUMNS: Column<WaitingJob>[] = [
  { header: 'Device', width: '24%', cell: (job) => <span title={job.DeviceId}>{deviceOf(job)}</span> },
  { header: 'Job', width: '26%', phone: 'wide', cell: (job) => <span title={job.JobId}>{jobOf(job)}</span> },
  {
    header: 'Submitted',
    width: '100px',
    phone: 'second',
    cell: ({ created }) => <Time at={created} />,
  },
  { header: 'Why', phone: 'wide', cell: ({ why }) => <span className={classes.reason}>{visible(why)}</span> },
];

export function RemoveStaleDialog({ jobs, onClose }: { jobs: readonly WaitingJob[]; onClose: () => void }) {
  // The plan is fixed when the dialog opens, however the queues change behind it.
  const [plan] = useState(jobs);
  const devices = new Set(plan.map(({ DeviceId }) => DeviceId)).size;
  return (
    <BulkJobsDialog
      title={`Remove stale jobs: ${formatCount(plan.length)} on ${devicesText(devices)}`}
      verb="Remove"
      jobs={plan}
      columns={COLUMNS}
      nameOf={nameOf}
      write={write}
      onClose={onClose}
    >
      <p>
        <strong>
          {counted(plan.length, 'job')} on {devicesText(devices)} will not run any more.
        </strong>
      </p>
      <p>Each job is checked again right before it is removed. Jobs that have started are skipped.</p>
      <p>They leave the queues and stay in the job list as Cancelled.</p>
    </BulkJobsDialog>
  );
}
