// The devices that a standing order leaves alone after a failure: why, by which job, and the way to ask again.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, Stack } from '@mantine/core';
import { ENDED_STATES, type OrderedDevice, type StandingOrder } from '#/contract/standing-orders.ts';
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
        {order.State === 'Active' && <AskAgain order={order} device={device} />}
      </span>
    ),
  },
];

function AskAgain({ order, device }: { order: StandingOrder; device: OrderedDevice }) {
  const { mutate, isPending, error } = useWrite(standingOrderMutations.retry(order, [device]));
  return (
    <>
      <Button size="xs" loading={isPending} aria-label={`Ask again: ${device.DeviceName}`} onClick={() => mutate()}>
        Ask again
      </Button>
      <FormError error={error} />
    </>
  );
}

export function FailedDevices({ order, onClose }: { order: StandingOrder; onClose: () => void }) {
  const devices = useInfiniteQuery(standingOrderQueries.devices(order, ENDED_STATES));
  const { mutate, isPending, error } = useWrite(standingOrderMutations.retry(order));
  const ended = endedCount(order);
  return (
    <BaseDialog onClose={onClose} busy={isPending} size="lg" title={<bdi>What failed of {order.Name}</bdi>}>
      <Stack gap="md">
        <p className="dim">These devices get no further job until somebody asks again; then it is one more for each.</p>
        <View
          query={devices}
          name="its devices"
          rows={3}
          isEmpty={({ length }) => length === 0}
          empty={<p>None any more.</p>}
        >
          {(rows) => (
            <DataTable
              name="Devices that failed"
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
            <Button variant="filled" loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
              Ask {counted(ended, 'device')} again
            </Button>
          )}
        </DialogButtons>
      </Stack>
    </BaseDialog>
  );
}
