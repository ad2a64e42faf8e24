// Asks before a running upload is lost by going to another page or closing the window.
import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { paths } from '#/paths.ts';

export function LeaveGuard({ active, what }: { active: boolean; what: string }) {
  // Dialogs and the search live on this page's own path. Nobody can stay once signed out.
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
  // The upload ended while the question was asked: stay, so that its outcome is seen.
  useEffect(() => {
    if (!active && blocker.state === 'blocked') blocker.reset();
  }, [active, blocker]);
  return (
    <ConfirmDialog
      opened={active && blocker.state === 'blocked'}
      onClose={() => blocker.state === 'blocked' && blocker.reset()}
      title="Leave and cancel the upload?"
      confirmLabel="Leave and cancel"
      cancelLabel="Stay"
      busy={false}
      error={null}
      onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
    >
      {what} is still being uploaded. Leaving this page cancels that, and nothing of it is kept.
    </ConfirmDialog>
  );
}
