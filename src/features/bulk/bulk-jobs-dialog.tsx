// A bulk action on jobs: the list of jobs, the run, and the result of each.
import type { ReactNode } from 'react';
import type { BulkWrite } from '#/api/bulk.ts';
import { RunSteps } from './run-steps.tsx';
import { useBulkRun } from './use-bulk-run.ts';
import { counted } from '#/lib/format.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { jobEndpoints } from '#/contract/jobs.ts';
import { useMay } from '#/api/people.ts';

interface BulkJobsDialogProps<Row extends { JobId: string }> {
  title: string;
  /** The action: "Remove". */
  verb: string;
  jobs: readonly Row[];
  columns: Column<Row>[];
  nameOf: (job: Row) => string;
  write: BulkWrite<Row>;
  children: ReactNode;
  onClose: () => void;
}

const keyOf = ({ JobId }: { JobId: string }) => JobId;

export function BulkJobsDialog<Row extends { JobId: string }>(props: BulkJobsDialogProps<Row>) {
  const { title, verb, jobs, columns, nameOf, write, children, onClose } = props;
  const run = useBulkRun<Row>({ keyOf, nameOf, noun: 'job' }, ['jobs']);
  const why = useMay([jobEndpoints.stop, jobEndpoints.remove], 'Stopping and removing jobs');
  const count = jobs.length;
  return (
    <BaseDialog why={why} title={title} size="xl" closeOnClickOutside={false} busy={run.needsPage} onClose={onClose}>
      <RunSteps
        run={run}
        items={jobs}
        what={`${verb} jobs`}
        fault={count === 0 ? `There is nothing to ${verb.toLowerCase()}.` : undefined}
        button={`${verb} ${counted(count, 'job')}`}
        typed={count > 1}
        danger
        plan={children}
        list={
          count > 0 && (
            <VirtualTable name={`Jobs to ${verb.toLowerCase()}`} bounded columns={columns} rows={jobs} rowKey={keyOf} />
          )
        }
        write={write}
        onClose={onClose}
      />
    </BaseDialog>
  );
}
