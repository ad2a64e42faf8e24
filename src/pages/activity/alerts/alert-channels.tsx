// The channels, each with a test and its result.
import { Button } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { alertEndpoints, type AlertChannel } from '#/contract/alerts.ts';
import { alertMutations } from '#/api/alerts.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Section } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import type { AlertDialog } from './alert-dialogs.tsx';
import classes from './alerts.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const kindText = ({ Kind, Format }: AlertChannel): string =>
  Kind === 'email' ? 'E-mail' : Format === 'slack' ? 'Slack webhook' : 'Webhook';

function TestChannel({ channel: { ChannelId, Name } }: { channel: AlertChannel }) {
  const { mutate, isPending, data, error } = useWrite(alertMutations.testChannel(ChannelId));
  const noTest = useMay(alertEndpoints.testChannel, 'Testing channels');
  const because = error?.message ?? data?.Because ?? '';
  return (
    <span className={`wrap ${classes.text}`}>
      <Gate why={noTest}>
        <Button variant="default" size="xs" loading={isPending} aria-label={`Test ${Name}`} onClick={() => mutate()}>
          Test
        </Button>
      </Gate>
      <span role="status" className="small">
        {!isPending && (data || error) && (
          <>
            <StateMark
              state={data?.Delivered ? 'Succeeded' : 'Failed'}
              label={data?.Delivered ? 'Delivered' : 'Not delivered'}
            />
            {because && `: ${because}`}
          </>
        )}
      </span>
    </span>
  );
}

const columnsOf = (dialog: Dialog<AlertDialog>, noDelete: string | undefined): Column<AlertChannel>[] => [
  {
    header: 'Name',
    cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name} />,
    width: '22%',
  },
  { header: 'Kind', cell: kindText, width: '120px', phone: 'second' },
  {
    header: 'To',
    cell: ({ Url, To }) => <span className={classes.text}>{To ? To.join(', ') : Url}</span>,
    phone: 'wide',
  },
  { header: 'Test', cell: (channel) => <TestChannel channel={channel} />, phone: 'wide' },
  {
    header: 'Actions',
    tools: true,
    cell: ({ ChannelId, Name }) => (
      <Gate why={noDelete}>
        <IconButton
          icon={IconTrash}
          iconSize={18}
          label={`Delete channel ${Name}`}
          title="Delete"
          onClick={() => dialog.open('delete-channel', ChannelId)}
        />
      </Gate>
    ),
  },
];

interface AlertChannelsProps {
  channels: Parameters<typeof View<AlertChannel[]>>[0]['query'];
  dialog: Dialog<AlertDialog>;
}

export function AlertChannels({ channels, dialog }: AlertChannelsProps) {
  const noCreate = useMay(alertEndpoints.createChannel, 'Creating channels');
  const noDelete = useMay(alertEndpoints.removeChannel, 'Deleting channels');
  const create = (
    <Gate why={noCreate}>
      <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('channel')}>
        Create channel
      </Button>
    </Gate>
  );
  return (
    <Section title="Channels" actions={channels.data?.length === 0 ? null : create}>
      <View
        query={channels}
        name="the channels"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title="No channels" action={create}>
            A channel is where messages go: a webhook, or e-mail addresses.
          </Empty>
        }
      >
        {(all) => (
          <DataTable
            name="Channels"
            columns={columnsOf(dialog, noDelete)}
            rows={all}
            rowKey={({ ChannelId }) => ChannelId}
          />
        )}
      </View>
    </Section>
  );
}
