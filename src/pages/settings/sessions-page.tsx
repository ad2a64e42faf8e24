// The browsers that are signed in: one's own, and for an Admin those of everybody.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import type { Session } from '#/contract/account.ts';
import { counted } from '#/lib/format.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { SessionTable } from './people/session-table.tsx';
import classes from './settings.module.css';

/** Of how many people, and tokens of the account, the sessions are. */
const ownersOf = (sessions: readonly Session[]): number =>
  new Set(sessions.map(({ PersonId, Prefix }) => PersonId || `token ${Prefix}`)).size;

export function SessionsPage() {
  const sessions = useQuery(tokenQueries.sessions());
  const dialog = useDialog<'end-sessions'>('session');
  const all = sessions.data ?? [];
  const others = all.filter(({ Current }) => !Current);
  return (
    <Page
      title="Sessions"
      lead="Browsers that are signed in. Signing one out takes effect at once."
      actions={
        others.length > 0 && (
          <Button onClick={() => dialog.open('end-sessions')}>
            {all.length === others.length ? 'Sign out all' : 'Sign out all others'}
          </Button>
        )
      }
    >
      <View
        query={sessions}
        name="who is signed in"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className={classes.note}>No browser is signed in.</p>}
      >
        {(rows) => (
          <SessionTable name="Sessions" sessions={rows} hasPeople={new Set(rows.map((row) => row.PersonId)).size > 1} />
        )}
      </View>
      {dialog.name === 'end-sessions' && <EndSessions others={others} onClose={dialog.close} />}
    </Page>
  );
}

function EndSessions({ others, onClose }: { others: readonly Session[]; onClose: () => void }) {
  const owners = ownersOf(others);
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Sign out all others"
      confirmLabel="Sign out"
      write={tokenMutations.endSessions()}
    >
      {others.length === 1 ? 'One other browser has' : `${others.length} other browsers have`} to sign in again
      {owners > 1 && `, of ${counted(owners, 'person', 'people')} and tokens`}. This one stays signed in, and API tokens
      keep working.
    </ConfirmDialog>
  );
}
