// The dialogs of the Alerts page, opened by the URL.
import { useQuery } from '@tanstack/react-query';
import type { AlertChannel, AlertRule } from '#/contract/alerts.ts';
import { alertMutations, alertQueries } from '#/api/alerts.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { SilenceDialog } from './silence-dialog.tsx';

/** `rule` and `channel` without a subject create one. */
export type AlertDialog = 'rule' | 'delete-rule' | 'silence' | 'channel' | 'delete-channel';

interface AlertDialogsProps {
  channels: readonly AlertChannel[] | undefined;
  dialog: Dialog<AlertDialog>;
}

export function AlertDialogs({ channels, dialog: { name, subject, close } }: AlertDialogsProps) {
  const rules = useQuery(alertQueries.rules()).data;
  const rule = rules?.find(({ RuleId }) => RuleId === subject);
  const channel = channels?.find(({ ChannelId }) => ChannelId === subject);
  return (
    <>
      {name === 'rule' && channels && (rule || subject === null) && (
        <RuleDialog rule={rule} channels={channels} onClose={close} />
      )}
      {name === 'silence' && rule && <SilenceDialog rule={rule} onClose={close} />}
      {name === 'delete-rule' && rule && <DeleteRule rule={rule} onClose={close} />}
      {name === 'channel' && <ChannelDialog onClose={close} />}
      {name === 'delete-channel' && channel && rules && (
        <DeleteChannel channel={channel} rules={rules} onClose={close} />
      )}
    </>
  );
}

function DeleteRule({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete rule"
      confirmLabel="Delete rule"
      write={alertMutations.removeRule(rule.RuleId)}
    >
      <strong>{rule.Name}</strong> stops sending messages. Those already queued are still sent.
    </ConfirmDialog>
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
