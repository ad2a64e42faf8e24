// Creates or edits a rule: what it watches, where its messages go, and how often at most.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox, NativeSelect, Select, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import {
  ALERT_EVENTS,
  DEFAULT_PERCENT,
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
import { useOffered } from '#/api/capabilities.ts';
import { formRules } from '#/api/form-rules.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { tagQueries } from '#/api/tags.ts';
import { useMay, useOwnGroups } from '#/api/people.ts';
import { ChannelDialog } from '#/features/alert-channels/channel-dialog.tsx';
import { useFleetValues } from '#/features/fleet-values/use-fleet-values.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { FormDialog, type FormFields } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { conditionText, EVENT_LABELS, messagesText } from './alert-words.ts';
import { RuleTrial } from './rule-trial.tsx';
import { templatesOf } from './rule-templates.ts';
import classes from './alerts.module.css';

const RULES = formRules(ruleDraft, {
  Name: 'Name',
  When: 'When',
  DeviceGroup: 'Group',
  TagId: 'Tag',
  CustomerSite: 'Site',
  Facts: 'Facts',
  ForMinutes: 'For (minutes)',
  QuietMinutes: 'Minutes between messages',
  Percent: 'Percent used',
  Channels: 'Channels',
});
type Field = keyof typeof RULES.labels;

const EVENTS = ALERT_EVENTS.map((value) => ({ value, label: EVENT_LABELS[value] }));
const isLasting = (event: string) => LASTING.includes(event as AlertEvent);
const isScoped = (event: string) => !UNSCOPED.includes(event as AlertEvent);
const idsOf = (text: string): string[] => text.split(' ').filter(Boolean);
/** NaN is refused at its field. */
const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Facts as a person writes them: one on each line. A line that is none is kept, and refused as a name. */
function factsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = line, value = ''] = /^\s*([^=]*?)\s*=(.+)$/.exec(line) ?? [];
      return [value === '' ? `${name}=` : name, value.trim()];
    }),
  );
}
const linesOf = (facts: AlertRule['Facts'] = {}): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Fields that do not apply to the event are reset. */
function bodyOf(values: Record<Field, string>): RuleDraft & Record<'DeviceGroup' | 'TagId' | 'CustomerSite', string> {
  const { Name, When, DeviceGroup, TagId, CustomerSite } = values;
  return {
    Name,
    When: When as AlertEvent,
    ...(isScoped(When)
      ? { DeviceGroup, TagId, CustomerSite, Facts: factsOf(values.Facts) }
      : { DeviceGroup: '', TagId: '', CustomerSite: '', Facts: {} }),
    ForMinutes: isLasting(When) ? numberOf(values.ForMinutes) : 0,
    QuietMinutes: numberOf(values.QuietMinutes),
    ...(!isScoped(When) && { Percent: numberOf(values.Percent) }),
    Channels: idsOf(values.Channels),
  };
}

/** With a role that is limited to groups a rule watches one of them. They may become known after the form is there. */
const withinOwn = (values: Record<Field, string>, [first]: readonly string[] = []): Record<Field, string> =>
  values.DeviceGroup === '' && first !== undefined ? { ...values, DeviceGroup: first } : values;

interface RuleDialogProps {
  /** Undefined for a new rule. */
  rule: AlertRule | undefined;
  channels: readonly AlertChannel[];
  onClose: () => void;
}

export function RuleDialog({ rule, channels, onClose }: RuleDialogProps) {
  const [keys] = useState(() => new RequestKeys());
  /** What chooses a new channel in the form, while the dialog that creates it is open in the place of this one. */
  const [choose, setChoose] = useState<(channelId: string) => void>();
  const own = useOwnGroups();
  const initial: Record<Field, string> = {
    Name: rule?.Name ?? '',
    When: rule?.When ?? 'DeviceOffline',
    DeviceGroup: rule?.DeviceGroup ?? '',
    TagId: rule?.TagId ?? '',
    CustomerSite: rule?.CustomerSite ?? '',
    Facts: linesOf(rule?.Facts),
    ForMinutes: String(rule?.ForMinutes ?? 5),
    QuietMinutes: String(rule?.QuietMinutes ?? 30),
    Percent: String(rule?.Percent ?? DEFAULT_PERCENT),
    Channels: rule ? rule.Channels.join(' ') : channels.length === 1 ? (channels[0]?.ChannelId ?? '') : '',
  };
  return (
    <>
      <FormDialog
        opened={!choose}
        onClose={onClose}
        title={rule ? 'Edit rule' : 'Create rule'}
        size="lg"
        rules={RULES}
        initial={initial}
        bodyOf={(values) => bodyOf(withinOwn(values, own))}
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
            <RuleFields form={form} channels={channels} onAddChannel={(add) => setChoose(() => add)} />
          </>
        )}
      </FormDialog>
      {choose && <ChannelDialog onMade={choose} onClose={() => setChoose(undefined)} />}
    </>
  );
}

