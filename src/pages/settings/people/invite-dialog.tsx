// Invites a person, then shows the link of the invitation once.
import { useState } from 'react';
import { formRules } from '#/api/form-rules.ts';
import { peopleMutations, useMe } from '#/api/people.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { peopleEndpoints, type Invitation } from '#/contract/people.ts';
import { ROLE_LABELS, roleBody, RoleFields, roleRules, roleValues } from '#/features/roles/role-fields.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { LinkDialog } from './link-dialog.tsx';

const RULES = roleRules(formRules(peopleEndpoints.invite.body, { Email: 'E-mail', Name: 'Name', ...ROLE_LABELS }));

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ invitation: Invitation; name: string; email: string }>();
  const [keys] = useState(() => new RequestKeys());
  const own = useMe()?.Groups ?? [];
  if (made) return <LinkDialog {...made} kind="invitation" onDone={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title="Invite a person"
      rules={RULES}
      initial={{ Email: '', Name: '', ...roleValues({ Role: 'Operator', Groups: own }) }}
      bodyOf={(values) => ({ Email: values.Email.trim(), Name: values.Name.trim(), ...roleBody(values) })}
      // Not cached, so that nothing of the link outlives the dialog.
      write={{ ...peopleMutations.invite(keys), gcTime: 0 }}
      request={(body) => requestOf(peopleEndpoints.invite, { body })}
      explain={unconfirmed('invitation')}
      submitLabel="Invite"
      onDone={(invitation, { Name, Email }) => setMade({ invitation, name: Name || Email, email: Email })}
    >
      {(form) => (
        <>
          <TextField type="email" autoComplete="off" required data-autofocus {...form.field('Email')} />
          <TextField
            description="Optional. Shown instead of the address; the person can change it when accepting."
            autoComplete="off"
            {...form.field('Name')}
          />
          <RoleFields form={form} />
        </>
      )}
    </FormDialog>
  );
}
