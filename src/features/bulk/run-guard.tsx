// Asks before a page is left on which devices are still being changed.
import { paths } from '#/paths.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';

export function RunGuard({ active }: { active: boolean }) {
  return (
    <LeaveGuard
      active={active}
      title="Leave while devices are being changed?"
      confirmLabel="Leave and stop"
      open={paths.signIn()}
    >
      What has been sent is carried out. The rest is not sent, and the results for each device are lost.
    </LeaveGuard>
  );
}
