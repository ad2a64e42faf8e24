// Asks for a token over the page when the session has ended.
import '@mantine/core/styles/PasswordInput.css';
import { useState } from 'react';
import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { ApiError } from '#/api/api-error.ts';
import { signIn } from '#/api/session.ts';
import { FormError } from '#/ui/view.tsx';

export function SignInAgain({ onLeave }: { onLeave: () => void }) {
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
      setError(
        failure instanceof ApiError && failure.status === 401
          ? new Error('The service does not know this token. Check that it was copied whole.')
          : (failure as Error),
      );
    }
  };
  return (
    <Modal
      opened
      onClose={onLeave}
      title="Your session has ended"
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && token.trim()) void submit();
        }}
      >
        <Stack gap="md">
          <p>Sign in again to go on. What you typed on the page is still there.</p>
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
            <Button variant="default" onClick={onLeave}>
              Leave the page
            </Button>
            <Button type="submit" loading={busy} disabled={!token.trim()}>
              Sign in
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
