// Asks before new keys are lost, or a run is left in the middle, by going to another page or closing the window.
import { useBeforeUnload, useBlocker } from 'react-router';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { paths } from '#/paths.ts';
import { counted } from './plan.ts';

export function LeaveGuard({ running, untaken }: { running: boolean; untaken: number }) {
  const active = running || untaken > 0;
  // Nobody can stay once signed out.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      active && nextLocation.pathname !== currentLocation.pathname && nextLocation.pathname !== paths.signIn(),
  );
  useBeforeUnload((event) => {
    if (active) event.preventDefault();
  });
  const keys =
    untaken > 0
      ? `${counted(untaken, 'key')} ${untaken === 1 ? 'was' : 'were'} neither downloaded nor printed and cannot be shown again.`
      : '';
  return (
    <ConfirmDialog
      opened={blocker.state === 'blocked'}
      onClose={() => blocker.state === 'blocked' && blocker.reset()}
      title={untaken > 0 ? 'Leave without the keys?' : 'Leave while devices are created?'}
      confirmLabel={untaken > 0 ? 'Leave without the keys' : 'Leave'}
      cancelLabel="Stay"
      busy={false}
      error={null}
      onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
    >
      {running && <p>Devices are still being created: the rest of the list would be lost.</p>}
      {keys && <p>{keys} Each of these devices would need a new key.</p>}
    </ConfirmDialog>
  );
}
