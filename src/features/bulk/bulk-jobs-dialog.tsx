// The dialog around one action on many jobs, each on its own: exactly which, the run, and what became of each.
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Button, Modal, TextInput } from '@mantine/core';
import type { BulkWrite } from '#/api/bulk.ts';
import { isCount } from './bulk-plan.ts';
import { BulkProgress } from './bulk-progress.tsx';
import { BulkResultList } from './bulk-result-list.tsx';
import type { ResultRow } from './bulk-results.ts';
import type { BulkOutcome } from './bulk-run.ts';
import { RunGuard } from './run-guard.tsx';
import { useBulkRun } from './use-bulk-run.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { formatCount } from '#/lib/format.ts';
import { FormError } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/table/virtual-table.tsx';
import classes from './bulk-dialog.module.css';

interface BulkJobsDialogProps<Row extends { JobId: string }> {
  title: string;
  /** What is done: "Remove". */
  verb: string;
  jobs: readonly Row[];
  columns: VirtualColumn<Row>[];
  /** What a job is called in the results. */
  nameOf: (job: Row) => string;
  write: BulkWrite;
  /** The sentences of the plan. */
  children: ReactNode;
  onClose: () => void;
}

const STALE = [['jobs'], ['devices', 'jobs']];
export const bulkJobsText = (count: number) => (count === 1 ? '1 job' : `${formatCount(count)} jobs`);

export function BulkJobsDialog<Row extends { JobId: string }>(props: BulkJobsDialogProps<Row>) {
  const { title, verb, jobs, columns, nameOf, write, children, onClose } = props;
  const [typed, setTyped] = useState('');
  const run = useBulkRun(STALE);
  const rows = useMemo(
    () =>
      jobs.map((job): ResultRow => ({
        id: job.JobId,
        name: nameOf(job),
        ...(run.results.get(job.JobId) ?? { outcome: 'stopped', reason: '' }),
      })),
    [jobs, nameOf, run.results],
  );
  const start = (items: readonly Row[]) =>
    run.start({
      items: items.map((job) => ({ DeviceId: job.JobId, DeviceName: nameOf(job) })),
      prepare: () => Promise.resolve(write),
    });
  const again = (outcome: BulkOutcome, label: (count: string) => string) => {
    const items = jobs.filter(({ JobId }) => run.results.get(JobId)?.outcome === outcome);
    return (
      items.length > 0 && (
        <Button variant="default" loading={run.busy} onClick={() => start(items)}>
          {label(formatCount(items.length))}
        </Button>
      )
    );
  };
  const count = jobs.length;
  const fault =
    count === 0
      ? `There is nothing to ${verb.toLowerCase()}.`
      : count > 1 && !isCount(typed, count)
        ? `Type ${formatCount(count)} first.`
        : undefined;
  return (
    <Modal
      opened
      onClose={() => {
        if (!run.busy) onClose();
      }}
      title={title}
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
          className={classes.steps}
          onSubmit={(event) => {
            event.preventDefault();
            if (fault === undefined) start(jobs);
          }}
        >
          <section aria-label="Plan" className={classes.plan}>
            {children}
          </section>
          {count > 0 && (
            <VirtualTable
              name={`Jobs to ${verb.toLowerCase()}`}
              bounded
              columns={columns}
              rows={jobs}
              rowKey={({ JobId }) => JobId}
            />
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
          {count > 0 && <ShowAsCurl request={() => jobs.map(({ JobId }) => write.request({ DeviceId: JobId }))} />}
          <FormError error={run.error} />
          <div className={classes.buttons}>
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
              {verb} {bulkJobsText(count)}
            </Button>
          </div>
        </form>
      ) : run.phase === 'running' ? (
        <BulkProgress run={run} what={verb} things={bulkJobsText} />
      ) : (
        <>
          <FormError error={run.error} />
          <BulkResultList
            rows={rows}
            fileName={`${verb.toLowerCase()}-jobs`}
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
