// Asks before running uploads are lost by going to another page or closing the window.
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { LeaveGuard } from '#/ui/leave-guard.tsx';

/** `names`: of the files that were started and are not stored yet. */
export function UploadGuard({ names }: { names: readonly string[] }) {
  const [first = ''] = names;
  const several = names.length > 1;
  return (
    <LeaveGuard
      active={names.length > 0}
      title={several ? 'Leave and cancel the uploads?' : 'Leave and cancel the upload?'}
      confirmLabel="Leave and cancel"
      open={paths.signIn()}
    >
      {several ? (
        `${formatCount(names.length)} files are`
      ) : (
        <>
          <bdi>{first}</bdi> is
        </>
      )}{' '}
      still being uploaded. Leaving this page cancels that, and nothing of {several ? 'them' : 'it'} is kept.
    </LeaveGuard>
  );
}
