// The dialogs about one person, opened by the URL. Each says what ends with the change.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { formRules } from '#/api/form-rules.ts';
import { peopleMutations } from '#/api/people.ts';
import { requestOf } from '#/api/request-of.ts';
import { peopleEndpoints, type Invitation, type Person } from '#/contract/people.ts';
import { ROLE_LABELS, roleBody, RoleFields, roleRules, roleValues } from '#/features/roles/role-fields.tsx';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { heldText, shownName, takesAway, whyLastAdmin } from './person-words.ts';
import { useHeld, type Held } from './use-held.ts';
import classes from './people.module.css';

export type PersonDialog = 'edit' | 'link' | 'disable' | 'remove' | 'drop-factor';

interface PersonDialogsProps {
  person: Person;
  people: readonly Person[];
  hasRoles: boolean;
  /** Whether it is the person who is signed in. */
  isOwn: boolean;
  dialog: Dialog<PersonDialog>;
}

export function PersonDialogs({ person, people, hasRoles, isOwn, dialog: { name, close } }: PersonDialogsProps) {
  const held = useHeld(person.PersonId);
  const navigate = useNavigate();
  const shown = shownName(person);
  const lastAdmin = whyLastAdmin(person, people);
  const mine = isOwn ? ' You will be signed out here as well.' : '';
  switch (name) {
    case 'edit':
      return <EditPerson {...{ person, hasRoles, lastAdmin, held, mine }} onClose={close} />;
    case 'link':
      return <NewLink person={person} onClose={close} />;
    case 'disable':
      return (
        <ConfirmDialog
          onClose={close}
          title={`Disable ${shown}`}
          confirmLabel="Disable"
          write={peopleMutations.disable(person.PersonId)}
        >
          <p>
            <strong>{shown}</strong> cannot sign in until the person is enabled again.
            {held.sessions > 0 && ` This ends ${heldText(held.sessions, 0)}.`}
            {held.tokens > 0 && ` Until then, ${heldText(0, held.tokens)} of this person will not work.`}
            {mine}
          </p>
        </ConfirmDialog>
      );
    case 'remove':
      return (
        <ConfirmDialog
          onClose={close}
          title={`Remove ${shown}`}
          confirmLabel="Remove person"
          write={peopleMutations.remove(person.PersonId)}
          onDone={() => void navigate(paths.people(), { replace: true })}
        >
          <p>
            <strong>{shown}</strong> can no longer sign in.
            {held.sessions + held.tokens > 0 && ` This ends ${heldText(held.sessions, held.tokens)}.`} Private views of
            this person are deleted.{mine}
          </p>
          <p>Devices, jobs and everything else remain, and so does the name in the audit log.</p>
        </ConfirmDialog>
      );
    case 'drop-factor':
      return (
        <ConfirmDialog
          onClose={close}
          title={`Remove the second factor of ${shown}`}
          confirmLabel="Remove second factor"
          write={peopleMutations.dropSecondFactor(person.PersonId)}
        >
          For somebody who has lost the authenticator app and the recovery codes. Until <strong>{shown}</strong> sets up
          another one, the password alone is enough to sign in. Make sure that it is really this person who asks.
        </ConfirmDialog>
      );
    default:
      return null;
  }
}

const RULES = roleRules(formRules(peopleEndpoints.update.body, { Name: 'Name', ...ROLE_LABELS }));

interface EditPersonProps {
  person: Person;
  hasRoles: boolean;
  lastAdmin: string | undefined;
  held: Held;
  mine: string;
  onClose: () => void;
}

function EditPerson({ person, hasRoles, lastAdmin, held, mine, onClose }: EditPersonProps) {
  const whyNoRole = person.Source === 'oidc' ? 'Comes from the identity provider.' : lastAdmin;
  const bodyOf = (values: Parameters<typeof roleBody>[0] & Record<'Name', string>) => {
    const next = roleBody(values);
    // What has not changed is not sent: for a person of the identity provider it would be refused.
    const isSame = next.Role === person.Role && next.Groups.join('\n') === person.Groups.join('\n');
    return { Name: values.Name.trim(), ...(!isSame && next) };
  };
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${shownName(person)}`}
      rules={RULES}
      initial={{ Name: person.Name, ...roleValues(person) }}
      bodyOf={bodyOf}
      write={peopleMutations.update(person.PersonId)}
      request={(body) => requestOf(peopleEndpoints.update, { params: { person_id: person.PersonId }, body })}
      submitLabel="Save"
      onDone={onClose}
    >
      {(form) => (
        <>
          <TextField autoComplete="off" data-autofocus {...form.field('Name')} />
          {hasRoles && <RoleFields form={form} why={whyNoRole} />}
          <div role="status" className="status">
            {takesAway(person, roleBody(form.values)) && (
              <p className={classes.ends}>
                {held.sessions > 0
                  ? `Ends ${held.sessions === 1 ? 'the session' : `the ${heldText(held.sessions, 0)}`} of ${shownName(person)}.`
                  : 'Takes permissions away.'}
                {held.tokens > 0 && ' Tokens of this person keep no more than this, even if the role grows again.'}
                {mine}
              </p>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}

function NewLink({ person, onClose }: { person: Person; onClose: () => void }) {
  const [invitation, setInvitation] = useState<Invitation>();
  const isInvited = person.State === 'Invited';
  const name = shownName(person);
  if (invitation)
    return (
      <LinkDialog
        invitation={invitation}
        kind={isInvited ? 'invitation' : 'password'}
        name={name}
        email={person.Email}
        onDone={onClose}
      />
    );
  return (
    <ConfirmDialog
      onClose={onClose}
      title={isInvited ? `New invitation for ${name}` : `New password for ${name}`}
      confirmLabel="Create link"
      write={{ ...peopleMutations.renewInvitation(person.PersonId), gcTime: 0 }}
      onDone={setInvitation}
    >
      {isInvited ? (
        <>
          Creates a new link for <strong>{name}</strong>. The one before stops working.
        </>
      ) : (
        <>
          Creates a link with which <strong>{name}</strong> sets a new password. The present one works until then.
        </>
      )}
    </ConfirmDialog>
  );
}
