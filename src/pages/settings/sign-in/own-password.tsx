// One's own password: changed, or set for the first time by whoever signed in with a link.
import { useState } from 'react';
import { PasswordInput, Button } from '@mantine/core';
import '@mantine/core/styles/PasswordInput.css';
import { formRules } from '#/api/form-rules.ts';
import { changePassword } from '#/api/own-password.ts';
import { MIN_PASSWORD_LENGTH } from '#/contract/people.ts';
import { passwordBody } from '#/contract/sign-in.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';

export function OwnPassword({ hasPassword, why }: { hasPassword: boolean; why: string | undefined }) {
  const dialog = useDialog<'password'>('own');
  const [isDone, setDone] = useState(false);
  return (
    <Section
      title="Password"
      lead={
        hasPassword
          ? 'Changing it signs out your other browsers. Your tokens keep working.'
          : 'You have none yet. With a password you can sign in from anywhere.'
      }
      actions={
        <Gate why={why}>
          <Button onClick={() => dialog.open('password')}>{hasPassword ? 'Change password' : 'Set a password'}</Button>
        </Gate>
      }
    >
      <p role="status" className="status small">
        {isDone && 'The password is set.'}
      </p>
      {dialog.name === 'password' && why === undefined && (
        <PasswordDialog
          hasPassword={hasPassword}
          onClose={dialog.close}
          onDone={() => {
            setDone(true);
            dialog.close();
          }}
        />
      )}
    </Section>
  );
}

const RULES = formRules(passwordBody, { Old: 'Present password', New: 'New password' });
const FIRST_RULES = formRules(passwordBody, { Old: 'Proof that it is you', New: 'New password' });

interface PasswordDialogProps {
  hasPassword: boolean;
  onClose: () => void;
  onDone: () => void;
}

function PasswordDialog({ hasPassword, onClose, onDone }: PasswordDialogProps) {
  return (
    <FormDialog
      onClose={onClose}
      title={hasPassword ? 'Change password' : 'Set a password'}
      rules={hasPassword ? RULES : FIRST_RULES}
      initial={{ Old: '', New: '' }}
      bodyOf={({ Old, New }) => ({ Old, New })}
      notReady={({ Old }) => (hasPassword && Old === '' ? 'Type your present password.' : undefined)}
      write={changePassword()}
      request={() => undefined}
      submitLabel={hasPassword ? 'Change password' : 'Set password'}
      onDone={onDone}
    >
      {({ field }) => (
        <>
          <PasswordInput
            description={
              hasPassword ? undefined : (
                <>
                  A token of yours, or a new link from <code>npm run token -- link</code>. Not needed within ten minutes
                  of signing in with such a link.
                </>
              )
            }
            autoComplete={hasPassword ? 'current-password' : 'off'}
            data-autofocus
            required={hasPassword}
            visibilityToggleButtonProps={{ 'aria-label': 'Show it' }}
            {...field('Old')}
          />
          <PasswordInput
            description={`At least ${MIN_PASSWORD_LENGTH} characters. Length counts; nothing else is required.`}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
            {...field('New')}
          />
        </>
      )}
    </FormDialog>
  );
}
