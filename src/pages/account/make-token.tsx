// A new API token: first its name, then the token itself, once. It lives in this component alone and goes with it.
import { useState } from 'react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { accountEndpoints } from '#/contract/account.ts';
import { accountMutations } from '#/api/account.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { OrderKeys } from '#/api/order-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { SecretDialog } from '#/ui/secret-dialog.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/use-write.ts';
import { FormError } from '#/ui/view.tsx';

const LABELS = { Name: 'Name' };

export function MakeToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [keys] = useState(() => new OrderKeys());
  // No time in the cache: once Done is pressed nothing of the token is left.
  const make = useWrite({ ...accountMutations.createToken(keys), gcTime: 0 });
  const form = useForm({
    initialValues: { Name: '' },
    validate: checkedBy(accountEndpoints.createToken.body, LABELS),
  });
  const submit = ({ Name }: { Name: string }) => {
    if (!make.isPending) make.mutate(Name);
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
            error={form.errors['Name'] ?? refusedFields(make.error, LABELS)['Name']}
          />
          <ShowAsCurl request={requestOf(accountEndpoints.createToken, { body: form.values })} />
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
