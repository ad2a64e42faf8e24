// The dialogs of the Alerts page, opened by the URL.
import { useQuery } from '@tanstack/react-query';
import type { AlertChannel, AlertRule } from '#/contract/alerts.ts';
import { alertMutations, alertQueries } from '#/api/alerts.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { SilenceDialog } from './silence-dialog.tsx';

/** `rule` without a subject creates one. */
export type AlertDialog = 'rule' | 'delete-rule' | 'silence';

interface AlertDialogsProps {
  channels: readonly AlertChannel[] | undefined;
  dialog: Dialog<AlertDialog>;
}

export function AlertDialogs({ channels, dialog: { name, subject, close } }: AlertDialogsProps) {
  const rules = useQuery(alertQueries.rules()).data;
  const rule = rules?.find(({ RuleId }) => RuleId === subject);
  return (
    <>
      {name === 'rule' && channels && (rule || subject === null) && (
        <RuleDialog rule={rule} channels={channels} onClose={close} />
      )}
      {name === 'silence' && rule && <SilenceDialog rule={rule} onClose={close} />}
      {name === 'delete-rule' && rule && <DeleteRule rule={rule} onClose={close} />}
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
