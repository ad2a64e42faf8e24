// Tries a job again on some of its devices, as their next attempts: one request, and the job's own figures follow.
import { useState } from 'react';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { isMoving } from '#/contract/job-state.ts';
import { submitJob } from '#/api/jobs.ts';
import { requestOf } from '#/api/request-of.ts';
import { readSelected } from '#/fleet/selected.ts';
import { bulkPlanOf, bulkPlanText, isCount } from '#/features/bulk/bulk-plan.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { TypedWord } from '#/ui/dialog/typed-word.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, NoDataYet } from '#/ui/page/view.tsx';

interface AttemptDialogProps {
  job: Job;
  targets: readonly Job[];
  /** Their devices. */
  ids: readonly string[];
  which: string;
  onClose: () => void;
  /** Instead of `onClose`, when it was submitted; with the id of the parent. */
  onDone?: ((parent: string) => void) | undefined;
}

let opened = 0;

/** The devices that try again, and why others do not; settled when the dialog opens. */
function useTargets({ targets, ids }: Pick<AttemptDialogProps, 'targets' | 'ids'>) {
  const [key] = useState(() => ['selected', 'attempt', ++opened]);
  const [open] = useState(() => new Set(targets.filter(isMoving).map(({ DeviceId }) => DeviceId)));
  const reading = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readSelected(ids, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const whySkipped = ({ DeviceId }: Device) => (open.has(DeviceId) ? 'It has not ended there' : undefined);
  const plan = reading.data && bulkPlanOf(reading.data, whySkipped);
  return { reading, plan, gone: ids.length - (reading.data?.length ?? 0) };
}

export function AttemptDialog(props: AttemptDialogProps) {
  const { job, ids, which, onClose, onDone = () => onClose() } = props;
  const { reading, plan, gone } = useTargets(props);
  // The same submission until it is answered, however often it is sent.
  const [key] = useState(newIdempotencyKey);
  const [typed, setTyped] = useState('');
  const change = plan?.change ?? [];
  const body = { Name: job.JobName, DeviceIds: change.map(({ DeviceId }) => DeviceId), RetryOf: job.JobId };
  const retry = useWrite({ mutationFn: () => submitJob(body, key), meta: { changes: ['jobs'] } });
  const count = change.length;
  const isReady = count === 1 || (count > 1 && isCount(typed, count));
  return (
    <BaseDialog
      title={`Retry ${which}: ${devicesText(ids.length)}`}
      size="lg"
      closeOnClickOutside={false}
      busy={retry.isPending}
      onClose={onClose}
    >
      {plan ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) retry.mutate(undefined, { onSuccess: ({ JobId }) => onDone(JobId) });
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
              <Button
                variant="filled"
                type="submit"
                loading={retry.isPending}
                disabled={!isReady}
                title={
                  isReady ? '' : count === 0 ? 'There is no device to try again.' : `Type ${formatCount(count)} first.`
                }
                {...(count === 1 && { 'data-autofocus': true })}
              >
                Retry on {devicesText(count)}
              </Button>
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
      {away > 0 && <p>{formatCount(away)} not Online: it waits there until the device connects.</p>}
    </>
  );
}
