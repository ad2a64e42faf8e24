// The API tokens of the account: listed by their first characters, created and revoked.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { useOffered } from '#/api/capabilities.ts';
import { formRules } from '#/api/form-rules.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { accountEndpoints, type ApiToken } from '#/contract/account.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { Section } from '#/ui/page/page.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Empty, View } from '#/ui/page/view.tsx';
import classes from './account-page.module.css';

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
  // If the account cannot be read, the usage section says so.
  const tokens = useQuery({ ...tokenQueries.tokens(), enabled: isOffered === true });
  const dialog = useDialog<TokenDialog>('token');
  if (isOffered === false)
    return (
      <Section title="API tokens">
        <p className={classes.note}>Manage tokens in this service’s own web portal.</p>
      </Section>
    );
  const create = (
    <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('make')}>
      Create token
    </Button>
  );
  const subject = tokens.data?.find(({ TokenId }) => TokenId === dialog.subject);
  return (
    <Section
      title="API tokens"
      lead="For programs and people. A token gives full access to this account."
      actions={tokens.data?.length === 0 ? null : create}
    >
      <View
        query={tokens}
        name="API tokens"
        rows={3}
        isEmpty={({ length }) => length === 0}
        empty={<Empty title="No API tokens" action={create} />}
      >
        {(all) => (
          <DataTable name="API tokens" columns={columnsOf(dialog)} rows={all} rowKey={({ TokenId }) => TokenId} />
        )}
      </View>
      {dialog.name === 'make' && <CreateToken onClose={dialog.close} />}
      {dialog.name === 'revoke' && subject && <RevokeToken token={subject} onClose={dialog.close} />}
    </Section>
  );
}

const RULES = formRules(accountEndpoints.createToken.body, { Name: 'Name', Proof: 'Your proof' });

/** Asks for a name and a proof, then shows the token once. Neither secret outlives this component. */
function CreateToken({ onClose }: { onClose: () => void }) {
  const [keys] = useState(() => new RequestKeys());
  const [made, setMade] = useState<{ name: string; token: string }>();
  // Only a browser session of our service must prove itself again: the one that the list marks as current.
  const sessions = useQuery(tokenQueries.sessions());
  const isSession = sessions.data?.some(({ Current }) => Current) ?? false;
  if (made)
    return (
      <SecretDialog
        title={`API token “${made.name}”`}
        what="API token"
        secret={made.token}
        fileName="muster-token.txt"
        onDone={onClose}
      >
        Treat it like a password: anyone who has it can do everything in this account. The service stores only its hash.
      </SecretDialog>
    );
  return (
    <FormDialog
      onClose={onClose}
      title="Create API token"
      rules={RULES}
      initial={{ Name: '', Proof: '' }}
      bodyOf={({ Name, Proof }) => (Proof === '' ? { Name } : { Name, Proof })}
      // Not cached, so that nothing of the token outlives the dialog.
      write={{ ...tokenMutations.createToken(keys), gcTime: 0 }}
      request={({ Name }) => requestOf(accountEndpoints.createToken, { body: { Name } })}
      explain={unconfirmed('token')}
      submitLabel="Create token"
      onDone={({ Token }, { Name }) => setMade({ name: Name, token: Token })}
    >
      {({ field, error }) => (
        <>
          <TextField
            description="What uses it, so you know which one to revoke."
            placeholder="Build server"
            autoComplete="off"
            required
            data-autofocus
            {...field('Name')}
          />
          {(isSession || (error && 'Proof' in RULES.refused(error))) && (
            <TextField
              type="password"
              description={
                <>
                  An existing API token, or a new sign-in link from{' '}
                  <code className={classes.command}>npm run token -- link</code> on the service’s machine. Being signed
                  in is not enough: someone may have found this browser open.
                </>
              }
              autoComplete="off"
              spellCheck={false}
              required
              {...field('Proof')}
            />
          )}
        </>
      )}
    </FormDialog>
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
