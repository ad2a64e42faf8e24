// Silences a rule for a while, with a reason.
import { useState } from 'react';
import { silenceDraft, alertEndpoints, type AlertRule } from '#/contract/alerts.ts';
import { alertMutations } from '#/api/alerts.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';

const RULES = formRules(silenceDraft, { Until: 'End', Reason: 'Reason' });
const HOUR = 3_600_000;
const SPANS = [
  { value: '1', label: '1 hour' },
  { value: '8', label: '8 hours' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
];

export const SilenceNote = ({ silence: { Until, Reason } }: { silence: { Until: string; Reason: string } }) => (
  <span className="small dim">
    Silenced, ends <Timestamp text={Until} ahead />
    {Reason && <>: {Reason}</>}
  </span>
);

export function SilenceDialog({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  // Counted from when the dialog opened, so that the displayed request does not change.
  const [opened] = useState(() => Date.now());
  return (
    <FormDialog
      onClose={onClose}
      title={`Silence “${rule.Name}”`}
      rules={RULES}
      initial={{ Until: '1', Reason: '' }}
      bodyOf={({ Until, Reason }) => ({ Until: new Date(opened + Number(Until) * HOUR).toISOString(), Reason })}
      write={alertMutations.silenceRule(rule.RuleId)}
      request={(body) => requestOf(alertEndpoints.silenceRule, { params: { rule_id: rule.RuleId }, body })}
      submitLabel="Silence rule"
      onDone={onClose}
    >
      {({ field, values, fill }) => (
        <>
          <p className="dim">No messages are sent until then. Alerts still firing then are sent.</p>
          <SegmentedControl
            aria-label="Silence for"
            value={values.Until}
            data={SPANS}
            onChange={(Until) => fill({ Until })}
          />
          <TextField
            description="Shown to everyone in this account."
            autoComplete="off"
            maxLength={255}
            {...field('Reason')}
          />
        </>
      )}
    </FormDialog>
  );
}
