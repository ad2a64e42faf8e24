// The API tokens, by how they begin and when they were last used.
import { Button } from '@mantine/core';
import type { ApiToken } from '#/contract/account.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { DataTable, rowName } from '#/ui/table/table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { Time } from '#/ui/controls/time.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';

export type TokenDialog = 'make' | 'revoke';

const columnsOf = (dialog: Dialog<TokenDialog>): Column<ApiToken>[] => [
  { header: 'Name', cell: ({ Name }) => <span className={rowName}>{Name || 'Without a name'}</span> },
  { header: 'Begins with', cell: ({ Prefix }) => <span className="mono">{Prefix}…</span> },
  {
    header: 'Made',
    cell: ({ CreatedTime }) => <Time at={parseTimestamp(CreatedTime)} raw={CreatedTime} />,
    phone: 'hide',
  },
  {
    header: 'Last used',
    cell: ({ LastUsedTime }) =>
      LastUsedTime ? <Time at={parseTimestamp(LastUsedTime)} raw={LastUsedTime} /> : <span className="dim">Never</span>,
    phone: 'second',
  },
  {
    header: 'Actions',
    tools: true,
    cell: ({ TokenId, Name, Prefix }) => (
      <Button
        variant="default"
        size="xs"
        aria-label={`Revoke ${Name || Prefix}`}
        onClick={() => dialog.open('revoke', TokenId)}
      >
        Revoke
      </Button>
    ),
  },
];

export function TokenTable({ tokens, dialog }: { tokens: ApiToken[]; dialog: Dialog<TokenDialog> }) {
  return <DataTable name="API tokens" columns={columnsOf(dialog)} rows={tokens} rowKey={({ TokenId }) => TokenId} />;
}
