// A new channel: a webhook, whose secret is shown once, or e-mail addresses.
import { useState } from 'react';
import { NativeSelect, Textarea } from '@mantine/core';
import { alertEndpoints, channelDraft, type ChannelDraft } from '#/contract/alerts.ts';
import { useOffered } from '#/api/capabilities.ts';
import { alertMutations } from '#/api/alerts.ts';
import { formRules } from '#/api/form-rules.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { FormDialog, type FormFields } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { SendTest } from './send-test.tsx';

const LABELS = { Kind: 'Kind', Name: 'Name', Url: 'Address', Format: 'Format', To: 'Addresses' };
type Field = keyof typeof LABELS;
const SENT = formRules(channelDraft, LABELS);

const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

/** The error of one address is shown at the field that holds them all. */
function check(body: unknown): Record<string, string> {
  const errors = SENT.check(body);
  const wrong = Object.keys(errors).find((field) => field.startsWith('To.'));
  if (wrong === undefined) return errors;
  const address = (body as ChannelDraft).To?.[Number(wrong.slice('To.'.length))] ?? '';
  return { ...errors, To: `“${address}” is not an e-mail address` };
}
const RULES = { ...SENT, check };

const bodyOf = ({ Kind, Name, Url, Format, To }: Record<Field, string>): ChannelDraft =>
  Kind === 'email'
    ? { Kind, Name, To: addressesOf(To) }
    : { Kind: 'webhook', Name, Url: Url.trim(), Format: Format === 'slack' ? 'slack' : 'json' };

interface ChannelDialogProps {
  onMade?: (channelId: string) => void;
  onClose: () => void;
}

export function ChannelDialog({ onMade, onClose }: ChannelDialogProps) {
  const [keys] = useState(() => new RequestKeys());
  const [made, setMade] = useState<{ name: string; secret: string }>();
  if (made)
    return (
      <SecretDialog
        title={`Channel “${made.name}”`}
        what="signing secret"
        secret={made.secret}
        fileName="muster-webhook-secret.txt"
        onDone={onClose}
      >
        Your receiver uses this secret to verify messages: each has a Muster-Signature header.
      </SecretDialog>
    );
  return (
    <FormDialog
      onClose={onClose}
      title="Create channel"
      rules={RULES}
      initial={{ Kind: 'webhook', Name: '', Url: '', Format: 'json', To: '' }}
      bodyOf={bodyOf}
      // Not cached, so that nothing of the secret outlives the dialog.
      write={{ ...alertMutations.createChannel(keys), gcTime: 0 }}
      request={(body) => requestOf(alertEndpoints.createChannel, { body })}
      explain={unconfirmed('channel')}
      submitLabel="Create channel"
      onDone={({ ChannelId, Secret }, body) => {
        onMade?.(ChannelId);
        // Slack verifies no signature: its URL is the secret.
        if (Secret && body.Format === 'json') setMade({ name: body.Name, secret: Secret });
        else onClose();
      }}
    >
      {(form) => <ChannelFields form={form} />}
    </FormDialog>
  );
}

function ChannelFields({ form: { field, values, fill } }: { form: FormFields<Field> }) {
  const hasEmail = useOffered('alert-email') === true;
  const body = bodyOf(values);
  return (
    <>
      <SegmentedControl
        aria-label="Kind"
        value={values.Kind}
        data={[
          { value: 'webhook', label: 'Webhook' },
          { value: 'email', label: 'E-mail', disabled: !hasEmail },
        ]}
        onChange={(Kind) => fill({ Kind })}
      />
      {!hasEmail && (
        <p className="small dim">To send e-mail, the service’s operator must set SMTP_URL and SMTP_FROM.</p>
      )}
      <TextField placeholder="Ops" autoComplete="off" required data-autofocus {...field('Name')} />
      {values.Kind === 'email' ? (
        <Textarea description="Up to 20, one per line." autosize minRows={2} required {...field('To')} />
      ) : (
        <>
          <TextField
            description="An http or https address that messages are posted to."
            placeholder="https://hooks.example.com/muster"
            autoComplete="off"
            spellCheck={false}
            required
            {...field('Url')}
          />
          <NativeSelect
            data={[
              { value: 'json', label: 'JSON, signed' },
              { value: 'slack', label: 'Slack' },
            ]}
            {...field('Format')}
          />
        </>
      )}
      <span className="wrap">
        <SendTest
          // What became of an earlier test says nothing about what is typed now.
          key={JSON.stringify(body)}
          write={alertMutations.testDraft(body)}
          label="Send a test"
          labels={LABELS}
          why={Object.keys(RULES.check(body)).length > 0 ? 'Fill in the fields first' : undefined}
        />
      </span>
    </>
  );
}
