// Creates an API token: asks for its name and a proof, then shows the token once. Neither secret outlives this component.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { TextField } from '#/ui/form/text-field.tsx';
import { accountEndpoints } from '#/contract/account.ts';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { formRules } from '#/api/form-rules.ts';
import { mayExist } from '#/api/may-exist.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import classes from './account-page.module.css';

const RULES = formRules(accountEndpoints.createToken.body, { Name: 'Name', Proof: 'Your proof' });

export function MakeToken({ onClose }: { onClose: () => void }) {
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
      explain={mayExist('token')}
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
