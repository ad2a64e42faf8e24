// The API tokens of the account: listed by their first characters, created and revoked.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { useMe } from '#/api/people.ts';
import { formRules } from '#/api/form-rules.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { accountEndpoints, type ApiToken } from '#/contract/account.ts';
import type { Me } from '#/contract/people.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { ROLE_LABELS, roleBody, RoleFields, roleRules, roleValues } from '#/features/roles/role-fields.tsx';
import { groupsText } from '#/features/roles/role-words.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { Link } from '#/ui/url/link.tsx';
import { Page } from '#/ui/page/page.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Empty, View } from '#/ui/page/view.tsx';
import { RevokeToken } from './people/revoke-token.tsx';
import { ProofField } from './sign-in/proof-field.tsx';

type TokenDialog = 'make' | 'revoke';

const hasEnded = ({ ExpiresTime = '' }: ApiToken) => (parseTimestamp(ExpiresTime)?.getTime() ?? Infinity) <= Date.now();

/** Whose the token is. */
function OwnerOf({ Owner, PersonId, OwnerName }: ApiToken) {
  if (Owner === 'me') return 'You';
  if (!PersonId) return 'The account';
  return (
    <Link to={paths.person(PersonId)}>
      <bdi>{OwnerName || PersonId}</bdi>
    </Link>
  );
}

/** @param hasRoles whether tokens may differ in what they may do */
const columnsOf = (dialog: Dialog<TokenDialog>, hasRoles: boolean): Column<ApiToken>[] => [
  {
    header: 'Name',
    cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name || 'Without a name'} />,
  },
  {
    header: 'Starts with',
    cell: ({ Prefix }) => <span className="mono">{Prefix}…</span>,
    phone: hasRoles ? 'hide' : 'end',
    room: 'medium',
  },
  ...(hasRoles
    ? [
        { header: 'Owner', cell: OwnerOf, phone: 'wide' } satisfies Column<ApiToken>,
        {
          header: 'Role',
          cell: ({ Role }: ApiToken) => Role,
          phone: 'second',
          width: '96px',
        } satisfies Column<ApiToken>,
        {
          header: 'Groups',
          cell: ({ Groups = [] }: ApiToken) => <bdi>{groupsText(Groups)}</bdi>,
          phone: 'wide',
        } satisfies Column<ApiToken>,
      ]
    : []),
  {
    header: 'Expires',
    cell: (token) =>
      !token.ExpiresTime ? (
        <span className="dim">Never</span>
      ) : hasEnded(token) ? (
        <StateMark state="Failed" label="Expired" />
      ) : (
        <Timestamp text={token.ExpiresTime} ahead />
      ),
    phone: 'hide',
  },
  {
    header: 'Last used',
    cell: ({ LastUsedTime, LastUsedFrom }) =>
      LastUsedTime ? (
        <span title={LastUsedFrom && `From ${LastUsedFrom}`}>
          <Timestamp text={LastUsedTime} />
        </span>
      ) : (
        <span className="dim">Never</span>
      ),
    phone: 'second',
  },
  {
    header: 'From',
    cell: ({ LastUsedFrom }) => <span className="mono">{LastUsedFrom}</span>,
    phone: 'hide',
    room: 'wide',
  },
  {
    header: 'Created',
    cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} />,
    phone: 'hide',
    room: 'wide',
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

export function TokensPage() {
  const me = useMe();
  const tokens = useQuery(tokenQueries.tokens());
  const dialog = useDialog<TokenDialog>('token');
  const create = (
    <Button leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />} onClick={() => dialog.open('make')}>
      Create token
    </Button>
  );
  const subject = tokens.data?.find(({ TokenId }) => TokenId === dialog.subject);
  const hasRoles = me?.HasOthers ?? false;
  return (
    <Page
      title="Tokens"
      lead={
        hasRoles
          ? 'For programs and people. A token can never do more than whoever made it.'
          : 'For programs and people. A token gives full access to this account, unless it is limited when it is made.'
      }
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
          <DataTable
            name="API tokens"
            columns={columnsOf(dialog, hasRoles)}
            rows={all}
            rowKey={({ TokenId }) => TokenId}
          />
        )}
      </View>
      {dialog.name === 'make' && <CreateToken me={me} onClose={dialog.close} />}
      {dialog.name === 'revoke' && subject && <RevokeToken token={subject} onClose={dialog.close} />}
    </Page>
  );
}

