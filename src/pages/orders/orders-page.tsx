// Standing orders: groups, the version that their devices should have, and the progress of each.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { standingOrderEndpoints, type StandingOrder } from '#/contract/standing-orders.ts';
import { standingOrderQueries } from '#/api/standing-orders.ts';
import { RolloutTabs } from '#/features/page-tabs/page-tabs.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { counted } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { OrderDialogs, type OrderDialog } from './order-dialogs.tsx';
import { endedCount, figuresText, orderWords } from './order-words.ts';
import classes from './orders-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** Why standing orders may be neither changed nor deleted. */
interface Gates {
  noSave: string | undefined;
  noDelete: string | undefined;
}

const columnsOf = (dialog: Dialog<OrderDialog>, { noSave, noDelete }: Gates): Column<StandingOrder>[] => [
  {
    header: 'Name',
    cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name} />,
  },
  {
    header: 'Group',
    phone: 'end',
    cell: ({ DeviceGroup }) => (
      <Link to={paths.devices({ group: DeviceGroup })}>
        <bdi>{DeviceGroup}</bdi>
      </Link>
    ),
  },
  {
    header: 'Version',
    phone: 'second',
    cell: ({ State, ArtifactId, ArtifactName, ArtifactVersion }) => {
      const text = <bdi>{`${ArtifactName} ${ArtifactVersion}`}</bdi>;
      return State === 'Stopped' ? text : <Link to={paths.artifact(ArtifactId)}>{text}</Link>;
    },
  },
  {
    header: 'State',
    width: '200px',
    phone: 'end',
    cell: (order) => <StateOf words={orderWords(order)} />,
  },
  { header: 'Devices', phone: 'wide', cell: (order) => <Figures order={order} /> },
  {
    header: 'Changed',
    phone: 'hide',
    room: 'medium',
    cell: ({ ChangedTime, ChangedByName }) => (
      <span title={ChangedByName && `With the token “${ChangedByName}”`}>
        <Timestamp text={ChangedTime} />
      </span>
    ),
  },
  {
    header: 'Actions',
    tools: true,
    cell: (order) => (
      <span className="snug">
        <FailedButton order={order} dialog={dialog} />
        <Gate why={noSave}>
          <IconButton
            icon={IconPencil}
            iconSize={18}
            label={`Edit ${order.Name}`}
            title="Edit"
            onClick={() => dialog.open('edit', order.Name)}
          />
        </Gate>
        <Gate why={noDelete}>
          <IconButton
            icon={IconTrash}
            iconSize={18}
            label={`Delete ${order.Name}`}
            title="Delete"
            onClick={() => dialog.open('delete', order.Name)}
          />
        </Gate>
      </span>
    ),
  },
];

function Figures({ order }: { order: StandingOrder }) {
  const { Counts, Devices, Because } = order;
  return (
    <span className={classes.figures}>
      <span className={classes.bar} aria-hidden>
        <span style={{ inlineSize: `${Devices === 0 ? 0 : (100 * (Counts['Has'] ?? 0)) / Devices}%` }} />
      </span>
      <span className="tabular">{figuresText(order)}</span>
      {Because && <span className="dim">{Because}</span>}
    </span>
  );
}

function FailedButton({ order, dialog }: { order: StandingOrder; dialog: Dialog<OrderDialog> }) {
  const ended = endedCount(order);
  if (ended === 0) return null;
  const label = `Show ${counted(ended, 'device')}`;
  return (
    <Button
      size="xs"
      aria-label={`${label} of ${order.Name} that failed`}
      onClick={() => dialog.open('failed', order.Name)}
    >
      {label}
    </Button>
  );
}

export function OrdersPage() {
  const orders = useQuery(standingOrderQueries.list());
  const dialog = useDialog<OrderDialog>('order');
  const noSave = useMay(standingOrderEndpoints.save, 'Setting standing orders');
  const noDelete = useMay(standingOrderEndpoints.remove, 'Deleting standing orders');
  const create = (
    <Gate why={noSave}>
      <Button
        variant="filled"
        leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
        onClick={() => dialog.open('edit')}
      >
        New standing order
      </Button>
    </Gate>
  );
  return (
    <Page
      title="Standing orders"
      lead="A group, and the version of an artifact that its devices should have."
      actions={orders.data?.length !== 0 && create}
    >
      <RolloutTabs />
      <View
        query={orders}
        name="the standing orders"
        isEmpty={(list) => list.length === 0}
        empty={
          <Empty title="No standing orders yet" scoped action={create}>
            Each device of the group that lacks the version gets one job, including devices that join later.
          </Empty>
        }
      >
        {(list) => (
          <DataTable
            name="Standing orders"
            columns={columnsOf(dialog, { noSave, noDelete })}
            rows={list}
            rowKey={({ Name }) => Name}
          />
        )}
      </View>
      {orders.data && <OrderDialogs key={dialog.subject} orders={orders.data} dialog={dialog} />}
    </Page>
  );
}
