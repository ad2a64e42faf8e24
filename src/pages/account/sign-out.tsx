// Ends the session here and in every other tab.
import { Button } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { signOut } from '#/api/session.ts';
import { FormError } from '#/ui/page/view.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';

export function SignOut() {
  const leave = useWrite({ mutationFn: signOut });
  return (
    <>
      <FormError error={leave.error} />
      <Button
        variant="default"
        leftSection={<IconLogout size={18} stroke={1.6} aria-hidden />}
        loading={leave.isPending}
        onClick={() => leave.mutate()}
      >
        Sign out
      </Button>
    </>
  );
}
