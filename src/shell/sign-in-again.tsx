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
    <BaseDialog title="You’ve been signed out">
      <p className={classes.text}>Sign in again to continue. Anything you typed is kept.</p>
      <SignInForm
        session={session}
        onNeedsSetup={onLeave}
        more={<PlainButton onClick={onLeave}>Leave the page</PlainButton>}
      />
    </BaseDialog>
  );
}
