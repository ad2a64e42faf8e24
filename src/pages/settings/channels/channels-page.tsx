// The channels that alerts go to, each with a test and its result.
import { Button } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { alertEndpoints, type AlertChannel, type AlertRule } from '#/contract/alerts.ts';
import { alertMutations, alertQueries } from '#/api/alerts.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { SendTest } from '#/features/alert-channels/send-test.tsx';
import { ChannelDialog } from '#/features/alert-channels/channel-dialog.tsx';
import classes from './channels.module.css';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

type ChannelsDialog = 'channel' | 'delete-channel';

const kindText = ({ Kind, Format }: AlertChannel): string =>
  Kind === 'email' ? 'E-mail' : Format === 'slack' ? 'Slack webhook' : 'Webhook';

function TestChannel({ channel: { ChannelId, Name } }: { channel: AlertChannel }) {
  return (
    <span className={`wrap ${classes.text}`}>
      <SendTest write={alertMutations.testChannel(ChannelId)} label="Test" name={Name} />
    </span>
  );
}

const columnsOf = (dialog: Dialog<ChannelsDialog>, noDelete: string | undefined): Column<AlertChannel>[] => [
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

export function ChannelsPage() {
  const channels = useQuery(alertQueries.channels());
  const rules = useQuery(alertQueries.rules()).data;
  const dialog = useDialog<ChannelsDialog>('channel');
  const noCreate = useMay(alertEndpoints.createChannel, 'Creating channels');
  const noDelete = useMay(alertEndpoints.removeChannel, 'Deleting channels');
  const subject = channels.data?.find(({ ChannelId }) => ChannelId === dialog.subject);
  const create = (
    <Gate why={noCreate}>
      <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('channel')}>
        Create channel
      </Button>
    </Gate>
  );
  return (
    <Page
      title="Alert channels"
      lead={
        <>
          Where the messages of <Link to={paths.alerts()}>alert rules</Link> go.
        </>
      }
      actions={channels.data?.length === 0 ? null : create}
    >
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
      {dialog.name === 'channel' && <ChannelDialog onClose={dialog.close} />}
      {dialog.name === 'delete-channel' && subject && rules && (
        <DeleteChannel channel={subject} rules={rules} onClose={dialog.close} />
      )}
    </Page>
  );
}

interface DeleteChannelProps {
  channel: AlertChannel;
  rules: readonly AlertRule[];
  onClose: () => void;
}

function DeleteChannel({ channel, rules, onClose }: DeleteChannelProps) {
  const users = rules.filter(({ Channels }) => Channels.includes(channel.ChannelId));
  const lost = users.filter(({ Channels }) => Channels.length === 1);
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete channel"
      confirmLabel="Delete channel"
      write={alertMutations.removeChannel(channel.ChannelId)}
    >
      <p>
        <strong>{channel.Name}</strong> receives no more messages, including those waiting to be retried.
      </p>
      {lost.length > 0 && (
        <p>Rules left without a channel, which send nothing: {lost.map(({ Name }) => Name).join(', ')}.</p>
      )}
    </ConfirmDialog>
  );
}
