// Retries a job on some of its devices as further attempts: a single request, which also updates the job's own counts.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { isMoving, isParent } from '#/contract/job-state.ts';
import { jobQueries, submitJob } from '#/api/jobs.ts';
import { queryClient } from '#/api/query-client.ts';
import { requestOf } from '#/api/request-of.ts';
import { memberQueries } from '#/fleet/members.ts';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { bulkPlanOf, bulkPlanText, isCount } from '#/features/bulk/bulk-plan.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { TypedWord } from '#/ui/dialog/typed-word.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, NoDataYet } from '#/ui/page/view.tsx';
import { useMay } from '#/api/people.ts';

export interface RetryDialogProps {
  /** A parent, one of its children, or a job to a single device. */
  job: Job;
  /** The child jobs to retry. */
  targets: readonly Job[];
  /** What these are, for the title: "the failed". */
  which: string;
  onClose: () => void;
}

let opened = 0;

/** The devices to retry, and why others are not; fixed when the dialog opens. */
function useTargets(targets: readonly Job[]) {
  const [ids] = useState(() => [...new Set(targets.map(({ DeviceId }) => DeviceId).filter(Boolean))]);
  const [key] = useState(() => `attempt ${++opened}`);
  const [open] = useState(() => new Set(targets.filter(isMoving).map(({ DeviceId }) => DeviceId)));
  const reading = useQuery(memberQueries.of({ ids, key }));
  const whySkipped = ({ DeviceId }: Device) => (open.has(DeviceId) ? 'It has not ended there' : undefined);
  const plan = reading.data && bulkPlanOf(reading.data, whySkipped);
  return { ids, reading, plan, gone: ids.length - (reading.data?.length ?? 0) };
}

/** Navigates from a single job to the last attempt of its device in the parent. */
function useShowLast({ DeviceId }: Job) {
  const navigate = useNavigate();
  return async (parent: string) => {
    const children = await queryClient.query({ ...jobQueries.children(parent), staleTime: 0 }).catch(() => []);
    const last = byAttempt(children).last.find((child) => child.DeviceId === DeviceId);
    void navigate(paths.job(last?.JobId || parent), { replace: true });
  };
}

export function RetryDialog({ job, targets, which, onClose }: RetryDialogProps) {
  const { ids, reading, plan, gone } = useTargets(targets);
  const showLast = useShowLast(job);
  const onDone = (parent: string) => (isParent(job) ? onClose() : void showLast(parent));
  // One key for the dialog, so that resending after a lost answer is the same submission.
  const [key] = useState(newIdempotencyKey);
  const [typed, setTyped] = useState('');
  const change = plan?.change ?? [];
  const body = {
    Name: job.JobName,
    DeviceIds: change.map(({ DeviceId }) => DeviceId),
    RetryOf: job.ParentJobId ?? job.JobId,
  };
  const retry = useWrite({ mutationFn: () => submitJob(body, key), meta: { operation: jobEndpoints.submit } });
  const why = useMay(jobEndpoints.submit, 'Retrying', { WorkflowId: job.WorkflowId });
  const count = change.length;
  const fault =
    count === 0
      ? 'There is no device to try again.'
      : count === 1 || isCount(typed, count)
        ? undefined
        : `Type ${formatCount(count)} first.`;
  return (
    <BaseDialog
      title={`Retry ${which}: ${devicesText(ids.length)}`}
      size="lg"
      why={why}
      closeOnClickOutside={false}
      busy={retry.isPending}
      onClose={onClose}
    >
      {plan ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (fault === undefined) retry.mutate(undefined, { onSuccess: ({ JobId }) => onDone(JobId) });
          }}
        >
          <Stack gap="md">
            <section aria-label="Plan">
              {bulkPlanText(plan, gone, ['tries again', 'try again']).map((line, index) => (
                <p key={line}>{index === 0 ? <strong>{line}</strong> : line}</p>
              ))}
              {count > 0 && <Consequence devices={change} />}
            </section>
            {count > 1 && (
              <TypedWord
                word={formatCount(count)}
                value={typed}
                onChange={setTyped}
                inputMode="numeric"
                data-autofocus
              />
            )}
            {count > 0 && <ShowAsCurl request={requestOf(jobEndpoints.submit, { body })} />}
            <FormError error={retry.error} />
            <DialogButtons onCancel={onClose} busy={retry.isPending}>
              <Gate why={fault}>
                <Button
                  variant="filled"
                  type="submit"
                  loading={retry.isPending}
                  {...(count === 1 && { 'data-autofocus': true })}
                >
                  Retry on {devicesText(count)}
                </Button>
              </Gate>
            </DialogButtons>
          </Stack>
        </form>
      ) : (
        <NoDataYet query={reading} name="the selected devices" />
      )}
    </BaseDialog>
  );
}

function Consequence({ devices }: { devices: readonly Device[] }) {
  const away = devices.filter(({ DeviceStatus }) => DeviceStatus !== 'Online').length;
  return (
    <>
      <p>
        It becomes {devices.length === 1 ? 'its' : 'their'} next attempt in this job, whose figures then count that one.
        The output of earlier attempts stays.
      </p>
      {away > 0 && <p>{formatCount(away)} not online: it waits there until the device connects.</p>}
    </>
  );
}
