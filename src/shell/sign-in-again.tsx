// Asks for a token on top of the page when the session has ended.
import '@mantine/core/styles/PasswordInput.css';
import { useState } from 'react';
import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries, signIn } from '#/api/session.ts';
import { signInRefusal } from '#/api/sign-in-words.ts';
import { FormError } from '#/ui/page/view.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';

export function SignInAgain({ onLeave }: { onLeave: () => void }) {
  const session = useQuery(sessionQueries.current());
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      await signIn({ Token: token.trim() });
    } catch (failure) {
      setBusy(false);
      const { title, detail } = signInRefusal(failure, { Token: '' }, session.data?.Upstream);
      setError(Object.assign(new Error(title), { detail }));
    }
  };
  return (
    <BaseDialog title="Your session has ended">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && token.trim()) void submit();
        }}
      >
        <Stack gap="md">
          <p>Sign in again to continue. Your input is still on the page.</p>
          <PasswordInput
            label="API token"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the token', tabIndex: 0 }}
            data-autofocus
          />
          <FormError error={error} />
          <Group justify="flex-end">
            <Button onClick={onLeave}>Leave the page</Button>
            <Button variant="filled" type="submit" loading={busy} disabled={!token.trim()}>
              Sign in
            </Button>
          </Group>
        </Stack>
      </form>
    </BaseDialog>
  );
}
