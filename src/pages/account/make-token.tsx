// A new API token: first its name and a proof, then the token itself, once. Both secrets live in this component alone and go
// with it.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { TextField } from '#/ui/form/text-field.tsx';
import { accountEndpoints } from '#/contract/account.ts';
import { tokenMutations, tokenQueries } from '#/api/tokens.ts';
import { formRules } from '#/api/form-rules.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import classes from './account-page.module.css';

const RULES = formRules(accountEndpoints.createToken.body, { Name: 'Name', Proof: 'Your proof' });

export function MakeToken({ onClose }: { onClose: () => void }) {
  const [keys] = useState(() => new RequestKeys());
  const [made, setMade] = useState<{ name: string; token: string }>();
  // Only a session of the service itself has to prove itself again: one that its list marks as current.
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
      // No time in the cache: when the dialog has gone, nothing of the token is left.
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
                  An API token that you have; or a new sign-in link, by{' '}
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
