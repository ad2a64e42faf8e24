// Asks before leaving the page cancels uploads or loses files that were prepared for one.
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';

interface UploadGuardProps {
  /** Of the files that were started and are not stored yet. */
  names: readonly string[];
  /** Of those that were chosen and are not under way. */
  prepared: readonly string[];
  /** What was started can be continued by choosing the files again. */
  canContinue: boolean;
}

export function UploadGuard({ names, prepared, canContinue }: UploadGuardProps) {
  const isUploading = names.length > 0;
  const lost = isUploading ? names : prepared;
  const isOne = lost.length === 1;
  const first = <bdi>{lost[0]}</bdi>;
  const count = formatCount(lost.length);
  if (isUploading && canContinue)
    return (
      <LeaveGuard
        key="uploads"
        active
        title={isOne ? 'Leave and interrupt the upload?' : 'Leave and interrupt the uploads?'}
        confirmLabel="Leave"
        open={paths.signIn()}
      >
        {isOne ? first : `${count} files`} {isOne ? 'is' : 'are'} still being uploaded. Leaving this page interrupts
        that: choose {isOne ? 'the file' : 'the files'} again within a day to go on where it stopped.
      </LeaveGuard>
    );
  return isUploading ? (
    <LeaveGuard
      key="uploads"
      active
      title={isOne ? 'Leave and cancel the upload?' : 'Leave and cancel the uploads?'}
      confirmLabel="Leave and cancel"
      open={paths.signIn()}
    >
      {isOne ? first : `${count} files`} {isOne ? 'is' : 'are'} still being uploaded. Leaving this page cancels that,
      and nothing of {isOne ? 'it' : 'them'} is stored.
    </LeaveGuard>
  ) : (
    <LeaveGuard
      key="files"
      active={lost.length > 0}
      title={isOne ? 'Leave without uploading the file?' : `Leave without uploading ${count} files?`}
      confirmLabel="Leave without uploading"
      open={paths.signIn()}
    >
      {isOne ? first : 'They'} {isOne ? 'was' : 'were'} not uploaded, and what was filled in for {isOne ? 'it' : 'them'}{' '}
      is lost.
    </LeaveGuard>
  );
}
