// Lets the person sign in at the identity provider from now on.
import { Button } from '@mantine/core';
import { formRules } from '#/api/form-rules.ts';
import { joinProvider } from '#/api/own-provider.ts';
import { joinBody } from '#/contract/sign-in.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { ProofField } from './proof-field.tsx';

interface JoinProviderProps {
  provider: string;
  hasPassword: boolean;
  /** Why it is not possible here. */
  why: string | undefined;
}

export function JoinProvider({ provider, hasPassword, why }: JoinProviderProps) {
  const dialog = useDialog<'join'>('own');
  return (
    <Section
      title={provider}
      lead={`Sign in there instead of with a password. Your role then comes from ${provider}, each time you sign in.`}
      actions={
        <Gate why={why}>
          <Button onClick={() => dialog.open('join')}>Join</Button>
        </Gate>
      }
    >
      {dialog.name === 'join' && why === undefined && (
        <JoinDialog provider={provider} hasPassword={hasPassword} onClose={dialog.close} />
      )}
    </Section>
  );
}

const WITH_PASSWORD = formRules(joinBody, { Proof: 'Your password' });
const WITH_PROOF = formRules(joinBody, { Proof: 'Confirm it’s you' });

function JoinDialog({ provider, hasPassword, onClose }: Omit<JoinProviderProps, 'why'> & { onClose: () => void }) {
  return (
    <FormDialog
      onClose={onClose}
      title={`Join ${provider}`}
      rules={hasPassword ? WITH_PASSWORD : WITH_PROOF}
      initial={{ Proof: '' }}
      bodyOf={({ Proof }) => ({ Proof })}
      notReady={({ Proof }) => (Proof === '' ? 'Confirm it’s you first.' : undefined)}
      write={joinProvider()}
      request={() => undefined}
      submitLabel={`Go to ${provider}`}
      onDone={({ Url }) => location.assign(Url)}
    >
      {({ field }) => (
        <>
          <p>
            You sign in there once now, and always from then on. Your password and second factor here are removed, and
            your other browsers are signed out.
          </p>
          <ProofField hasPassword={hasPassword} data-autofocus {...field('Proof')} />
        </>
      )}
    </FormDialog>
  );
}
