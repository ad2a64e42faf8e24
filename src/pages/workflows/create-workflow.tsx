// A new workflow: a name and a command. What was typed stays when the dialog is closed by mistake.
import { useState } from 'react';
import { Button, Group, Modal, Stack, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { workflowDraft, workflowEndpoints } from '#/contract/workflows.ts';
import type { WorkflowDraft } from '#/contract/workflows.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { OrderKeys } from '#/api/order-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { workflowMutations } from '#/api/workflows.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';

const LABELS = { Name: 'Name', Command: 'Command' };

export function CreateWorkflow({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [keys] = useState(() => new OrderKeys());
  const create = useWrite(workflowMutations.create(keys));
  const form = useForm<WorkflowDraft>({
    initialValues: { Name: '', Command: '' },
    validate: checkedBy(workflowDraft, LABELS),
  });
  const refused = refusedFields(create.error, LABELS);
  const submit = (draft: WorkflowDraft) => {
    if (create.isPending) return;
    create.mutate(draft, {
      onSuccess: () => {
        form.reset();
        onClose();
      },
    });
  };
  return (
    <Modal
      opened={opened}
      onClose={create.isPending ? () => undefined : onClose}
      title="Create workflow"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form noValidate onSubmit={form.onSubmit(submit)}>
        <Stack gap="md">
          <TextInput
            label={LABELS.Name}
            description="What it does, in a few words."
            placeholder="Restart the camera service"
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps('Name')}
            error={form.errors['Name'] ?? refused['Name']}
          />
          <Textarea
            label={LABELS.Command}
            description="Runs on each device. Full paths are best: a device's PATH may be short."
            placeholder="/usr/bin/systemctl restart camera"
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            required
            {...form.getInputProps('Command')}
            error={form.errors['Command'] ?? refused['Command']}
          />
          <ShowAsCurl request={requestOf(workflowEndpoints.create, { body: form.values })} />
          <FormError error={unplacedError(create.error, LABELS)} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={create.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create workflow
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
