// The devices that a standing order no longer gives a job after a failure, with the reason, the job and a retry.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, Stack } from '@mantine/core';
import {
  ENDED_STATES,
  standingOrderEndpoints,
  type OrderedDevice,
  type StandingOrder,
} from '#/contract/standing-orders.ts';
import { standingOrderMutations, standingOrderQueries } from '#/api/standing-orders.ts';
import { counted } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, View } from '#/ui/page/view.tsx';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { endedCount, orderedDeviceWords } from './order-words.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const columnsOf = (order: StandingOrder): Column<OrderedDevice>[] => [
  {
    header: 'Device',
    cell: ({ DeviceId, DeviceName }) => (
      <Link to={paths.device(DeviceId)} className={rowName}>
        <MiddleEllipsis text={DeviceName || DeviceId} />
      </Link>
    ),
  },
  {
    header: 'State',
    cell: ({ State }) => <StateOf words={orderedDeviceWords(State)} />,
  },
  { header: 'Reason', phone: 'wide', cell: ({ Because }) => <span className="dim">{Because}</span> },
  {
    header: 'Actions',
    tools: true,
    cell: (device) => (
      <span className="snug">
        {device.JobId && (
          <Button size="xs" component={Link} to={paths.job(device.JobId)} aria-label={`Job of ${device.DeviceName}`}>
            Job
          </Button>
        )}
        {order.State === 'Active' && <RetryDevice order={order} device={device} />}
      </span>
    ),
  },
];

function RetryDevice({ order, device }: { order: StandingOrder; device: OrderedDevice }) {
  const noRetry = useMay(standingOrderEndpoints.retry, 'Retrying standing orders');
  const { mutate, isPending, error } = useWrite(standingOrderMutations.retry(order, [device]));
  return (
    <>
      <Gate why={noRetry}>
        <Button size="xs" loading={isPending} aria-label={`Retry ${device.DeviceName}`} onClick={() => mutate()}>
          Retry
        </Button>
      </Gate>
      <FormError error={error} />
    </>
  );
}

export function FailedDevices({ order, onClose }: { order: StandingOrder; onClose: () => void }) {
  const devices = useInfiniteQuery(standingOrderQueries.devices(order, ENDED_STATES));
  const noRetry = useMay(standingOrderEndpoints.retry, 'Retrying standing orders');
  const { mutate, isPending, error } = useWrite(standingOrderMutations.retry(order));
  const ended = endedCount(order);
  return (
    <BaseDialog onClose={onClose} busy={isPending} size="lg" title={<bdi>Failed devices of {order.Name}</bdi>}>
      <Stack gap="md">
        <p className="dim">These devices get no more jobs until you retry them. Each then gets one.</p>
        <View
          query={devices}
          name="its devices"
          rows={3}
          isEmpty={({ length }) => length === 0}
          empty={<p>No failed devices left.</p>}
        >
          {(rows) => (
            <DataTable
              name="Failed devices"
              columns={columnsOf(order)}
              rows={rows}
              rowKey={({ DeviceId }) => DeviceId}
            />
          )}
        </View>
        <NextPage reading={devices} label="Show more devices" />
        <FormError error={error} />
        <DialogButtons onCancel={onClose} busy={isPending}>
          {order.State === 'Active' && ended > 0 && (
            <Gate why={noRetry}>
              <Button variant="filled" loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
                Retry {counted(ended, 'device')}
              </Button>
            </Gate>
          )}
        </DialogButtons>
      </Stack>
    </BaseDialog>
  );
}
