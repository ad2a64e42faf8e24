// Asks before a page is left on which devices are still being changed.
import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';

export function RunGuard({ active }: { active: boolean }) {
  // Nobody can stay once signed out.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      active && nextLocation.pathname !== currentLocation.pathname && nextLocation.pathname !== paths.signIn(),
  );
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
  // It ended while the question was asked: stay, so that its results are seen.
  useEffect(() => {
    if (!active && blocker.state === 'blocked') blocker.reset();
  }, [active, blocker]);
  return (
    <ConfirmDialog
      opened={active && blocker.state === 'blocked'}
      onClose={() => blocker.state === 'blocked' && blocker.reset()}
      title="Leave while devices are being changed?"
      confirmLabel="Leave and stop"
      cancelLabel="Stay"
      busy={false}
      error={null}
      onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
    >
      What has been sent is carried out. The rest is not sent, and the results for each device are lost.
    </ConfirmDialog>
  );
}
