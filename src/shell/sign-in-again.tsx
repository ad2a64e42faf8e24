// Asks to sign in again on top of the page when the session has ended.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { SignInForm } from '#/features/sign-in/sign-in-form.tsx';
import { PlainButton } from '#/ui/plain/plain-fields.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import classes from './sign-in-again.module.css';

export function SignInAgain({ onLeave }: { onLeave: () => void }) {
  const { data: session } = useQuery(sessionQueries.current());
  return (
    <BaseDialog title="Your session has ended">
      <p className={classes.text}>Sign in again to continue. Your input is still on the page.</p>
      <SignInForm
        session={session}
        onNeedsSetup={onLeave}
        more={<PlainButton onClick={onLeave}>Leave the page</PlainButton>}
      />
    </BaseDialog>
  );
}