const LABELS = { Name: 'Name', Owner: 'Owner', ...ROLE_LABELS, ExpiresTime: 'Expires', Date: 'Expiry date' };
const WITH_PASSWORD = roleRules(formRules(accountEndpoints.createToken.body, { ...LABELS, Proof: 'Your password' }));
const WITH_PROOF = roleRules(formRules(accountEndpoints.createToken.body, { ...LABELS, Proof: 'Confirm it’s you' }));
type TokenField = keyof typeof LABELS | 'Proof';

const DAY = 86_400_000;
const EXPIRY_CHOICES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'After a date' },
  { value: 'never', label: 'Never' },
];

/** The time that was chosen; '' as long as there is no date. A date means the end of that day here. */
function expiryOf({ ExpiresTime, Date: day }: Record<TokenField, string>, now: number): string | undefined {
  if (ExpiresTime === 'never') return undefined;
  if (ExpiresTime !== 'date') return new Date(now + Number(ExpiresTime) * DAY).toISOString();
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return '';
  const end = new Date(year, month - 1, date + 1);
  return Number.isNaN(end.getTime()) ? '' : end.toISOString();
}

/**
 * Asks what the token is for and what it may do, and for a proof, then shows the token once. Neither secret outlives this
 * component.
 */
function CreateToken({ me, onClose }: { me: Me | undefined; onClose: () => void }) {
  const [keys] = useState(() => new RequestKeys());
  // The same request when it is sent again.
  const [openedAt] = useState(() => Date.now());
  const [made, setMade] = useState<{ name: string; token: string }>();
  // Only a browser session of our service must prove itself again: the one that the list marks as current.
  const session = useQuery(tokenQueries.sessions()).data?.find(({ Current }) => Current);
  if (made)
    return (
      <SecretDialog
        title={`API token “${made.name}”`}
        what="API token"
        secret={made.token}
        fileName="muster-token.txt"
        onDone={onClose}
      >
        Treat it like a password: anyone who has it can do what it may do. The service stores only its hash.
      </SecretDialog>
    );
  const rules = me?.HasPassword ? WITH_PASSWORD : WITH_PROOF;
  // A token of the account itself belongs to nobody.
  const mayChooseOwner = me?.PersonId !== undefined && me.Role === 'Admin';
  const bodyOf = (values: Record<TokenField, string>) => {
    const ExpiresTime = expiryOf(values, openedAt);
    return {
      Name: values.Name,
      ...(me && roleBody(values)),
      ...(mayChooseOwner && { Owner: values.Owner === 'account' ? ('account' as const) : ('me' as const) }),
      ...(me && ExpiresTime !== undefined && { ExpiresTime }),
      ...(values.Proof !== '' && { Proof: values.Proof }),
    };
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Create API token"
      rules={rules}
      initial={{
        Name: '',
        Owner: 'me',
        // What a program needs at most as a rule; more is a choice.
        ...roleValues({ Role: me?.Role === 'Viewer' ? 'Viewer' : 'Deployer', Groups: me?.Groups ?? [] }),
        ExpiresTime: '90',
        Date: '',
        Proof: '',
      }}
      bodyOf={bodyOf}
      notReady={({ ExpiresTime }) => (ExpiresTime === '' ? 'Choose an expiry date.' : undefined)}
      // Not cached, so that nothing of the token outlives the dialog.
      write={{ ...tokenMutations.createToken(keys), gcTime: 0 }}
      // A request to copy does without the proof.
      request={(body) => requestOf(accountEndpoints.createToken, { body: { ...body, Proof: undefined } })}
      explain={unconfirmed('token')}
      submitLabel="Create token"
      onDone={({ Token }, { Name }) => setMade({ name: Name, token: Token })}
    >
      {({ field, values, fill, error }) => (
        <>
          <TextField
            description="What uses it, so you know which one to revoke."
            placeholder="Build server"
            autoComplete="off"
            required
            data-autofocus
            {...field('Name')}
          />
          {me && <RoleFields form={{ field, values, fill, error }} most={me.Role} of="token" />}
          {mayChooseOwner && (
            <NativeSelect
              data={[
                { value: 'me', label: 'Me' },
                { value: 'account', label: 'The account' },
              ]}
              description={
                values.Owner === 'account'
                  ? 'Stays valid until revoked, even after you leave.'
                  : 'Ends with you, and loses what you lose. What it does is recorded under your name.'
              }
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...field('Owner')}
            />
          )}
          {me && <NativeSelect data={EXPIRY_CHOICES} {...field('ExpiresTime')} />}
          {values.ExpiresTime === 'date' && <TextField type="date" required {...field('Date')} />}
          {((session && session.How !== 'Provider') || (error && 'Proof' in rules.refused(error))) && (
            <ProofField
              hasPassword={me?.HasPassword ?? false}
              canSetPassword={me?.PersonId !== undefined}
              {...field('Proof')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
