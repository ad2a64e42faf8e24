// The browsers that are signed in, with this one marked; the others can be signed out.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { Session } from '#/contract/account.ts';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { useOffered } from '#/api/capabilities.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { Section } from '#/ui/page/page.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, View } from '#/ui/page/view.tsx';
import classes from './account-page.module.css';

const methodOf = ({ How, TokenName, Prefix }: Session) => {
  if (How === 'Link') return 'Sign-in link';
  return Prefix ? `Token ${TokenName || 'without a name'} (${Prefix}…)` : How;
};

export function Sessions() {
  const isOffered = useOffered('sessions');
  // If the account cannot be read, the usage section says so.
  const sessions = useQuery({ ...tokenQueries.sessions(), enabled: isOffered === true });
  const end = useWrite(tokenMutations.endSession());
  const dialog = useDialog<'end-sessions'>('session');
  if (isOffered === false)
    return (
      <Section title="Signed in">
        <p className={classes.note}>This service does not report which browsers are signed in.</p>
      </Section>
    );
  const others = sessions.data?.filter(({ Current }) => !Current).length ?? 0;
  const columns: Column<Session>[] = [
    { header: 'Signed in with', cell: (session) => <span className={rowName}>{methodOf(session)}</span> },
    {
      header: 'Since',
      cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} />,
      phone: 'hide',
    },
    {
      header: 'Last used',
      cell: ({ LastUsedTime }) => <Timestamp text={LastUsedTime} />,
      phone: 'end',
    },
    { header: 'From', cell: ({ Address }) => <span className="mono">{Address || 'Unknown'}</span>, phone: 'second' },
    {
      header: 'Actions',
      tools: true,
      cell: (session) =>
        session.Current ? (
          <span className="dim">This browser</span>
        ) : (
          <Button
            size="xs"
            aria-label={`Sign out ${methodOf(session)}, ${session.Address}`}
            loading={end.isPending && end.variables === session.SessionId}
            onClick={() => end.mutate(session.SessionId)}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Section
      title="Signed in"
      lead="Browsers signed in to this account. Signing one out takes effect at once."
      actions={
        others > 0 && (
          <Button onClick={() => dialog.open('end-sessions')}>
            {sessions.data?.length === others ? 'Sign out all' : 'Sign out all others'}
          </Button>
        )
      }
    >
      <FormError error={end.error} />
      <View
        query={sessions}
        name="who is signed in"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className={classes.note}>No browser is signed in.</p>}
      >
        {(all) => <DataTable name="Sessions" columns={columns} rows={all} rowKey={({ SessionId }) => SessionId} />}
      </View>
      {dialog.name === 'end-sessions' && <EndSessions others={others} onClose={dialog.close} />}
    </Section>
  );
}

function EndSessions({ others, onClose }: { others: number; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Sign out all others"
      confirmLabel="Sign out"
      write={tokenMutations.endSessions()}
    >
      {others === 1 ? 'One other browser has' : `${others} other browsers have`} to sign in again. This one stays signed
      in, and API tokens keep working.
    </ConfirmDialog>
  );
}
