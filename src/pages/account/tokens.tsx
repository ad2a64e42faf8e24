// The API tokens of the account: listed by how they begin, made (shown once), revoked.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { useOffered } from '#/api/capabilities.ts';
import type { ApiToken } from '#/contract/account.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { Section } from '#/ui/page/page.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Empty, View } from '#/ui/page/view.tsx';
import { MakeToken } from './make-token.tsx';
import classes from './account-page.module.css';

const LEAD = 'For programs and people. A token gives full access to this account.';

type TokenDialog = 'make' | 'revoke';

const columnsOf = (dialog: Dialog<TokenDialog>): Column<ApiToken>[] => [
  {
    header: 'Name',
    cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name || 'Without a name'} />,
  },
  { header: 'Starts with', cell: ({ Prefix }) => <span className="mono">{Prefix}…</span> },
  {
    header: 'Created',
    cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} />,
    phone: 'hide',
  },
  {
    header: 'Last used',
    cell: ({ LastUsedTime }) => (LastUsedTime ? <Timestamp text={LastUsedTime} /> : <span className="dim">Never</span>),
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

export function Tokens() {
  const isOffered = useOffered('tokens');
  // Where the account cannot be read, its own section says so.
  const tokens = useQuery({ ...tokenQueries.tokens(), enabled: isOffered === true });
  const dialog = useDialog<TokenDialog>('token');
  if (isOffered === false)
    return (
      <Section title="API tokens">
        <p className={classes.note}>Manage tokens in this service’s own web portal.</p>
      </Section>
    );
  const make = (
    <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('make')}>
      Create token
    </Button>
  );
  const subject = tokens.data?.find(({ TokenId }) => TokenId === dialog.subject);
  return (
    <Section title="API tokens" lead={LEAD} actions={tokens.data?.length === 0 ? null : make}>
      <View
        query={tokens}
        name="API tokens"
        rows={3}
        isEmpty={({ length }) => length === 0}
        empty={<Empty title="No API tokens" action={make} />}
      >
        {(all) => (
          <DataTable name="API tokens" columns={columnsOf(dialog)} rows={all} rowKey={({ TokenId }) => TokenId} />
        )}
      </View>
      {dialog.name === 'make' && <MakeToken onClose={dialog.close} />}
      {dialog.name === 'revoke' && subject && <RevokeToken token={subject} onClose={dialog.close} />}
    </Section>
  );
}

function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Revoke API token"
      confirmLabel="Revoke token"
      write={tokenMutations.revokeToken(token.TokenId)}
    >
      <strong>{token.Name || token.Prefix}</strong> (<span className="mono">{token.Prefix}…</span>) stops working at
      once for every program and session that signed in with it, including this one if it did.
    </ConfirmDialog>
  );
}
