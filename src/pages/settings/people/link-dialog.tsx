// The link of an invitation, or for a forgotten password: shown once, to be passed on.
import type { Invitation } from '#/contract/people.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';

interface LinkDialogProps {
  invitation: Invitation;
  kind: 'invitation' | 'password';
  name: string;
  email: string;
  onDone: () => void;
}

export function LinkDialog({
  invitation: { InviteUrl, ExpiresTime, Emailed },
  kind,
  name,
  email,
  onDone,
}: LinkDialogProps) {
  const isInvitation = kind === 'invitation';
  return (
    <SecretDialog
      title={isInvitation ? `Invitation for ${name}` : `New password for ${name}`}
      what={isInvitation ? 'invitation link' : 'password link'}
      secret={InviteUrl}
      fileName={isInvitation ? 'muster-invitation.txt' : 'muster-password-link.txt'}
      noNeed={Emailed ? 'It was sent by e-mail.' : undefined}
      onDone={onDone}
    >
      <p>
        {Emailed ? (
          <>
            The link was sent to <strong>{email}</strong>. You can pass it on yourself as well.
          </>
        ) : (
          <>
            This service sends no e-mail: copy the link and give it to <strong>{name}</strong> yourself.
          </>
        )}
      </p>
      <p>
        It works once, and expires <Timestamp text={ExpiresTime} ahead />. Whoever has it can sign in as this person.
      </p>
    </SecretDialog>
  );
}
