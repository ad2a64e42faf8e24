// The API tokens of a person, which can be revoked.
import { Button } from '@mantine/core';
import type { ApiToken } from '#/contract/account.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { useTokensOf } from './use-held.ts';

const columnsOf = (dialog: Dialog<'revoke'>): Column<ApiToken>[] => [
  { header: 'Name', cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name || 'Without a name'} /> },
  { header: 'Starts with', cell: ({ Prefix }) => <span className="mono">{Prefix}…</span>, phone: 'second' },
  { header: 'Role', cell: ({ Role }) => Role, phone: 'hide' },
  {
    header: 'Last used',
    cell: ({ LastUsedTime }) => (LastUsedTime ? <Timestamp text={LastUsedTime} /> : <span className="dim">Never</span>),
    phone: 'end',
  },
  {
    header: 'Actions',
    tools: true,
    cell: ({ TokenId, Name, Prefix }) => (
      <Button size="xs" aria-label={`Revoke ${Name || Prefix}`} onClick={() => dialog.open('revoke', TokenId)}>
        Revoke
      </Button>
    ),
  },
];

export function PersonTokens({ personId }: { personId: string }) {
  const tokens = useTokensOf(personId);
  const dialog = useDialog<'revoke'>('token');
  const subject = tokens.data?.find(({ TokenId }) => TokenId === dialog.subject);
  return (
    <Section title="Tokens">
      <View
        query={tokens}
        name="the tokens"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className="dim small">No tokens of this person’s own.</p>}
      >
        {(rows) => (
          <DataTable
            name="Tokens of this person"
            columns={columnsOf(dialog)}
            rows={rows}
            rowKey={({ TokenId }) => TokenId}
          />
        )}
      </View>
      {dialog.name === 'revoke' && subject && <RevokeToken token={subject} onClose={dialog.close} />}
    </Section>
  );
}
