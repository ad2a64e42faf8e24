// Asks before new keys are lost, or a run is left in the middle, by going to another page or closing the window.
import { counted } from '#/lib/format.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { paths } from '#/paths.ts';

export function KeysGuard({ running, untaken }: { running: boolean; untaken: number }) {
  return (
    <LeaveGuard
      active={running || untaken > 0}
      title={untaken > 0 ? 'Leave without the keys?' : 'Leave while devices are created?'}
      confirmLabel={untaken > 0 ? 'Leave without the keys' : 'Leave'}
      open={paths.signIn()}
    >
      {running && <p>Devices are still being created: the rest of the list would be lost.</p>}
      {untaken > 0 && (
        <p>
          {counted(untaken, 'key')} {untaken === 1 ? 'was' : 'were'} neither downloaded nor printed and cannot be shown
          again. Each of these devices would need a new key.
        </p>
      )}
    </LeaveGuard>
  );
}
