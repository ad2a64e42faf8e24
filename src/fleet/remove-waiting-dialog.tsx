// Takes jobs that wait off the queues of their devices, each job on its own: exactly which go and why, and what became of
// each. One that has begun meanwhile is left alone.
import { useMemo, useState } from 'react';
import { Button, Modal, TextInput } from '@mantine/core';
import { bulkCancel } from '#/api/bulk-cancel.ts';
import { devicesText, isCount } from './bulk/bulk-plan.ts';
import { BulkProgress } from './bulk/bulk-progress.tsx';
import { BulkResultList } from './bulk/bulk-result-list.tsx';
import type { ResultRow } from './bulk/bulk-results.ts';
import type { Outcome } from './bulk/bulk-run.ts';
import { RunGuard } from './bulk/run-guard.tsx';
import { useBulkRun } from './bulk/use-bulk-run.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { formatCount } from '#/ui/format.ts';
import { visible } from '#/ui/glyphs.ts';
import { Time } from '#/ui/time.tsx';
import { FormError } from '#/ui/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/table/virtual-table.tsx';
import classes from './bulk/bulk-dialog.module.css';

export interface WaitingJob {
  JobId: string;
  JobName: string;
  /** Of one device's part of a job to many. */
  ParentJobId: string | undefined;
  DeviceId: string;
  DeviceName: string;
  /** In milliseconds. */
  created: number | undefined;
  /** Why it goes. */
  why: string;
}

interface RemoveWaitingDialogProps {
  jobs: readonly WaitingJob[];
  /** What they have in common: "stale". */
  which: string;
  onClose: () => void;
}

const STALE = [['jobs'], ['devices', 'jobs']];
const jobsText = (count: number) => (count === 1 ? '1 job' : `${formatCount(count)} jobs`);
const deviceOf = ({ DeviceName, DeviceId }: WaitingJob) => visible(DeviceName || DeviceId || 'A device');
const nameOf = ({ JobName, JobId }: WaitingJob) => visible(JobName || JobId);

const COLUMNS: VirtualColumn<WaitingJob>[] = [
  { header: 'Device', width: '24%', cell: (job) => <span title={job.DeviceId}>{deviceOf(job)}</span> },
  { header: 'Job', width: '26%', phone: 'wide', cell: (job) => <span title={job.JobId}>{nameOf(job)}</span> },
  {
    header: 'Submitted',
    width: '100px',
    phone: 'second',
    cell: ({ created }) => <Time at={created === undefined ? undefined : new Date(created)} />,
  },
  { header: 'Why', phone: 'wide', cell: ({ why }) => <span className={classes['reason']}>{visible(why)}</span> },
];

/** A job without an id of its own, or under that of its parent, cannot be removed without touching others. */
const isOwn = ({ JobId, ParentJobId }: WaitingJob) => JobId !== '' && JobId !== ParentJobId;

export function RemoveWaitingDialog({ jobs, which, onClose }: RemoveWaitingDialogProps) {
  // What was read is what goes, however the queues move behind the dialog.
  const [plan] = useState(() => jobs.filter(isOwn));
  const [others] = useState(() => jobs.length - plan.length);
  const [typed, setTyped] = useState('');
  const run = useBulkRun(STALE);
  const devices = useMemo(() => new Set(plan.map(({ DeviceId }) => DeviceId)).size, [plan]);
  const parts = useMemo(
    () => new Map(plan.flatMap(({ JobId, ParentJobId }) => (ParentJobId ? [[JobId, ParentJobId] as const] : []))),
    [plan],
  );
  const rows = useMemo(
    () =>
      plan.map((job): ResultRow => ({
        id: job.JobId,
        name: `${deviceOf(job)}: ${nameOf(job)}`,
        ...(run.results.get(job.JobId) ?? { outcome: 'stopped', reason: '' }),
      })),
    [plan, run.results],
  );
  const start = (items: readonly WaitingJob[]) =>
    run.start({
      items: items.map((job) => ({ DeviceId: job.JobId, DeviceName: nameOf(job) })),
      prepare: () => Promise.resolve(bulkCancel(parts)),
    });
  const again = (outcome: Outcome, label: (count: string) => string) => {
    const items = plan.filter(({ JobId }) => run.results.get(JobId)?.outcome === outcome);
    return (
      items.length > 0 && (
        <Button variant="default" loading={run.busy} onClick={() => start(items)}>
          {label(formatCount(items.length))}
        </Button>
      )
    );
  };
  const count = plan.length;
  const fault =
    count === 0
      ? 'There is nothing to remove.'
      : count > 1 && !isCount(typed, count)
        ? `Type ${formatCount(count)} first.`
        : undefined;
  return (
    <Modal
      opened
      onClose={() => {
        if (!run.busy) onClose();
      }}
      title={`Remove ${which} jobs: ${formatCount(count)} on ${devicesText(devices)}`}
      size="xl"
      centered
      closeOnClickOutside={false}
      withCloseButton={!run.busy}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <RunGuard active={run.busy} />
      {run.phase === 'planned' ? (
        <form
          noValidate
          className={classes['steps']}
          onSubmit={(event) => {
            event.preventDefault();
            if (fault === undefined) start(plan);
          }}
        >
          <section aria-label="Plan" className={classes['plan']}>
            <p>
              <strong>
                {jobsText(count)} on {devicesText(devices)} will not run any more.
              </strong>
            </p>
            <p>Each is read once more right before it is removed. One that has begun by then is left alone.</p>
            {parts.size > 0 && (
              <p>Of a job to a group or tag only the part of the device named here goes; the others keep theirs.</p>
            )}
            {others > 0 && (
              <p>{jobsText(others)} more cannot be removed one by one: this service gives them no id of their own.</p>
            )}
          </section>
          {count > 0 && (
            <VirtualTable name="Jobs to remove" bounded columns={COLUMNS} rows={plan} rowKey={({ JobId }) => JobId} />
          )}
          {count > 1 && (
            <TextInput
              label={
                <>
                  Type <strong>{formatCount(count)}</strong> to confirm
                </>
              }
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              inputMode="numeric"
              data-autofocus
            />
          )}
          {count > 0 && (
            <ShowAsCurl request={() => plan.map(({ JobId }) => bulkCancel(parts).request({ DeviceId: JobId }))} />
          )}
          <FormError error={run.error} />
          <div className={classes['buttons']}>
            <Button variant="default" onClick={onClose} disabled={run.busy}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              loading={run.busy}
              disabled={fault !== undefined}
              title={fault ?? ''}
              {...(count === 1 && { 'data-autofocus': true })}
            >
              Remove {jobsText(count)}
            </Button>
          </div>
        </form>
      ) : run.phase === 'running' ? (
        <BulkProgress run={run} what="Remove" things={jobsText} />
      ) : (
        <>
          <FormError error={run.error} />
          <BulkResultList
            rows={rows}
            fileName="remove-jobs"
            thing="Job"
            onClose={onClose}
            actions={
              <>
                {again('stopped', (left) => `Continue with the ${left} not sent`)}
                {again('failed', (left) => `Retry the failed (${left})`)}
              </>
            }
          />
        </>
      )}
    </Modal>
  );
}
