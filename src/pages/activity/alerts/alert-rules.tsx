// The rules, each as a sentence.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { alertEndpoints, type AlertChannel, type AlertRule } from '#/contract/alerts.ts';
import type { Tag } from '#/contract/tags.ts';
import { alertQueries } from '#/api/alerts.ts';
import { tagQueries } from '#/api/tags.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import type { AlertDialog } from './alert-dialogs.tsx';
import { conditionText, messagesText } from './alert-words.ts';
import { EndSilence } from './end-silence.tsx';
import { SilenceNote } from './silence-dialog.tsx';
import classes from './alerts.module.css';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

interface Context {
  channels: readonly AlertChannel[];
  tags: readonly Tag[];
  noSilence: string | undefined;
  noEdit: string | undefined;
  noDelete: string | undefined;
}

const columnsOf = (context: Context, dialog: Dialog<AlertDialog>): Column<AlertRule>[] => {
  const { channels, tags, noSilence, noEdit, noDelete } = context;
  return [
    {
      header: 'Name',
      cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name} />,
      width: '22%',
    },
    {
      header: 'Rule',
      cell: (rule) => (
        <div className={classes.text}>
          {conditionText(rule, tags)} {messagesText(rule, channels)}
          {rule.Silence && (
            <div>
              <SilenceNote silence={rule.Silence} />
            </div>
          )}
        </div>
      ),
      phone: 'wide',
    },
    {
      header: 'Actions',
      tools: true,
      cell: (rule) => (
        <span className="snug">
          {rule.Silence ? (
            <EndSilence id={rule.RuleId} label={`End silence of ${rule.Name}`} />
          ) : (
            <Gate why={noSilence}>
              <Button
                variant="default"
                size="xs"
                aria-label={`Silence ${rule.Name}`}
                onClick={() => dialog.open('silence', rule.RuleId)}
              >
                Silence
              </Button>
            </Gate>
          )}
          <Gate why={noEdit}>
            <IconButton
              icon={IconPencil}
              iconSize={18}
              label={`Edit ${rule.Name}`}
              title="Edit"
              onClick={() => dialog.open('rule', rule.RuleId)}
            />
          </Gate>
          <Gate why={noDelete}>
            <IconButton
              icon={IconTrash}
              iconSize={18}
              label={`Delete ${rule.Name}`}
              title="Delete"
              onClick={() => dialog.open('delete-rule', rule.RuleId)}
            />
          </Gate>
        </span>
      ),
    },
  ];
};

interface AlertRulesProps {
  /** Undefined until they are loaded. */
  channels: readonly AlertChannel[] | undefined;
  dialog: Dialog<AlertDialog>;
}

export function AlertRules({ channels, dialog }: AlertRulesProps) {
  const rules = useQuery(alertQueries.rules());
  const tags = useQuery(tagQueries.list()).data ?? [];
  const noCreate = useMay(alertEndpoints.createRule, 'Creating alert rules');
  const noSilence = useMay(alertEndpoints.silenceRule, 'Silencing rules');
  const noEdit = useMay(alertEndpoints.updateRule, 'Editing alert rules');
  const noDelete = useMay(alertEndpoints.removeRule, 'Deleting alert rules');
  const create = (
    <Gate why={noCreate}>
      <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('rule')}>
        Create rule
      </Button>
    </Gate>
  );
  return (
    <Section
      title="Rules"
      lead={
        channels &&
        (channels.length === 0 ? (
          <>
            <Link to={paths.channels()}>Create a channel</Link>: without one, rules send to nobody.
          </>
        ) : (
          <>
            Messages go to {channels.length === 1 ? 'the channel' : 'the channels'}{' '}
            {channels.map(({ Name }) => Name).join(', ')}: <Link to={paths.channels()}>manage channels</Link>.
          </>
        ))
      }
      actions={rules.data?.length === 0 ? null : create}
    >
      <View
        query={rules}
        name="the rules"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title="No rules" action={create}>
            A rule says when to send a message: a device is Offline, a job fails, storage runs out.
          </Empty>
        }
      >
        {(all) => (
          <DataTable
            name="Rules"
            columns={columnsOf({ channels: channels ?? [], tags, noSilence, noEdit, noDelete }, dialog)}
            rows={all}
            rowKey={({ RuleId }) => RuleId}
          />
        )}
      </View>
    </Section>
  );
}
