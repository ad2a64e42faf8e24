// Asks before running uploads, and files that were made ready for one, are lost by going to another page or closing the
// window.
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';

interface UploadGuardProps {
  /** Of the files that were started and are not stored yet. */
  names: readonly string[];
  /** Of those that were chosen and are not under way. */
  prepared: readonly string[];
}

export function UploadGuard({ names, prepared }: UploadGuardProps) {
  if (names.length === 0) return <PreparedGuard names={prepared} />;
  const [first = ''] = names;
  const several = names.length > 1;
  return (
    <LeaveGuard
      active
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

function PreparedGuard({ names }: { names: readonly string[] }) {
  const [first = ''] = names;
  return (
    <LeaveGuard
      active={names.length > 0}
      title={names.length > 1 ? `Leave ${formatCount(names.length)} files behind?` : 'Leave the file behind?'}
      confirmLabel="Leave without uploading"
      open={paths.signIn()}
    >
      {names.length > 1 ? (
        'They were not uploaded, and what was filled in for them is lost.'
      ) : (
        <>
          <bdi>{first}</bdi> was not uploaded, and what was filled in for it is lost.
        </>
      )}
    </LeaveGuard>
  );
}
