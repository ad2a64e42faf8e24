// Retries a job on some of its devices on a service without attempts: each device gets its own job, one request after the
// other. Such services often do not report what a job ran, so the user may have to choose it.
import { useState } from 'react';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { isMoving } from '#/contract/job-state.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { submitJob } from '#/api/jobs.ts';
import { requestOf } from '#/api/request-of.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { BulkFrame } from '#/features/bulk/bulk-frame.tsx';
import { BulkSteps, type BulkActionProps } from '#/features/bulk/bulk-steps.tsx';
import { devicesText } from '#/lib/format.ts';
import { FormError } from '#/ui/page/view.tsx';
import { deployAgain } from './child-jobs.ts';
import type { RetryDialogProps } from './retry-dialog.tsx';

export function RetryEachDialog({ job, targets, which, onClose }: RetryDialogProps) {
  const [ids] = useState(() => [...new Set(targets.map(({ DeviceId }) => DeviceId).filter(Boolean))]);
  const [open] = useState(() => new Set(targets.filter(isMoving).map(({ DeviceId }) => DeviceId)));
  return (
    <BulkFrame title={`Retry ${which}: ${devicesText(ids.length)}`} ids={ids} stale={['jobs']} onClose={onClose}>
      {(frame) => <RetryEach job={job} open={open} frame={frame} />}
    </BulkFrame>
  );
}

interface RetryEachProps {
  job: Job;
  /** Devices on which the job has not ended. */
  open: ReadonlySet<string>;
  frame: BulkActionProps;
}

function RetryEach({ job, open, frame }: RetryEachProps) {
  const { artifact, workflow } = deployAgain(job);
  const [chosen, setChosen] = useState(artifact ? `ArtifactId ${artifact}` : workflow ? `WorkflowId ${workflow}` : '');
  // Together with the device, the Idempotency-Key of each request, so that a resend submits nothing twice.
  const [key] = useState(newIdempotencyKey);
  const artifacts = useQuery(artifactQueries.list());
  const workflows = useQuery(workflowQueries.list());
  const [field, id] = chosen.split(' ', 2);
  const bodyOf = ({ DeviceId }: Device) => ({ Name: job.JobName, DeviceId, ...(field && { [field]: id }) });
  const requestFor = (device: Device) => requestOf(jobEndpoints.submit, { body: bodyOf(device) });
  return (
    <BulkSteps
      {...frame}
      what="Retry"
      whySkipped={({ DeviceId }) => (open.has(DeviceId) ? 'It has not ended there' : undefined)}
      does={['gets a new job', 'get a new job each']}
      fault={chosen === '' ? 'Choose what to run.' : undefined}
      button={(count) => `Retry on ${devicesText(count)}`}
      typed={frame.devices.length > 1}
      requests={(devices) => devices.map(requestFor)}
      write={{ request: requestFor, send: (device) => submitJob(bodyOf(device), `${key}.${device.DeviceId}`) }}
    >
      <NativeSelect
        label="What to run"
        value={chosen}
        data={[
          { value: '', label: 'Choose an artifact or workflow' },
          ...(artifacts.data ?? []).map((each) => ({
            value: `ArtifactId ${each.ArtifactId}`,
            label: artifactText(each),
          })),
          ...(workflows.data ?? []).map(({ WorkflowId, Name }) => ({
            value: `WorkflowId ${WorkflowId}`,
            label: `${Name} (workflow)`,
          })),
        ]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <FormError error={artifacts.error ?? workflows.error} />
    </BulkSteps>
  );
}
