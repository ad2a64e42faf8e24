// Creates or edits a rule: what it watches, where its messages go, and how often at most.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Button, Checkbox, NativeSelect, Select, TextInput } from '@mantine/core';
import {
  ALERT_EVENTS,
  LASTING,
  UNSCOPED,
  alertEndpoints,
  ruleDraft,
  type AlertChannel,
  type AlertEvent,
  type AlertRule,
  type RuleDraft,
} from '#/contract/alerts.ts';
import { alertMutations } from '#/api/alerts.ts';
import { formRules } from '#/api/form-rules.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { tagQueries } from '#/api/tags.ts';
import { useFleetValues } from '#/fleet/use-fleet-values.ts';
import { FormDialog, type FormFields } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { conditionText, EVENT_LABELS, messagesText, templatesFor } from './alert-words.ts';
import classes from './alerts.module.css';

const RULES = formRules(ruleDraft, {
  Name: 'Name',
  When: 'When',
  DeviceGroup: 'Group',
  TagId: 'Tag',
  CustomerSite: 'Site',
  ForMinutes: 'For (minutes)',
  QuietMinutes: 'Minutes between messages',
  Channels: 'Channels',
});
type Field = keyof typeof RULES.labels;

const EVENTS = ALERT_EVENTS.map((value) => ({ value, label: EVENT_LABELS[value] }));
const isLasting = (event: string) => LASTING.includes(event as AlertEvent);
const isScoped = (event: string) => !UNSCOPED.includes(event as AlertEvent);
const idsOf = (text: string): string[] => text.split(' ').filter(Boolean);
const minutes = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Fields that do not apply to the event are reset. */
function bodyOf(values: Record<Field, string>): RuleDraft & Record<'DeviceGroup' | 'TagId' | 'CustomerSite', string> {
  const { Name, When, DeviceGroup, TagId, CustomerSite } = values;
  return {
    Name,
    When: When as AlertEvent,
    ...(isScoped(When) ? { DeviceGroup, TagId, CustomerSite } : { DeviceGroup: '', TagId: '', CustomerSite: '' }),
    ForMinutes: isLasting(When) ? minutes(values.ForMinutes) : 0,
    QuietMinutes: minutes(values.QuietMinutes),
    Channels: idsOf(values.Channels),
  };
}

interface RuleDialogProps {
  /** Undefined for a new rule. */
  rule: AlertRule | undefined;
  channels: readonly AlertChannel[];
  onClose: () => void;
}

export function RuleDialog({ rule, channels, onClose }: RuleDialogProps) {
  const [keys] = useState(() => new RequestKeys());
  const initial: Record<Field, string> = {
    Name: rule?.Name ?? '',
    When: rule?.When ?? 'DeviceOffline',
    DeviceGroup: rule?.DeviceGroup ?? '',
    TagId: rule?.TagId ?? '',
    CustomerSite: rule?.CustomerSite ?? '',
    ForMinutes: String(rule?.ForMinutes ?? 5),
    QuietMinutes: String(rule?.QuietMinutes ?? 30),
    Channels: rule ? rule.Channels.join(' ') : channels.length === 1 ? (channels[0]?.ChannelId ?? '') : '',
  };
  return (
    <FormDialog
      onClose={onClose}
      title={rule ? 'Edit rule' : 'Create rule'}
      size="lg"
      rules={RULES}
      initial={initial}
      bodyOf={bodyOf}
      write={alertMutations.saveRule(rule?.RuleId, keys)}
      request={(body) =>
        rule
          ? requestOf(alertEndpoints.updateRule, { params: { rule_id: rule.RuleId }, body })
          : requestOf(alertEndpoints.createRule, { body })
      }
      submitLabel={rule ? 'Save' : 'Create rule'}
      onDone={onClose}
    >
      {(form) => (
        <>
          {!rule && <Templates form={form} />}
          <RuleFields form={form} channels={channels} />
        </>
      )}
    </FormDialog>
  );
}

