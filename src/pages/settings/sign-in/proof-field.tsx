// What a browser's user shows again before something lasting is made of the session.
import type { TextInputProps } from '@mantine/core';
import { paths } from '#/paths.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './sign-in.module.css';

interface ProofFieldProps extends TextInputProps {
  hasPassword: boolean;
  /** A person who has none yet may set one, and never needs the service's machine for it again. */
  canSetPassword?: boolean;
}

export function ProofField({ hasPassword, canSetPassword = false, ...field }: ProofFieldProps) {
  return (
    <TextField
      type="password"
      description={
        <>
          {hasPassword ? 'Or an' : 'An'} existing API token, or a new sign-in link from{' '}
          <code className={classes.command}>npm run token -- link</code> on the service’s machine. Being signed in is
          not enough: someone may have found this browser open.
          {!hasPassword && canSetPassword && (
            <>
              {' '}
              Or <Link to={paths.ownSignIn()}>set a password</Link> first.
            </>
          )}
        </>
      }
      autoComplete="off"
      spellCheck={false}
      required
      {...field}
    />
  );
}
