// Cancels a job on the devices where it is still waiting. Where it has started, it continues.
import { useState } from 'react';
import { devicesText } from '#/lib/format.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { bulkCancel, type WaitingPart } from '#/api/bulk-cancel.ts';
import { bulkPlanText } from '#/features/bulk/bulk-plan.ts';
import { RunSteps } from '#/features/bulk/run-steps.tsx';
import { useBulkRun, type BulkKind } from '#/features/bulk/use-bulk-run.ts';
import { visible } from '#/lib/glyphs.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import classes from './job-page.module.css';
import { useMay } from '#/api/people.ts';

interface Part extends WaitingPart {
  device: string;
}
const KIND: BulkKind<Part> = {
  keyOf: ({ JobId }) => JobId,
  nameOf: ({ device }) => device,
  noun: 'device',
};
const write = bulkCancel();

export function CancelWaitingDialog(props: { parent: Job; waiting: readonly Job[]; onClose: () => void }) {
  const { parent, waiting, onClose } = props;
  const [parts] = useState(() =>
    waiting.map((job): Part => {
      const { JobId, DeviceName, DeviceId } = job;
      return { JobId, ParentJobId: parent.JobId, canStop: true, device: DeviceName || DeviceId || JobId };
    }),
  );
  const run = useBulkRun(KIND, ['jobs']);
  const why = useMay(jobEndpoints.stop, 'Cancelling jobs');
  const count = parts.length;
  const [line] = bulkPlanText({ change: parts, skip: [] }, 0, ['does not run it any more', 'do not run it any more']);
  return (
    <BaseDialog
      title={`Cancel where it waits: ${devicesText(count)}`}
      size="lg"
      why={why}
      closeOnClickOutside={false}
      busy={run.needsPage}
      onClose={onClose}
    >
      <RunSteps
        run={run}
        items={parts}
        what="Cancel"
        button={`Cancel on ${devicesText(count)}`}
        typed={count > 1}
        danger
        plan={
          <>
            <p>
              <strong>{line}</strong>
            </p>
            <p>It leaves their queues and stays here as Cancelled. Devices that start it meanwhile still run it.</p>
            <div role="region" aria-label="Devices where it waits" tabIndex={0} className={classes.names}>
              <ul>
                {parts.map(({ JobId, device }) => (
                  <li key={JobId}>{visible(device)}</li>
                ))}
              </ul>
            </div>
          </>
        }
        write={write}
        onClose={onClose}
      />
    </BaseDialog>
  );
}