/** Fills the fields with what is asked for most; the channels stay as they are. */
function Templates({ form: { fill } }: { form: FormFields<Field> }) {
  const { groups } = useFleetValues();
  return (
    <fieldset className={classes.templates}>
      <legend>Start with</legend>
      {templatesFor(groups).map(({ label, rule }) => (
        <Button
          key={label}
          size="xs"
          onClick={() =>
            fill({
              ...rule,
              Name: label,
              ForMinutes: String(rule.ForMinutes),
              QuietMinutes: String(rule.QuietMinutes),
            })
          }
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}

/** One of the values that devices have, or any; a value that no device has any more stays among them. */
function ScopeSelect({
  form: { field, values, fill },
  name,
  among,
}: {
  form: FormFields<Field>;
  name: 'DeviceGroup' | 'CustomerSite';
  among: readonly string[];
}) {
  const now = values[name];
  return (
    <Select
      {...field(name)}
      data={now === '' || among.includes(now) ? among : [now, ...among]}
      value={now || null}
      onChange={(value: string | null) => fill({ [name]: value ?? '' })}
      placeholder="Any"
      limit={200}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': name === 'DeviceGroup' ? 'Any group' : 'Any site' }}
      nothingFoundMessage={name === 'DeviceGroup' ? 'No such group' : 'No such site'}
    />
  );
}

function RuleFields({ form, channels }: { form: FormFields<Field>; channels: readonly AlertChannel[] }) {
  const { field, values } = form;
  const { groups, sites } = useFleetValues();
  const tags = useQuery(tagQueries.list()).data ?? [];
  const body = bodyOf(values);
  return (
    <>
      <TextField
        description="Also the subject of its messages."
        autoComplete="off"
        data-autofocus
        required
        {...field('Name')}
      />
      <NativeSelect data={EVENTS} {...field('When')} />
      {isScoped(values.When) && (
        <div className={classes.minutes}>
          <ScopeSelect form={form} name="DeviceGroup" among={groups} />
          <ScopeSelect form={form} name="CustomerSite" among={sites} />
          <NativeSelect
            data={[
              { value: '', label: 'Any' },
              ...tags.map(({ TagId, TagName }) => ({ value: TagId, label: TagName })),
            ]}
            {...field('TagId')}
          />
        </div>
      )}
      <div className={classes.minutes}>
        {isLasting(values.When) && <TextInput type="number" min={0} max={1_440} {...field('ForMinutes')} />}
        <TextInput
          type="number"
          min={0}
          max={43_200}
          description="At least. Anything in between is in the next message."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...field('QuietMinutes')}
        />
      </div>
      <ChannelBoxes form={form} channels={channels} />
      <p className="dim" role="status">
        {conditionText(body, tags)} {messagesText(body, channels)}
      </p>
    </>
  );
}

function ChannelBoxes({
  form: { field, values, fill },
  channels,
}: {
  form: FormFields<Field>;
  channels: readonly AlertChannel[];
}) {
  const chosen = idsOf(values.Channels);
  const error: unknown = field('Channels').error;
  return (
    <fieldset className={classes.channels}>
      <legend>Channels</legend>
      {channels.map(({ ChannelId, Name }) => (
        <Checkbox
          key={ChannelId}
          label={Name}
          checked={chosen.includes(ChannelId)}
          onChange={({ currentTarget: { checked } }) =>
            fill({
              Channels: (checked ? [...chosen, ChannelId] : chosen.filter((id) => id !== ChannelId)).join(' '),
            })
          }
        />
      ))}
      {chosen.length === 0 && (
        <div role="status" className="alert">
          <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
          <span>
            {channels.length === 0 ? (
              <>
                There is no channel yet: nobody gets a message until you{' '}
                <Link to={paths.channels()}>create a channel</Link> and choose it here.
              </>
            ) : (
              'No channel is chosen: nobody gets a message. Its alerts are only shown here and on the overview.'
            )}
          </span>
        </div>
      )}
      {typeof error === 'string' && (
        <p role="alert" className="small failed">
          {error}
        </p>
      )}
    </fieldset>
  );
}
