// One's own second factor: set up, or removed with the password.
import { mutationOptions } from '@tanstack/react-query';
import { PasswordInput, Button } from '@mantine/core';
import '@mantine/core/styles/PasswordInput.css';
import { formRules } from '#/api/form-rules.ts';
import { invalidate } from '#/api/query.ts';
import { queryClient } from '#/api/query-client.ts';
import { removeSecondFactor } from '#/api/second-factor.ts';
import { peopleEndpoints } from '#/contract/people.ts';
import { confirmPasswordBody } from '#/contract/sign-in.ts';
import { SecondFactorSetup } from '#/features/second-factor/second-factor-setup.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';

const PEOPLE = peopleEndpoints.me.resource.name;

export function OwnSecondFactor({ isOn, why }: { isOn: boolean; why: string | undefined }) {
  const dialog = useDialog<'second-factor' | 'no-second-factor'>('own');
  return (
    <Section
      title="Second factor"
      lead={
        isOn
          ? 'On: signing in needs a code of your authenticator app.'
          : 'Off. With it, signing in also needs a code of an authenticator app on your phone.'
      }
      actions={
        <Gate why={why}>
          {isOn ? (
            <Button onClick={() => dialog.open('no-second-factor')}>Remove</Button>
          ) : (
            <Button onClick={() => dialog.open('second-factor')}>Set up</Button>
          )}
        </Gate>
      }
    >
      {dialog.name === 'second-factor' && why === undefined && (
        <BaseDialog title="Set up a second factor" onClose={dialog.close} closeOnClickOutside={false}>
          <SecondFactorSetup
            onCancel={dialog.close}
            onDone={() => {
              dialog.close();
              void invalidate(queryClient, [PEOPLE]);
            }}
          />
        </BaseDialog>
      )}
      {dialog.name === 'no-second-factor' && isOn && why === undefined && <RemoveSecondFactor onClose={dialog.close} />}
    </Section>
  );
}

const RULES = formRules(confirmPasswordBody, { Password: 'Your password' });

const remove = () =>
  mutationOptions({
    mutationFn: ({ Password }: { Password: string }) => removeSecondFactor(Password),
    meta: { changes: [PEOPLE] },
  });

function RemoveSecondFactor({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      onClose={onClose}
      title="Remove the second factor"
      rules={RULES}
      initial={{ Password: '' }}
      bodyOf={({ Password }) => ({ Password })}
      notReady={({ Password }) => (Password === '' ? 'Type your password.' : undefined)}
      write={remove()}
      request={() => undefined}
      submitLabel="Remove second factor"
      onDone={onClose}
    >
      {({ field }) => (
        <>
          <p>From then on, the password alone is enough to sign in. The recovery codes stop working.</p>
          <PasswordInput
            autoComplete="current-password"
            data-autofocus
            required
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            {...field('Password')}
          />
        </>
      )}
    </FormDialog>
  );
}