function Templates({ form: { fill } }: { form: FormFields<Field> }) {
  const own = useOwnGroups();
  const known = useFleetValues('group');
  return (
    <div className={classes.templates} role="group" aria-label="Start from a template">
      {templatesOf(own ?? known, own !== undefined).map(({ label, values }, index) => (
        <Button
          key={index}
          variant="default"
          size="xs"
          onClick={() => fill({ ForMinutes: '0', CustomerSite: '', TagId: '', Facts: '', ...values, Name: label })}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

interface RuleFieldsProps {
  form: FormFields<Field>;
  channels: readonly AlertChannel[];
  /** Opens the dialog for a new channel, which is then chosen by the function. */
  onAddChannel: (choose: (channelId: string) => void) => void;
}

function RuleFields({ form: asTyped, channels, onAddChannel }: RuleFieldsProps) {
  const form = { ...asTyped, values: withinOwn(asTyped.values, useOwnGroups()) };
  const { field, values } = form;
  const tags = useQuery(tagQueries.list()).data ?? [];
  const sites = useFleetValues('site');
  const hasFacts = useOffered('facts') === true;
  const body = bodyOf(values);
  const share = Number.isNaN(body.Percent) ? DEFAULT_PERCENT : body.Percent;
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
          <GroupSelect form={form} />
          <OneOf form={form} name="CustomerSite" data={sites} />
          <NativeSelect
            data={[
              { value: '', label: 'Any' },
              ...tags.map(({ TagId, TagName }) => ({ value: TagId, label: TagName })),
            ]}
            {...field('TagId')}
          />
        </div>
      )}
      {isScoped(values.When) && hasFacts && (
        <Textarea
          autosize
          minRows={1}
          maxRows={6}
          placeholder="os=debian"
          description="Only devices with these facts, one on each line."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
          spellCheck={false}
          {...field('Facts')}
        />
      )}
      <div className={classes.minutes}>
        {isLasting(values.When) && <TextInput type="number" min={0} max={1_440} {...field('ForMinutes')} />}
        {!isScoped(values.When) && <TextInput type="number" min={1} max={99} {...field('Percent')} />}
        <TextInput
          type="number"
          min={0}
          max={43_200}
          description="Minimum. Events in between are batched."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...field('QuietMinutes')}
        />
      </div>
      <ChannelBoxes form={form} channels={channels} onAddChannel={onAddChannel} />
      <p className="dim" role="status">
        {conditionText({ ...body, Percent: share }, tags)} {messagesText(body, channels)}
      </p>
      <RuleTrial rule={body} />
    </>
  );
}

/** A role limited to groups watches one of them; any other may leave the group open. */
function GroupSelect({ form }: { form: FormFields<Field> }) {
  const own = useOwnGroups();
  const known = useFleetValues('group');
  return <OneOf form={form} name="DeviceGroup" data={own ?? known} isRequired={own !== undefined} />;
}

interface OneOfProps {
  form: FormFields<Field>;
  name: 'DeviceGroup' | 'CustomerSite';
  data: readonly string[];
  isRequired?: boolean;
}

function OneOf({ form: { field, values, fill }, name, data, isRequired = false }: OneOfProps) {
  const { label } = field(name);
  const error: unknown = field(name).error;
  const value = values[name];
  return (
    <Select
      label={label}
      error={typeof error === 'string' ? error : undefined}
      // The value of an older rule may be of no device any more.
      data={value === '' || data.includes(value) ? [...data] : [value, ...data]}
      value={value || null}
      onChange={(chosen) => fill({ [name]: chosen ?? '' })}
      placeholder="Any"
      searchable
      clearable={!isRequired}
      // To choose the same again is no wish to clear it.
      allowDeselect={false}
      clearButtonProps={{ 'aria-label': `Clear the ${label.toLowerCase()}` }}
      nothingFoundMessage={`No device has this ${label.toLowerCase()}`}
      maxDropdownHeight={320}
      limit={200}
    />
  );
}

function ChannelBoxes({ form: { field, values, fill }, channels, onAddChannel }: RuleFieldsProps) {
  const noCreate = useMay(alertEndpoints.createChannel, 'Creating channels');
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
        <div role="note" className={classes.noChannel}>
          <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
          <span>
            <strong>No channel is chosen.</strong> Alerts appear here, but nobody is notified.
          </span>
          <Gate why={noCreate}>
            <Button
              variant="default"
              size="xs"
              onClick={() => onAddChannel((id) => fill({ Channels: [...chosen, id].join(' ') }))}
            >
              Add a channel
            </Button>
          </Gate>
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
