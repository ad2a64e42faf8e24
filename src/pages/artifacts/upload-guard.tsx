// Asks before a running upload is lost by going to another page or closing the window.
import { paths } from '#/paths.ts';
import { LeaveGuard } from '#/ui/leave-guard.tsx';

export function UploadGuard({ active, what }: { active: boolean; what: string }) {
  return (
    <LeaveGuard
      active={active}
      title="Leave and cancel the upload?"
      confirmLabel="Leave and cancel"
      open={paths.signIn()}
    >
      {what} is still being uploaded. Leaving this page cancels that, and nothing of it is kept.
    </LeaveGuard>
  );
}
