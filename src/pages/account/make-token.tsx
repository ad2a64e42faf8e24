// A new API token: first its name and a proof, then the token itself, once. Both secrets live in this component alone and go
// with it.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { accountEndpoints } from '#/contract/account.ts';
import { accountMutations, accountQueries } from '#/api/account.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { OrderKeys } from '#/api/order-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import classes from './account-page.module.css';

const LABELS = { Name: 'Name', Proof: 'Your proof' };

export function MakeToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [keys] = useState(() => new OrderKeys());
  // No time in the cache: once Done is pressed nothing of the token is left.
  const make = useWrite({ ...accountMutations.createToken(keys), gcTime: 0 });
  const form = useForm({
    initialValues: { Name: '', Proof: '' },
    validate: checkedBy(accountEndpoints.createToken.body, LABELS),
  });
  const refused = refusedFields(make.error, LABELS);
  // Asked of a session of the service itself: where it lists this one, or says so.
  const sessions = useQuery(accountQueries.sessions());
  const needsProof = refused['Proof'] !== undefined || (sessions.data?.some(({ Current }) => Current) ?? false);
  const submit = ({ Name, Proof }: { Name: string; Proof: string }) => {
    if (!make.isPending) make.mutate(needsProof ? { Name, Proof } : { Name });
  };
  const done = () => {
    make.reset();
    form.reset();
    onClose();
  };
  if (make.data)
    return (
      <SecretDialog
        title={`API token “${form.values.Name}”`}
        what="API token"
        secret={make.data.Token}
        fileName="muster-token.txt"
        onDone={done}
      >
        Keep it like a password: whoever has it can do everything in this account. The service itself knows only its
        hash.
      </SecretDialog>
    );
  return (
    <Modal
      opened={opened}
      onClose={make.isPending ? () => undefined : onClose}
      title="Make an API token"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form noValidate onSubmit={form.onSubmit(submit)}>
        <Stack gap="md">
          <TextInput
            label={LABELS.Name}
            description="What will use it, so that you know which one to revoke."
            placeholder="Build server"
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps('Name')}
            error={form.errors['Name'] ?? refused['Name']}
          />
          {needsProof && (
            <TextInput
              type="password"
              label={LABELS.Proof}
              description={
                <>
                  An API token that you have; or a new sign-in link, by{' '}
                  <code className={classes.command}>npm run token -- link</code> on the machine of the service. To be
                  signed in is not enough: somebody may have found this browser open.
                </>
              }
              autoComplete="off"
              spellCheck={false}
              required
              {...form.getInputProps('Proof')}
              error={form.errors['Proof'] ?? refused['Proof']}
            />
          )}
          <ShowAsCurl request={requestOf(accountEndpoints.createToken, { body: { Name: form.values.Name } })} />
          <FormError error={unplacedError(make.error, LABELS)} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={make.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              Make token
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
