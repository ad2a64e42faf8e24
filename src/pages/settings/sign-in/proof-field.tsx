// What a browser's user shows again before something lasting is made of the session.
import type { TextInputProps } from '@mantine/core';
import { TextField } from '#/ui/form/text-field.tsx';
import classes from './sign-in.module.css';

export function ProofField({ hasPassword, ...field }: TextInputProps & { hasPassword: boolean }) {
  return (
    <TextField
      type="password"
      description={
        <>
          {hasPassword ? 'Or an' : 'An'} existing API token, or a new sign-in link from{' '}
          <code className={classes.command}>npm run token -- link</code> on the service’s machine. Being signed in is
          not enough: someone may have found this browser open.
        </>
      }
      autoComplete="off"
      spellCheck={false}
      required
      {...field}
    />
  );
}
